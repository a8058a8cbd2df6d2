"""Scores of the rows of an index, computed where they are needed to tell which are the best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np

from pegboard.search.arrays import Array, Mask

_LOOKED_AT: Final = 2
"""Times as many have their scores computed before those of others, where these are many."""
_MANY: Final = 200
_FOLDED: Final = (1 << 11, 1 << 9)
"""Numbers of groups, step by step, of which each is as good as its best row: to find the best of all rows takes longer,
and to make few groups of many rows in one step does too."""


class Scores:
    """The scores of all rows of an index. Immutable; lives as long as one search.

    ``least`` has a number for each row that its score does not fall below, 0 for one that does not fit, and ``least *
    slack`` one that it does not exceed; ``wide`` has rows, in any order, that have a slack of their own. ``exact``
    computes the scores of some rows, which ascend and fit.
    """

    def __init__(
        self, least: Array, slack: float, exact: Callable[[Array], Array], wide: Sequence[tuple[Array, float]] = ()
    ) -> None:
        self._least = least
        self._slack = slack
        self._exact = exact
        self._wide = wide

    @cached_property
    def size(self) -> int:
        """How many rows fit."""
        return int(np.count_nonzero(self._least > 0))

    @cached_property
    def rows(self) -> Array:
        """Those that fit, ascending."""
        found: Array = (self._least > 0).nonzero()[0]
        return found

    def fit(self, rows: Array) -> Mask:
        """Which of some rows fit."""
        fit: Mask = self._least[rows] > 0
        return fit

    def of(self, rows: Array) -> Array:
        """The scores of some rows, 0 for those that do not fit."""
        found = np.zeros(rows.size)
        order = rows.argsort()
        order = order[self.fit(rows[order])]
        found[order] = self._exact(rows[order])
        return found

    def without(self, rows: Array) -> Scores:
        """The same but for these rows, which do not fit any more."""
        least = self._least.copy()
        least[rows] = 0.0
        return Scores(least, self._slack, self._exact, self._wide)

    def raised(self, rows: Array, points: Array) -> Scores:
        """The same with ``points``, from 0 on, added to those of ``rows``, which ascend."""
        least = self._least.copy()
        least[rows] += points

        def exact(chosen: Array) -> Array:
            places = np.minimum(rows.searchsorted(chosen), max(rows.size - 1, 0))
            return self.of(chosen) + (points[places] * (rows[places] == chosen) if rows.size else 0.0)

        return Scores(least, self._slack, exact, self._wide)

    def best(self, count: int) -> tuple[Array, Array]:
        """(the rows of the ``count`` best, and of all that are as good as the last of them; their scores), in order.

        Which of equal ones come first is for others to say.
        """
        rows = self._worth_a_look(count) if count < self.size else self.rows
        scores = self._exact(rows)
        if count < rows.size:
            good = (scores >= _nth(scores, count)).nonzero()[0]
            rows, scores = rows[good], scores[good]
        order = np.argsort(-scores, kind="stable")
        return rows[order], scores[order]

    def _worth_a_look(self, count: int) -> Array:
        """The rows of those that may be among the ``count`` best."""
        rows = self._may_reach(self._reached(count))
        if rows.size <= _MANY * count:
            return rows
        # The scores of some that look best say what the others have to reach.
        least = self._least[rows]
        first = rows[least >= _nth(least, min(_LOOKED_AT * count, rows.size))]
        score = _nth(self._exact(first), count)
        may = least >= score / self._slack
        for some, slack in self._wide:
            wide = np.zeros(self._least.size, np.bool_)
            wide[some] = True
            may |= wide[rows] & (least >= score / slack)
        found: Array = rows[may]
        return found

    def _may_reach(self, score: float) -> Array:
        """The rows whose score may be as good as this one."""
        may = self._least >= score / self._slack
        for rows, slack in self._wide:
            may[rows[self._least[rows] >= score / slack]] = True
        found: Array = may.nonzero()[0]
        return found

    def _reached(self, count: int) -> float:
        """A number above 0 that the least scores of ``count`` rows reach."""
        best = self._least
        for about in _FOLDED:
            together = best.size // max(about, 4 * count)
            if together > 1:
                left = best.size // together
                best = best[: together * left].reshape(together, left).max(axis=0)
        fit = best[best > 0]  # without the others: to partition many equal numbers takes many times as long
        return float(_nth(fit if fit.size >= count else self._least[self.rows], count))


def _nth(values: Array, count: int) -> Any:
    """The value of the ``count``th from above."""
    return np.partition(values, values.size - count)[values.size - count]
