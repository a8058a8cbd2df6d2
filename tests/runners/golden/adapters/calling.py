"""Calls as vectors write them: handlers, the events they end in, metrics, and how these are compared.

- Their stream of events ends in one: that is the result; progress goes to the caller's sink, ``display`` to a surface.
- A value that is no object comes as text, as MCP has it.
- Error codes are compared as ours: a handler's own code is ``tool_error``, and there is one refusal, ``denied``.
- Messages have to name what theirs name.
- Receipts are their metrics.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any, Final

from pegboard.context import Context
from pegboard.errors import InvalidArgumentsError, InvalidResultError, ToolError
from pegboard.receipts import Receipt
from pegboard.tools import EMPTY_SCHEMA, MISSING, Halt, Handler, JsonObject, OutputCheck, Tool, ToolResult
from tests.runners.golden.adapter import NotBuiltError
from tests.runners.golden.adapters.making import tool
from tests.runners.golden.outcome import Comparison, facts, named

CODES: Final = {
    "TOOL_NOT_FOUND": "not_found",
    "INVALID_INPUT": "invalid_arguments",
    "INTERNAL": "internal_error",
    "CYCLE": "cycle",
    "OUTPUT_INVALID": "invalid_result",
    "ABORTED": "cancelled",
    "AUTHORIZATION_DENIED": "denied",
    "APPROVAL_DENIED": "denied",
    "APPROVAL_REQUIRED": "denied",
    "AUTH_RESOURCE_UNRESOLVED": "denied",
    "AUTH_AUDIT_FAILED": "denied",
}
"""Their codes and ours."""

SILENT: Final = {"internal_error", "denied"}
"""Codes of ours whose message tells the model nothing of what is behind it; the receipt does."""

CHECKS: Final = {"strict": OutputCheck.STRICT, "lax": OutputCheck.WARN, "off": OutputCheck.OFF, None: OutputCheck.OFF}
"""Their modes of checking outputs, and ours."""

KNOWN: Final = frozenset(
    {
        "echo",
        "events",
        "hang",
        "hang_stream",
        "invoke",
        "result",
        "sync_throw",
        "throw",
        "throw_value",
        "tool_error",
        "spoof_child_auth",
    }
)
"""What a vector's handler may do."""


class Sink:
    """Keeps receipts. Belongs to one vector."""

    def __init__(self) -> None:
        self.receipts: list[Receipt] = []

    def write(self, receipt: Receipt) -> None:
        """One more."""
        self.receipts.append(receipt)

    @property
    def metrics(self) -> list[dict[str, Any]]:
        """The receipts as their metrics, in our codes."""
        return [_metric(receipt) for receipt in self.receipts]


def _metric(receipt: Receipt) -> dict[str, Any]:
    if receipt.outcome == "ok":
        return {"tool": receipt.tool, "outcome": "ok"}
    outcome = "aborted" if receipt.outcome == "cancelled" else "error"
    return {"tool": receipt.tool, "outcome": outcome, "errorCode": receipt.outcome}


def callable_tool(told: dict[str, Any], **more: Any) -> Tool:
    """The tool that a vector describes, with its handler and its input schema. Raises NotBuiltError."""
    schema: dict[str, Any] = {"output_check": CHECKS[told.get("validateOutput")]}
    if "input" in told:
        schema["input_schema"] = _schema(told["input"])
    if "output" in told:
        schema["output_schema"] = _schema(told["output"])
    handle = handler(told.get("handler") or {"result": {"name": told["name"]}})
    return tool(told, handler=_validated(told, handle), **schema, **more)


def _validated(told: dict[str, Any], handle: Handler) -> Handler:
    """Validators of one's own are the beginning and the end of a handler: they raise what is wrong."""
    before = told.get("input") or {}
    after = told.get("output") or {} if told.get("validateOutput") == "strict" else {}

    async def validated(arguments: dict[str, Any], context: Context) -> Any:
        _hold(before, told["name"], InvalidArgumentsError)
        value = await handle(arguments, context)
        _hold(after, told["name"], InvalidResultError)
        return value

    return validated


