"""The measures of one answer: what was found, best first, held against the right tools. Pure functions.

``grades`` says how much each right tool is worth, above 0; without grades each is worth 1. ``found`` has each name
once. Every measure is from 0 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

Grades = Mapping[str, float]
"""The right tools of a question, and how much each is worth."""

Measure = Callable[[Sequence[str], Grades], float]

DEPTH: Final = 10


def recall(found: Sequence[str], grades: Grades, depth: int) -> float:
    """The share of the right tools among the first ``depth``."""
    return len(grades.keys() & set(found[:depth])) / len(grades)


def completeness(found: Sequence[str], grades: Grades, depth: int = DEPTH) -> float:
    """1 when every right tool is among the first ``depth``, else 0."""
    return float(grades.keys() <= set(found[:depth]))


def ndcg(found: Sequence[str], grades: Grades, depth: int = DEPTH) -> float:
    """Normalised discounted cumulative gain of the first ``depth``.

    The gain of a tool is its grade; the one at place p counts 1 / log2(p + 1). The best possible order gives 1.
    """
    best = sorted(grades.values(), reverse=True)[:depth]
    return _discounted([grades.get(name, 0.0) for name in found[:depth]]) / _discounted(best)


def reciprocal_rank(found: Sequence[str], grades: Grades) -> float:
    """One over the place of the first right tool, 0 when none was found."""
    return next((1 / place for place, name in enumerate(found, 1) if name in grades), 0.0)


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(place + 1) for place, gain in enumerate(gains, 1))


MEASURES: Final[Mapping[str, Measure]] = {
    "recall@1": lambda found, grades: recall(found, grades, 1),
    "recall@5": lambda found, grades: recall(found, grades, 5),
    "recall@10": lambda found, grades: recall(found, grades, DEPTH),
    "ndcg@10": ndcg,
    "mrr": reciprocal_rank,
    "completeness@10": completeness,
}
"""The measures of questions that have right tools, by the names that reports and floors use."""
