"""Rows of what was learned from use: this word led somebody to that tool, so and so often. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, NamedTuple

DAY: Final = 86_400
"""Seconds. Uses are dated to the day: more would say which words were asked together."""

LAST_DAY: Final = (date.max - date(1970, 1, 1)).days
"""The last day that has a date, in days since 1970."""

HALF_LIFE: Final = 30.0
"""Days after which a use counts half."""
QUORUM: Final = 2
"""Principals who have come to a tool with a word before that counts for others."""
MOST: Final = 3.0
"""Uses of one word for one tool that count of one principal at most."""
LEAST: Final = 0.05
"""Uses that are forgotten: what one use comes to after some four half-lives."""


def day_of(seconds: float) -> int:
    """The day of a moment in UNIX seconds; of one that has no date, as a clock gone wrong tells it, the nearest day."""
    return dated(seconds // DAY) if math.isfinite(seconds) else (LAST_DAY if seconds > 0 else 0)


def dated(day: float) -> int:
    """A day since 1970, or the nearest to it that has a date: what is kept has to be told and read back."""
    return int(min(max(day, 0), LAST_DAY))


class Pair(NamedTuple):
    """What a row is about: by it, it is told from all others of its space."""

    tool: str
    term: str
    by: str


@dataclass(frozen=True, slots=True)
class Row:
    """How often asks of ``by`` with ``term`` led to ``tool``. Immutable.

    ``by`` is a principal's key, ``""`` where nobody was named. ``uses`` is what the uses came to on ``day``, counted
    in whole days since 1970; later it is less.
    """

    tool: str
    term: str
    by: str
    uses: float
    day: int

    @property
    def pair(self) -> Pair:
        """What it is about."""
        return Pair(self.tool, self.term, self.by)

    def on(self, day: int, half_life: float) -> float:
        """What the uses come to on a day."""
        return self.uses if day <= self.day else self.uses * 0.5 ** ((day - self.day) / half_life)

    def used(self, times: float, day: int, half_life: float) -> Row:
        """The row after further uses on a day."""
        return replace(self, uses=min(MOST, self.on(day, half_life) + times), day=max(day, self.day))


@dataclass(frozen=True)
class Lesson:
    """A call that a search led to. Immutable. ``terms`` of the ask led ``by`` to ``tool``, each counting ``uses``."""

    tool: str
    terms: tuple[str, ...]
    by: str = ""
    uses: float = 1.0


def stronger(one: Row | None, other: Row, half_life: float) -> Row:
    """Of two rows about the same, the one that counts more on the later of their days."""
    day = other.day if one is None else max(one.day, other.day)
    return other if one is None or other.on(day, half_life) > one.on(day, half_life) else one


def distinct(lessons: Iterable[Lesson]) -> Mapping[tuple[str, str], Mapping[str, float]]:
    """Lessons together: by tool and principal, what the uses of each word come to."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for lesson in lessons:
        terms = found.setdefault((lesson.tool, lesson.by), {})
        for term in lesson.terms:
            terms[term] = terms.get(term, 0.0) + lesson.uses
    return found