def _hold(validator: dict[str, Any], name: str, refusal: type[InvalidArgumentsError | InvalidResultError]) -> None:
    if "throws" in validator:
        raise RuntimeError(f"the validator threw {validator['throws']}")
    if validator.get("issues"):
        raise refusal(name, [_issue(issue) for issue in validator["issues"]])


def _issue(told: dict[str, Any]) -> str:
    place = "/".join(map(str, told.get("path") or ()))
    return f"{place or 'arguments'}: {told['message']}"


def _schema(told: dict[str, Any]) -> JsonObject:
    if told.keys() & {"issues", "throws"}:
        return EMPTY_SCHEMA
    if not told.keys() <= {"require_string", "require_number"}:
        raise NotBuiltError(f"a validator with {sorted(told)}")
    ((word, name),) = told.items()
    return {"type": "object", "properties": {name: {"type": word.removeprefix("require_")}}, "required": [name]}


def handler(told: dict[str, Any]) -> Handler:
    """The handler that a vector describes. Raises NotBuiltError."""
    if not told.keys() & KNOWN:
        raise NotBuiltError(f"handlers with {sorted(told)}")
    return spoofing(told["spoof_child_auth"]) if "spoof_child_auth" in told else handling(told)


def handling(told: dict[str, Any]) -> Handler:
    """A handler that does what it is told."""

    async def handle(arguments: dict[str, Any], context: Context) -> Any:
        if told.get("echo"):
            return _echo(arguments, context)
        if "invoke" in told:
            return {name: [event_of(await context.call(name, given))] for name, given in told["invoke"]}
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


def spoofing(name: str) -> Handler:
    """A handler that calls another tool as if it acted for nobody."""

    async def handle(arguments: dict[str, Any], context: Context) -> Any:
        return [event_of(await replace(context, principal=None).call(name, {}))]

    return handle


def _echo(arguments: dict[str, Any], context: Context) -> dict[str, Any]:
    principal = context.principal.id if context.principal else None
    stack = [*context.stack, context.tool]
    return {"input": arguments, "callStack": stack, "hasAuth": principal is not None, "principal": principal}


async def _streamed(events: list[dict[str, Any]], context: Context) -> Any:
    for event in events:
        if event["type"] == "progress":
            await context.progress(event.get("percent", 0), 100, event.get("message"))
    return next((event["data"] for event in events if event["type"] == "result"), None)


def event_of(result: ToolResult | Halt) -> dict[str, Any]:
    """A result as their last event, in our codes."""
    assert not isinstance(result, Halt)
    if result.is_error:
        return {"type": "error", "code": result.structured["error"]["code"], "message": result.text}
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


def events_differ(comparison: Comparison, wanted: dict[str, Any], event: dict[str, Any]) -> str:
    """What differs between their last event and ours; errors inside a result are compared by their code."""
    difference = comparison.value(in_our_words(wanted), in_our_words(event), "event")
    if difference or wanted["type"] != "error" or event["code"] in SILENT:
        return difference
    absent = [fact for fact in facts(wanted["message"], comparison.values) if not named(fact, event["message"])]
    return f"the message does not name {absent}: {event['message']}" if absent else ""


def in_our_words(value: Any) -> Any:
    """Events and metrics with our codes, without ``display`` and without the words of errors."""
    if isinstance(value, list):
        return [in_our_words(member) for member in value]
    if not isinstance(value, dict):
        return value
    if value.get("type") == "error":
        return {"type": "error", "code": _ours(value["code"])}
    return {
        key: _ours(member) if key == "errorCode" else in_our_words(member)
        for key, member in value.items()
        if key != "display"
    }


def _ours(code: str) -> str:
    """Ours as it is; theirs in our words; any other is one that a handler thought of."""
    return code if code in CODES.values() else CODES.get(code, "tool_error")
