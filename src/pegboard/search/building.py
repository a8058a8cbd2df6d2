"""From entries to a segment of an index: each distinct piece of a text is read once, the rest is done by the array."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
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
_BATCH: Final = 1 << _ROW_BITS


@lru_cache(maxsize=1 << 14)
def digest(term: str, space: int = 0) -> int:
    """What a term is known by in an index: 64 bits that differ for all the terms there are, for every practical end.

    Two of a million terms have the same with a chance of 3 in 10^8; they would then be one term.
    """
    told = bytes((space,)) + term.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(told, digest_size=8).digest(), "little")


def build(scheme: Scheme, entries: Sequence[Entry]) -> Segment:
    """The segment of these entries, a row each, in their order."""
    lexicon = _Lexicon(scheme.read)
    cells = _cells(scheme, entries, lexicon)
    read = lexicon.read_words(scheme.spaces)
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

    ``terms`` are the digests of all terms, ascending. Word w stands for ``numbers[starts[w]:starts[w + 1]]``, numbers
    of terms in the first space, ``parts[w]`` of them parts, which come first. ``ranks[number, space]`` is the place
    among ``terms``.
    """

    terms: Array
    starts: Array
    numbers: Array
    parts: Array
    ranks: Array


class _Lexicon(dict[str, int]):
    """Pieces of texts and their numbers; a new one is read when it is asked for. Lives as long as one build."""

    def __init__(self, read: Callable[[str], Terms]) -> None:
        super().__init__()
        self._read = read
        self._terms: dict[str, int] = {}
        self._numbers = array("i")
        self._sizes = array("i")
        self._parts = array("i")

    def __missing__(self, piece: str) -> int:
        parts, wholes = self._read(piece)
        terms = self._terms
        for term in chain(parts, wholes):
            self._numbers.append(terms.setdefault(term, len(terms)))
        self._sizes.append(len(parts) + len(wholes))
        self._parts.append(len(parts))
        self[piece] = number = len(self)
        return number

    def read_words(self, spaces: int) -> _Words:
        """Everything that was read so far."""
        digests = np.array([[digest.__wrapped__(term, space) for space in range(spaces)] for term in self._terms], TERM)
        terms, ranks = np.unique(digests, return_inverse=True)
        return _Words(
            terms=terms,
            starts=starts_of(np.array(self._sizes, PLACE)),
            numbers=np.array(self._numbers, PLACE),
            parts=np.array(self._parts, PLACE),
            ranks=ranks.reshape(-1, spaces).astype(PLACE),
        )


def _cells(scheme: Scheme, entries: Sequence[Entry], lexicon: _Lexicon) -> _Cells:
    words, sizes = array("i"), array("i")
    number, pieces = lexicon.__getitem__, scheme.pieces
    before = 0
    for entry in entries:
        for text in scheme.texts(entry):
            if text:
                words.extend(map(number, pieces(text)))
            sizes.append(len(words) - before)
            before = len(words)
    return _Cells(np.frombuffer(words, np.intc), starts_of(np.frombuffer(sizes, np.intc)), len(entries))


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
    low, high = first * fields, (first + size) * fields
    texts = cells.starts[low : high + 1]
    words = cells.words[texts[0] : texts[-1]]
    cell = np.repeat(np.arange(size * fields, dtype=PLACE), np.diff(texts))
    sizes = read.starts[words + 1] - read.starts[words]
    places = runs(read.starts[words], sizes)
    inside = np.arange(places.size, dtype=PLACE) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    whole = inside >= np.repeat(read.parts[words], sizes)
    row, field = np.divmod(np.repeat(cell, sizes), fields)
    space = np.array([one.space for one in scheme.fields], PLACE)[field]
    rank = read.ranks[read.numbers[places], space]
    keys = np.sort((((rank << _ROW_BITS) | row) << _SLOT_BITS) | (field << 1) | whole)
    pairs, slots = keys >> _SLOT_BITS, keys & ((1 << _SLOT_BITS) - 1)
    begins = np.flatnonzero(changes(pairs))
    units, marks, groups = _slot_tables(scheme)
    counts = np.add.reduceat(units[slots], begins) if begins.size else np.zeros(0, PLACE)
    marked = np.bitwise_or.reduceat(marks[slots], begins) if begins.size and marks.any() else np.zeros(0, MARK)
    chosen = (pairs[begins], *(_distinct(pairs[groups[slots] == group]) for group in range(scheme.groups)))
    lists = tuple(_by_row(found, size) for found in chosen)
    return _Batch(first, pairs[begins] >> _ROW_BITS, pairs[begins] & (_BATCH - 1), counts, marked, lists)


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
