"""What rules hide from somebody is not there: no answer, total, order, error or pin tells it from what never was.

Two Pegboards are asked the same: one has tools that the rules hide, the other has never had them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from pegboard import Limits, Pegboard, Principal, Rule, RulePolicy, Tool, ToolResult
from pegboard.board import Board
from tests.support import Receipts, make, registry_of

pytestmark = pytest.mark.anyio

ANN = Principal(id="ann", roles=frozenset({"clerk"}))
ORDER = {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]}

SEEN = [
    make("shop__refund_order", "Refund an order of the shop.", category="shop", tags=("money",), input_schema=ORDER),
    make("shop__find_order", "Find an order.", category="shop", tags=("orders",), keywords=("parcel",)),
    make("wiki__clock", "What time it is.", always=True),
]
HIDDEN = [
    make(
        "shop__void_order", "Void an order and refund the money.", category="shop", tags=("money",), keywords=("void",)
    ),
    make("vault__open", "Open the vault. Quasar.", category="vault", tags=("secret",), input_schema=ORDER),
    make("wiki__alarm", "Ring the alarm.", always=True, related_to=("wiki__clock",)),
]
RULES = [
    Rule(roles=["clerk"], names=["shop__*", "wiki__*"], allow=["discover", "invoke"]),
    Rule(principals=["*"], names=["*__void_*", "*__alarm"], deny=["discover"]),
]
MISSING = "none__such"


def pegboard(*tools: Tool, receipts: Receipts | None = None) -> Pegboard:
    return Pegboard([registry_of(*tools)], policy=RulePolicy(RULES), receipts=receipts)


def mixed() -> list[Tool]:
    """Every hidden tool between two that are seen."""
    return [tool for pair in zip(HIDDEN, SEEN, strict=True) for tool in pair]


def wire(result: Any) -> str:
    assert isinstance(result, ToolResult)
    return json.dumps(result.to_wire(), ensure_ascii=False)


ABOUT_A_NAME: list[tuple[str, Mapping[str, Any]]] = [
    ("get_tool", {}),
    ("explain_tool", {}),
    ("load_tool", {}),
    ("unload_tool", {}),
    ("call_tool", {}),
    ("call_tool", {"arguments": {"order": "A7"}}),
    ("call_tool", {"arguments": '{"order": "A7"}'}),
    ("call_tool", {"arguments": {"wrong": 1}}),
    ("call_tool", {"order": "A7"}),
]


@pytest.mark.parametrize("hidden", [tool.name for tool in HIDDEN])
@pytest.mark.parametrize(("meta", "more"), ABOUT_A_NAME)
async def test_a_hidden_name_answers_like_a_missing_one(hidden: str, meta: str, more: Mapping[str, Any]) -> None:
    board = await pegboard(*mixed()).open(ANN)
    before = board.listing().fingerprint
    answers = [wire(await board.call(meta, {"name": name, **more})) for name in (hidden, MISSING)]
    assert answers[0].replace(hidden, "NAME") == answers[1].replace(MISSING, "NAME")
    assert '"isError": true' in answers[0]
    assert board.pending == ((), ())
    await board.commit()
    assert board.listing().fingerprint == before


@pytest.mark.parametrize("hidden", [tool.name for tool in HIDDEN])
async def test_so_does_a_call_by_its_own_name_from_outside_and_from_inside(hidden: str) -> None:
    async def calls(arguments: dict[str, Any], context: Any) -> Any:
        return (await context.call(arguments["name"], {"order": "A7"})).to_wire()

    receipts = Receipts()
    board = await pegboard(*mixed(), make("shop__through", handler=calls), receipts=receipts).open(ANN)
    for arguments in ({}, {"order": "A7"}, {"order": 5}, "text", None):
        answers = [wire(await board.call(name, arguments)) for name in (hidden, MISSING)]
        assert answers[0].replace(hidden, "NAME") == answers[1].replace(MISSING, "NAME")
    inside = [wire(await board.call("shop__through", {"name": name})) for name in (hidden, MISSING)]
    assert inside[0].replace(hidden, "NAME") == inside[1].replace(MISSING, "NAME")
    reasons = {receipt.reason for receipt in receipts.all if receipt.tool == hidden}
    allowed = {"denied: discover: rule 2 denies discover", "denied: discover: no rule allows discover"}
    assert len(reasons) == 1
    assert reasons <= allowed


ASKED: list[tuple[str, Mapping[str, Any]]] = [
    ("list_tools", {}),
    ("list_tools", {"category": "vault"}),
    ("list_tools", {"category": "shop"}),
    ("list_tools", {"tag": "secret"}),
    ("list_tools", {"tag": "money"}),
    ("list_tools", {"visibility": "always"}),
    *(
        ("find_tools", {"query": query, **more})
        for query in (
            "",
            "order",
            "refund the money",
            "void an order",
            "vault__open",
            "open the vault",
            "quasar",
            "alarm ring",
            "shop__void_order",
            "money void zzz",
        )
        for more in ({}, {"limit": 1}, {"detail": "full"})
    ),
    ("tool_search", {"query": "order money void"}),
    ("tool_search", {"query": "quasar"}),
    ("get_tool", {"name": "wiki__clock"}),
    ("explain_tool", {"name": "shop__refund_order"}),
]


async def test_nothing_that_is_told_of_the_others_tells_of_the_hidden_ones() -> None:
    with_them = await pegboard(*mixed()).open(ANN)
    without = await pegboard(*SEEN).open(ANN)
    assert with_them.listing().bytes == without.listing().bytes
    assert await with_them.prompt() == await without.prompt()
    for meta, arguments in ASKED:
        told = [wire(await board.call(meta, arguments)) for board in (with_them, without)]
        assert told[0] == told[1], (meta, arguments)
    for text in ("void the parcel", "secret money", "vault"):
        assert _names(await with_them.recommend(text)) == _names(await without.recommend(text))
    assert (
        (await with_them.commit()).added == (await without.commit()).added == ("shop__refund_order", "shop__find_order")
    )
    assert with_them.listing().bytes == without.listing().bytes


async def test_pages_and_cursors_count_what_is_seen_alone() -> None:
    async def pages(board: Board) -> list[str]:
        told, cursor = [], None
        while True:
            answer = await board.call("list_tools", {"cursor": cursor} if cursor else {})
            told.append(wire(answer))
            cursor = answer.structured.get("cursor")  # type: ignore[union-attr]
            if cursor is None:
                return told

    boards = [
        await Pegboard([registry_of(*tools)], policy=RulePolicy(RULES), limits=Limits(page=1)).open(ANN)
        for tools in (mixed(), SEEN)
    ]
    assert await pages(boards[0]) == await pages(boards[1])


async def test_whom_the_rules_name_sees_them() -> None:
    rules = [*RULES[:1], Rule(roles=["keeper"], names=["*"], allow=["discover", "invoke"])]
    peg = Pegboard([registry_of(*mixed())], policy=RulePolicy(rules))
    board = await peg.open(Principal(id="kay", roles=frozenset({"keeper"})))
    assert not (await board.call("vault__open", {"order": "A7"})).is_error  # type: ignore[union-attr]
    assert (await board.call("list_tools")).structured["total"] == 6  # type: ignore[union-attr]


async def test_a_pin_that_is_hidden_later_goes_from_every_answer_at_once() -> None:
    peg = pegboard(*mixed())
    board = await peg.open(ANN)
    board.pin("shop__find_order")
    await board.commit()
    peg.set_policy(RulePolicy([*RULES, Rule(principals=["*"], names=["shop__find_order"], deny=["discover"])]))
    for meta, more in ABOUT_A_NAME:
        answers = [wire(await board.call(meta, {"name": name, **more})) for name in ("shop__find_order", MISSING)]
        assert answers[0].replace("shop__find_order", "NAME") == answers[1].replace(MISSING, "NAME"), meta
    assert "shop__find_order" not in board.listing().names
    assert "shop__find_order" not in [tool.name for tool in board.active_set()]


def _names(found: Any) -> list[str]:
    return [ranked.entry.name for ranked in found]


async def test_a_name_means_one_tool_for_everybody_also_for_those_that_may_not_discover_it() -> None:
    first, second = [make("pay", f"Pay, the {name}.", source=name) for name in ("first", "second")]
    rules = [
        Rule(roles=["clerk"], names=["*"], allow=["discover", "invoke"]),
        Rule(principals=["*"], names=["*"], sources=["first"], deny=["discover"]),
    ]
    peg = Pegboard(
        [registry_of(first, name="first"), registry_of(second, name="second")],
        collisions="first",
        policy=RulePolicy(rules),
    )
    board = await peg.open(ANN)
    assert (await board.find("pay")).matches == ()
    said, missing = [await board.call(name, {}) for name in ("pay", "nowhere")]
    assert isinstance(said, ToolResult)
    assert isinstance(missing, ToolResult)
    assert said.text.replace("pay", "NAME") == missing.text.replace("nowhere", "NAME")
