"""Calling a Python function as a handler: in the right place, with its progress told."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing
from dataclasses import dataclass
from enum import Enum
from typing import Any

from pegboard.context import Context
from pegboard.schema.annotations import written
from pegboard.threads import in_thread, tame


@dataclass(frozen=True)
class Progress:
    """How far a call is, for generators to yield: ``yield Progress(3, 10, "three of ten")``. Immutable."""

    progress: float
    total: float | None = None
    message: str | None = None


class Kind(Enum):
    """How a function is called."""

    PLAIN = "in a thread"
    COROUTINE = "on the loop"
    GENERATOR = "in a thread, its yields are progress"
    ASYNC_GENERATOR = "on the loop, its yields are progress"


def kind_of(fn: Callable[..., Any]) -> Kind:
    """How ``fn`` is called: by what it is, or what it wraps."""
    called = fn if inspect.isroutine(fn) else getattr(fn, "__call__", fn)  # noqa: B004  # the method itself is wanted
    function = written(fn).function
    if inspect.isasyncgenfunction(function):
        return Kind.ASYNC_GENERATOR
    if inspect.isgeneratorfunction(function):
        return Kind.GENERATOR
    return Kind.COROUTINE if inspect.iscoroutinefunction(fn) or inspect.iscoroutinefunction(called) else Kind.PLAIN


async def run(kind: Kind, call: Callable[[], Any], context: Context) -> Any:
    """The result of ``call()``, as the function gave it.

    A generator's yields are told as progress as they come: a Progress as it is, a number as how far it is, text as a
    message. Its result is what it returns, else the last thing it yielded that is not a Progress. Cancelling ends
    coroutines where they wait; threads are abandoned, generators in them stop at the next yield.
    """
    if kind is Kind.GENERATOR:
        return await _run_generator(call, context)
    if kind is Kind.PLAIN:
        value = await in_thread(call, name=f"pegboard {context.tool}")
        return await _on_loop(value) if inspect.isawaitable(value) else value
    return await _on_loop(_drained(call(), context) if kind is Kind.ASYNC_GENERATOR else call())


async def _on_loop(awaitable: Any) -> Any:
    try:
        return await awaitable
    except SystemExit as error:
        raise tame(error) from error


async def _drained(generator: AsyncGenerator[Any], context: Context) -> Any:
    last, count = None, 0
    async with aclosing(generator):
        async for value in generator:
            count += 1
            last = last if isinstance(value, Progress) else value
            await _tell(context, value, count)
    return last


async def _run_generator(call: Callable[[], Any], context: Context) -> Any:
    """All of the generator in one thread, since it may hold what belongs to a thread."""
    loop, stopped = asyncio.get_running_loop(), threading.Event()

    def tell(value: Any, count: int) -> None:
        telling = _tell(context, value, count)
        try:
            asyncio.run_coroutine_threadsafe(telling, loop).result()
        except RuntimeError:
            telling.close()
            raise

    def work() -> Any:
        made: Any = call()
        return _stepped(made, tell, stopped) if isinstance(made, Generator) else made

    try:
        return await in_thread(work, name=f"pegboard {context.tool}")
    finally:
        stopped.set()


def _stepped(generator: Generator[Any, None, Any], tell: Callable[[Any, int], None], stopped: threading.Event) -> Any:
    last, count = None, 0
    try:
        while not stopped.is_set():
            value = next(generator)
            count += 1
            last = last if isinstance(value, Progress) else value
            if not stopped.is_set():
                tell(value, count)
    except StopIteration as end:
        return last if end.value is None else end.value
    finally:
        generator.close()
    return None


async def _tell(context: Context, value: Any, count: int) -> None:
    match value:
        case Progress(progress, total, message):
            await context.progress(progress, total, message)
        case str():
            await context.progress(count, None, value)
        case int() | float() if not isinstance(value, bool):
            await context.progress(value)
