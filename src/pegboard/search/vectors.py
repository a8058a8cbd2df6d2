"""The vectors of one generation's entries: made for what is new, passed on with what stays, looked through whole."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Final, NamedTuple, Protocol

import numpy as np

from pegboard.search.arrays import ROW, Array
from pegboard.search.differences import Moves
from pegboard.search.encoder import STRANGERS, Encoder, EncodingError, text_of, vectors_of
from pegboard.search.process_lock import ProcessLock
from pegboard.tools import Entry

logger = logging.getLogger(__name__)

KEY: Final = 16
"""Bytes of a key: a digest of the text that a vector is of."""

BATCH: Final = 64
"""Texts that are encoded at once."""

TAIL: Final = 1024
"""Vectors from which on those that came since join the others. A change copies only the few."""

SAVE_EVERY: Final = 2.0
"""Seconds of encoding after which what there is is kept: work that takes long outlives a process that does not."""

WORTH_KEEPING: Final = 64
"""From one new vector in so many on the file is written anew. Fewer are made again at the next start."""


class Stored(NamedTuple):
    """Vectors as they are kept: keys of ``KEY`` bytes, one behind the other, and a row of ``matrix`` for each."""

    keys: bytes
    matrix: Array


class VectorStore(Protocol):
    """Where vectors are kept between processes. Lives as long as the ranker; called in threads; never raises."""

    def load(self, identity: str) -> Stored | None:
        """The vectors of an encoder that were kept; None where nothing was, or nothing that can be used."""
        ...

    def save(self, identity: str, vectors: Stored) -> None:
        """Keep these in place of what was kept."""
        ...


class Held(NamedTuple):
    """The vectors that there are at one moment. Immutable.

    They number ``base`` and then ``tail``; ``keys`` has the key of each, ``rows`` the number of each entry's by its
    place in the catalog, -1 for one that has none yet.
    """

    base: Array
    tail: Array
    keys: bytes
    rows: Array

    @classmethod
    def of(cls, kept: Stored, entries: int) -> Held:
        """What was kept, for so many entries that have not been looked for in it."""
        return cls(kept.matrix, kept.matrix[:0], kept.keys, np.full(entries, -1, ROW))

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.keys) // KEY

    def numbers(self) -> dict[bytes, int]:
        """The number of each vector by its key."""
        return {self.keys[at : at + KEY]: at // KEY for at in range(0, len(self.keys), KEY)}

    def given(self, numbers: Mapping[bytes, int], places: Mapping[bytes, Sequence[int]]) -> Held:
        """The same with the vectors of some numbers, by key, given to the entries at some places."""
        rows = self.rows.copy()
        for key, number in numbers.items():
            rows[places[key]] = number
        return self._replace(rows=rows)

    def with_new(self, made: Mapping[bytes, Array], places: Mapping[bytes, Sequence[int]]) -> Held:
        """The same with further vectors, by key, of the entries at some places."""
        tail = np.concatenate([self.tail, *(vector[None] for vector in made.values())])
        held = self._replace(tail=tail, keys=self.keys + b"".join(made))
        held = held.given({key: number for number, key in enumerate(made, start=self.size)}, places)
        return held if tail.shape[0] < TAIL else held.compact()

    def compact(self) -> Held:
        """The same without the vectors that no entry has."""
        had = np.zeros(self.size, np.bool_)
        had[self.rows[self.rows >= 0]] = True
        # Not np.unique: it gives up the interpreter's lock in C++, where a daemon thread ends its process badly.
        used = np.flatnonzero(had)
        numbers = np.full(self.size + 1, -1, ROW)  # the last for entries that have none
        numbers[used] = np.arange(used.size, dtype=ROW)
        keys = np.frombuffer(self.keys, np.uint8).reshape(-1, KEY)[used].tobytes()
        whole = np.concatenate([self.base, self.tail]) if self.tail.size else self.base
        return Held(whole[used], self.tail[:0], keys, numbers[self.rows])


class Vectors:
    """The vectors of one catalog's entries. Shared; lives as long as the generation; safe to use from several threads.

    A generation begins with what it has in common with the one before; ``fill`` makes the rest.
    """

    def __init__(self, entries: Sequence[Entry], held: Held | None = None) -> None:
        self._entries = entries
        self._filling = ProcessLock()
        self._held = held
        self._lacking: dict[bytes, list[int]] | None = None
        self._unsaved = 0  # vectors that were made since some were kept

    def after(self, entries: Sequence[Entry], moves: Moves) -> Vectors:
        """The vectors of the next generation's entries, as far as they are there."""
        held = self._held
        if held is None:
            return Vectors(entries)
        rows = moves.carried(held.rows, np.full(len(moves.fresh), -1, ROW))
        following = Vectors(entries, held._replace(rows=rows))
        following._unsaved = self._unsaved
        return following

    def fill(
        self,
        encoder: Encoder,
        store: VectorStore | None = None,
        until: Callable[[], bool] | None = None,
        places: Array | None = None,
    ) -> None:
        """Make the vectors that are missing, or some of them: no further ``BATCH`` is begun once ``until()`` is true.

        Those of the entries at ``places`` alone: what else there is costs a search nothing. None: all. Texts that the
        encoder refuses, while it takes others, get vectors of zeros, which are like nothing.

        Raises what ``encode`` raises, and EncodingError for what are no vectors; what was made until then stays.
        """
        with self._filling:
            held, lacking = self._begun(encoder, store)
            _check(encoder.dimension, held)
            wanted = _those_at(lacking, places, len(self._entries))
            texts = {key: text_of(self._entries[at[0]]) for key, at in wanted.items()}
            for made in _made(texts, encoder, until):
                self._held = held = held.with_new(made, lacking)
                for key in made:
                    del lacking[key]
                self._unsaved += len(made)
                if store is not None and self._unsaved * WORTH_KEEPING > len(self._entries):
                    _save(store, encoder, held)
                    self._unsaved = 0

    def _begun(self, encoder: Encoder, store: VectorStore | None) -> tuple[Held, dict[bytes, list[int]]]:
        """(the vectors that there are, with those that were kept; the places of the entries that lack one, by key)."""
        if self._held is None or self._lacking is None:
            held = self._held or Held.of(_kept(encoder, store), len(self._entries))
            places: dict[bytes, list[int]] = {}
            for place in np.flatnonzero(held.rows < 0).tolist():
                places.setdefault(_key(text_of(self._entries[place])), []).append(place)
            numbers = held.numbers() if places else {}
            self._held = held.given({key: numbers[key] for key in places if key in numbers}, places)
            self._lacking = {key: at for key, at in places.items() if key not in numbers}
        return self._held, self._lacking

    def alike(self, asked: Array, places: Array | None) -> Array:
        """How much entries point the way of ``asked``, a vector in whole numbers: exact products.

        Of the entries at ``places`` of the catalog, in that order; None for all. They have to have their vectors.
        Raises EncodingError where these are of another length.
        """
        assert self._held is not None
        _check(asked.size, self._held)
        base, tail, _, rows = self._held
        early = base.shape[0]
        chosen = rows if places is None else rows[places]
        if chosen.size * 4 > early + tail.shape[0]:
            return np.concatenate([_products(base, asked), _products(tail, asked)])[chosen]
        found = np.empty(chosen.size, np.int32)
        here = chosen < early
        found[here] = _products(base[chosen[here]], asked)
        found[~here] = _products(tail[chosen[~here] - early], asked)
        return found


