"""Knowing when a request has been answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

SCOPE_KEY: Final = "pegboard.exchange"
"""Where an HTTP request's ASGI scope holds its exchange."""


class Exchange:
    """One request. Lives until its answer has left, or until it is certain that there will be none.

    The transport makes it and says when it is over; a handler says what is to be done then.
    """

    def __init__(self) -> None:
        self._over = False
        self._awaiting: list[Callable[[], None]] = []

    def after(self, action: Callable[[], None]) -> None:
        """Have ``action`` done once the exchange is over: at once when it is."""
        if self._over:
            action()
        else:
            self._awaiting.append(action)

    def end(self) -> None:
        """The exchange is over. Does nothing the second time."""
        self._over = True
        awaiting, self._awaiting = self._awaiting, []
        for action in awaiting:
            action()


def exchange_in(carrier: Any) -> Exchange | None:
    """The exchange of a request, out of what its transport attached to it; None where a transport makes none."""
    if isinstance(carrier, Exchange):
        return carrier
    scope = getattr(carrier, "scope", None)
    return scope.get(SCOPE_KEY) if isinstance(scope, dict) else None
