"""How many entries of a slice have each term of an index, and how rare the terms of an entry are for that.

Everything is counted once, for all terms there are, when somebody first asks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Final

import numpy as np

from pegboard.search.arrays import Array, Mask, counted, sizes_of
from pegboard.search.index import Index
from pegboard.search.segment import Segment

Numbers = tuple[int, int]
"""The numbers of a term in the base and in the tail of an index, -1 where it is not."""

_FEW: Final = 8
"""Of so many rows one, or less: so few hidden ones are looked through one by one, and taken off what all have."""


def idf(size: int, frequency: int) -> float:
    """How much a term tells that ``frequency`` of ``size`` entries have: always above 0."""
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))


class Counts:
    """What is counted of one index over the ``size`` rows of a slice, which ``visible`` has; None for all rows.

    Lives as long as the slice; safe to use from several threads: at worst, one counts what another has.
    """

    def __init__(self, index: Index, visible: Mask | None, size: int) -> None:
        self._index = index
        self._visible = visible
        self._size = size
        self._in_groups: dict[int, tuple[Array, Array]] = {}

    def of(self, numbers: Sequence[Numbers]) -> list[int]:
        """How many entries have each of these terms."""
        return _looked_up(self._tables, numbers)

    def in_group(self, group: int, numbers: Sequence[Numbers]) -> list[int]:
        """How many entries have each of these terms in one group."""
        if group not in self._in_groups:
            self._in_groups[group] = self._counted(partial(_having_in, group))
        return _looked_up(self._in_groups[group], numbers)

    def totals(self, rows: Array) -> Array:
        """By group, the idf of all its terms in each row, summed; infinite where there are none.

        Computed when a row is first asked for. Those of a row stand side by side: they are asked for together.
        """
        found = self._totals.take(rows, axis=0)
        new = rows[np.isnan(found[:, -1])]
        if new.size:
            for group in range(found.shape[1]):
                self._totals[new, group] = self._summed(new, group)
            found = self._totals.take(rows, axis=0)
        return found.T

    @cached_property
    def _totals(self) -> Array:
        return np.full((self._index.size, len(self._index.base.groups)), np.nan)

    def _summed(self, rows: Array, group: int) -> Array:
        base, tail = self._index.base, self._index.tail
        early = rows < base.size
        found = np.empty(rows.size)
        found[early] = _sums(base, group, rows[early], self._rarities[0])
        found[~early] = _sums(tail, group, rows[~early] - base.size, self._rarities[1])
        found[found == 0] = np.inf
        return found

    @cached_property
    def _rarities(self) -> tuple[Array, Array]:
        """The idf of each term of the base, and of each term of the tail."""
        base, tail = self._tables
        return self._rarity_of(base), self._rarity_of(tail)

    def _rarity_of(self, frequencies: Array) -> Array:
        """The idf of each frequency; one after the other, because a processor's vectors may round another way."""
        if not frequencies.size:
            return np.zeros(0)
        table = np.zeros(int(frequencies.max()) + 1)
        present = np.flatnonzero(np.bincount(frequencies))
        table[present] = [idf(self._size, frequency) for frequency in present.tolist()]
        return table[frequencies]

    @cached_property
    def _tables(self) -> tuple[Array, Array]:
        """How many entries have each term of the base, and each of the tail."""
        return self._counted(_having)

    def _counted(self, having: Callable[[Segment, Mask | None], Array]) -> tuple[Array, Array]:
        """What is counted of the terms of the base and of those of the tail, of terms of both added up in both."""
        base, tail, visible = self._index.base, self._index.tail, self._visible
        first = having(base, None if visible is None else visible[: base.size])
        second = having(tail, None if visible is None else visible[base.size :])
        if tail.size:
            same = base.numbers(tail.terms)
            shared = same >= 0
            both = first[same[shared]] + second[shared]
            first[same[shared]], second[shared] = both, both
        return first, second


def _having(segment: Segment, visible: Mask | None) -> Array:
    """How many of the visible rows have each term."""
    everywhere = sizes_of(segment.starts)
    if visible is None:
        return everywhere
    hidden = ~visible
    if np.count_nonzero(hidden) <= visible.size // _FEW:
        terms, _ = segment.every.of(np.flatnonzero(hidden))
        return everywhere - np.bincount(terms, minlength=segment.terms.size)
    return counted(visible[segment.rows], segment.starts)


def _having_in(group: int, segment: Segment, visible: Mask | None) -> Array:
    """How many of the visible rows have each term in a group."""
    terms = segment.groups[group].terms
    if visible is not None:
        terms, _ = segment.groups[group].of(np.flatnonzero(visible))
    return np.bincount(terms, minlength=segment.terms.size)


def _looked_up(tables: tuple[Array, Array], numbers: Sequence[Numbers]) -> list[int]:
    """What two tables, of the base's terms and of the tail's, say of some terms: 0 of one that is in neither."""
    base, tail = tables
    return [int(base[early]) if early >= 0 else int(tail[late]) if late >= 0 else 0 for early, late in numbers]


def _sums(segment: Segment, group: int, rows: Array, rarity: Array) -> Array:
    """By row, in the order of the digests, so that equal rows give equal sums."""
    terms, sizes = segment.groups[group].of(rows)
    return np.bincount(np.repeat(np.arange(rows.size), sizes), rarity[terms], rows.size)
