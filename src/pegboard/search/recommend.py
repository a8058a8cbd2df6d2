"""Tools to recommend for what was just said."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from pegboard.limits import Limits
from pegboard.search.ranking import Ranked
from pegboard.tools import Entry

KEYWORD: Final = 2.0
TAG: Final = 1.0


def recommend(
    recent_text: str | Iterable[str],
    entries: Iterable[Entry],
    active: Collection[str],
    limit: int = Limits.recommend,
) -> list[Ranked]:
    """The entries whose keywords (2 each) or tags (1 each) stand in ``recent_text``, best first, then by name.

    Several texts are read as one, joined by blanks. Case does not matter; blank keywords and tags count nothing.
    ``active`` are names that are never recommended. At most ``limit`` (default 5, the reference's); none for 0 or less.
    """
    text = recent_text if isinstance(recent_text, str) else " ".join(recent_text)
    lowered = text.lower()
    if not lowered.strip():
        return []
    judged = (_judge(lowered, entry) for entry in entries if entry.name not in active)
    ranked = sorted((one for one in judged if one.score), key=lambda one: (-one.score, one.entry.name))
    return ranked[: max(0, limit)]


def _judge(text: str, entry: Entry) -> Ranked:
    points = {"keyword": KEYWORD * _count(text, entry.keywords), "tag": TAG * _count(text, entry.tags)}
    return Ranked(entry, sum(points.values()), ",".join(reason for reason, gained in points.items() if gained))


def _count(text: str, words: Iterable[str]) -> int:
    return sum(word.lower() in text for word in words if word.strip())
