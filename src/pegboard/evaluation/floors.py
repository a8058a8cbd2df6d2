"""Floors: what a figure has to come to, so that a build fails where it does not. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from pegboard.evaluation.evaluation import Evaluation
from pegboard.evaluation.figures import COSTS, FIGURES, LESS_IS_BETTER


@dataclass(frozen=True, kw_only=True)
class Floor:
    """The least that a figure has to come to; of those of which less is better, the most it may. Immutable.

    ``ranker`` names whose it is; ``""``: every ranker's.
    """

    figure: str
    bound: float
    ranker: str = ""

    @classmethod
    def of(cls, text: str, rankers: Sequence[str]) -> Floor:
        """``[RANKER:]FIGURE=NUMBER``. Raises ValueError for what is none, or names no such figure or ranker."""
        what, equals, number = text.rpartition("=")
        ranker, _, figure = what.rpartition(":")
        if not equals or not what:
            raise ValueError(f"wanted FIGURE=NUMBER or RANKER:FIGURE=NUMBER, got {text!r}.")
        if figure not in FIGURES:
            raise ValueError(f"{figure!r} is no figure; there are {', '.join(FIGURES)}.")
        if ranker and ranker not in rankers:
            raise ValueError(f"{ranker!r} is not among the rankers that are compared: {', '.join(rankers)}.")
        bound = _number(number)
        if figure not in COSTS and not 0 <= bound <= 1:
            raise ValueError(f"{figure} is a number from 0 to 1, got {number!r}.")
        return cls(figure=figure, bound=bound, ranker=ranker)

    def holds(self, value: float | None) -> bool:
        """Whether a value is good enough. A figure that has no value is not."""
        if value is None:
            return False
        return value <= self.bound if self.figure in LESS_IS_BETTER else value >= self.bound


def broken(floors: Sequence[Floor], evaluation: Evaluation) -> Iterator[str]:
    """A line for each floor that does not hold, and each ranker that it does not hold for."""
    for floor in floors:
        for result in evaluation.results:
            value = result.overall.values[floor.figure]
            if floor.ranker in ("", result.ranker) and not floor.holds(value):
                got = "has no value" if value is None else f"is {value:.4f}"
                wanted = "at most" if floor.figure in LESS_IS_BETTER else "at least"
                yield f"{result.ranker}: {floor.figure} {got}, wanted {wanted} {floor.bound:g}."


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise ValueError(f"wanted a number behind the =, got {text!r}.")
    return number
