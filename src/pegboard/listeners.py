"""Functions that are called when something has happened."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Generic, ParamSpec

logger = logging.getLogger(__name__)

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
        """Call every one of them. Who comes or goes meanwhile does so for the next time.

        One that raises is logged: neither the others nor whoever tells are to blame for it.
        """
        for listener in tuple(self._all.values()):
            try:
                listener(*args, **kwargs)
            except Exception:
                logger.exception("%r failed on being told", listener)
