"""How much of a list a server may make us keep. Pure."""

from __future__ import annotations

from typing import Any, Final

MAX_LISTED: Final = 20_000
"""Items of one list."""

MAX_CHARACTERS: Final = 64_000_000
"""Characters of a list of several pages; one page alone is bounded by the link."""


class ListBounds:
    """What may still come of one list. Lives as long as it is read."""

    def __init__(self) -> None:
        self._items = MAX_LISTED
        self._characters = MAX_CHARACTERS

    def within(self, items: list[Any]) -> list[Any]:
        """The items of a page that are still taken."""
        kept = items[: self._items]
        self._items -= len(items)
        return kept

    def reached(self, items: list[Any], *, more: bool) -> str:
        """Which bound a page went over; "" for none. Characters count where ``more`` pages follow."""
        if self._items < 0:
            return f"{MAX_LISTED:,} items"
        self._characters -= characters(items) if more else 0
        return f"{MAX_CHARACTERS:,} characters" if self._characters < 0 else ""


def characters(value: Any) -> int:
    """About how many characters a JSON value has as text."""
    waiting, count = [value], 0
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting.extend(one)
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
        count += len(one) + 2 if isinstance(one, str | dict | list) else 4
    return count
