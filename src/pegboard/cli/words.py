"""Counts and spans of time in words. Pure."""

from __future__ import annotations

from typing import Final

_UNITS: Final = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def counted(count: int, noun: str, plural: str = "") -> str:
    """How many there are, in words: ``1 tool``, ``2 tools``. ``plural`` is for nouns that take more than an ``s``."""
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"


def span(seconds: int) -> str:
    """A span of time in its largest whole unit: ``59 seconds``, ``1 minute``, ``3 hours``, ``2 days``."""
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds >= size), (1, "second"))
    return counted(seconds // size, unit)
