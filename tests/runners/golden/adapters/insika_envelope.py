"""``insika_tool_envelope_call``: one tool with all that may stand round a call.

- Their id of a call is the provider's: ``call_id``.
- A side effect is a call of the tier ``write``; it is on record when a receipt says that it ran.
- Their approval is an approver, asked where a policy lets only reading pass; turn, task, session and who answers are
  the caller's own to know.
- Their trace is the receipts of calls that ran: these name the tool and the call, and hold no arguments and results.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from pegboard.approval import ApprovalRequest
from pegboard.auth import Action, Decision, Principal
from pegboard.context import Context
from pegboard.peg import Pegboard
from pegboard.receipts import Receipt
from pegboard.registry import ToolRegistry
from pegboard.tools import Approval, Entry, Tool
from tests.runners.golden.adapter import Adapter
from tests.runners.golden.adapters.calling import Sink, event_of
from tests.runners.golden.adapters.policies import ALLOWED
from tests.runners.golden.outcome import Comparison, Outcome, Returned, facts, named

RAN: Final = ("ok", "halt", "tool_error", "internal_error", "timeout")
"""Outcomes of calls whose handler has run."""


class ReadsUnasked:
    """Lets reading pass, and has everything else asked about. Belongs to one vector."""

    async def decide(self, principal: Principal, action: Action, entry: Entry) -> Decision:
        """Yes; above reading, ask."""
        return Decision(allowed=True, approves=Approval.READ)

    async def permitted(self, principal: Principal, action: Action, entries: Sequence[Entry]) -> Sequence[bool]:
        """All of them."""
        return [True] * len(entries)


class Operator:
    """Gives the vector's answer. Belongs to one vector; ``asked`` are the tools and arguments it was asked about."""

    def __init__(self, answer: str) -> None:
        self._answer = answer
        self.asked: list[dict[str, Any]] = []

    async def __call__(self, request: ApprovalRequest) -> bool:
        """The answer."""
        self.asked.append({"tool": request.tool.name, "args": dict(request.arguments)})
        return self._answer != "rejected"


class Trace(Sink):
    """Keeps receipts, or fails. Belongs to one vector."""

    def __init__(self, kind: str | None) -> None:
        super().__init__()
        self._fails = kind == "raises"

    def write(self, receipt: Receipt) -> None:
        """Keep it."""
        if self._fails:
            raise RuntimeError("the trace fails")
        super().write(receipt)


async def enveloped(values: dict[str, Any]) -> Any:
    """The results, how often the tool ran, the ids of its side effects, what was asked and what is traced."""
    told, calls = values["tool"], list[str]()

    async def handle(arguments: dict[str, Any], context: Context) -> Any:
        calls.append(context.call_id)
        if "sleep" in told:
            await asyncio.sleep(told["sleep"])
        if "raise" in told:
            raise RuntimeError(str(told["raise"]))
        return told.get("result")

    tier = Approval.WRITE if values.get("side_effect") or values.get("approval") else Approval.READ
    registry = ToolRegistry()
    registry.register(Tool(name="t", description="", handler=handle, approval=tier, timeout=values.get("timeout")))
    operator = Operator(values["approval"]) if values.get("approval") else None
    sink = Trace(values.get("trace"))
    peg = Pegboard([registry], policy=ReadsUnasked() if operator else None, approver=operator, receipts=sink)
    board = await peg.open(ALLOWED if operator else None)
    asked = [("t", {"a": 1}, values.get("call_id"))] * values.get("times", 1)
    turn = await board.call_all(asked, sequential=True)
    ran = [receipt for receipt in sink.receipts if receipt.outcome in RAN]
    return {
        "results": [event_of(result) for result in turn.results],
        "tool_calls": len(calls),
        "side_effects": [receipt.call_id for receipt in ran] if values.get("side_effect") else [],
        "approvals": operator.asked if operator else None,
        "trace": [{"tool": receipt.tool, "call_id": receipt.call_id} for receipt in ran],
    }


def same_call(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """Results, numbers and ids; an error has to name what theirs names, a side effect without an id has a new one."""
    if not isinstance(got, Returned):
        return comparison.outcome(expected, got)
    told, answer = expected["returns"], got.value
    given = comparison.values.get("call_id")
    effects = [effect if given else "t" for effect in answer["side_effects"]]
    pairs = zip(told["results"], answer["results"], strict=True)
    asked = _only(told["approvals"], "tool", "args")
    traced = answer["trace"] if told["trace"] is None else _only(told["trace"], "tool", "call_id")
    results = [_result_differs(comparison, one, ours) for one, ours in pairs]
    return (
        next(filter(None, results), "")
        or comparison.value(told["tool_calls"], answer["tool_calls"], "tool_calls")
        or comparison.value([effect[2] for effect in told["side_effects"]], effects, "side_effects")
        or comparison.value(asked, answer["approvals"], "approvals")
        or comparison.value(traced, answer["trace"], "trace")
    )


def _only(told: list[dict[str, Any]] | None, *keys: str) -> list[dict[str, Any]] | None:
    return None if told is None else [{key: one[key] for key in keys} for one in told]


def _result_differs(comparison: Comparison, told: dict[str, Any], event: dict[str, Any]) -> str:
    if "raises" in told or (isinstance(told["returns"], dict) and set(told["returns"]) == {"error"}):
        words = str(told.get("raises") or told["returns"]["error"])
        absent = [fact for fact in facts(words, comparison.values) if not named(fact, event.get("message", ""))]
        wrong = event["type"] != "error" or (comparison.words and bool(absent))
        return f"result: wanted an error ({words}), got {event}" if wrong else ""
    return comparison.value({"type": "result", "data": told["returns"]}, event, "result")


ADAPTERS: Final = {"insika_tool_envelope_call": Adapter(enveloped, {}, same_call)}
