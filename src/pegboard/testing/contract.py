"""What the contracts of all stores have in common: a check opens a store, closes it again, and says what was broken."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import wraps
from typing import TypeVar

_Store = TypeVar("_Store")


class BrokenContractError(AssertionError):
    """A store does not do what every store must; the message says what that is."""


def closing(
    promise: Callable[[Callable[[], _Store]], Awaitable[None]],
) -> Callable[[Callable[[], _Store]], Awaitable[None]]:
    """A check that closes what it has opened, where that has a ``close``."""

    @wraps(promise)
    async def run(store: Callable[[], _Store]) -> None:
        async with AsyncExitStack() as stack:

            def opened() -> _Store:
                one = store()
                if (close := getattr(one, "close", None)) is not None:
                    stack.push_async_callback(close)
                return one

            await promise(opened)

    return run


def promised(holds: bool, what: str) -> None:
    """Raise BrokenContractError with what was promised, unless it holds."""
    if not holds:
        raise BrokenContractError(what)
