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
    """The last event and the receipts; their ``used`` and ``warnings`` are not compared.

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
    return {"event": event, "metrics": sink.metrics}


def same_end(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """The last event and the metrics."""
    if not isinstance(got, Returned):
        return comparison.outcome(expected, got)
    told, answer = expected["returns"], got.value
    metrics = [] if comparison.values.get("abort") == "before" else in_our_words(told["metrics"])
    return events_differ(comparison, told["events"][-1], answer["event"]) or comparison.value(
        metrics, answer["metrics"], "metrics"
    )


ADAPTERS: Final = {"gonk_invoke": Adapter(invoked, {}, same_end)}
