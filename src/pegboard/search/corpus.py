"""An index as one slice of a catalog sees it: every number counts the slice's entries only."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from pegboard.search.building import digest
from pegboard.search.index import Index
from pegboard.search.segment import MARK, PLACE, TERM, Array, Mask, Segment, counted, joined, starts_of

_TERMS_KEPT: Final = 32
"""Terms of which a slice remembers what was computed: the frequent ones, which come up again and again."""


_LOOK_UPS_KEPT: Final = 1024
"""Terms of which a slice remembers, by and large, what its index has: words are asked for again and again."""

Numbers = tuple[Array, Array]
"""The numbers of some terms in the base and in the tail of an index, -1 where they are not."""


_FEW: Final = 8
"""Of so many rows one, or less: so few are looked through one by one, where all are counted otherwise."""


class Term(NamedTuple):
    """What an index has of a term. Immutable. Its numbers in the base and in the tail, -1 where it is not; how many
    entries of the slice have it, and how many have it in the group that was asked for."""

    numbers: tuple[int, int]
    frequency: int
    in_group: int


def idf(size: int, frequency: int) -> float:
    """How much a term tells that ``frequency`` of ``size`` entries have: always above 0."""
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))


@dataclass(frozen=True, eq=False)
class Postings:
    """Where some terms stand in an index: a line of rows, term after term. Immutable; lives as long as one search.

    ``rows``, ``counts`` (in units) and ``marks`` stand side by side; term t has those from ``starts[t]`` to
    ``starts[t + 1]``. ``numbers`` are the terms' numbers in the base and in the tail, -1 where they are not. Rows that
    the slice does not see are among them: leaving them out later is cheaper.
    """

    rows: Array
    counts: Array
    marks: Array
    starts: Array
    numbers: Numbers

    @cached_property
    def sizes(self) -> Array:
        """How many there are of each term."""
        return np.diff(self.starts)

    def first(self, count: int) -> Postings:
        """Those of the first ``count`` terms."""
        size = int(self.starts[count])
        rows, counts, marks = self.rows[:size], self.counts[:size], self.marks[:size]
        return Postings(
            rows, counts, marks, self.starts[: count + 1], (self.numbers[0][:count], self.numbers[1][:count])
        )

    def marks_of(self, rows: Array) -> list[int]:
        """All marks of each of these rows."""
        order = np.argsort(rows)
        here = self.within(rows)
        places = order[np.searchsorted(rows[order], self.rows[here])]
        found = np.zeros(rows.size, MARK)
        np.bitwise_or.at(found, places, self.marks[here])
        return found.tolist()

    def terms_of(self, row: int) -> list[int]:
        """The numbers, among the terms, of those that stand in a row."""
        places = np.flatnonzero(self.rows == row)
        return (np.searchsorted(self.starts, places, side="right") - 1).tolist()  # type: ignore[no-any-return]

    def within(self, rows: Array) -> Array:
        """The places in the line of all that is in ``rows``."""
        wanted = np.zeros(1 + max(self.rows.max(initial=-1), rows.max(initial=-1)), np.bool_)
        wanted[rows] = True
        return np.flatnonzero(wanted[self.rows])


class Corpus:
    """The index of one generation as one slice sees it. Lives as long as the slice; safe to use from several threads.

    It is made of the ``places`` of the slice's entries in the catalog, None for all of them. ``visible`` says which
    rows those are; None when there are no others. ``kept`` has what was computed of some terms of the base, by number.
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
        self._counted_in: dict[int, tuple[Array, Array]] = {}
        self._known: dict[tuple[int, str], Term] = {}
        self.kept: dict[int, Array] = {}

    def postings(self, terms: Sequence[str], space: int = 0) -> Postings:
        """Where these terms stand, in their order."""
        return self.at(self.numbers(terms, space))

    def known(self, terms: Sequence[str], group: int = 0) -> list[Term]:
        """What the index has of these terms of the first space, and of one of its groups."""
        known, asked = self._known, [(group, term) for term in terms]
        new = [one for one in asked if one not in known]
        if new:
            if len(known) > _LOOK_UPS_KEPT:
                self._known = known = {one: known[one] for one in asked if one in known}
            known.update(zip(new, self._looked_up([term for _, term in new], group), strict=True))
        return [known[one] for one in asked]

    def _looked_up(self, terms: Sequence[str], group: int) -> Iterator[Term]:
        numbers = self.numbers(terms)
        pairs = zip(numbers[0].tolist(), numbers[1].tolist(), strict=True)
        return map(Term, pairs, self.counted(numbers), self.counted_in(group, numbers))

    def numbers(self, terms: Sequence[str], space: int = 0) -> Numbers:
        """What the index knows these terms by."""
        asked = np.array([digest(term, space) for term in terms], TERM)
        return self.index.base.numbers(asked), self.index.tail.numbers(asked)

    def at(self, numbers: Numbers) -> Postings:
        """Where the terms of these numbers stand, in their order."""
        base, tail = self.index.base, self.index.tail
        parts = [(base.rows[:0], base.counts[:0], base.marks[:0])]
        starts, size = [0], 0
        for early, late in zip(numbers[0].tolist(), numbers[1].tolist(), strict=True):
            if early >= 0:
                parts.append(_run(base, early))
                size += parts[-1][0].size
            if late >= 0:
                rows, counts, marks = _run(tail, late)
                parts.append((rows + base.size, counts, marks))
                size += rows.size
            starts.append(size)
        rows, counts, marks = (joined(column) for column in zip(*parts, strict=True))
        # numpy looks things up by whole words: narrower ones it converts again for each look-up.
        return Postings(rows.astype(np.intp), counts, marks, np.array(starts, PLACE), numbers)

    def keep(self, number: int, computed: Array) -> None:
        """Remember what was computed of a term, with the slice; so many are remembered, the oldest is forgotten."""
        self.kept[number] = computed
        for oldest in list(self.kept)[:-_TERMS_KEPT]:
            self.kept.pop(oldest, None)

    def rows_with(self, terms: Sequence[str], space: int = 0) -> set[int]:
        """The rows of the slice that have one of these terms."""
        rows = self.postings(terms, space).rows
        return set((rows if self.visible is None else rows[self.visible[rows]]).tolist())

    def frequencies(self, postings: Postings) -> list[int]:
        """How many entries of the slice have each of the terms."""
        if self.visible is None:
            return postings.sizes.tolist()  # type: ignore[no-any-return]
        if "_counted" in self.__dict__:
            return self.counted(postings.numbers)
        ends = starts_of(self.visible[postings.rows])
        return np.diff(ends[postings.starts]).tolist()  # type: ignore[no-any-return]

    def rarity(self, postings: Postings) -> Array:
        """The idf of each of the terms, 0 for one that no entry of the slice has."""
        return np.array([idf(self.size, found) if found else 0.0 for found in self.frequencies(postings)])

    def counted(self, numbers: Numbers) -> list[int]:
        """How many entries of the slice have each of these terms; the first call counts all terms there are."""
        return _looked_up(self._counted, numbers)

    def counted_in(self, group: int, numbers: Numbers) -> list[int]:
        """How many entries of the slice have each of these terms in one group."""
        if group not in self._counted_in:
            base, tail = self.index.base, self.index.tail
            visible = self.visible
            parts = (None, None) if visible is None else (visible[: base.size], visible[base.size :])
            found = (_by_term(segment, group, part) for segment, part in zip((base, tail), parts, strict=True))
            self._counted_in[group] = self._together(*found)
        return _looked_up(self._counted_in[group], numbers)

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
    everywhere = np.diff(segment.starts)
    if visible is None:
        return everywhere
    shown = int(np.count_nonzero(visible))
    if visible.size - shown <= visible.size // _FEW:
        return everywhere - _terms_in(segment, ~visible)
    return (
        _terms_in(segment, visible) if shown <= visible.size // _FEW else counted(visible[segment.rows], segment.starts)
    )


