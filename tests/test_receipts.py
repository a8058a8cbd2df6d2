"""Receipts: written down as they are, and no call without one where they are mandatory."""

from __future__ import annotations

import json
import os
import stat
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pegboard import AllowAll, Approval, Context, Pegboard, Receipt, ReceiptFile, Tool, ToolResult, Verdict
from pegboard.dispatch import Dispatcher
from pegboard.receipts import search_of
from tests.support import ALICE, Receipts, Rules, make, registry_of

pytestmark = pytest.mark.anyio


class Failing(Receipts):
    """A sink that keeps what it gets, and then fails where it is told to."""

    def __init__(self, *outcomes: str) -> None:
        super().__init__()
        self._outcomes = outcomes

    def write(self, receipt: Receipt) -> None:
        """Keep it, and fail for these outcomes."""
        super().write(receipt)
        if receipt.outcome in self._outcomes:
            raise OSError("disk full")


def counting(name: str = "t") -> tuple[Tool, list[Any]]:
    """A tool, and where it notes that it ran."""
    ran: list[Any] = []

    async def handler(arguments: dict[str, Any], context: Context) -> str:
        ran.append(arguments)
        return "done"

    return make(name, handler=handler), ran


async def called(tool: Tool, **wiring: Any) -> ToolResult:
    result = await (await Pegboard([registry_of(tool)], **wiring).open(ALICE)).call(tool.name, {})
    assert isinstance(result, ToolResult)
    return result


async def test_a_receipt_tells_who_called_what_from_where_inside_what_and_how_it_ended() -> None:
    async def outer(arguments: dict[str, Any], context: Context) -> Any:
        return await context.call("inner", {"n": 1})

    receipts = Receipts()
    tools = registry_of(make("outer", handler=outer, approval=Approval.READ), make("inner", source="shop"))
    board = await Pegboard([tools], policy=Rules(), receipts=receipts).open(ALICE, surface="mcp")
    before, clock = time.time(), time.monotonic()
    await board.call("outer")
    after, span = time.time(), time.monotonic() - clock
    inner, last = receipts.all
    told = Receipt(
        call_id=last.call_id,
        tool="outer",
        source="python",
        principal="alice",
        board=board.id,
        surface="mcp",
        stack=(),
        started=last.started,
        seconds=last.seconds,
        outcome="ok",
        reason="by the test's rules",
        tier="read",
    )
    assert last == told
    own: Any = {"call_id": inner.call_id, "started": inner.started, "seconds": inner.seconds}
    assert inner == replace(told, tool="inner", source="shop", stack=("outer",), tier="exec", **own)
    assert inner.call_id != last.call_id
    assert before <= last.started <= inner.started <= after
    assert 0 <= inner.seconds <= last.seconds <= span


async def test_a_receipt_of_a_call_without_principal_and_without_tool_says_so() -> None:
    receipts = Receipts()
    board = await Pegboard([registry_of(make("t"))], receipts=receipts).open()
    await board.call("t")
    assert (receipts.last.principal, receipts.last.tier, receipts.last.reason) == (None, None, "")
    await board.call("nowhere")
    last = receipts.last
    assert (last.tool, last.source, last.outcome) == ("nowhere", None, "not_found")
    assert last.reason == "No tool is named 'nowhere'. Search with find_tools."


async def test_a_receipt_of_a_call_that_came_through_no_board_names_none() -> None:
    receipts, tool = Receipts(), make("t")
    await Dispatcher(AllowAll(), sink=receipts).run("t", {}, Context(tool="t", call_id="c1"), lambda name: tool)
    (receipt,) = receipts.all
    assert (receipt.call_id, receipt.board, receipt.outcome) == ("c1", None, "ok")


async def test_a_result_that_is_an_error_is_one_in_its_receipt() -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> ToolResult:
        return ToolResult(is_error=True)

    receipts = Receipts()
    await called(make("t", handler=handler), receipts=receipts)
    assert receipts.last.outcome == "tool_error"


async def test_a_receipt_that_cannot_be_written_is_logged_with_its_tool(caplog: pytest.LogCaptureFixture) -> None:
    await called(make("t"), receipts=Failing("ok"))
    assert caplog.messages == ["a receipt of 't' could not be written"]
    assert "disk full" in caplog.text


async def test_where_receipts_are_mandatory_one_stands_before_the_handler_runs() -> None:
    receipts = Receipts()

    async def handler(arguments: dict[str, Any], context: Context) -> str:
        assert [receipt.outcome for receipt in receipts.all] == ["let_through"]
        return "done"

    assert not (await called(make("t", handler=handler), receipts=receipts, receipts_mandatory=True)).is_error
    first, last = receipts.all
    assert (first.outcome, last.outcome) == ("let_through", "ok")
    assert first.call_id == last.call_id


@pytest.mark.parametrize("sink", [None, Failing("let_through")])
async def test_a_call_whose_receipt_cannot_be_written_does_not_run(sink: Any) -> None:
    tool, ran = counting()
    result = await called(tool, receipts=sink, receipts_mandatory=True)
    assert result.structured["error"] == {
        "code": "denied",
        "message": "'t' cannot be called now: calls are recorded here, and the record cannot be written.",
        "hint": "Try again later.",
    }
    assert ran == []
    if sink is not None:
        assert sink.last.reason == "denied: its receipt could not be written"


