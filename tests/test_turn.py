"""The calls of one model message: each has its result, and any of them may end the turn."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pegboard import Board, Context, Halt, Pegboard, Tool, ToolError, ToolResult
from tests.support import ALICE, Receipts, Rules, make, registry_of

pytestmark = pytest.mark.anyio


async def finish(arguments: dict[str, Any], context: Context) -> Any:
    result = ToolResult.of(arguments)
    return Halt(result=result, say=arguments.get("say")) if arguments.get("ok") else result


async def fail(arguments: dict[str, Any], context: Context) -> Any:
    raise ToolError("The shop is closed.")


LOOK, FINISH, FAIL = make("look"), make("finish", handler=finish), make("fail", handler=fail)
ENDS = ("finish", {"ok": True})


async def board_of(*tools: Tool, **options: Any) -> Board:
    return await Pegboard([registry_of(LOOK, FINISH, FAIL, *tools)], **options).open()


def texts(results: tuple[ToolResult | Halt, ...]) -> list[str]:
    return [(result.result if isinstance(result, Halt) else result).text for result in results]


async def test_every_call_has_its_result_in_the_order_of_the_calls() -> None:
    second_ran = asyncio.Event()

    async def first(arguments: dict[str, Any], context: Context) -> str:
        await second_ran.wait()
        return "first"

    async def second(arguments: dict[str, Any], context: Context) -> str:
        second_ran.set()
        return "second"

    board = await board_of(make("first", handler=first), make("second", handler=second))
    turn = await board.call_all([("first", {}), ("second", {}), ("first", None)])
    assert texts(turn.results) == ["first", "second", "first"]
    assert (turn.halt, turn.halted_by, turn.say) == (None, None, None)


@pytest.mark.parametrize("place", [0, 1, 2])
async def test_the_turn_ends_wherever_the_halting_call_stands(place: int) -> None:
    calls: list[tuple[str, Any]] = [("look", {"n": 1}), ("fail", {})]
    calls.insert(place, ("finish", {"ok": True, "say": "Sent."}))
    turn = await (await board_of()).call_all(calls)
    assert (turn.halted_by, turn.say) == ("finish", "Sent.")
    assert len(turn.results) == 3
    assert "The shop is closed." in texts(turn.results)


async def test_the_first_of_several_that_halt_ends_the_turn() -> None:
    other = make("other", handler=finish)
    turn = await (await board_of(other)).call_all([("look", {}), ("other", {"ok": True, "say": "A"}), ENDS])
    assert (turn.halted_by, turn.say) == ("other", "A")


async def test_a_halt_is_by_the_tool_that_was_called_in_the_end() -> None:
    async def outer(arguments: dict[str, Any], context: Context) -> Any:
        return await context.call("finish", {"ok": True})

    board = await board_of(make("outer", handler=outer))
    for name, arguments in (("call_tool", {"name": "finish", "arguments": {"ok": True}}), ("outer", {})):
        assert (await board.call_all([(name, arguments)])).halted_by == "finish"


async def test_what_does_not_halt_or_fails_lets_the_turn_go_on() -> None:
    async def refuse(arguments: dict[str, Any], context: Context) -> Halt:
        return Halt(result=ToolResult(is_error=True), say="Done.")

    receipts = Receipts()
    board = await board_of(make("refuse", handler=refuse), receipts=receipts)
    turn = await board.call_all([("finish", {"ok": False}), ("fail", {}), ("nowhere", {}), ("refuse", {})])
    assert turn.halt is None
    assert [isinstance(result, ToolResult) and result.is_error for result in turn.results] == [False, True, True, True]
    assert sorted(receipt.outcome for receipt in receipts.all) == ["not_found", "ok", "tool_error", "tool_error"]


async def test_a_halt_that_may_not_be_called_ends_nothing() -> None:
    peg = Pegboard([registry_of(LOOK, FINISH)], policy=Rules(uncallable=["finish"]))
    turn = await (await peg.open(ALICE)).call_all([ENDS, ("look", {})])
    assert turn.halt is None
    assert [result.is_error for result in turn.results if isinstance(result, ToolResult)] == [True, False]


async def test_one_tool_may_be_called_several_times_and_no_calls_are_no_results() -> None:
    board = await board_of()
    turn = await board.call_all([("look", {"n": n}) for n in (1, 2, 1)])
    assert texts(turn.results) == ['{"n": 1}', '{"n": 2}', '{"n": 1}']
    assert (await board.call_all([])).results == ()


async def test_calls_wait_for_the_one_before_where_that_is_asked() -> None:
    order: list[str] = []

    async def slow(arguments: dict[str, Any], context: Context) -> Any:
        order.append(f"{arguments['n']} begins")
        await asyncio.sleep(0)
        order.append(f"{arguments['n']} ends")
        return await finish({"ok": arguments["n"] == 1}, context)

    board = await board_of(make("slow", handler=slow))
    turn = await board.call_all([("slow", {"n": 1}), ("slow", {"n": 2})], sequential=True)
    assert order == ["1 begins", "1 ends", "2 begins", "2 ends"]
    assert turn.halted_by == "slow"


async def test_a_call_that_cancels_itself_takes_no_other_down() -> None:
    async def give_up(arguments: dict[str, Any], context: Context) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)

    board = await board_of(make("give_up", handler=give_up))
    for sequential in (False, True):
        turn = await board.call_all([("give_up", {}), ("look", {"n": 1}), ENDS], sequential=sequential)
        assert [result.is_error for result in turn.results if isinstance(result, ToolResult)] == [True, False]
        assert turn.halted_by == "finish"


@pytest.mark.parametrize("sequential", [False, True])
async def test_cancelling_the_turn_cancels_every_call_and_waits_for_it(sequential: bool) -> None:
    began, ended = asyncio.Event(), list[int]()

    async def endless(arguments: dict[str, Any], context: Context) -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append(arguments["n"])

    board = await board_of(make("endless", handler=endless))
    turn = asyncio.create_task(board.call_all([("endless", {"n": n}) for n in (1, 2)], sequential=sequential))
    await began.wait()
    await asyncio.sleep(0)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert ended == ([1] if sequential else [1, 2])


async def test_values_of_the_turn_reach_every_call() -> None:
    async def tell(arguments: dict[str, Any], context: Context) -> str:
        return str(context.values["chat_id"])

    board = await board_of(make("tell", handler=tell))
    assert texts((await board.call_all([("tell", {}), ("tell", {})], context={"chat_id": 7})).results) == ["7", "7"]


async def test_a_call_is_known_by_the_id_that_its_provider_gave_it() -> None:
    async def key(arguments: dict[str, Any], context: Context) -> str:
        return context.call_id

    async def outer(arguments: dict[str, Any], context: Context) -> str:
        inner = await context.call("key")
        return f"{context.call_id} {texts((inner,))[0]}"

    receipts = Receipts()
    board = await board_of(make("key", handler=key), make("outer", handler=outer), receipts=receipts)
    turn = await board.call_all(
        [("key", {}, "c1"), ("call_tool", {"name": "key"}, "c2"), ("key", {}), ("key", {}, None), ("outer", {}, "c3")]
    )
    first, through, new, other, composed = texts(turn.results)
    assert (first, through) == ("c1", "c2")
    recorded = {(receipt.call_id, receipt.tool) for receipt in receipts.all}
    assert recorded >= {("c1", "key"), ("c2", "call_tool"), ("c2", "key"), ("c3", "outer")}
    assert len({first, through, new, other, *composed.split()}) == 6
    assert texts((await board.call("key", call_id="c9"),)) == ["c9"]


@pytest.mark.golden("insika_tool_envelope_call/timeout")
async def test_a_call_that_took_too_long_is_on_record_as_one_that_may_have_happened() -> None:
    async def slow(arguments: dict[str, Any], context: Context) -> None:
        await asyncio.Event().wait()

    receipts = Receipts()
    board = await board_of(make("slow", handler=slow, timeout=0.01, approval="write"), receipts=receipts)
    turn = await board.call_all([("slow", {}, "c1")])
    assert "0.01 s" in texts(turn.results)[0]
    assert (receipts.last.call_id, receipts.last.outcome) == ("c1", "timeout")