def _terms_in(segment: Segment, chosen: Mask) -> Array:
    """How many of the chosen rows have each term, row by row: fast where they are few."""
    terms, _ = segment.every.of(np.flatnonzero(chosen))
    return np.bincount(terms, minlength=segment.terms.size)


def _run(segment: Segment, number: int) -> tuple[Array, Array, Array]:
    """The rows, counts and marks of one term."""
    part = slice(*segment.starts[number : number + 2].tolist())
    return segment.rows[part], segment.counts[part], segment.marks[part]


def _by_term(segment: Segment, group: int, visible: Mask | None) -> Array:
    """How many of the visible rows have each term in a group."""
    terms = segment.groups[group].terms
    if visible is not None:
        terms, _ = segment.groups[group].of(np.flatnonzero(visible))
    return np.bincount(terms, minlength=segment.terms.size)


def _looked_up(tables: tuple[Array, Array], numbers: Numbers) -> list[int]:
    """What two tables, of the base's terms and of the tail's, say of some terms: 0 of one that is in neither."""
    base, tail = tables
    pairs = zip(numbers[0].tolist(), numbers[1].tolist(), strict=True)
    return [int(base[early]) if early >= 0 else int(tail[late]) if late >= 0 else 0 for early, late in pairs]


def _sums(segment: Segment, group: int, rows: Array, rarity: Array) -> Array:
    """By row, in the order of the digests, so that equal rows give equal sums."""
    terms, sizes = segment.groups[group].of(rows)
    return np.bincount(np.repeat(np.arange(rows.size), sizes), rarity[terms], rows.size)