def _made(
    texts: Mapping[bytes, str], encoder: Encoder, until: Callable[[], bool] | None
) -> Iterator[dict[bytes, Array]]:
    """The vectors of texts, by key: all at once, or what there is every ``SAVE_EVERY`` seconds, and before an error."""
    made: dict[bytes, Array] = {}
    unmade, last = [*texts], time.monotonic()
    try:
        for begin in range(0, len(unmade), BATCH):
            if until is not None and until():
                break
            keys = unmade[begin : begin + BATCH]
            made |= zip(keys, _vectors(encoder, [texts[key] for key in keys]), strict=True)
            if time.monotonic() - last > SAVE_EVERY:
                yield made
                made, last = {}, time.monotonic()
    except GeneratorExit:
        raise
    except BaseException:
        if made:
            yield made
        raise
    if made:
        yield made


def _vectors(encoder: Encoder, texts: Sequence[str]) -> Array:
    """The vectors of texts; of zeros for those that the encoder refuses, while it takes others.

    Raises what ``vectors_of`` raises where it takes none.
    """
    try:
        return vectors_of(encoder, texts)
    except Exception:
        vectors_of(encoder, STRANGERS[:1])  # it raises as well where the encoder fails, whatever the text
        logger.warning("the encoder refuses some of %d texts, and is asked for each part of them", len(texts))
        return _in_parts(encoder, texts)


