"""The inverted index, built once a catalog, and the slices of it that each caller may search."""

from __future__ import annotations

import math
import threading
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple, TypeVar, overload

from pegboard.tools import Entry

T = TypeVar("T")

_SLICES_KEPT: Final = 64  # per catalog: callers with the same permissions share a slice and its statistics


class Document(NamedTuple):
    """What the index takes of one entry. Immutable.

    ``counts`` are the (weighted) occurrences of each term, ``length`` the (weighted) number of words. ``marks`` are
    bits that the ranker gives a term, 0 where it has none. ``groups`` are sets of terms kept by entry, for shares.
    """

    counts: Mapping[str, float]
    length: float
    marks: Mapping[str, int] = {}
    groups: tuple[frozenset[str], ...] = ()


class Postings(NamedTuple):
    """Where one term stands: rows ascending, and side by side with them counts and marks."""

    rows: array[int]
    counts: array[float]
    marks: bytearray


Describe = Callable[[Entry], Document]


class Index:
    """An inverted index over all entries of a catalog. Immutable once built; lives as long as the generation."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.ids: dict[str, int] = {}
        self.postings: list[Postings] = []
        self.lengths = array("d")
        self.groups: list[tuple[array[int], ...]] = []
        for row, document in enumerate(documents):
            self._add(row, document)

    def _add(self, row: int, document: Document) -> None:
        for term, count in document.counts.items():
            postings = self.postings[self._id(term)]
            postings.rows.append(row)
            postings.counts.append(count)
            postings.marks.append(document.marks.get(term, 0))
        self.lengths.append(document.length)
        # Sorted, because the order of a set differs from run to run, and with it the last digits of a sum.
        self.groups.append(tuple(array("I", map(self._id, sorted(group))) for group in document.groups))

    def _id(self, term: str) -> int:
        number = self.ids.setdefault(term, len(self.ids))
        if number == len(self.postings):
            self.postings.append(Postings(array("I"), array("d"), bytearray()))
        return number


class Corpus:
    """An index as one slice sees it: every number in it counts the slice's entries only. Lives as long as the slice."""

    def __init__(self, index: Index, mask: bytes | None, size: int) -> None:
        self._index = index
        self._mask = mask
        self.size = size

    def id(self, term: str) -> int | None:
        """The number of a term, None when no entry of the slice has it."""
        number = self._index.ids.get(term)
        return None if number is None or not self.frequencies[number] else number

    @cached_property
    def frequencies(self) -> list[int]:
        """How many entries have each term, by the term's number."""
        if self._mask is None:
            return [len(postings.rows) for postings in self._index.postings]
        visible = self._mask.__getitem__
        return [sum(map(visible, postings.rows)) for postings in self._index.postings]

    @cached_property
    def average_length(self) -> float:
        """The mean length of the slice's entries; 1 when they are all empty."""
        lengths = self._index.lengths
        shown = lengths if self._mask is None else [lengths[row] for row in self.rows]
        # Exact, because a plain sum's last digits would differ with the order of the entries.
        return (math.fsum(shown) / self.size if self.size else 0.0) or 1.0

    @property
    def rows(self) -> Iterable[int]:
        """The slice's rows, ascending."""
        everything = range(len(self._index.lengths))
        return everything if self._mask is None else filter(self._mask.__getitem__, everything)

    @property
    def lengths(self) -> Sequence[float]:
        """The length of every row, those outside the slice too."""
        return self._index.lengths

    def postings(self, number: int) -> Iterable[tuple[int, float, int]]:
        """(row, count, marks) of the slice's entries that have the term of this number."""
        postings = zip(*self._index.postings[number], strict=True)
        if self._mask is None:
            return postings
        mask = self._mask
        return (posting for posting in postings if mask[posting[0]])

    def rows_with(self, term: str) -> Iterable[int]:
        """The slice's rows that have a term."""
        number = self.id(term)
        return () if number is None else (row for row, _, _ in self.postings(number))

    def group(self, row: int, which: int) -> Sequence[int]:
        """The numbers of the terms in one group of a row."""
        return self._index.groups[row][which]


class _Shared:
    """What all slices of one catalog share: its entries, and what was computed of them. Lives as long as they do."""

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        self.entries = entries
        self.lock = threading.RLock()
        self.made: dict[object, object] = {}
        self.slices: OrderedDict[bytes, Candidates] = OrderedDict()


