"""One encoder at work for the hybrid ranker: made when it is first needed, guarded, and asked for cosines."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from pegboard.search.candidates import Candidates
from pegboard.search.encoder import SCALE, STRANGERS, Encoder, EncodingError, usual_of, vectors_of
from pegboard.search.encoder_state import EncoderState
from pegboard.search.guarded import Guarded
from pegboard.search.leaving import COMPILED

if TYPE_CHECKING:
    from pegboard.search.arrays import Array
    from pegboard.search.vectors import Vectors, VectorStore

Given = Encoder | Callable[[], Encoder]
"""An encoder, or what makes one when it is first needed."""


class Guest:
    """An encoder and what it is asked for. Lives as long as the ranker; safe to use from several threads.

    ``store`` keeps the vectors of entries between processes; None: they live as long as the catalog. It is waited for
    ``patience`` seconds.
    """

    def __init__(self, encoder: Given, store: VectorStore | None, patience: float) -> None:
        # Without asking for its identity, which may fail. A class has all that its objects have.
        given = hasattr(encoder, "encode") and not isinstance(encoder, type)
        self._encoder = cast(Encoder, encoder) if given else None
        self._make = cast(Callable[[], Encoder], encoder)
        self._store = store
        self._patience = patience
        self._made: tuple[Encoder, float] | None = None
        self._identity = ""  # asked for where it may take its time
        self._guarded = Guarded()

    def cosines(self, query: str, pool: Candidates) -> tuple[Array, float]:
        """(the cosine of the query and each candidate, the cosine that this encoder usually gives).

        Raises EncodingError where the encoder fails, or takes too long.
        """
        vectors, way, usual = self._guarded.ask(lambda: self._work(query, pool), self._patience)
        if way is None:
            raise EncodingError("it refuses the text of this search")
        return vectors.alike(way, pool.places) / SCALE**2, usual

    @property
    def state(self) -> EncoderState:
        """How the encoder is doing, as of its last use."""
        return EncoderState.of(self._name, *self._guarded.state)

    def look(self) -> None:
        """Try it, unless it is left alone; ``state`` then says what came of it."""
        with suppress(EncodingError):
            self._guarded.ask(self._tried, self._patience)

    def prepare(self, pool: Candidates, until: Callable[[], bool]) -> None:
        """Make the vectors of all entries before they are asked for, however long that takes; give up at ``until()``.

        Raises EncodingError where the encoder fails, or did so a short time ago.
        """
        self._guarded.finish(lambda: self._fill(pool, until))

    def _work(self, query: str, pool: Candidates) -> tuple[Vectors, Array | None, float]:
        """(the vectors of the candidates at least, that of the query, the encoder's usual cosine).

        None for a query that it refuses, while it takes other texts: that is no failure of the encoder.
        """
        encoder, usual = self._ready()
        vectors = pool.vectors_of(self._identity)
        vectors.fill(encoder, self._store, places=pool.places)
        try:
            return vectors, vectors_of(encoder, [query])[0], usual
        except Exception:
            vectors_of(encoder, STRANGERS[:1])  # it raises as well where the encoder fails, whatever the text
            return vectors, None, usual

    def _fill(self, pool: Candidates, until: Callable[[], bool]) -> None:
        encoder, _ = self._ready()
        pool.vectors_of(self._identity).fill(encoder, self._store, until)

    def _tried(self) -> None:
        encoder, _ = self._ready()
        vectors_of(encoder, STRANGERS)

    def _ready(self) -> tuple[Encoder, float]:
        """(the encoder, its usual cosine); it is made when it is first needed."""
        if self._made is None:
            with COMPILED.inside():
                encoder = self._make() if self._encoder is None else self._encoder
            self._identity = str(encoder.identity)
            self._made = encoder, usual_of(encoder)
        return self._made

    @property
    def _name(self) -> str:
        """What the encoder is known by: what it is made from, else its identity, once it has told it."""
        if self._encoder is None:
            return str(getattr(self._make, "name", "") or getattr(self._make, "__name__", type(self._make).__name__))
        return self._identity or type(self._encoder).__name__