async def test_a_call_that_ran_is_answered_even_where_its_last_receipt_is_lost() -> None:
    tool, ran = counting()
    assert (await called(tool, receipts=Failing("ok"), receipts_mandatory=True)).text == "done"
    assert ran == [{}]


async def test_a_call_from_inside_a_call_is_recorded_or_does_not_run() -> None:
    inner, ran = counting("inner")
    sink = Failing()

    async def outer(arguments: dict[str, Any], context: Context) -> Any:
        sink._outcomes = ("let_through",)
        return (await context.call("inner")).to_wire()

    peg = Pegboard([registry_of(make("outer", handler=outer), inner)], receipts=sink, receipts_mandatory=True)
    assert "cannot be called now" in str(await (await peg.open()).call("outer"))
    assert ran == []


async def test_a_receipt_tells_the_tier_and_what_came_of_asking() -> None:
    rules, receipts = Rules(), Receipts()
    rules.approves = Approval.READ
    yes = Verdict(approved=True, reason="fine by me")
    await called(make("t", approval=Approval.WRITE), policy=rules, receipts=receipts, approver=lambda request: yes)
    assert receipts.last.tier == "write"
    assert receipts.last.approval == "tier write was approved: fine by me"
    assert receipts.last.reason == "by the test's rules"


async def test_a_file_gets_a_line_a_receipt_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "receipts.jsonl"
    mask = os.umask(0)
    try:
        await called(make("t"), receipts=ReceiptFile(file))
        await called(make("café"[:3], description="Ünïcode\n"), receipts=ReceiptFile(file))
    finally:
        os.umask(mask)
    lines = file.read_text("ascii").splitlines()
    assert [json.loads(line)["tool"] for line in lines] == ["t", "caf"]
    assert json.loads(lines[0])["principal"] == "alice"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_a_file_that_was_moved_away_is_followed_by_a_new_one(tmp_path: Path) -> None:
    file = tmp_path / "receipts.jsonl"
    sink = ReceiptFile(file)
    await called(make("t"), receipts=sink)
    file.rename(tmp_path / "old.jsonl")
    await called(make("t"), receipts=sink)
    assert len(file.read_text().splitlines()) == len((tmp_path / "old.jsonl").read_text().splitlines()) == 1


async def test_a_file_that_cannot_be_written_breaks_no_call_unless_it_is_mandatory(tmp_path: Path) -> None:
    sink = ReceiptFile(tmp_path / "nowhere" / "receipts.jsonl")
    assert not (await called(make("t"), receipts=sink)).is_error
    assert (await called(make("t"), receipts=sink, receipts_mandatory=True)).is_error


async def test_half_a_line_is_a_receipt_that_was_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "write", lambda file, data: len(data) - 1)
    tool, ran = counting()
    assert (await called(tool, receipts=ReceiptFile(tmp_path / "r"), receipts_mandatory=True)).is_error
    assert ran == []


async def test_behind_half_a_line_a_receipt_begins_a_line_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "receipts.jsonl"
    file.write_text('{"call_id":"a","too')
    await called(make("t"), receipts=ReceiptFile(file), receipts_mandatory=True)
    half, *whole = file.read_text().splitlines()
    assert half == '{"call_id":"a","too'
    assert [json.loads(line)["outcome"] for line in whole] == ["let_through", "ok"]


async def searches(told: Receipts, **wiring: Any) -> list[Any]:
    """What the receipts of a conversation say of searches."""
    board = await Pegboard([registry_of(make("send_mail", "Send a mail"))], receipts=told, **wiring).open()
    await board.call("find_tools", {"query": "send a mail"})
    await board.call("tool_search", {"query": "a mail"})
    await board.call("find_tools", {"query": " "})
    await board.call("find_tools", {"query": "mail", "limit": 0})
    await board.call("list_tools", {"tag": "query"})
    await board.call("send_mail", {"query": "not a search"})
    return [receipt.search for receipt in told.all]


async def test_receipts_say_what_was_searched_for_and_found_only_where_that_is_wanted() -> None:
    first, second, *others = await searches(Receipts(), receipts_searches=True)
    assert first == {"query": "send a mail", "found": ["send_mail"]}
    assert second == {"query": "a mail", "found": ["send_mail"]}
    assert others == [None] * 4
    told = Receipts()
    assert await searches(told) == [None] * 6
    assert "a mail" not in "".join(json.dumps(receipt.to_json()) for receipt in told.all)


def test_an_answer_that_names_what_is_no_tool_tells_nothing_of_it() -> None:
    answer = {"tools": [{"name": "a", "kind": "tool"}, {"name": "b", "kind": "skill"}, 5], "loaded": ["x"]}
    assert search_of("find_tools", {"query": "q"}, answer) == {"query": "q", "found": ["a"]}
    assert search_of("tool_search", {"query": "q"}, answer) == {"query": "q", "found": ["x"]}
    assert search_of("get_tool", {"query": "q"}, answer) is None
    assert search_of("find_tools", {"query": "q"}, None) is None
