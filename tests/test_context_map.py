"""Where values of a call's context come from, decided by table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pegboard import Context, Pegboard, Principal
from pegboard.context_map import ContextMap, Origin
from tests.support import make, registry_of

ANN = Principal(
    id="ann",
    issuer="https://id.example",
    tenant="acme",
    claims={"region": "eu", "level": 3, "vip": True, "groups": ["a"], "empty": " ", "tenant": "forged", "none": None},
)


@pytest.mark.parametrize(
    ("claim", "value"),
    [
        ("id", "ann"),
        ("issuer", "https://id.example"),
        ("tenant", "acme"),  # its own field, whatever a claim of that name says
        ("region", "eu"),
        ("level", 3),
        ("vip", True),
        ("groups", None),
        ("empty", None),
        ("none", None),
        ("missing", None),
    ],
)
def test_a_claim_is_a_field_of_the_principal_or_one_of_its_claims(claim: str, value: Any) -> None:
    held = ContextMap({"x": Origin(claim=claim)}).held(ANN)
    assert held == ({} if value is None else {"x": value})


def test_nobody_has_no_claims_and_everybody_the_literals() -> None:
    places = ContextMap({"who": Origin(claim="id"), "store": Origin(value="berlin"), "chat": Origin(header="X")})
    assert places.held(None) == {"store": "berlin"}
    assert places.held(ANN) == {"who": "ann", "store": "berlin"}


@pytest.mark.parametrize(
    ("headers", "sent"),
    [
        ({"x-chat": ["c1"]}, {"chat": "c1"}),
        ({"x-chat": ["c1", "c2"]}, {}),
        ({"x-chat": [""]}, {}),
        ({"x-chat": [" \t"]}, {}),
        ({"x-other": ["c1"]}, {}),
    ],
)
def test_a_header_counts_when_it_is_there_once(headers: Mapping[str, Sequence[str]], sent: dict[str, str]) -> None:
    asked = []

    def header(name: str) -> Sequence[str]:
        asked.append(name)
        return headers.get(name.lower(), ())

    assert ContextMap({"chat": Origin(header="X-Chat"), "who": Origin(claim="id")}).sent(header) == sent
    assert asked == ["X-Chat"], "no other header may be looked at"


@pytest.mark.anyio
async def test_what_a_board_or_a_call_was_given_comes_before_the_map() -> None:
    seen = []

    async def look(arguments: dict[str, Any], context: Context) -> str:
        seen.append(dict(context.values))
        return "ok"

    places = ContextMap({"tenant_id": Origin(claim="tenant"), "store_id": Origin(value="berlin")})
    async with Pegboard([registry_of(make("look", handler=look))], context=places) as peg:
        for given in ({}, {"tenant_id": "board"}):
            board = await peg.open(ANN, context=given)
            await board.call("look")
            await board.call("look", {"tenant_id": "model"})
            await board.call("look", context={"tenant_id": "call"})
    assert [one["tenant_id"] for one in seen] == ["acme", "acme", "call", "board", "board", "call"]
    assert {one["store_id"] for one in seen} == {"berlin"}
