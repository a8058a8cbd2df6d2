"""An index as one slice of a catalog sees it: every number counts the slice's entries only."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from pegboard.search.arrays import PLACE, TERM, Array, Mask, counted, joined, sizes_of, starts_of
from pegboard.search.digests import digest
from pegboard.search.index import Index
from pegboard.search.memo import Memo
from pegboard.search.segment import Segment

_MEMO: Final = 1 << 20
_MEMO_BY_ROW: Final = 128
"""Bytes, and bytes by row, that a slice may take to remember what its frequent terms come to."""

_LOOK_UPS_KEPT: Final = 4096
"""Terms of which a slice remembers, by and large, what its index has: words are asked for again and again."""

Numbers = tuple[int, int]
"""The numbers of a term in the base and in the tail of an index, -1 where it is not."""

_FEW: Final = 8
"""Of so many rows one, or less: so few get an index of their own, and are looked through one by one to count them."""


class Term(NamedTuple):
    """What an index has of a term. Immutable. How many entries of the slice have it, how many have it in the group
    that was asked for, and its idf, 0 where nobody has it."""

    numbers: Numbers
    frequency: int
    in_group: int
    rarity: float


def idf(size: int, frequency: int) -> float:
    """How much a term tells that ``frequency`` of ``size`` entries have: always above 0."""
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))


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
    there are no others. ``memo`` remembers what was computed of some terms, ``meanings`` what words that no entry has
    were taken for.
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
        self._rows = rows
        self._dampening: dict[tuple[float, float, int], Array] = {}
        self._totals: dict[int, Array] = {}
        self._counted_in: dict[int, tuple[Array, Array]] = {}
        self._known: dict[int, dict[str, Term]] = {}
        self.meanings: dict[str, Sequence[str]] = {}
        self.memo: Memo[Numbers | tuple[Numbers, int]] = Memo(_MEMO + _MEMO_BY_ROW * index.size)

    def postings(self, terms: Sequence[str], space: int = 0) -> Postings:
        """Where these terms stand, in their order."""
        return self.at(self.numbers(terms, space))

    def known(self, terms: Sequence[str], group: int = 0) -> list[Term]:
        """What the index has of these terms of the first space, and of one of its groups."""
        known = self._known.get(group, {})
        new = [term for term in terms if term not in known]
        if new:
            known = known if len(known) <= _LOOK_UPS_KEPT else {term: known[term] for term in terms if term in known}
            known.update(zip(new, self._looked_up(new, group), strict=True))
            self._known[group] = known
        return [known[term] for term in terms]

    def _looked_up(self, terms: Sequence[str], group: int) -> Iterator[Term]:
        numbers = self.numbers(terms)
        found = zip(numbers, self.counted(numbers), self.counted_in(group, numbers), strict=True)
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
        rows, counts, marks = (joined(column) for column in zip(*parts, strict=True))
        # numpy looks things up by whole words: narrower ones it converts again for each look-up.
        return Postings(rows.astype(np.intp), counts, marks, np.array(starts, PLACE))

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

    def counted(self, numbers: Sequence[Numbers]) -> list[int]:
        """How many entries of the slice have each of these terms; the first call counts all terms there are."""
        return _of_either(self._counted, numbers)

    def counted_in(self, group: int, numbers: Sequence[Numbers]) -> list[int]:
        """How many entries of the slice have each of these terms in one group."""
        if group not in self._counted_in:
            base, tail = self.index.base, self.index.tail
            visible = self.visible
            parts = (None, None) if visible is None else (visible[: base.size], visible[base.size :])
            found = (_by_term(segment, group, part) for segment, part in zip((base, tail), parts, strict=True))
            self._counted_in[group] = self._together(*found)
        return _of_either(self._counted_in[group], numbers)

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

    def dampening(self, k1: float, b: float, space: int = 0) -> Array:
        """``k1 * (1 - b + b * length / average)`` of each row."""
        key = (k1, b, space)
        if key not in self._dampening:
            average = self.average_length(space)
            self._dampening[key] = k1 * (1 - b + b * (self.lengths[space] / self.index.scheme.unit) / average)
        return self._dampening[key]

    @cached_property
    def places(self) -> Array:
        """The place in the catalog of each row."""
        places = np.full(self.index.size, -1, PLACE)
        here = (self.index.rows >= 0).nonzero()[0]
        places[self.index.rows[here]] = here
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
        base, tail = self._counted
        return self._rarity_of(base), self._rarity_of(tail)

    @cached_property
    def _counted(self) -> tuple[Array, Array]:
        """How many entries of the slice have each term of the base, and each of the tail."""
        base, tail = self.index.base, self.index.tail
        first = _frequencies(base, None if self.visible is None else self.visible[: base.size])
        second = _frequencies(tail, None if self.visible is None else self.visible[base.size :])
        return self._together(first, second)

    def _together(self, first: Array, second: Array) -> tuple[Array, Array]:
        """What was counted of the terms of the base and of the tail, with those of both added up in both."""
        base, tail = self.index.base, self.index.tail
        if tail.size:
            same = base.numbers(tail.terms)
            shared = same >= 0
            both = first[same[shared]] + second[shared]
            first[same[shared]], second[shared] = both, both
        return first, second

    def _rarity_of(self, frequencies: Array) -> Array:
        """The idf of each frequency; one after the other, because a processor's vectors may round another way."""
        if not frequencies.size:
            return np.zeros(0)
        table = np.zeros(int(frequencies.max()) + 1)
        present = np.flatnonzero(np.bincount(frequencies))
        table[present] = [idf(self.size, size) for size in present.tolist()]
        return table[frequencies]


def _frequencies(segment: Segment, visible: Mask | None) -> Array:
    """How many of the visible rows have each term."""
    everywhere = sizes_of(segment.starts)
    if visible is None:
        return everywhere
    hidden = ~visible
    if np.count_nonzero(hidden) <= visible.size // _FEW:
        return everywhere - _terms_in(segment, hidden)
    return counted(visible[segment.rows], segment.starts)


def _terms_in(segment: Segment, chosen: Mask) -> Array:
    """How many of the chosen rows have each term, row by row: fast where they are few."""
    terms, _ = segment.every.of(np.flatnonzero(chosen))
    return np.bincount(terms, minlength=segment.terms.size)


def _by_term(segment: Segment, group: int, visible: Mask | None) -> Array:
    """How many of the visible rows have each term in a group."""
    terms = segment.groups[group].terms
    if visible is not None:
        terms, _ = segment.groups[group].of(np.flatnonzero(visible))
    return np.bincount(terms, minlength=segment.terms.size)


def _of_either(tables: tuple[Array, Array], numbers: Sequence[Numbers]) -> list[int]:
    """What two tables, of the base's terms and of the tail's, say of some terms: 0 of one that is in neither."""
    base, tail = tables
    return [int(base[early]) if early >= 0 else int(tail[late]) if late >= 0 else 0 for early, late in numbers]


def _sums(segment: Segment, group: int, rows: Array, rarity: Array) -> Array:
    """By row, in the order of the digests, so that equal rows give equal sums."""
    terms, sizes = segment.groups[group].of(rows)
    return np.bincount(np.repeat(np.arange(rows.size), sizes), rarity[terms], rows.size)
