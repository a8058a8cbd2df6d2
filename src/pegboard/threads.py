"""Running plain functions beside the event loop."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")


async def in_thread(work: Callable[[], T], *, name: str = "pegboard") -> T:
    """The result of ``work()``, run in a thread of its own; context variables are as they are here.

    When the await is cancelled the thread is abandoned: Python cannot stop it, so it runs on and its result is
    dropped. It is a daemon, so that a function that hangs keeps no process from ending. What ``work`` raises is raised
    here, as ``tame`` makes it.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            result = context.run(work)
        except BaseException as error:
            _settle(loop, future, future.set_exception, tame(error))
        else:
            _settle(loop, future, future.set_result, result)

    threading.Thread(target=run, name=name, daemon=True).start()
    return await future


def tame(error: BaseException) -> Exception:
    """The error itself, or a RuntimeError for one that would end more than the call it was raised in.

    ``SystemExit`` in a thread or a task would stop the whole loop, ``CancelledError`` look like a cancelled call.
    """
    if isinstance(error, Exception) and not isinstance(error, StopIteration | StopAsyncIteration):
        return error
    told = RuntimeError(f"the function raised {type(error).__name__}: {error}")
    told.__cause__ = error
    return told


def _settle(loop: asyncio.AbstractEventLoop, future: asyncio.Future[T], how: Callable[[S], None], what: S) -> None:
    def settle() -> None:
        if not future.done():
            how(what)

    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:
        if not loop.is_closed():  # a closed loop has nobody waiting
            raise
