"""A part of an index: postings, lengths and terms by row in packed arrays. No I/O."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from pegboard.search.arrays import MARK, PLACE, Array, distinct, narrowed, runs
from pegboard.search.memo import Memo

_MEMO: Final = 1 << 20
_MEMO_BY_ROW: Final = 256
"""Bytes, and bytes by row, that a segment may take to remember the marks of frequent terms."""

_PLAIN: Final = ("terms", "starts", "rows", "counts", "marks", "lengths")


@dataclass(frozen=True, eq=False)
class ByRow:
    """Terms by row. Immutable. Row r has ``terms[starts[r]:starts[r + 1]]``: numbers in a segment, ascending."""

    starts: Array
    terms: Array

    def of(self, rows: Array) -> tuple[Array, Array]:
        """(numbers of the terms of all ``rows`` in a line, how many each row has)."""
        first = self.starts[rows]
        sizes = self.starts[rows + 1] - first
        return self.terms[runs(first, sizes)], sizes


@dataclass(frozen=True, eq=False)
class Segment:
    """An index of ``size`` rows. Immutable, shared by all threads; the arrays may be views of a mapped file.

    ``terms`` are the digests of its terms, ascending: a term's number is its place among them. The postings of term t
    are ``rows``, ``counts`` (in units) and ``marks`` from ``starts[t]`` to ``starts[t + 1]``, by row ascending; without
    marks that array is empty. ``lengths`` are the rows' lengths in units, one line a space. ``every`` has the terms of
    each row, ``groups`` those of its fields with a group. Equal entries give equal bytes.
    """

    terms: Array
    starts: Array
    rows: Array
    counts: Array
    marks: Array
    lengths: Array
    every: ByRow
    groups: tuple[ByRow, ...] = field(default=())

    @property
    def size(self) -> int:
        """The number of rows."""
        return int(self.lengths.shape[1])

    @cached_property
    def _memo(self) -> Memo[tuple[int, int]]:
        return Memo(_MEMO + _MEMO_BY_ROW * self.size)

    def postings_of(self, number: int) -> tuple[Array, Array, Array]:
        """The rows, counts and marks of a term."""
        begin, end = self.starts.item(number), self.starts.item(number + 1)
        return self.rows[begin:end], self.counts[begin:end], self.marks[begin:end]

    def marks_by_row(self, number: int) -> Array:
        """The marks of a term, 0 for rows without it, remembered."""

        def spread() -> Array:
            rows, _, marks = self.postings_of(number)
            by_row = np.zeros(self.size, MARK)
            by_row[rows] = marks
            return by_row

        return self._memo.get((number, 0), spread)

    def rows_with(self, number: int, mark: int) -> Array:
        """The rows where a term has a mark, remembered."""

        def found() -> Array:
            rows, _, marks = self.postings_of(number)
            return rows[(marks & mark) > 0]

        return self._memo.get((number, mark), found)

    @cached_property
    def distinct_lengths(self) -> list[tuple[Array, Array]]:
        """By space: (the lengths there are, ascending; the place of each row's among them)."""
        found = (distinct(narrowed(lengths)) for lengths in self.lengths)
        return [(lengths, narrowed(places)) for lengths, places, _ in found]

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays().values())

    def numbers(self, terms: Array) -> Array:
        """The number of each of these terms, -1 for one that is not here."""
        if not self.terms.size:
            return np.full(terms.size, -1, PLACE)
        found = self.terms.searchsorted(terms)
        found[self.terms.take(found, mode="clip") != terms] = -1
        return found

    def arrays(self) -> dict[str, Array]:
        """Every array by its name, in an order that never changes."""
        plain = {name: getattr(self, name) for name in _PLAIN}
        for name, by_row in zip(_list_names(len(self.groups)), (self.every, *self.groups), strict=True):
            plain |= {f"{name}.starts": by_row.starts, f"{name}.terms": by_row.terms}
        return plain

    @classmethod
    def of(cls, arrays: dict[str, Array], groups: int) -> Segment:
        """The segment of these ``arrays``. Raises KeyError when one is missing."""
        lists = [ByRow(arrays[f"{name}.starts"], arrays[f"{name}.terms"]) for name in _list_names(groups)]
        plain = {name: arrays[name] for name in _PLAIN}
        return cls(**plain, every=lists[0], groups=tuple(lists[1:]))


def _list_names(groups: int) -> list[str]:
    """What the terms by row are called among the arrays: those of all fields, then those of each group."""
    return ["every", *(f"group{number}" for number in range(groups))]
