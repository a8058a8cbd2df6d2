"""Functions that are called when something has happened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, ParamSpec

P = ParamSpec("P")

Unsubscribe = Callable[[], None]
"""Ends what it was given for; does nothing the second time."""


class Listeners(Generic[P]):
    """Those that are told of one kind of event, in the order in which they came. Lives as long as what they hear of."""

    def __init__(self) -> None:
        self._all: dict[object, Callable[P, None]] = {}

    def add(self, listener: Callable[P, None]) -> Unsubscribe:
        """Tell ``listener`` too, until the function that this gives is called."""
        key = object()
        self._all[key] = listener

        def unsubscribe() -> None:
            self._all.pop(key, None)

        return unsubscribe

    def tell(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call every one of them. Who comes or goes meanwhile does so for the next time."""
        for listener in tuple(self._all.values()):
            listener(*args, **kwargs)
