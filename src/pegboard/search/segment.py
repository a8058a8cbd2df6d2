"""A part of an index: postings, lengths and terms by row in packed arrays. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, Final

import numpy as np

from pegboard.search.memo import Memo

Array = np.ndarray[tuple[Any, ...], np.dtype[Any]]
Mask = np.ndarray[tuple[Any, ...], np.dtype[np.bool_]]

TERM: Final = np.dtype("<u8")
PLACE: Final = np.dtype("<i8")
ROW: Final = np.dtype("<i4")
MARK: Final = np.dtype("u1")
LENGTH: Final = np.dtype("<i4")
NARROW: Final = np.dtype("<u2")
WIDE: Final = np.dtype("<u4")

_MEMO: Final = 1 << 20
_MEMO_BY_ROW: Final = 256
"""Bytes, and bytes by row, that a segment may take to remember where its frequent terms stand."""

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
    def _memo(self) -> Memo[tuple[str, int]]:
        return Memo(_MEMO + _MEMO_BY_ROW * self.size)

    def postings_of(self, number: int) -> tuple[Array, Array, Array]:
        """The rows, counts and marks of a term."""
        begin, end = self.starts.item(number), self.starts.item(number + 1)
        return self.rows[begin:end], self.counts[begin:end], self.marks[begin:end]

    def rows_of(self, number: int) -> Array:
        """The rows of a term, in the words that numpy looks things up by, remembered."""
        return self._memo.get(("rows", number), lambda: self.postings_of(number)[0].astype(np.intp))

    def marks_by_row(self, number: int) -> Array:
        """The marks of a term, 0 for rows without it, remembered."""

        def spread() -> Array:
            rows, _, marks = self.postings_of(number)
            by_row = np.zeros(self.size, MARK)
            by_row[rows] = marks
            return by_row

        return self._memo.get(("marks", number), spread)

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


def runs(first: Array, sizes: Array) -> Array:
    """The places ``first[i]``, ``first[i] + 1``, ... of ``sizes[i]`` each, one run after the other."""
    ends = sizes.cumsum(dtype=PLACE)
    total = int(ends[-1]) if ends.size else 0
    found: Array = (first - (ends - sizes)).repeat(sizes)
    found += np.arange(total, dtype=PLACE)
    return found


def changes(keys: Array) -> Mask:
    """Whether each key differs from the one before it."""
    found = np.empty(keys.size, np.bool_)
    found[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=found[1:])
    return found


def starts_of(sizes: Array) -> Array:
    """Where each of the runs of these sizes begins, and where the last one ends."""
    starts = np.zeros(sizes.size + 1, PLACE)
    sizes.cumsum(out=starts[1:])
    return starts


def sizes_of(starts: Array) -> Array:
    """The sizes of the runs that begin there."""
    return starts[1:] - starts[:-1]


def distinct(terms: Array) -> tuple[Array, Array, Array]:
    """(the terms, ascending, each once; the place of each among them; the order that sorts them)."""
    order = terms.argsort(kind="stable")
    ordered = terms[order]
    new = changes(ordered)
    places = np.empty(terms.size, ROW)
    places[order] = new.cumsum() - 1
    return ordered[new], places, order


def narrowed(counts: Array) -> Array:
    """Counts in 16 bits where they all fit, else in 32."""
    return counts.astype(NARROW if not counts.size or counts.max() <= np.iinfo(NARROW).max else WIDE, copy=False)


def joined(arrays: Iterable[Array]) -> Array:
    """Arrays one after the other; a single one as it is."""
    found = list(arrays)
    return found[0] if len(found) == 1 else np.concatenate(found, axis=-1)


def merged(parts: Sequence[tuple[Segment, Mask | None]]) -> Segment:
    """One segment of the rows of several, one after the other; of a part with a mask, those whose place is true.

    It is the segment that their entries alone would give: rows and terms are numbered anew.
    """
    whole = [segment if keep is None or keep.all() else _kept(segment, keep) for segment, keep in parts]
    filled = [segment for segment in whole if segment.size] or whole[:1]
    return filled[0] if len(filled) == 1 else _joined(filled)


def _joined(parts: Sequence[Segment]) -> Segment:
    """The parts in one. Their postings are moved run by run, never sorted: within a term they stay by row."""
    offsets = _offsets(part.size for part in parts)
    terms, numbers, order = distinct(joined(part.terms for part in parts))
    new = changes(numbers[order])
    begun = _offsets(part.rows.size for part in parts)
    first = joined(part.starts[:-1] + start for part, start in zip(parts, begun, strict=False))[order]
    lengths = joined(sizes_of(part.starts) for part in parts)[order]
    moved = runs(first, lengths)
    ends = lengths.cumsum()
    cuts = _offsets(part.terms.size for part in parts)
    marks = joined(part.marks for part in parts)
    renumbered = [numbers[low:high] for low, high in pairwise(cuts)]
    return Segment(
        terms=terms,
        starts=np.concatenate([(ends - lengths)[new], ends[-1:]]).astype(PLACE) if ends.size else starts_of(ends),
        rows=joined(part.rows + ROW.type(offset) for part, offset in zip(parts, offsets, strict=False))[moved],
        counts=narrowed(joined(part.counts for part in parts)[moved]),
        marks=marks[moved] if marks.size else marks,
        lengths=joined(part.lengths for part in parts),
        every=_joined_lists([part.every for part in parts], renumbered),
        groups=tuple(_joined_lists(lists, renumbered) for lists in zip(*(part.groups for part in parts), strict=True)),
    )


def _offsets(sizes: Iterable[int]) -> list[int]:
    """Where each part begins, and where the last one ends."""
    return [0, *accumulate(sizes)]


def _joined_lists(lists: Sequence[ByRow], renumbered: Sequence[Array]) -> ByRow:
    sizes = joined(sizes_of(one.starts) for one in lists)
    return ByRow(starts_of(sizes), joined(new[one.terms] for one, new in zip(lists, renumbered, strict=True)))


def _kept(segment: Segment, keep: Mask) -> Segment:
    """The segment of those rows alone, without the terms that no row has any longer."""
    staying = keep[segment.rows]
    sizes = counted(staying, segment.starts)
    used = sizes > 0
    rows, numbers = np.cumsum(keep, dtype=ROW) - ROW.type(1), np.cumsum(used, dtype=ROW) - ROW.type(1)
    return Segment(
        terms=segment.terms[used],
        starts=starts_of(sizes[used]),
        rows=rows[segment.rows[staying]],
        counts=narrowed(segment.counts[staying]),
        marks=segment.marks[staying] if segment.marks.size else segment.marks,
        lengths=np.ascontiguousarray(segment.lengths[:, keep]),
        every=_kept_list(segment.every, keep, numbers),
        groups=tuple(_kept_list(group, keep, numbers) for group in segment.groups),
    )


def _kept_list(by_row: ByRow, keep: Mask, numbers: Array) -> ByRow:
    terms, sizes = by_row.of(np.flatnonzero(keep))
    return ByRow(starts_of(sizes), numbers[terms])


def counted(chosen: Mask, starts: Array) -> Array:
    """How many are chosen in each of the runs that begin at ``starts``; none of them is empty."""
    if starts.size == 1:
        return np.zeros(0, PLACE)
    return np.add.reduceat(chosen, starts[:-1], dtype=PLACE)


def reordered(segment: Segment, rows: Array) -> Segment:
    """The segment of these rows alone, in this order."""
    keep = np.zeros(segment.size, np.bool_)
    keep[rows] = True
    kept = _kept(segment, keep)
    places = np.empty(segment.size, PLACE)
    places[rows] = np.arange(rows.size)
    target = places[keep]  # by row of what was kept, its place in the new order
    order = np.argsort(target)
    moved = target[kept.rows]
    by_term = np.argsort((np.repeat(np.arange(kept.terms.size), np.diff(kept.starts)) << 32) | moved)
    return Segment(
        terms=kept.terms,
        starts=kept.starts,
        rows=moved[by_term].astype(ROW),
        counts=kept.counts[by_term],
        marks=kept.marks[by_term] if kept.marks.size else kept.marks,
        lengths=np.ascontiguousarray(kept.lengths[:, order]),
        every=_reordered_list(kept.every, order),
        groups=tuple(_reordered_list(group, order) for group in kept.groups),
    )


def _reordered_list(by_row: ByRow, order: Array) -> ByRow:
    terms, sizes = by_row.of(order)
    return ByRow(starts_of(sizes), terms)