class Candidates(Sequence[Entry]):
    """The entries that one search may see: a catalog, or a slice of it. Immutable; lives as long as the generation.

    Indexes are built once a catalog, on the first search, and shared by all its slices; what is counted over the
    entries is counted over the slice alone. Safe to use from several threads.
    """

    def __init__(self, shared: _Shared, mask: bytes | None = None) -> None:
        self._shared = shared
        self._mask = mask
        self._rows = range(len(shared.entries)) if mask is None else tuple(row for row, on in enumerate(mask) if on)
        self._made: dict[object, object] = {}

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Candidates:
        """The candidates of these entries, in their order; candidates are given back as they are."""
        return entries if isinstance(entries, cls) else cls(_Shared(tuple(entries)))

    def only(self, mask: Sequence[bool]) -> Candidates:
        """The slice of those entries whose place in ``mask`` is true.

        Equal slices of one catalog are one object while they are in use. Raises ValueError for a mask of the wrong
        length.
        """
        if len(mask) != len(self):
            raise ValueError(f"The mask has {len(mask)} places for {len(self)} candidates; give one bool each.")
        chosen = bytearray(len(self._shared.entries))
        for row, on in zip(self._rows, mask, strict=True):
            chosen[row] = bool(on)
        return self._slice(bytes(chosen))

    def _slice(self, mask: bytes) -> Candidates:
        if mask == self._mask or (self._mask is None and all(mask)):
            return self
        slices = self._shared.slices
        with self._shared.lock:
            if mask not in slices:
                slices[mask] = Candidates(self._shared, mask)
            slices.move_to_end(mask)
            while len(slices) > _SLICES_KEPT:
                slices.popitem(last=False)
            return slices[mask]

    def corpus(self, key: object, describe: Describe) -> Corpus:
        """The index of ``describe`` as this slice sees it. ``key`` names it: equal keys, equal documents."""

        def build() -> Index:
            return Index(map(describe, self._shared.entries))

        def view() -> Corpus:
            return Corpus(self._once(self._shared.made, ("index", key), build), self._mask, len(self))

        return self._once(self._made, ("corpus", key), view)

    def rows_named(self, name: str) -> list[int]:
        """The rows of the slice whose name or bare name is ``name``, ascending."""
        rows = self._once(self._shared.made, "names", self._by_name).get(name, [])
        return rows if self._mask is None else [row for row in rows if self._mask[row]]

    def _by_name(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for row, entry in enumerate(self._shared.entries):
            for name in {entry.name, entry.bare_name}:
                found.setdefault(name, []).append(row)
        return found

    def entry(self, row: int) -> Entry:
        """The entry of a row. Rows number the catalog, not the slice."""
        return self._shared.entries[row]

    def ordered(self, scores: Mapping[int, float]) -> list[int]:
        """The rows of ``scores`` by score, highest first, then by name, code point by code point, then ascending."""
        places = self._once(self._shared.made, "places", self._by_place)
        return sorted(sorted(scores, key=places.__getitem__), key=scores.__getitem__, reverse=True)

    def _by_place(self) -> list[int]:
        """Row to its place in the order of names."""
        entries = self._shared.entries
        places = [0] * len(entries)
        for place, row in enumerate(sorted(range(len(entries)), key=lambda row: entries[row].name)):
            places[row] = place
        return places

    def once(self, key: object, make: Callable[[], T]) -> T:
        """``make()``, kept with this slice under ``key``: computed on the first call only."""
        return self._once(self._made, ("once", key), make)

    def _once(self, made: dict[object, object], key: object, make: Callable[[], T]) -> T:
        if key not in made:
            with self._shared.lock:
                if key not in made:
                    made[key] = make()
        return made[key]  # type: ignore[return-value]  # what stands under a key came from its own make()

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Entry]:
        return map(self._shared.entries.__getitem__, self._rows)

    @overload
    def __getitem__(self, place: int) -> Entry: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Entry, ...]: ...
    def __getitem__(self, place: int | slice) -> Entry | tuple[Entry, ...]:
        if isinstance(place, slice):
            return tuple(map(self._shared.entries.__getitem__, self._rows[place]))
        return self._shared.entries[self._rows[place]]
