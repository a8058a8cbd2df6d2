"""The hybrid ranker: the default ranker's scores, and what texts mean beside what they say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Final

from pegboard.search.candidates import Candidates
from pegboard.search.encoder import SCALE, Encoder, EncodingError, usual_of, vectors_of
from pegboard.search.guarded import Guarded
from pegboard.search.meaning import Meant
from pegboard.search.ranking import Ranking
from pegboard.search.shares import Reading
from pegboard.tools import Entry

if TYPE_CHECKING:
    from pegboard.search.segment import Array
    from pegboard.search.vectors import Vectors, VectorStore

PATIENCE: Final = 5.0
"""Seconds that a search waits for the encoder before it answers by words alone."""

_DEGRADED: Final = "Only words were compared, not what they mean: the encoder cannot be used, {why}."


class HybridRanker:
    """``pegboard.search.meaning`` on top of the default ranker. Process-wide; safe to use from several threads.

    ``encoder`` turns texts into vectors: an ``Encoder``, or what makes one when it is first needed. ``store`` keeps the
    vectors of entries between processes (default: they live as long as the catalog). A search waits ``patience``
    seconds for the encoder, and goes by words alone when it fails or takes longer, which the ranking's ``degraded``
    tells; ``pegboard.search.guarded`` says when it is tried again.
    """

    may_wait: Final = True

    def __init__(
        self,
        encoder: Encoder | Callable[[], Encoder],
        *,
        store: VectorStore | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self._given = encoder
        self._made: tuple[Encoder, float] | None = None
        self._store = store
        self._patience = patience
        self._guarded = Guarded()

    def rank(self, query: str, candidates: Sequence[Entry]) -> Ranking:
        """The candidates that share a term with ``query``, and the few others that mean most nearly the same."""
        from pegboard.search import lexical_scores

        pool = Candidates.of(candidates)
        said = lexical_scores.rank(pool, query)
        try:
            meant = self._meant(query, pool)
        except EncodingError as error:
            said.degraded = _DEGRADED.format(why=error)
            return said
        return said if meant is None else meant.added_to(said)

    def explain(self, query: str, candidates: Sequence[Entry], names: Collection[str]) -> Reading:
        """The parts of the default ranker's scores, and what meaning adds to them."""
        from pegboard.search import lexical, lexical_scores, lexical_shares

        pool = Candidates.of(candidates)
        reading = lexical_shares.reading(pool, query, names)
        try:
            meant = self._meant(query, pool)
        except EncodingError:
            meant = None
        if meant is None:
            return reading
        said, rows = lexical_scores.rank(pool, query), pool.corpus(lexical.SCHEME).index.rows
        shares = {
            name: meant.shares(said, int(rows[place]), reading.shares.get(name))
            for place in pool.places_of(names)
            for name in [pool.entry(place).name]
        }
        return Reading(words=reading.words, shares={name: one for name, one in shares.items() if one is not None})

    def _meant(self, query: str, pool: Candidates) -> Meant | None:
        """How alike each candidate is; None where the query says nothing. Raises EncodingError."""
        from pegboard.search.asked import read
        from pegboard.search.corpus import idf
        from pegboard.search.lexical import SCHEME, possible

        corpus = pool.corpus(SCHEME)
        most = possible(read(query), corpus.size)
        if not most or not corpus.size:
            return None
        vectors, way, usual = self._guarded.ask(lambda: self._work(query, pool), self._patience)
        rows = corpus.index.rows if pool.places is None else corpus.index.rows[pool.places]
        return Meant.of(rows, vectors.alike(way, pool.places) / SCALE**2, usual, most, idf(corpus.size, 0))

    def _work(self, query: str, pool: Candidates) -> tuple[Vectors, Array, float]:
        """(the vectors of all entries, that of the query, the encoder's usual cosine)."""
        if self._made is None:
            given = self._given
            encoder = given if isinstance(given, Encoder) else given()
            self._made = encoder, usual_of(encoder)
        encoder, usual = self._made
        vectors = pool.vectors_of(encoder.identity)
        vectors.fill(encoder, self._store)
        return vectors, vectors_of(encoder, [query])[0], usual
