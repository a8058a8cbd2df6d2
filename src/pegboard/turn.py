"""A turn: the calls of one model message, each with its result, and whether one of them ends it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from pegboard.errors import CallError
from pegboard.tools import Halt, ToolResult

logger = logging.getLogger(__name__)

Result = ToolResult | Halt

Start = Callable[[], Coroutine[Any, Any, Result]]
"""Begins one call."""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """What the calls of one model message came to. Immutable, belongs to one turn.

    ``results`` stand in the order of the calls, one for each. The turn ends when one of them is a Halt: ``halt`` is the
    first in that order, None when the model is to go on.
    """

    results: tuple[Result, ...] = ()

    @property
    def halt(self) -> Halt | None:
        """What ends the turn."""
        return next((result for result in self.results if isinstance(result, Halt)), None)

    @property
    def halted_by(self) -> str | None:
        """The name of the tool that ends the turn: the one that was called in the end, through ``call_tool`` too."""
        return self.halt.by if self.halt else None

    @property
    def say(self) -> str | None:
        """The text to publish when the turn ends and the model wrote none."""
        return self.halt.say if self.halt else None


async def run_all(starts: Sequence[Start], *, sequential: bool = False) -> Turn:
    """Run calls side by side, or one after the other; each has its result before the turn is told.

    Each runs in a task of its own, so that one which cancels itself takes no other down. Cancelled, it cancels all.
    """
    tasks: list[asyncio.Task[Result]] = []
    try:
        for start in starts:
            tasks.append(asyncio.create_task(start()))
            if sequential:
                await asyncio.wait(tasks[-1:])
        if tasks:
            await asyncio.wait(tasks)
    except asyncio.CancelledError:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
    return Turn(results=tuple(_result(task) for task in tasks))


def _result(task: asyncio.Task[Result]) -> Result:
    if task.cancelled():
        logger.error("a call cancelled itself")
        return ToolResult.of_error(CallError("The call was broken off from inside.", hint="Try again."))
    return task.result()
