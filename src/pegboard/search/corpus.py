"""An index as one slice of a catalog sees it: every number counts the slice's entries only."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pegboard.search.arrays import PLACE, TERM, Array, Mask, joined, narrowed, sizes_of, starts_of
from pegboard.search.counts import Counts, Numbers, idf
from pegboard.search.digests import digest
from pegboard.search.index import Index
from pegboard.search.memo import Memo

if TYPE_CHECKING:
    from pegboard.search.asked import StandIns

_MEMO: Final = 1 << 20
_MEMO_BY_ROW: Final = 144
"""Bytes, and bytes by row, that a slice may take to remember what its frequent terms come to."""

_LOOK_UPS_KEPT: Final = 4096
"""Terms of which a slice remembers, by and large, what its index has: words are asked for again and again."""

_FEW: Final = 8
"""Of so many rows one, or less: so few get an index of their own."""


class Term(NamedTuple):
    """What an index has of a term. Immutable. How many entries of the slice have it, how many have it in the group
    that was asked for, and its idf, 0 where nobody has it."""

    numbers: Numbers
    frequency: int
    in_group: int
    rarity: float


@dataclass(frozen=True, eq=False)
class Postings:
    """Where some terms stand in an index: a line of rows, term after term. Immutable; lives as long as one search.

    ``rows``, ``counts`` (in units) and ``marks`` stand side by side; term t has those from ``starts[t]`` to
    ``starts[t + 1]``. Rows that the slice does not see are among them: leaving them out later is cheaper.
    """

    rows: Array
    counts: Array
    marks: Array
    starts: Array

    @cached_property
    def sizes(self) -> Array:
        """How many there are of each term."""
        return sizes_of(self.starts)


class Corpus:
    """The index of one generation as one slice sees it. Lives as long as the slice; safe to use from several threads.

    It is made of the ``places`` of the slice's entries in the catalog, None for all of them. Where these are few, its
    ``index`` has nothing but them: what is hidden takes no time. ``visible`` says which rows are theirs; None when
    there are no others; ``counts`` tells how many of them have each term. ``memo`` remembers what was computed of some
    terms, ``meanings`` what words that no entry has were taken for, ``stand_ins`` what may stand for terms.
    """

    def __init__(self, index: Index, places: Array | None) -> None:
        if places is not None and places.size <= index.size // _FEW:
            index = index.only(places)
        self.index = index
        rows = index.rows if places is None else index.rows[places]
        self.size = int(rows.size)
        self.visible: Mask | None = None
        if self.size < index.size:
            self.visible = np.zeros(index.size, np.bool_)
            self.visible[rows] = True
        self.counts = Counts(index, self.visible, self.size)
        self._rows = rows
        self._dampening: dict[tuple[float, float, int], tuple[Array, Array]] = {}
        self._known: dict[int, dict[str, Term]] = {}
        self.meanings: dict[str, Sequence[str]] = {}
        self.stand_ins: dict[str, StandIns] = {}
        self.memo: Memo[Numbers] = Memo(_MEMO + _MEMO_BY_ROW * index.size)

    def postings(self, terms: Sequence[str], space: int = 0) -> Postings:
        """Where these terms stand, in their order."""
        return self.at(self.numbers(terms, space))

    def known(self, terms: Collection[str], group: int = 0) -> list[Term]:
        """What the index has of these terms of the first space, and of one of its groups."""
        known = self._known.get(group, {})
        try:
            return [known[term] for term in terms]
        except KeyError:
            new = [term for term in terms if term not in known]
        known = known if len(known) <= _LOOK_UPS_KEPT else {term: known[term] for term in terms if term in known}
        known.update(zip(new, self._looked_up(new, group), strict=True))
        self._known[group] = known
        return [known[term] for term in terms]

    def _looked_up(self, terms: Sequence[str], group: int) -> Iterator[Term]:
        numbers = self.numbers(terms)
        found = zip(numbers, self.counts.of(numbers), self.counts.in_group(group, numbers), strict=True)
        return (Term(*one, idf(self.size, one[1]) if one[1] else 0.0) for one in found)

    def numbers(self, terms: Sequence[str], space: int = 0) -> list[Numbers]:
        """What the index knows these terms by."""
        asked = np.array([digest(term, space) for term in terms], TERM)
        found = (segment.numbers(asked).tolist() for segment in (self.index.base, self.index.tail))
        return list(zip(*found, strict=True))

    def at(self, numbers: Sequence[Numbers]) -> Postings:
        """Where the terms of these numbers stand, in their order."""
        base, tail = self.index.base, self.index.tail
        parts = [(base.rows[:0], base.counts[:0], base.marks[:0])]
        starts, size = [0], 0
        for early, late in numbers:
            if early >= 0:
                parts.append(base.postings_of(early))
                size += parts[-1][0].size
            if late >= 0:
                rows, counts, marks = tail.postings_of(late)
                parts.append((rows + base.size, counts, marks))
                size += rows.size
            starts.append(size)
        columns = list(zip(*parts, strict=True))
        # numpy looks things up by whole words: narrower ones it converts again for each look-up.
        rows = np.concatenate(columns[0], dtype=np.intp)
        return Postings(rows, joined(columns[1]), joined(columns[2]), np.array(starts, PLACE))

    def rows_with(self, terms: Sequence[str], space: int = 0) -> set[int]:
        """The rows of the slice that have one of these terms."""
        rows = self.postings(terms, space).rows
        return set((rows if self.visible is None else rows[self.visible[rows]]).tolist())

    def frequencies(self, postings: Postings) -> list[int]:
        """How many entries of the slice have each of the terms."""
        if self.visible is None:
            return postings.sizes.tolist()  # type: ignore[no-any-return]
        ends = starts_of(self.visible[postings.rows])
        return sizes_of(ends[postings.starts]).tolist()  # type: ignore[no-any-return]

    def rarity(self, postings: Postings) -> Array:
        """The idf of each of the terms, 0 for one that no entry of the slice has."""
        return np.array([idf(self.size, found) if found else 0.0 for found in self.frequencies(postings)])

    def frequency(self, term: str, space: int = 0) -> int:
        """How many entries of the slice have a term."""
        return self.frequencies(self.postings([term], space))[0]

    def average_length(self, space: int = 0) -> float:
        """The mean length of the slice's entries; 1 when they are all empty."""
        total = int(self.lengths[space][self._rows].sum(dtype=PLACE))
        return (total / self.index.scheme.unit / self.size if self.size else 0.0) or 1.0

    @cached_property
    def lengths(self) -> Array:
        """The lengths of all rows in units, a line a space."""
        return joined([self.index.base.lengths, self.index.tail.lengths])

    def dampening(self, rows: Array, k1: float, b: float, space: int = 0) -> Array:
        """``k1 * (1 - b + b * length / average)`` of some rows.

        Rows have few lengths: a narrow place of each row among them stays nearer to the processor than a wide number.
        """
        key = (k1, b, space)
        if key not in self._dampening:
            (early, places), (late, others) = (
                one.distinct_lengths[space] for one in (self.index.base, self.index.tail)
            )
            if late.size:
                places = narrowed(np.concatenate([places, others + np.intp(early.size)]))
            lengths = joined([early, late]) / self.index.scheme.unit
            self._dampening[key] = k1 * (1 - b + b * lengths / self.average_length(space)), places
        dampening, places = self._dampening[key]
        found: Array = dampening.take(places.take(rows))
        return found

    @cached_property
    def places(self) -> Array:
        """The place in the catalog of each row."""
        places = np.full(self.index.size, -1, PLACE)
        here = (self.index.rows >= 0).nonzero()[0]
        places[self.index.rows[here]] = here
        return places
