"""How sure a search is that something it found is right, and what is near where nothing is. Pure.

A logistic curve over two figures that mean the same in a catalog of any size, whether meaning counts or words alone:
what the best entry's score is of what the words of the ask could bring if the rarest words were theirs, and whether it
stands out, or the tenth is as good.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from pegboard.search.ranking import JUDGED, Ranked, Ranking
from pegboard.tools import Entry

BASE: Final = -0.2
SHARE: Final = 1.3
FLAT: Final = -2.6
WHOLE: Final = 0.8
"""The least where the best entry has the whole ask: that many are as good as it is much to choose from, not nothing."""

CATEGORIES: Final = 3
"""Categories that are told of where nothing fits."""
_NEAR: Final = 50  # of the best entries are asked for theirs


def certainty(scores: Sequence[float], possible: float, *, whole: bool) -> float:
    """How likely one of the best entries is right, 0 to 1.

    ``scores`` are those of the best ``JUDGED``, or of all, at least one; ``possible`` is what the words of the ask
    would be worth if all were the rarest. ``whole`` says that the best entry has every word that says something.
    """
    flat = scores[-1] / scores[0] if len(scores) >= JUDGED else 0.0
    found = 1 / (1 + math.exp(-(BASE + SHARE * height(scores, possible) + FLAT * flat)))
    return max(found, WHOLE) if whole else found


def height(scores: Sequence[float], possible: float) -> float:
    """How high the best score is: the square root, for the first part of what is possible tells more than the last."""
    return math.sqrt(scores[0] / possible)


def confidence_of(ranked: Sequence[Ranked]) -> float | None:
    """How sure the ranker is that one of the best is right, 0 to 1; None where it does not tell."""
    return ranked.confidence if isinstance(ranked, Ranking) else None


def degraded_by(ranked: Sequence[Ranked]) -> str:
    """Why only a part of the ranker has ranked; "" where all of it has."""
    return ranked.degraded if isinstance(ranked, Ranking) else ""


def nearest_categories(ranked: Sequence[Ranked], candidates: Iterable[Entry]) -> tuple[str, ...]:
    """The categories of what comes first in ``ranked``; where nothing is there, the largest among ``candidates``."""
    near = [one.entry.category for one in ranked[:_NEAR] if one.entry.category]
    if near:
        return tuple(islice(dict.fromkeys(near), CATEGORIES))
    sizes = Counter(entry.category for entry in candidates if entry.category)
    return tuple(sorted(sizes, key=lambda category: (-sizes[category], category))[:CATEGORIES])
