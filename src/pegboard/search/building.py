"""From entries to a segment of an index: each distinct piece of a text is read once, the rest is done by the array."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from struct import Struct
from typing import Final, NamedTuple

import numpy as np

from pegboard.search.arrays import (
    LENGTH,
    MARK,
    PLACE,
    ROW,
    WIDE,
    Array,
    changes,
    distinct,
    joined,
    narrowed,
    runs,
    sizes_of,
    starts_of,
)
from pegboard.search.digests import digests_of
from pegboard.search.merging import merged
from pegboard.search.scheme import Scheme, Terms
from pegboard.search.segment import ByRow, Segment
from pegboard.tools import Entry

_ROW_BITS: Final = 12  # rows a batch: its keys fit into 64 bits, and its sort into the processor's cache
_SLOT_BITS: Final = 8  # field and kind (part or whole): at most 128 fields
_SLOTS: Final = (1 << _SLOT_BITS) - 1
_MARK_BITS: Final = 8 * MARK.itemsize
_MARKS: Final = (1 << _MARK_BITS) - 1
_TERM_SHIFT: Final = _ROW_BITS + _SLOT_BITS
_BATCH: Final = 1 << _ROW_BITS
_NUMBER: Final = np.dtype(np.intc)  # of a piece
_packed: Final = Struct("i").pack
_TEXTS_KEPT: Final = 1 << 16
"""Texts of which a build remembers the pieces: parameters of one name tend to be told of in the same words."""


def build(scheme: Scheme, entries: Sequence[Entry]) -> Segment:
    """The segment of these entries, a row each, in their order."""
    lexicon = _Lexicon(scheme.read)
    cells = _cells(scheme, entries, lexicon)
    slots = _Slots.of(scheme)
    read = lexicon.read_words(slots.spaces)
    batches = range(0, max(1, len(entries)), _BATCH)
    return merged([(_batch(slots, cells.part(first), read), None) for first in batches])


class _Slots(NamedTuple):
    """The fields of a scheme as arrays by slot: the parts of a field have an even one, wholes the odd one after it.

    ``marks`` has a field's mark and, from bit 8 on, a bit for its group. ``lengths`` says by field and space what a
    part adds to a row's length; ``by_field`` the space of each field.
    """

    units: Array
    marks: Array
    lengths: Array
    by_field: Array
    spaces: int
    groups: int

    @classmethod
    @lru_cache
    def of(cls, scheme: Scheme) -> _Slots:
        """The slots of a scheme."""
        fields = scheme.fields
        groups = [0 if field.group is None else 1 << (field.group + _MARK_BITS) for field in fields]
        by_field = np.array([field.space for field in fields], PLACE)
        lengths = np.zeros((len(fields), scheme.spaces), PLACE)
        lengths[np.arange(len(fields)), by_field] = [field.part for field in fields]
        return cls(
            units=np.array([count for field in fields for count in (field.part, field.whole)], PLACE),
            marks=np.array(
                [m for field, group in zip(fields, groups, strict=True) for m in (field.mark | group, field.mark)], WIDE
            ),
            lengths=lengths,
            by_field=by_field,
            spaces=scheme.spaces,
            groups=scheme.groups,
        )


class _Cells(NamedTuple):
    """The pieces of the texts of some entries in a line, and where those of each text end: ``fields`` texts a row."""

    words: Array
    ends: Array
    fields: int

    def part(self, first: int) -> _Cells:
        """Those of a batch of rows."""
        begin = first * self.fields
        ends = self.ends[begin : begin + _BATCH * self.fields + 1]
        return _Cells(self.words[ends[0] : ends[-1]], ends - ends[0], self.fields)


class _Words(NamedTuple):
    """What a lexicon knows, as arrays.

    ``terms`` are the digests of all terms, ascending. Word w in space s stands for those of the ``keys`` of s from
    ``starts[w]`` to ``starts[w + 1]``: each has the place of a term among ``terms``, and, as its last bit, whether it
    is a whole. ``parts[w]`` of them are none.
    """

    terms: Array
    starts: Array
    keys: Array
    parts: Array


class _Numbers(dict[str, bytes]):
    """Strings and their numbers, packed, in the order in which they were first asked for. Lives as long as a build."""

    def __missing__(self, string: str) -> bytes:
        self[string] = number = _packed(len(self))
        return number


class _Lexicon(_Numbers):
    """Pieces of texts and their numbers; a new one is read when it is asked for. Lives as long as one build."""

    def __init__(self, read: Callable[[str], Terms]) -> None:
        super().__init__()
        self._read = read
        self._terms = _Numbers()
        self._numbers = bytearray()
        self._sizes = array("i")
        self._parts = array("i")

    def __missing__(self, piece: str) -> bytes:
        parts, wholes = self._read(piece)
        found = parts + wholes
        self._numbers += b"".join(map(self._terms.__getitem__, found))
        self._sizes.append(len(found))
        self._parts.append(len(parts))
        return super().__missing__(piece)

    def read_words(self, spaces: int) -> _Words:
        """Everything that was read so far."""
        terms, ranks, _ = distinct(joined(digests_of(self._terms, space) for space in range(spaces)))
        sizes, parts = np.array(self._sizes, PLACE), np.array(self._parts, PLACE)
        starts = starts_of(sizes)
        whole = np.arange(starts[-1]) >= (starts[:-1] + parts).repeat(sizes)
        keys = ranks.reshape(spaces, -1).take(np.frombuffer(self._numbers, _NUMBER), axis=1).astype(PLACE)
        return _Words(terms, starts, (keys << _TERM_SHIFT) | whole, parts)


class _Texts(dict[str, bytes]):
    """Texts and the numbers of their pieces, packed. Lives as long as one build; forgets all when it has many."""

    def __init__(self, pieces: Callable[[str], list[str]], lexicon: _Lexicon) -> None:
        super().__init__()
        self._pieces = pieces
        self._number = lexicon.__getitem__

    def __missing__(self, text: str) -> bytes:
        if len(self) == _TEXTS_KEPT:
            self.clear()
        self[text] = packed = b"".join(map(self._number, self._pieces(text)))
        return packed


def _cells(scheme: Scheme, entries: Iterable[Entry], lexicon: _Lexicon) -> _Cells:
    words, sizes = bytearray(), array("i")
    packed = _Texts(scheme.pieces, lexicon).__getitem__
    for entry in entries:
        found = [b"".join(map(packed, texts)) for texts in scheme.texts(entry)]
        words += b"".join(found)
        sizes.extend(map(len, found))
    ends = starts_of(np.frombuffer(sizes, np.intc) // _NUMBER.itemsize)
    return _Cells(np.frombuffer(words, _NUMBER), ends, len(scheme.fields))


def _batch(slots: _Slots, cells: _Cells, read: _Words) -> Segment:
    """Sort the occurrences of one batch by (term, row, field and kind) in one key, and count equal ones."""
    lengths = _lengths(slots, cells, read)
    keys = _keys(slots, cells, read)
    keys.sort()
    pairs, slot = keys >> _SLOT_BITS, keys & _SLOTS
    begins = changes(pairs).nonzero()[0]
    pairs = pairs[begins]
    terms, rows = pairs >> _ROW_BITS, pairs & (_BATCH - 1)
    new = changes(terms)
    numbers = new.cumsum(dtype=ROW) - ROW.type(1)
    marks = _gathered(np.bitwise_or, slots.marks[slot], begins)
    chosen = (marks >> (_MARK_BITS + group) & 1 for group in range(slots.groups))
    return Segment(
        terms=read.terms[terms[new]],
        starts=np.concatenate([new.nonzero()[0], [terms.size]]),
        rows=rows.astype(ROW),
        counts=narrowed(_gathered(np.add, slots.units[slot], begins)),
        marks=(marks if (slots.marks & _MARKS).any() else marks[:0]).astype(MARK),
        lengths=lengths,
        every=_by_row(rows, numbers, lengths.shape[1]),
        groups=tuple(_by_row(rows[here], numbers[here], lengths.shape[1]) for here in map(np.flatnonzero, chosen)),
    )


def _lengths(slots: _Slots, cells: _Cells, read: _Words) -> Array:
    """Units of parts by space and row."""
    by_text = sizes_of(starts_of(read.parts[cells.words])[cells.ends])
    return np.ascontiguousarray((by_text.reshape(-1, cells.fields) @ slots.lengths).T, LENGTH)


def _keys(slots: _Slots, cells: _Cells, read: _Words) -> Array:
    """The key of every occurrence."""
    sizes = sizes_of(cells.ends)
    rows = np.arange(sizes.size // cells.fields) << _SLOT_BITS
    texts = rows[:, None] | np.arange(0, 2 * cells.fields, 2)
    first, terms = read.starts[cells.words], sizes_of(read.starts)[cells.words]
    if slots.spaces > 1:
        first += np.tile(slots.by_field * read.keys.shape[1], rows.size).repeat(sizes)
    keys: Array = read.keys.reshape(-1)[runs(first, terms)] | texts.reshape(-1).repeat(sizes).repeat(terms)
    return keys


def _gathered(how: np.ufunc, values: Array, begins: Array) -> Array:
    """The values of each run in one."""
    return how.reduceat(values, begins) if begins.size else values


def _by_row(rows: Array, numbers: Array, size: int) -> ByRow:
    order = rows.astype(np.uint16).argsort(kind="stable")
    return ByRow(starts_of(np.bincount(rows, minlength=size)), numbers[order])