def _in_parts(encoder: Encoder, texts: Sequence[str]) -> Array:
    """The vectors of texts some of which are refused: of halves of them, and so on."""
    if len(texts) == 1:
        vectors_of(encoder, STRANGERS[:1])  # it may fail by now, whatever the text
        return np.zeros((1, encoder.dimension), np.int16)
    half = len(texts) // 2
    return np.concatenate([_of_part(encoder, part) for part in (texts[:half], texts[half:])])


def _of_part(encoder: Encoder, texts: Sequence[str]) -> Array:
    try:
        return vectors_of(encoder, texts)
    except Exception:
        return _in_parts(encoder, texts)


def _those_at(lacking: Mapping[bytes, list[int]], places: Array | None, entries: int) -> Mapping[bytes, list[int]]:
    """Those of what is lacking that an entry at one of the places lacks; all for None."""
    if places is None or not lacking:
        return dict(lacking)
    seen = np.zeros(entries, np.bool_)
    seen[places] = True
    return {key: at for key, at in lacking.items() if seen[at].any()}


def _check(dimension: int, held: Held) -> None:
    """Raise EncodingError where an encoder's vectors have another length than those that there are."""
    if dimension != held.base.shape[1]:
        raise EncodingError(
            f"its vectors have {dimension} numbers, and those that were made before under the same identity "
            f"{held.base.shape[1]}"
        )


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY).digest()


def _kept(encoder: Encoder, store: VectorStore | None) -> Stored:
    """What was kept of an encoder's vectors; none where nothing was."""
    kept = None
    if store is not None:
        try:
            kept = store.load(str(encoder.identity))
        except Exception:  # strangers write stores, too
            logger.warning("vectors that were kept could not be read: they are made anew", exc_info=True)
    if kept is None or kept.matrix.shape[1] != encoder.dimension:
        return Stored(b"", np.zeros((0, encoder.dimension), np.int16))
    return kept


def _save(store: VectorStore, encoder: Encoder, held: Held) -> None:
    try:
        store.save(str(encoder.identity), _stored(held))
    except Exception:
        logger.warning("vectors could not be kept: the next process makes them anew", exc_info=True)


def _stored(held: Held) -> Stored:
    """What is kept: not the zeros of what an encoder refused, which it may take another time."""
    compact = held.compact()
    said = compact.base.any(axis=1)
    keys = np.frombuffer(compact.keys, np.uint8).reshape(-1, KEY)[said].tobytes()
    return Stored(keys, compact.base[said])


def _products(matrix: Array, way: Array) -> Array:
    """The product of each row with a vector, in whole numbers: neither order nor processor counts.

    In this thread alone: those of a library for matrices wait for one another where a machine is busy.
    """
    found: Array = np.einsum("ij,j->i", matrix, way, dtype=np.int32)
    return found
