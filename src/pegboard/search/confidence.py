"""How sure a search is that something it found is right, and what is near where nothing is. Pure.

A logistic curve over four figures that mean the same in a catalog of any size, whether meaning counts or words alone:
``pegboard.search.evidence`` says what they are. What a catalog without the right tool still has is much that is about
as good: so the best has to stand out from what comes well behind it, and each need of the ask has to have its own best.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from pegboard.search.evidence import Evidence
from pegboard.search.ranking import Ranked, Ranking
from pegboard.tools import Entry

BASE: Final = 0.08
SHARE: Final = 1.2
COVERED: Final = 1.8
FLAT: Final = -3.0
NEEDS: Final = -1.8
WHOLE: Final = 0.8
"""The least where the best entry has the whole ask: that many are as good as it is much to choose from, not nothing."""

CATEGORIES: Final = 3
"""Categories that are told of where nothing fits."""


def certainty(found: Evidence) -> float:
    """How likely one of the best entries is right, 0 to 1."""
    height = BASE + SHARE * found.share + COVERED * found.covered + FLAT * found.flat + NEEDS * found.needs
    likely = 1 / (1 + math.exp(-height))
    return max(likely, WHOLE) if found.whole else likely


def confidence_of(ranked: Sequence[Ranked]) -> float | None:
    """How sure the ranker is that one of the best is right, 0 to 1; None where it does not tell."""
    return ranked.confidence if isinstance(ranked, Ranking) else None


def degraded_by(ranked: Sequence[Ranked]) -> str:
    """Why only a part of the ranker has ranked; "" where all of it has."""
    return ranked.degraded if isinstance(ranked, Ranking) else ""


def nearest_categories(near: Iterable[Entry], candidates: Iterable[Entry]) -> tuple[str, ...]:
    """The categories of the entries in ``near``; where none has one, the largest among ``candidates``."""
    categories = [entry.category for entry in near if entry.category]
    if categories:
        return tuple(islice(dict.fromkeys(categories), CATEGORIES))
    sizes = Counter(entry.category for entry in candidates if entry.category)
    return tuple(sorted(sizes, key=lambda category: (-sizes[category], category))[:CATEGORIES])
