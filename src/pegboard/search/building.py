"""From entries to a segment of an index: each distinct piece of a text is read once, the rest is done by the array."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from struct import Struct
from typing import Final, NamedTuple

import numpy as np

from pegboard.search.scheme import Scheme, Terms
from pegboard.search.segment import (
    LENGTH,
    MARK,
    PLACE,
    ROW,
    TERM,
    Array,
    ByRow,
    Segment,
    changes,
    narrowed,
    runs,
    starts_of,
)
from pegboard.tools import Entry

_ROW_BITS: Final = 12  # rows a batch: its keys fit into 64 bits, and its sort into the processor's cache
_SLOT_BITS: Final = 8  # field and kind (part or whole): at most 128 fields
_TERM_SHIFT: Final = _ROW_BITS + _SLOT_BITS
_BATCH: Final = 1 << _ROW_BITS
_NUMBER: Final = np.dtype(np.intc)  # of a piece
_packed: Final = Struct("i").pack
_TEXTS_KEPT: Final = 1 << 16
"""Texts of which a build remembers the pieces: parameters of one name tend to be told of in the same words."""


@lru_cache(maxsize=1 << 14)
def digest(term: str, space: int = 0) -> int:
    """What a term is known by in an index: 64 bits that differ for all the terms there are, for every practical end.

    Two of a million terms have the same with a chance of 3 in 10^8; they would then be one term.
    """
    return int.from_bytes(_digested(term, bytes((space,))), "little")


def _digested(term: str, space: bytes) -> bytes:
    return blake2b(space + term.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def build(scheme: Scheme, entries: Sequence[Entry]) -> Segment:
    """The segment of these entries, a row each, in their order."""
    lexicon = _Lexicon(scheme.read)
    cells = _cells(scheme, entries, lexicon)
    read = lexicon.read_words(scheme)
    batches = [_batch(scheme, cells, read, first) for first in range(0, max(1, len(entries)), _BATCH)]
    lengths = _lengths(scheme, cells, read)
    return _assembled(read.terms, batches, lengths)


class _Cells(NamedTuple):
    """The pieces of all texts in a line, and where each text ends among them: one text a field, fields by row."""

    words: Array
    starts: Array
    rows: int


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

    def read_words(self, scheme: Scheme) -> _Words:
        """Everything that was read so far."""
        spaces = [bytes((space,)) for space in range(scheme.spaces)]
        digests = b"".join(_digested(term, space) for space in spaces for term in self._terms)
        terms, ranks = np.unique(np.frombuffer(digests, TERM), return_inverse=True)
        starts, parts = starts_of(np.array(self._sizes, PLACE)), np.array(self._parts, PLACE)
        whole = np.arange(starts[-1]) - np.repeat(starts[:-1], self._sizes) >= np.repeat(parts, self._sizes)
        ranked = ranks.reshape(len(spaces), -1)[:, np.frombuffer(self._numbers, _NUMBER)]
        return _Words(terms, starts, (ranked << _TERM_SHIFT) | whole, parts)


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
    rows = 0
    for entry in entries:
        rows += 1
        for texts in scheme.texts(entry):
            found = b"".join(map(packed, texts))
            words += found
            sizes.append(len(found))
    return _Cells(np.frombuffer(words, _NUMBER), starts_of(np.frombuffer(sizes, np.intc) // _NUMBER.itemsize), rows)


class _Batch(NamedTuple):
    """The postings of some rows by term, then row, and their terms by row; rows count from the batch's first."""

    first: int
    terms: Array
    rows: Array
    counts: Array
    marks: Array
    lists: tuple[ByRow, ...]


def _batch(scheme: Scheme, cells: _Cells, read: _Words, first: int) -> _Batch:
    """Sort the occurrences of one batch by (term, row, field and kind) in one key, and count equal ones."""
    fields = len(scheme.fields)
    size = min(_BATCH, cells.rows - first)
    texts = cells.starts[first * fields : (first + size) * fields + 1]
    keys = np.sort(_keys(scheme, cells.words[texts[0] : texts[-1]], np.diff(texts), read))
    pairs, slots = keys >> _SLOT_BITS, keys & ((1 << _SLOT_BITS) - 1)
    begins = np.flatnonzero(changes(pairs))
    units, marks, groups = _slot_tables(scheme)
    counts = np.add.reduceat(units[slots], begins) if begins.size else np.zeros(0, PLACE)
    marked = np.bitwise_or.reduceat(marks[slots], begins) if begins.size and marks.any() else np.zeros(0, MARK)
    chosen = (pairs[begins], *(_distinct(pairs[groups[slots] == group]) for group in range(scheme.groups)))
    lists = tuple(_by_row(found, size) for found in chosen)
    return _Batch(first, pairs[begins] >> _ROW_BITS, pairs[begins] & (_BATCH - 1), counts, marked, lists)


