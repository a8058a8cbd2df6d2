"""Principals: what is none is refused where it is made, and nothing changes one that is."""

from __future__ import annotations

import copy
import time
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from pegboard import Action, AllowAll, Pegboard, Principal
from pegboard.errors import PolicyError, PrincipalError
from tests.support import ALICE, Receipts, make, registry_of

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"id": ""}, "id of a principal is empty"),
        ({"id": " \t"}, "id of a principal is empty"),
        ({"id": 5}, "id of a principal is a int"),
        ({"id": None}, "id of a principal is a NoneType"),
        ({"id": "half \ud83d"}, "lone surrogate"),
        ({"issuer": " "}, "issuer of a principal is empty"),
        ({"issuer": None}, "issuer of a principal is a NoneType"),
        ({"tenant": 5}, "tenant of a principal is a int"),
        ({"roles": "admin"}, "roles of a principal are text, 'admin'"),
        ({"roles": b"admin"}, "roles of a principal are a bytes"),
        ({"roles": {"admin": True}}, "roles of a principal are a dict"),
        ({"roles": None}, "roles of a principal are a NoneType"),
        ({"roles": ["admin", 1]}, "role of a principal is a int"),
        ({"scopes": [""]}, "scope of a principal is empty"),
        ({"claims": [1]}, "claims of a principal are a list"),
        ({"claims": {"when": {1, 2}}}, "claims of a principal: it holds {1, 2}"),
        ({"claims": {"n": float("nan")}}, "which JSON does not have"),
        ({"claims": {1: 2}}, "has the key 1, which is no text"),
        ({"expires_at": "1"}, "expires_at of a principal is '1'"),
        ({"expires_at": True}, "expires_at of a principal is True"),
        ({"expires_at": float("nan")}, "expires_at of a principal is nan"),
    ],
)
def test_what_is_no_principal_is_refused_with_what_is_wrong(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(PrincipalError) as raised:
        Principal(**{"id": "ann", **fields})
    assert told in str(raised.value)
    assert raised.value.hint


def test_claims_that_contain_themselves_are_refused() -> None:
    claims: dict[str, Any] = {}
    claims["self"] = claims
    with pytest.raises(PrincipalError, match="nested more than 64 deep"):
        Principal(id="ann", claims=claims)


def test_any_collection_of_texts_will_do_for_roles() -> None:
    made = [Principal(id="ann", roles=roles) for roles in (["a", "b", "a"], ("b", "a"), {"a", "b"})]  # type: ignore[arg-type]
    assert {principal.roles for principal in made} == {frozenset("ab")}
    assert len(set(made)) == 1


def test_whoever_made_a_principal_cannot_change_it_later() -> None:
    roles, claims = {"a"}, {"groups": ["x", {"deep": [1]}]}
    principal = Principal(id="ann", roles=roles, claims=claims)
    before = replace(principal)
    roles.add("admin")
    claims["groups"].append("y")
    claims["groups"][1]["deep"].append(2)  # type: ignore[index]
    assert principal == before
    assert principal.roles == {"a"}
    assert principal.claims["groups"][1]["deep"] == (1,)


def test_whoever_got_a_principal_cannot_change_it_either() -> None:
    principal = Principal(id="ann", claims={"a": {"b": [1]}})
    with pytest.raises(FrozenInstanceError):
        principal.id = "root"  # type: ignore[misc]
    with pytest.raises(TypeError):
        principal.claims["a"]["b"] = 2
    assert not hasattr(principal.claims["a"]["b"], "append")


def test_two_principals_with_other_claims_are_not_the_same() -> None:
    assert Principal(id="ann", claims={"level": 1}) != Principal(id="ann", claims={"level": 2})


def test_a_repr_tells_no_claims() -> None:
    assert "hunter2" not in repr(Principal(id="ann", claims={"token": "hunter2"}))


KEYS = [
    Principal(id="ann"),
    Principal(id="ann", issuer="i"),
    Principal(id="i", issuer="ann"),
    Principal(id="ann", tenant="t"),
    Principal(id="ann", tenant=""),
    Principal(id="n", issuer="an"),
    Principal(id="b\x00c", issuer="a"),
    Principal(id="c", issuer="a\x00b"),
    Principal(id='","', issuer="a"),
    Principal(id="用户🚀", issuer="émetteur"),
]


def test_a_key_tells_every_principal_from_every_other() -> None:
    assert len({principal.key for principal in KEYS}) == len(KEYS)


def test_a_key_stays_the_same_whatever_rights_are_given() -> None:
    ann = Principal(id="ann", issuer="i", tenant="t")
    richer = replace(ann, roles=frozenset({"x"}), scopes=frozenset({"y"}), claims={"a": 1}, expires_at=1e12)
    assert richer.key == ann.key == "p1_nqV2AzfqFLpMa0FwMCmAAYjczaCY8BIRsWsgTAOd_pc"
    assert "ann" not in ann.key


async def test_what_is_no_principal_opens_no_board() -> None:
    for wrong, told in (("ann", "str"), ({"id": "ann"}, "dict"), (True, "bool"), (0, "int")):
        with pytest.raises(PrincipalError, match=f"^A {told} is not a principal") as raised:
            await Pegboard().open(wrong)  # type: ignore[arg-type]
        assert "None for nobody" in raised.value.hint


def test_what_is_no_policy_is_refused_at_once() -> None:
    class Half:
        async def decide(self, *_: object) -> None: ...

    for wrong, told, lacks in (
        (object(), "object", "decide"),
        (Half(), "Half", "permitted"),
        (lambda: True, "function", "decide"),
    ):
        with pytest.raises(PolicyError, match=f"^A {told} is not a policy: it has no {lacks}") as raised:
            Pegboard(policy=wrong)  # type: ignore[arg-type]
        assert "RulePolicy" in raised.value.hint


@pytest.mark.golden("gonk_auth_dispatch/principal_expired_is_accepted")
async def test_a_principal_whose_time_is_over_may_do_nothing_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    receipts = Receipts()
    peg = Pegboard([registry_of(make("t"), make("shown", always=True))], receipts=receipts)
    over = time.time() + 3600
    board = await peg.open(replace(ALICE, expires_at=over))
    assert not (await board.call("t")).is_error  # type: ignore[union-attr]
    monkeypatch.setattr(time, "time", lambda: over)
    gone, missing = await board.call("t"), await board.call("x")
    assert str(gone).replace("'t'", "NAME") == str(missing).replace("'x'", "NAME")
    assert "time is over" in receipts.all[1].reason
    assert (await board.view()).tools == ()
    assert "shown" not in str(board.listing().items)


def test_a_copy_of_a_principal_is_one() -> None:
    assert copy.copy(ALICE) == ALICE


def test_scopes_are_a_set_and_a_tenant_may_be_without_a_name() -> None:
    ann = Principal(id="ann", tenant="", scopes=["read", "read"])  # type: ignore[arg-type]
    assert ann.scopes == frozenset({"read"})
    assert ann.tenant == ""
    assert ann.key != Principal(id="ann").key


async def test_without_a_policy_everybody_may_do_everything() -> None:
    tools = [make("a"), make("b")]
    assert await AllowAll().permitted(ALICE, Action.DISCOVER, tools) == [True, True]
    decision = await AllowAll().decide(ALICE, Action.INVOKE, tools[0])
    assert (decision.allowed, decision.reason) == (True, "allow-all")
