"""An index as one slice of a catalog sees it: every number counts the slice's entries only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pegboard.search.building import digest
from pegboard.search.index import Index
from pegboard.search.segment import PLACE, ROW, TERM, Array, Mask, Segment, counted, joined


def idf(size: int, frequency: int) -> float:
    """How much a term tells that ``frequency`` of ``size`` entries have: always above 0."""
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))


@dataclass(frozen=True, eq=False)
class Postings:
    """Where some terms stand in a slice: a line of rows, term after term. Immutable; lives as long as one search.

    ``term`` has the place of each one's term among those asked for, ``rows`` its row, ``counts`` its count as a number
    of weight 1, ``marks`` its marks. ``sizes`` are the terms' frequencies, ``rarity`` their idf. Rows are below
    ``bound``.
    """

    term: Array
    rows: Array
    counts: Array
    marks: Array
    sizes: Array
    rarity: Array
    bound: int

    def marks_of(self, rows: Array) -> list[int]:
        """All marks of each of these rows."""
        found = dict.fromkeys(rows.tolist(), 0)
        wanted = np.zeros(self.bound, np.bool_)
        wanted[rows] = True
        here = np.flatnonzero(wanted[self.rows])
        for row, marks in zip(self.rows[here].tolist(), self.marks[here].tolist(), strict=True):
            found[row] |= marks
        return [found[row] for row in rows.tolist()]


class Corpus:
    """The index of one generation as one slice sees it. Lives as long as the slice; safe to use from several threads.

    ``places`` are the places of the slice's entries in the catalog, None for all of them.
    """

    def __init__(self, index: Index, places: Array | None) -> None:
        self.index = index
        rows = index.rows if places is None else index.rows[places]
        self.size = int(rows.size)
        self.visible: Mask | None = None
        if self.size < index.size:
            self.visible = np.zeros(index.size, np.bool_)
            self.visible[rows] = True
        self._rows = rows
        self._dampening: dict[tuple[float, float, int], Array] = {}
        self._totals: dict[int, Array] = {}

    def postings(self, terms: Sequence[str], space: int = 0) -> Postings:
        """Where these terms stand, in their order."""
        asked = np.array([digest(term, space) for term in terms], TERM)
        line, sizes = self._line(asked)
        rows, counts, marks = line
        term = np.repeat(np.arange(len(terms)), sizes)
        if self.visible is not None:
            seen = self.visible[rows]
            term, rows, counts, marks = term[seen], rows[seen], counts[seen], marks[seen] if marks.size else marks
            sizes = np.bincount(term, minlength=len(terms))
        rarity = np.array([idf(self.size, size) if size else 0.0 for size in sizes.tolist()])
        return Postings(term, rows, counts / self.index.scheme.unit, marks, sizes, rarity, self.index.size)

    def _line(self, asked: Array) -> tuple[tuple[Array, Array, Array], Array]:
        """Rows, counts and marks of all postings, dead and hidden ones too; how many there are by term."""
        base, tail = self.index.base, self.index.tail
        parts: list[tuple[Array, Array, Array]] = []
        sizes = []
        later = tail.numbers(asked).tolist() if tail.size else [-1] * asked.size
        for number, other in zip(base.numbers(asked).tolist(), later, strict=True):
            size = 0
            for segment, offset, found in ((base, 0, number), (tail, base.size, other)):
                if found >= 0:
                    part = slice(*segment.starts[found : found + 2].tolist())
                    rows = segment.rows[part]
                    parts.append(
                        (rows + ROW.type(offset) if offset else rows, segment.counts[part], segment.marks[part])
                    )
                    size += rows.size
            sizes.append(size)
        if not parts:
            return (base.rows[:0], base.counts[:0], base.marks[:0]), np.zeros(asked.size, PLACE)
        rows, counts, marks = (joined(column) for column in zip(*parts, strict=True))
        return (rows, counts, marks), np.array(sizes, PLACE)

    def frequency(self, term: str, space: int = 0) -> int:
        """How many entries of the slice have a term."""
        return int(self.postings([term], space).sizes[0])

    def average_length(self, space: int = 0) -> float:
        """The mean length of the slice's entries; 1 when they are all empty."""
        total = int(self.lengths[space][self._rows].sum(dtype=PLACE))
        return (total / self.index.scheme.unit / self.size if self.size else 0.0) or 1.0

    @cached_property
    def lengths(self) -> Array:
        """The lengths of all rows in units, a line a space."""
        return joined([self.index.base.lengths, self.index.tail.lengths])

    def dampening(self, k1: float, b: float, space: int = 0) -> Array:
        """``k1 * (1 - b + b * length / average)`` of each row."""
        key = (k1, b, space)
        if key not in self._dampening:
            average = self.average_length(space)
            self._dampening[key] = k1 * (1 - b + b * (self.lengths[space] / self.index.scheme.unit) / average)
        return self._dampening[key]

    def length(self, row: int, space: int = 0) -> float:
        """The length of one row."""
        return float(self.lengths[space][row]) / self.index.scheme.unit

    @cached_property
    def places(self) -> Array:
        """The place in the catalog of each row."""
        places = np.full(self.index.size, -1, PLACE)
        places[self.index.rows] = np.arange(self.index.rows.size)
        return places

    def totals(self, rows: Array, group: int) -> Array:
        """The idf of all terms in one group of each row, summed; computed when a row is first asked for."""
        if group not in self._totals:
            self._totals[group] = np.full(self.index.size, np.nan)
        kept = self._totals[group]
        found = kept[rows]
        new = rows[np.isnan(found)]
        if new.size:
            kept[new] = self._summed(new, group)
            found = kept[rows]
        return found

    def _summed(self, rows: Array, group: int) -> Array:
        base, tail = self.index.base, self.index.tail
        early = rows < base.size
        found = np.empty(rows.size)
        found[early] = _sums(base, group, rows[early], self._rarities[0])
        found[~early] = _sums(tail, group, rows[~early] - base.size, self._rarities[1])
        return found

    @cached_property
    def _rarities(self) -> tuple[Array, Array]:
        """The idf of each term of the base, and of each term of the tail."""
        base, tail = self.index.base, self.index.tail
        visible = self.visible
        split = base.size
        first = np.diff(base.starts) if visible is None else counted(visible[:split][base.rows], base.starts)
        second = np.diff(tail.starts) if visible is None else counted(visible[split:][tail.rows], tail.starts)
        if tail.size:
            same = base.numbers(tail.terms)
            shared = same >= 0
            both = first[same[shared]] + second[shared]
            first[same[shared]], second[shared] = both, both
        return self._rarity_of(first), self._rarity_of(second)

    def _rarity_of(self, frequencies: Array) -> Array:
        """The idf of each frequency; one after the other, because a processor's vectors may round another way."""
        if not frequencies.size:
            return np.zeros(0)
        table = np.zeros(int(frequencies.max()) + 1)
        present = np.flatnonzero(np.bincount(frequencies))
        table[present] = [idf(self.size, size) for size in present.tolist()]
        return table[frequencies]


def _sums(segment: Segment, group: int, rows: Array, rarity: Array) -> Array:
    """By row, in the order of the digests, so that equal rows give equal sums."""
    terms, sizes = segment.groups[group].of(rows)
    return np.bincount(np.repeat(np.arange(rows.size), sizes), rarity[terms], rows.size)
