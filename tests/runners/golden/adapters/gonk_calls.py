"""``gonk_invoke``, ``gonk_resolve_approval``: what a call comes to.

Mapped in ``gonk_invoke``, each for one reason:

- their stream of events ends in one: that is the result; progress goes to the caller's sink, ``display`` to a surface;
- a value that is no object comes as text, as MCP has it;
- error codes are ours, and a handler's own code is ``tool_error``; messages name the same things;
- aborting is cancelling the await, which raises; the receipt says ``cancelled``, and there is none of a call that was
  given up before it began;
- receipts are their metrics; their ``used`` and ``warnings`` are not compared.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

from pegboard.context import Context
from pegboard.dispatch import tier_of
from pegboard.errors import ToolError
from pegboard.peg import Pegboard
from pegboard.receipts import Receipt
from pegboard.registry import ToolRegistry
from pegboard.tools import MISSING, Approval, Halt, Handler, ToolResult
from tests.runners.golden.adapter import Adapter, NotBuiltError
from tests.runners.golden.adapters.gonk_boards import PROFILES
from tests.runners.golden.adapters.making import answers_nothing, tool
from tests.runners.golden.outcome import Comparison, Outcome, Returned, facts, named

CODES: Final = {
    "not_found": "TOOL_NOT_FOUND",
    "invalid_arguments": "INVALID_INPUT",
    "internal_error": "INTERNAL",
    "cycle": "CYCLE",
    "cancelled": "ABORTED",
}
"""Our codes and theirs."""


KNOWN: Final = {
    "echo",
    "invoke",
    "events",
    "tool_error",
    "throw",
    "throw_value",
    "sync_throw",
    "hang",
    "hang_stream",
    "result",
}
"""What a vector's handler may do."""


class Sink:
    """Keeps receipts. Belongs to one vector."""

    def __init__(self) -> None:
        self.receipts: list[Receipt] = []

    def write(self, receipt: Receipt) -> None:
        """One more."""
        self.receipts.append(receipt)


def handler(told: dict[str, Any]) -> Handler:
    """The handler that a vector describes."""
    if not told.keys() & KNOWN:
        raise NotBuiltError(f"handlers with {sorted(told)}")
    if "events" in told and not any(event["type"] == "result" for event in told["events"]):
        raise NotBuiltError("a stream without a result")

    async def handle(arguments: dict[str, Any], context: Context) -> Any:
        if told.get("echo"):
            stack = [*context.stack, context.tool]
            return {"input": arguments, "callStack": stack, "hasAuth": False, "principal": None}
        if "invoke" in told:
            return {name: [_event(await context.call(name, given))] for name, given in told["invoke"]}
        if "events" in told:
            return await _streamed(told["events"], context)
        if "tool_error" in told:
            raise ToolError(told["tool_error"]["message"], data={"details": told["tool_error"].get("details")})
        if told.keys() & {"throw", "throw_value", "sync_throw"}:
            raise RuntimeError(str(told))
        if told.keys() & {"hang", "hang_stream"}:
            await asyncio.Event().wait()
        return told.get("result")

    return handle


async def _streamed(events: list[dict[str, Any]], context: Context) -> Any:
    for event in events:
        if event["type"] == "progress":
            await context.progress(event.get("percent", 0), 100, event.get("message"))
    return next(event["data"] for event in events if event["type"] == "result")


def _event(result: ToolResult | Halt) -> dict[str, Any]:
    """A result as their last event."""
    assert not isinstance(result, Halt)
    if result.is_error:
        error = result.structured["error"]
        return {"type": "error", "code": CODES.get(error["code"], error["code"]), "message": result.text}
    return {"type": "result", "data": _data(result)}


def _data(result: ToolResult) -> Any:
    if result.structured is not MISSING:
        return result.structured
    if not result.content:
        return None
    try:
        return json.loads(result.text)
    except ValueError:
        return result.text


def _schema(told: dict[str, Any]) -> dict[str, Any]:
    if "require_string" in told:
        name = told["require_string"]
        return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}
    raise NotBuiltError("validators of one's own")