def _keys(scheme: Scheme, words: Array, sizes: Array, read: _Words) -> Array:
    """The key of every occurrence in texts that have so many of these words each."""
    rows = np.arange(sizes.size // len(scheme.fields), dtype=PLACE) << _SLOT_BITS
    slots = np.arange(len(scheme.fields), dtype=PLACE) << 1
    spaces = np.array([field.space for field in scheme.fields], PLACE) * read.keys.shape[1]
    first, terms = read.starts[words], read.starts[words + 1] - read.starts[words]
    if scheme.spaces > 1:
        first += np.repeat(np.tile(spaces, rows.size), sizes)
    text = np.repeat((rows[:, None] | slots).ravel(), sizes)
    keys: Array = read.keys.ravel()[runs(first, terms)] | np.repeat(text, terms)
    return keys


def _slot_tables(scheme: Scheme) -> tuple[Array, Array, Array]:
    """Units, mark and group by slot: parts of a field have an even one, wholes the odd one after it."""
    units = np.array([count for field in scheme.fields for count in (field.part, field.whole)], PLACE)
    marks = np.array([field.mark for field in scheme.fields for _ in range(2)], MARK)
    groups = [group for field in scheme.fields for group in (-1 if field.group is None else field.group, -1)]
    return units, marks, np.array(groups, PLACE)


def _distinct(keys: Array) -> Array:
    return keys[changes(keys)]


def _by_row(pairs: Array, size: int) -> ByRow:
    rows = (pairs & (_BATCH - 1)).astype(np.uint16)
    order = np.argsort(rows, kind="stable")
    return ByRow(starts_of(np.bincount(rows, minlength=size)), (pairs >> _ROW_BITS)[order])


def _lengths(scheme: Scheme, cells: _Cells, read: _Words) -> Array:
    """Units of parts by space and row."""
    ends = starts_of(read.parts[cells.words])[cells.starts]
    by_cell = np.diff(ends).reshape(cells.rows, len(scheme.fields))
    lengths = np.zeros((scheme.spaces, cells.rows), LENGTH)
    for place, field in enumerate(scheme.fields):
        lengths[field.space] += (by_cell[:, place] * field.part).astype(LENGTH)
    return lengths


def _assembled(terms: Array, batches: Sequence[_Batch], lengths: Array) -> Segment:
    """The batches' postings, each run moved behind those of the batches before; terms that nobody has are dropped."""
    sizes = sum((np.bincount(batch.terms, minlength=terms.size) for batch in batches), np.zeros(terms.size, PLACE))
    used = sizes > 0
    numbers = (np.cumsum(used) - 1).astype(ROW)
    total, starts = int(sizes.sum()), starts_of(sizes)
    rows, counts = np.empty(total, ROW), np.empty(total, PLACE)
    marks = np.empty(total if any(batch.marks.size for batch in batches) else 0, MARK)
    for batch, places in zip(batches, _destinations(batches, starts[:-1].copy()), strict=True):
        rows[places] = batch.rows + batch.first
        counts[places] = batch.counts
        if marks.size:
            marks[places] = batch.marks
    lists = [_list(one, numbers) for one in zip(*(batch.lists for batch in batches), strict=True)]
    return Segment(
        terms[used], starts_of(sizes[used]), rows, narrowed(counts), marks, lengths, lists[0], tuple(lists[1:])
    )


def _destinations(batches: Sequence[_Batch], filled: Array) -> Iterator[Array]:
    """Where the postings of each batch go; ``filled`` says where the next of each term does."""
    for batch in batches:
        sizes = np.bincount(batch.terms, minlength=filled.size)
        yield np.arange(batch.terms.size) + np.repeat(filled - (np.cumsum(sizes) - sizes), sizes)
        filled += sizes


def _list(parts: Sequence[ByRow], numbers: Array) -> ByRow:
    sizes = np.concatenate([np.diff(part.starts) for part in parts])
    return ByRow(starts_of(sizes), np.concatenate([numbers[part.terms] for part in parts]))
