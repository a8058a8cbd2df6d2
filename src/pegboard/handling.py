"""Running a handler: a place among those that run at once, a time limit, and every exception translated."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import Any

from pegboard.context import Context
from pegboard.errors import CallError, CallTimeoutError, CycleError, HandlerError
from pegboard.limits import Limits
from pegboard.places import Gate, Places, StuckError
from pegboard.tools import Tool

logger = logging.getLogger(__name__)


async def handled(
    tool: Tool, arguments: dict[str, Any], context: Context, limits: Limits, places: Places | None
) -> Any:
    """What the handler gives back. ``places`` is None for calls that are never kept waiting.

    The time limit holds for waiting and running together. Raises CallError, and CancelledError when somebody cancelled
    the call.
    """
    limit = tool.timeout or limits.call_timeout
    call = _Run(tool, arguments, context)
    task, deadline = asyncio.current_task(), asyncio.timeout(None if limit == inf else limit)
    try:
        async with deadline:
            return await call.run(places, limits)
    except CallError:
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) or cancels(error) or _closes(error, task):
            raise
        if isinstance(error, StuckError):
            raise _stuck(tool.name) from error
        # A TimeoutError may be the handler's own: then it is as unexpected as any other exception.
        raise call.timed_out(limit) if deadline.expired() else unexpected(tool.name, context, error) from error


class _Run:
    """One handler's run. Lives as long as its call."""

    def __init__(self, tool: Tool, arguments: dict[str, Any], context: Context) -> None:
        self._tool = tool
        self._arguments = arguments
        self._context = context
        self._begun = False

    async def run(self, places: Places | None, limits: Limits) -> Any:
        """Wait for a place, run, free the place. An abandoned thread holds none: nobody knows when it ends."""
        if places is None:
            self._begun = True
            return await self._tool.handler(self._arguments, self._context)
        ticket = await places.take(_gates(self._tool, limits), self._context.ticket)
        self._begun = True
        try:
            return await self._tool.handler(self._arguments, replace(self._context, ticket=ticket))
        finally:
            ticket.leave()

    def timed_out(self, limit: float) -> CallTimeoutError:
        """The error for a call whose time is over, by where it got to."""
        name = self._tool.name
        if self._begun:
            return CallTimeoutError(
                f"{name!r} took longer than {limit:g} s and was stopped.", hint="Ask for less, or try again later."
            )
        return CallTimeoutError(
            f"{name!r} was not run: other calls held every free place for {limit:g} s.", hint="Try again later."
        )


def _gates(tool: Tool, limits: Limits) -> Mapping[Gate, int]:
    numbers: dict[Gate, int | None] = {
        (tool.source, tool.name): tool.concurrency,
        (tool.source,): tool.source_concurrency,
        (): limits.concurrency,
    }
    return {gate: number for gate, number in numbers.items() if number is not None}


def cancels(error: BaseException) -> bool:
    """Whether ``error`` comes from somebody who cancelled this task.

    Strangers' code that waited for something cancelled raises CancelledError too, but has only failed: let through, it
    would take whatever serves the call down with it.
    """
    if not isinstance(error, asyncio.CancelledError):
        return False
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def passes(error: BaseException) -> bool:
    """Whether what strangers' code raised is nobody's failure, and has to go on its way.

    All else is one, ``SystemExit`` too: in a task it would end everything that the process serves.
    """
    return isinstance(error, KeyboardInterrupt | GeneratorExit) or cancels(error)


def _closes(error: BaseException, task: asyncio.Task[Any] | None) -> bool:
    """Whether ``error`` means that this coroutine is being thrown away, with its event loop or by the collector."""
    if not isinstance(error, GeneratorExit):
        return False
    try:
        return task is None or asyncio.current_task() is not task
    except RuntimeError:  # no event loop runs
        return True


def unexpected(name: str, context: Context, error: BaseException) -> HandlerError:
    """The answer to an exception that nobody meant for the model: logged whole, told as an id."""
    logger.error("%r failed (call %s)", name, context.call_id, exc_info=error)
    return HandlerError(
        f"{name!r} failed unexpectedly.",
        hint=f"The log has the details under {context.call_id}.",
        data={"id": context.call_id},
    )


def _stuck(name: str) -> CycleError:
    return CycleError(
        f"{name!r} would wait without end: its place is held by calls that wait for this one.",
        hint="Call it by itself, or raise the limit on calls at once.",
    )
