"""The entries that a search may see: a catalog or a slice of it, over indexes that generations pass on."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, overload

from pegboard.search.scheme import IndexedField, Scheme, Terms
from pegboard.tools import Entry

if TYPE_CHECKING:
    from pegboard.search.arrays import Array, Mask
    from pegboard.search.corpus import Corpus
    from pegboard.search.index import Index
    from pegboard.search.vectors import Vectors

_SLICES_KEPT: Final = 64  # per catalog: callers with the same permissions share a slice and its statistics
_SLICES_BYTES: Final = 128_000_000  # that a catalog's slices may take, by and large
_UNNAMED_KEPT: Final = 4096  # words that no entry of a catalog is named by, per catalog: asks have the same ones again
_UNNAMED_LONGEST: Final = 64  # characters of these
_ENTRY_BYTES: Final = 170  # that a slice takes for each entry of its catalog at most, by and large

NAMES: Final = Scheme(
    name="names",
    fields=(IndexedField(), IndexedField()),
    texts=lambda entry: ((entry.name,), (entry.bare_name,)),
    pieces=lambda name: [name] if name else [],
    read=lambda name: Terms((name,)),
)
"""Every name and bare name in one piece."""


class _Shared:
    """What all slices of one catalog share: its entries and their indexes. Lives as long as they do.

    ``before`` is the last generation that had an index, until its indexes have been taken over.
    """

    def __init__(self, entries: tuple[Entry, ...], before: _Shared | None = None) -> None:
        self.entries = entries
        self.lock = threading.RLock()
        self.indexes: dict[str, Index] = {}
        self.vectors: dict[str, Vectors] = {}
        self.slices: OrderedDict[bytes, Candidates] = OrderedDict()
        self._unnamed: set[str] = set()
        self.slices_kept = max(4, min(_SLICES_KEPT, _SLICES_BYTES // (_ENTRY_BYTES * max(1, len(entries)))))
        # Generations that were never searched hold no index: with them in between, a chain would keep them all alive.
        self.before: _Shared | None = before.before if before is not None and before.is_blank else before

    @property
    def is_blank(self) -> bool:
        """Whether nothing was ever made for it."""
        return not (self.indexes or self.vectors)

    @cached_property
    def tools(self) -> dict[str, int]:
        """The place of every tool by its name."""
        return {entry.name: place for place, entry in enumerate(self.entries) if entry.kind == "tool"}

    def index(self, scheme: Scheme) -> Index:
        """The index of a scheme over all entries; made, or taken over from the generation before, on the first call."""
        with self.lock:
            self._take_over()
            if scheme.name not in self.indexes:
                from pegboard.search.index import Index

                self.indexes[scheme.name] = Index.of(scheme, self.entries)
            return self.indexes[scheme.name]

    def naming(self, texts: Iterable[str]) -> list[str]:
        """Those of some texts that are the name or bare name of an entry, each once."""
        asked = [text for text in dict.fromkeys(texts) if text not in self._unnamed]
        if not asked:
            return asked
        from pegboard.search.corpus import Corpus

        known = list(zip(asked, Corpus(self.index(NAMES), None).numbers(asked), strict=True))
        if len(self._unnamed) > _UNNAMED_KEPT:
            self._unnamed = set()
        self._unnamed |= {text for text, pair in known if max(pair) < 0 and len(text) <= _UNNAMED_LONGEST}
        return [text for text, pair in known if max(pair) >= 0]

    def vectors_of(self, encoder: str) -> Vectors:
        """The vectors of an encoder over all entries, as far as they are there."""
        with self.lock:
            self._take_over()
            if encoder not in self.vectors:
                from pegboard.search.vectors import Vectors

                self.vectors[encoder] = Vectors(self.entries)
            return self.vectors[encoder]

    def _take_over(self) -> None:
        if self.before is None:
            return
        from pegboard.search.differences import moves

        before, self.before = self.before, None
        with before.lock:
            held, vectors = dict(before.indexes), dict(before.vectors)
        moved = moves(before.entries, self.entries)
        for name, index in held.items():
            self.indexes.setdefault(name, index.after(moved))
        for name, some in vectors.items():
            self.vectors.setdefault(name, some.after(self.entries, moved))


class Candidates(Sequence[Entry]):
    """The entries that one search may see: a catalog, or a slice of it. Immutable; lives as long as the generation.

    Indexes are made once a catalog, on the first search, and shared by all its slices; what is counted over the
    entries is counted over the slice alone. Safe to use from several threads.
    """

    def __init__(self, shared: _Shared, mask: Mask | None = None) -> None:
        self._shared = shared
        self._mask = mask
        self._corpora: dict[str, Corpus] = {}

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Candidates:
        """The candidates of these entries, in their order; candidates are given back as they are."""
        return entries if isinstance(entries, cls) else cls(_Shared(tuple(entries)))

    @classmethod
    def indexed(cls, entries: Iterable[Entry], indexes: Iterable[Index]) -> Candidates:
        """The candidates of these entries with indexes that were made of them before."""
        shared = _Shared(tuple(entries))
        shared.indexes = {index.scheme.name: index for index in indexes}
        return cls(shared)

    def after(self, entries: Iterable[Entry]) -> Candidates:
        """The candidates of the next generation: what both have in common is not indexed again.

        Made for a whole catalog: of a slice, it is the catalog that is taken over.
        """
        return Candidates(_Shared(tuple(entries), self._shared))

    def only(self, mask: Sequence[bool] | Mask) -> Candidates:
        """The slice of those entries whose place in ``mask`` is true.

        Equal slices of one catalog are one object while they are in use. Raises ValueError for a mask of the wrong
        length.
        """
        import numpy as np

        if len(mask) != len(self):
            raise ValueError(f"The mask has {len(mask)} places for {len(self)} candidates; give one bool each.")
        chosen = mask if isinstance(mask, np.ndarray) else np.fromiter(map(bool, mask), np.bool_, len(mask))
        if self._mask is not None:
            inner, chosen = chosen, np.zeros(len(self._shared.entries), np.bool_)
            chosen[self._places] = inner
        return self._slice(chosen.astype(np.bool_))

    def _slice(self, mask: Mask) -> Candidates:
        import numpy as np

        if mask.all():
            return self if self._mask is None else Candidates(self._shared)
        key = np.packbits(mask).tobytes()
        slices = self._shared.slices
        with self._shared.lock:
            if key not in slices:
                slices[key] = Candidates(self._shared, mask)
            slices.move_to_end(key)
            while len(slices) > self._shared.slices_kept:
                slices.popitem(last=False)
            return slices[key]

    def indexed_by(self, scheme: Scheme) -> Index:
        """The index of a scheme over the whole catalog."""
        return self._shared.index(scheme)

    def vectors_of(self, encoder: str) -> Vectors:
        """The vectors of an encoder, by its identity, over the whole catalog. They may not all be there yet."""
        return self._shared.vectors_of(encoder)

    @property
    def places(self) -> Array | None:
        """The places of the slice's entries in the catalog, ascending; None for all."""
        return None if self._mask is None else self._places

    def corpus(self, scheme: Scheme) -> Corpus:
        """The index of a scheme as this slice sees it."""
        if scheme.name not in self._corpora:
            from pegboard.search.corpus import Corpus

            corpus = Corpus(self.indexed_by(scheme), self.places)
            self._corpora.setdefault(scheme.name, corpus)
        return self._corpora[scheme.name]

    def named(self, names: Iterable[str]) -> Mapping[str, list[int]]:
        """The places in the catalog of the slice's entries with one of ``names`` as name or bare name, by name."""
        found: dict[str, list[int]] = {}
        asked = self._shared.naming(names)
        if not asked:
            return found
        corpus = self.corpus(NAMES)
        postings = corpus.postings(asked)
        for name, begin, end in zip(asked, postings.starts.tolist(), postings.starts[1:].tolist(), strict=False):
            places = corpus.places[postings.rows[begin:end]].tolist()
            mine = sorted(place for place in places if place >= 0 and self._is_named(place, name))
            if mine:
                found[name] = mine
        return found

    def _is_named(self, place: int, name: str) -> bool:
        entry = self.entry(place)
        return name in (entry.name, entry.bare_name) and (self._mask is None or bool(self._mask[place]))

    def places_of(self, names: Iterable[str]) -> list[int]:
        """The places in the catalog of the slice's entries of these names; bare names are none here."""
        return [
            place for name, places in self.named(names).items() for place in places if self.entry(place).name == name
        ]

    def tools_of(self, names: Iterable[str]) -> dict[str, int]:
        """The places in the catalog of the slice's tools of these names, by name. For many names at once."""
        known, mask = self._shared.tools, self._mask
        found = ((name, known[name]) for name in names if name in known)
        return {name: place for name, place in found if mask is None or mask[place]}

    def entry(self, place: int) -> Entry:
        """The entry at a place of the catalog, which is not the place in the slice."""
        return self._shared.entries[place]

    @cached_property
    def _places(self) -> Array:
        """The places of the slice's entries in the catalog, ascending."""
        import numpy as np

        return np.arange(len(self._shared.entries)) if self._mask is None else np.flatnonzero(self._mask)

    def __len__(self) -> int:
        return len(self._shared.entries) if self._mask is None else len(self._places)

    def __iter__(self) -> Iterator[Entry]:
        entries = self._shared.entries
        return iter(entries) if self._mask is None else map(entries.__getitem__, self._places.tolist())

    @overload
    def __getitem__(self, place: int) -> Entry: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Entry, ...]: ...
    def __getitem__(self, place: int | slice) -> Entry | tuple[Entry, ...]:
        entries = self._shared.entries
        if self._mask is None:
            return entries[place]
        if isinstance(place, slice):
            return tuple(map(entries.__getitem__, self._places[place].tolist()))
        return entries[int(self._places[place])]
