"""Every way in which a call can fail: what the model is told, word for word, and what the receipt says."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from pegboard import Context, Decision, Limits, Pegboard, Principal, Receipt, Tool, ToolError, ToolResult, tool
from pegboard.auth import Action
from pegboard.board import Board
from pegboard.tools import Entry
from tests.support import ALICE, Receipts, Rules, make, registry_of

pytestmark = pytest.mark.anyio

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


async def failed(
    called: Tool, arguments: Any = None, *, principal: Principal | None = None, **wiring: Any
) -> tuple[dict[str, Any], Receipt]:
    """The error of a call, and its receipt; the text is the message and the hint behind it."""
    receipts = Receipts()
    board = await Pegboard([registry_of(called)], receipts=receipts, **wiring).open(principal)
    result = await board.call(called.name, arguments)
    assert isinstance(result, ToolResult)
    assert result.is_error
    error = result.structured["error"]
    assert result.text == " ".join(error[key] for key in ("message", "hint") if key in error)
    assert receipts.last.outcome == error["code"]
    return error, receipts.last


def raising(error: BaseException, **fields: Any) -> Tool:
    async def handler(arguments: dict[str, Any], context: Context) -> None:
        raise error

    return make("t", handler=handler, **fields)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([1], "arguments: wanted an object, got list"),
        ({"n": "5"}, "n: expected integer, got string '5'"),
        ({}, "n: missing (required)"),
    ],
)
async def test_arguments_that_do_not_fit(arguments: Any, problem: str) -> None:
    error, receipt = await failed(make("t", input_schema=NUMBER), arguments)
    message = f"Invalid arguments for t: {problem}."
    assert error == {"code": "invalid_arguments", "message": message, "problems": [problem]}
    assert receipt.reason == message


async def test_an_argument_that_a_python_function_does_not_take() -> None:
    @tool
    def greet(name: str) -> str:
        return name

    error, _ = await failed(greet, {"name": "Ada", "nam": 1})
    assert error["problems"] == ["unknown argument 'nam'; did you mean 'name'?"]


async def test_a_handler_that_refuses_with_a_hint_and_facts() -> None:
    refusal = ToolError("The order is closed.", hint="Open a new one.", data={"order": 7})
    error, receipt = await failed(raising(refusal))
    assert error == {
        "code": "tool_error",
        "message": "The order is closed.",
        "hint": "Open a new one.",
        "order": 7,
    }
    assert receipt.reason == "The order is closed. Open a new one."


async def test_a_handler_that_fails(caplog: pytest.LogCaptureFixture) -> None:
    error, receipt = await failed(raising(RuntimeError("password=hunter2")))
    assert error == {
        "code": "internal_error",
        "message": "'t' failed unexpectedly.",
        "hint": f"The log has the details under {receipt.call_id}.",
        "id": receipt.call_id,
    }
    assert receipt.reason == "RuntimeError: password=hunter2"
    (record,) = (record for record in caplog.records if record.levelno == logging.ERROR)
    assert record.getMessage() == f"'t' failed (call {receipt.call_id})"
    assert "hunter2" in caplog.text


async def test_a_handler_that_takes_too_long() -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> None:
        await asyncio.sleep(600)

    error, receipt = await failed(make("t", handler=handler), limits=Limits(call_timeout=0.05))
    assert error == {
        "code": "timeout",
        "message": "'t' took longer than 0.05 s and was stopped.",
        "hint": "Ask for less, or try again later.",
    }
    assert receipt.reason == "'t' took longer than 0.05 s and was stopped. Ask for less, or try again later."


async def test_a_tool_that_calls_itself() -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> Any:
        return await context.call("t")

    receipts = Receipts()
    board = await Pegboard([registry_of(make("t", handler=handler))], receipts=receipts).open()
    assert await _error(board, "t") == {"code": "cycle", "message": "'t' may not call itself (t -> t)."}
    inner, outer = receipts.all
    assert (inner.outcome, inner.stack, inner.reason) == ("cycle", ("t",), "'t' may not call itself (t -> t).")
    assert (outer.outcome, outer.stack, outer.reason) == ("tool_error", (), "")


# --- permission


class Watching(Rules):
    """Rules that note who asks, for what, and about which tool."""

    def __init__(self, **rules: Any) -> None:
        super().__init__(**rules)
        self.seen: list[tuple[object, Action, str]] = []

    async def decide(self, principal: Principal, action: Action, entry: Entry) -> Decision:
        self.seen.append((principal, action, entry.name))
        return await super().decide(principal, action, entry)


async def test_a_tool_that_may_not_be_called_is_asked_about_twice_and_its_reason_kept_from_the_model() -> None:
    rules = Watching(uncallable=["t"])
    error, receipt = await failed(make("t"), principal=ALICE, policy=rules)
    assert error == {"code": "denied", "message": "Calling 't' is not allowed."}
    assert receipt.reason == "denied: invoke: by the test's rules"
    assert rules.seen == [(ALICE, Action.DISCOVER, "t"), (ALICE, Action.INVOKE, "t")]


@pytest.mark.parametrize("finder", ["find_tools", "tool_search"])
async def test_a_hidden_tool_is_answered_with_the_words_for_a_missing_one(finder: str) -> None:
    rules, receipts = Watching(hidden=["t"]), Receipts()
    profiles = {"own": (finder, "get_tool", "call_tool")}
    peg = Pegboard([registry_of(make("t"))], policy=rules, receipts=receipts, profiles=profiles)
    board = await peg.open(ALICE, profile="own")
    told = {"code": "not_found", "message": "No tool is named 't'.", "hint": f"Search with {finder}."}
    absent = told | {"message": "No tool is named 'u'."}
    assert await _error(board, "t") == told
    assert rules.seen == [(ALICE, Action.DISCOVER, "t")]
    assert receipts.last.reason == "denied: discover: by the test's rules"
    assert await _error(board, "u") == absent
    for meta in ("call_tool", "get_tool"):
        assert await _error(board, meta, {"name": "t"}) == told
        assert await _error(board, meta, {"name": "u"}) == absent


async def _error(board: Board, name: str, arguments: Any = None) -> Any:
    result = await board.call(name, arguments)
    assert isinstance(result, ToolResult)
    assert result.is_error
    return result.structured["error"]


class Answering(Rules):
    """A policy that answers the question whether a tool may be called with whatever it was made with."""

    def __init__(self, given: Callable[[], Awaitable[Any]]) -> None:
        super().__init__()
        self.given = given

    async def decide(self, principal: Principal, action: Action, entry: Entry) -> Any:
        if action is Action.DISCOVER:
            return await super().decide(principal, action, entry)
        return await self.given()


async def _away() -> Any:
    raise RuntimeError("the policy server is away")


async def _waited_in_vain() -> Any:
    raise asyncio.CancelledError  # what it waited for was cancelled, not the call


async def _true() -> Any:
    return True


async def _half_a_decision() -> Any:
    return Decision(allowed="yes")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "reason", "logged"),
    [
        (_away, "the policy failed", "the policy failed on invoke of 't': denied"),
        (_waited_in_vain, "the policy failed", "the policy failed on invoke of 't': denied"),
        (_true, "the policy gave no decision", "the policy answered invoke of 't' with 'bool': denied"),
        (_half_a_decision, "the policy gave no decision", "the policy answered invoke of 't' with 'Decision': denied"),
    ],
)
async def test_a_policy_that_gives_no_decision_denies_and_the_receipt_says_why(
    given: Callable[[], Awaitable[Any]], reason: str, logged: str, caplog: pytest.LogCaptureFixture
) -> None:
    error, receipt = await failed(make("t"), principal=ALICE, policy=Answering(given))
    assert error == {"code": "denied", "message": "Calling 't' is not allowed."}
    assert receipt.reason == f"denied: invoke: {reason}"
    assert logged in [record.getMessage() for record in caplog.records]


async def test_a_call_that_is_cancelled_while_its_policy_decides_is_cancelled() -> None:
    asking, receipts = asyncio.Event(), Receipts()

    async def endless() -> Any:
        asking.set()
        await asyncio.sleep(600)

    peg = Pegboard([registry_of(make("t"))], policy=Answering(endless), receipts=receipts)
    task = asyncio.create_task((await peg.open(ALICE)).call("t"))
    await asking.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert receipts.last.outcome == "cancelled"
