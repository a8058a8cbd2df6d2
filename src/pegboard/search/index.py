"""The inverted index of one generation: a large segment, a small one for what came since, and which rows live."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from pegboard.search.arrays import ROW, Array, Mask
from pegboard.search.building import build
from pegboard.search.differences import Moves
from pegboard.search.merging import merged, reordered
from pegboard.search.scheme import Scheme
from pegboard.search.segment import Segment
from pegboard.tools import Entry

TAIL: Final = 128
"""Rows of a tail from which on it is merged away. Every change copies the tail: the copy stays far below 1 ms."""


@dataclass(frozen=True, eq=False)
class Index:
    """The index of one scheme over one generation's entries. Immutable, shared; lives as long as the generation.

    Rows number ``base`` and then ``tail``. ``rows`` has the row of each entry by its place in the catalog, -1 where it
    is not in this index; rows that no entry has are dead. What is searched gives the same whatever way it came about.
    """

    scheme: Scheme
    base: Segment
    tail: Segment
    rows: Array
    merging: Merging | None = None

    @classmethod
    def of(cls, scheme: Scheme, entries: Sequence[Entry]) -> Index:
        """A new index of these entries."""
        return cls.whole(scheme, build(scheme, entries))

    @classmethod
    def whole(cls, scheme: Scheme, base: Segment) -> Index:
        """An index whose rows are the entries' places."""
        return cls(scheme, base, build(scheme, ()), np.arange(base.size, dtype=ROW))

    @property
    def size(self) -> int:
        """The number of rows, dead ones too."""
        return self.base.size + self.tail.size

    def after(self, moves: Moves) -> Index:
        """The index of the next generation."""
        last, fresh = self.settled(), moves.fresh
        rows = moves.carried(last.rows, last.size + np.arange(len(fresh), dtype=ROW))
        tail = merged([(last.tail, None), (build(self.scheme, fresh), None)]) if fresh else last.tail
        return Index(self.scheme, last.base, tail, rows, last.merging)._watched()

    def settled(self) -> Index:
        """The same index with a merge that has ended in the meantime put to use."""
        done = self.merging.done if self.merging else None
        if self.merging is None or done is None:
            return self
        numbers = np.concatenate([done.rows, done.base.size + np.arange(self.size - done.rows.size, dtype=ROW)])
        later = np.arange(self.tail.size) >= done.rows.size - self.base.size
        return Index(self.scheme, done.base, merged([(self.tail, later)]), numbers[self.rows])

    def compact(self) -> Segment:
        """One segment with the rows of the entries in their order: what building anew would give."""
        whole = merged([(self.base, None), (self.tail, None)])
        if self.rows.size == whole.size and (self.rows == np.arange(whole.size)).all():
            return whole
        return reordered(whole, self.rows)

    def only(self, places: Array) -> Index:
        """The index of the entries at these places alone, which ascend; all others have the row -1."""
        shown = np.zeros(self.size, np.bool_)
        shown[self.rows[places]] = True
        base = merged([(self.base, shown[: self.base.size]), (self.tail, shown[self.base.size :])])
        rows = np.full(self.rows.size, -1, ROW)
        rows[places] = (np.cumsum(shown, dtype=ROW) - ROW.type(1))[self.rows[places]]
        return Index(self.scheme, base, build(self.scheme, ()), rows)

    def live(self) -> Mask:
        """Which rows some entry has."""
        live = np.zeros(self.size, np.bool_)
        live[self.rows] = True
        return live

    def _watched(self) -> Index:
        """The same index; merging begins when it has grown a tail, or has more dead rows than living ones."""
        if self.merging or (self.tail.size <= TAIL and self.size <= 2 * self.rows.size + TAIL):
            return self
        return Index(self.scheme, self.base, self.tail, self.rows, Merging.of(self))


@dataclass(frozen=True, eq=False)
class Merged:
    """What a merge gave. Immutable. ``rows`` has the new number of every row that went in, -1 for dead ones."""

    base: Segment
    rows: Array


class Merging:
    """A merge of one index into one segment, in a thread of its own. Lives until a later generation has taken it over.

    Nobody waits for it: whoever searches meanwhile uses the index as it is.
    """

    def __init__(self, index: Index) -> None:
        self._index: Index | None = index
        self.done: Merged | None = None

    @classmethod
    def of(cls, index: Index) -> Merging:
        """A merge that has begun."""
        merging = cls(index)
        threading.Thread(target=merging.run, name="pegboard-index-merge", daemon=True).start()
        return merging

    def run(self) -> None:
        """Merge."""
        assert self._index is not None
        index, self._index = self._index, None
        live = index.live()
        base = merged([(index.base, live[: index.base.size]), (index.tail, live[index.base.size :])])
        self.done = Merged(base, np.where(live, np.cumsum(live, dtype=ROW) - ROW.type(1), ROW.type(-1)))