async def invoked(values: dict[str, Any]) -> Any:
    """The last event and the receipts."""
    registry, sink = ToolRegistry("r"), Sink()
    for told in values["tools"]:
        if told.get("validateOutput"):
            raise NotBuiltError("checking outputs")
        schema = {"input_schema": _schema(told["input"])} if "input" in told else {}
        registry.register(
            tool(told, handler=handler(told.get("handler") or {"result": {"name": told["name"]}}), **schema)
        )
    board = await Pegboard([registry], receipts=sink, profiles=PROFILES).open(profile="bare")
    call = asyncio.ensure_future(board.call(values["name"], values.get("input")))
    try:
        if values.get("abort"):
            if values["abort"] != "before":
                await asyncio.sleep(values["abort"] / 1000)
            call.cancel()
        event = _event(await call)
    except asyncio.CancelledError:
        event = {"type": "error", "code": "ABORTED", "message": "cancelled"}
    return {"event": event, "metrics": [_metric(receipt) for receipt in sink.receipts]}


def _metric(receipt: Receipt) -> dict[str, Any]:
    if receipt.outcome == "ok":
        return {"tool": receipt.tool, "outcome": "ok"}
    outcome = "aborted" if receipt.outcome == "cancelled" else "error"
    return {"tool": receipt.tool, "outcome": outcome, "errorCode": CODES.get(receipt.outcome, receipt.outcome)}


def same_end(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """See the module's docstring."""
    if not isinstance(got, Returned):
        return comparison.outcome(expected, got)
    told, answer = expected["returns"], got.value
    metrics = [] if comparison.values.get("abort") == "before" else told["metrics"]
    return _event_differs(comparison, told["events"][-1], answer["event"]) or comparison.value(
        [_with_our_code(metric) for metric in metrics], answer["metrics"], "metrics"
    )


def _event_differs(comparison: Comparison, wanted: dict[str, Any], event: dict[str, Any]) -> str:
    if wanted["type"] != "error" or event["type"] != "error":
        return comparison.value(_plain(wanted), _plain(event), "event")
    absent = [fact for fact in facts(wanted["message"], comparison.values) if not named(fact, event["message"])]
    return comparison.value(_with_our_code(wanted)["code"], event["code"], "code") or (
        f"the message does not name {absent}: {event['message']}" if absent and wanted["code"] != "INTERNAL" else ""
    )


def _plain(value: Any) -> Any:
    """Events without ``display``, and errors in them without their words but with what they are about."""
    if isinstance(value, list):
        return [_plain(member) for member in value]
    if not isinstance(value, dict):
        return value
    if value.get("type") == "error":
        return {"type": "error", "code": value["code"]}
    return {key: _plain(member) for key, member in value.items() if key != "display"}


def _with_our_code(told: dict[str, Any]) -> dict[str, Any]:
    """A code that is none of theirs is a handler's own."""
    return {
        key: "tool_error" if key in ("code", "errorCode") and value not in CODES.values() else value
        for key, value in told.items()
    }


def approval(values: dict[str, Any]) -> Any:
    """What is not declared, or declared wrongly, counts as the highest tier: exec."""
    if values["op"] == "tier":
        known = values["value"] in list(Approval)
        return {"isToolTier": known, "rank": Approval(values["value"]).rank if known else -1}
    declared = _declared(values["approval"])
    return {"tier": tier_of(tool({"name": "t"}, handler=answers_nothing, approval=declared), values["args"]).value}


def _declared(told: Any) -> Any:
    for value in (told, told.get("fn_returns")) if isinstance(told, dict) else ():
        if isinstance(value, dict) and value.keys() & {"tier", "override"}:
            raise NotBuiltError("a tier with an override and a reason")
    if isinstance(told, dict) and told.keys() & {"fn_returns", "fn_throws", "fn_arg"}:
        return lambda arguments: _answered(told, arguments)
    return Approval(told) if isinstance(told, str) and told in list(Approval) else told


def _answered(told: dict[str, Any], arguments: dict[str, Any]) -> Any:
    if told.get("fn_throws"):
        raise RuntimeError("the approval function fails")
    if "fn_arg" in told:
        return _declared(told["map"].get(arguments.get(told["fn_arg"]), told["default"]))
    return _declared(told["fn_returns"])


def same_tier(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """Their "not declared" is exec here; only the tier is compared."""
    told = expected["returns"]
    if isinstance(told, dict) and "isToolTier" in told:
        return comparison.outcome(expected, got)
    return comparison.outcome({"returns": {"tier": told["tier"] if isinstance(told, dict) else "exec"}}, got)


ADAPTERS: Final = {
    "gonk_invoke": Adapter(invoked, {}, same_end),
    "gonk_resolve_approval": Adapter(approval, {}, same_tier),
}
