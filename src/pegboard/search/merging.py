"""Segments out of segments: several in one, some rows alone, or rows in another order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise

import numpy as np

from pegboard.search.arrays import (
    PLACE,
    ROW,
    Array,
    Mask,
    changes,
    counted,
    distinct,
    joined,
    narrowed,
    runs,
    sizes_of,
    starts_of,
)
from pegboard.search.segment import ByRow, Segment


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
