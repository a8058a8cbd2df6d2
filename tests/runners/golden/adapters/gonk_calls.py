"""``gonk_invoke``: what a call without a principal comes to. See ``calling`` for what is mapped."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from pegboard.peg import Pegboard
from pegboard.registry import ToolRegistry
from tests.runners.golden.adapter import Adapter
from tests.runners.golden.adapters.calling import Sink, callable_tool, event_of, events_differ, in_our_words
from tests.runners.golden.adapters.gonk_boards import PROFILES
from tests.runners.golden.outcome import Comparison, Outcome, Returned


async def invoked(values: dict[str, Any]) -> Any:
    """The last event, the receipts and what was used; their ``warnings`` are not compared.

    Aborting is cancelling the await, which raises; the receipt says ``cancelled``, and there is none of a call that was
    given up before it began.
    """
    registry, sink = ToolRegistry("r"), Sink()
    registry.register(*(callable_tool(told) for told in values["tools"]))
    board = await Pegboard([registry], receipts=sink, profiles=PROFILES).open(profile="bare")
    call = asyncio.ensure_future(board.call(values["name"], values.get("input")))
    try:
        if values.get("abort"):
            if values["abort"] != "before":
                await asyncio.sleep(values["abort"] / 1000)
            call.cancel()
        event = event_of(await call)
    except asyncio.CancelledError:
        event = {"type": "error", "code": "cancelled", "message": "cancelled"}
    return {"event": event, "metrics": sink.metrics, "used": board.used_since(0)}


def same_end(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """The last event, the metrics and what was used: what has not begun, or is no tool, has been used by nobody."""
    if not isinstance(got, Returned):
        return comparison.outcome(expected, got)
    told, answer = expected["returns"], got.value
    begun = comparison.values.get("abort") != "before"
    tools = {tool["name"] for tool in comparison.values["tools"]} if begun else set()
    ended = told["events"][-1] if told["events"] else {"type": "error", **told["outcome"]}
    return (
        events_differ(comparison, ended, answer["event"])
        or comparison.value(in_our_words(told["metrics"]) if begun else [], answer["metrics"], "metrics")
        or comparison.value([name for name in told["used"] if name in tools], answer["used"], "used")
    )


ADAPTERS: Final = {"gonk_invoke": Adapter(invoked, {}, same_end)}
