"""The hybrid ranker: the default ranker's scores, and what texts mean beside what they say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pegboard.search.candidates import Candidates
from pegboard.search.encoder import EncodingError
from pegboard.search.encoder_state import EncoderState
from pegboard.search.guest import Given, Guest
from pegboard.search.meaning import Meant
from pegboard.search.ranking import Ranking
from pegboard.search.shares import Reading
from pegboard.tools import Entry

if TYPE_CHECKING:
    from pegboard.errors import PegboardError
    from pegboard.search.vectors import VectorStore

PATIENCE: Final = 5.0
"""Seconds that a search waits for an encoder before it answers without it."""

_WORDS_ALONE: Final = "Only words were compared, not what they mean: the encoder cannot be used now, {why}."
_STANDS_IN: Final = "What words mean was compared by a simpler encoder: the first cannot be used now, {why}."


class HybridRanker:
    """``pegboard.search.meaning`` on top of the default ranker. Process-wide; safe to use from several threads.

    ``encoders`` turn texts into vectors, each an ``Encoder`` or what makes one when it is first needed: the first is
    used, and the next, which is to be quicker, stands in for it where it fails, or takes longer than ``patience``
    seconds, as for the vectors of a large catalog. Where all do, a search goes by words alone. The ranking's
    ``degraded`` tells which it was; ``pegboard.search.guarded`` says when an encoder is tried again. ``store`` keeps
    the first one's vectors of entries between processes (default: they live as long as the catalog).
    ``missing`` are encoders that were left out, by name, and why: ``encoders`` tells of them too.
    """

    may_wait: Final = True

    def __init__(
        self,
        encoder: Given,
        *others: Given,
        store: VectorStore | None = None,
        patience: float = PATIENCE,
        missing: Mapping[str, PegboardError] | None = None,
    ) -> None:
        self._missing = dict(missing or {})
        self._guests = [Guest(encoder, store, patience), *(Guest(other, None, patience) for other in others)]

    def rank(self, query: str, candidates: Sequence[Entry]) -> Ranking:
        """The candidates that share a term with ``query``, and the few others that mean most nearly the same."""
        from pegboard.search import lexical_scores

        pool = Candidates.of(candidates)
        said = lexical_scores.rank(pool, query)
        meant, degraded = self._meant(query, pool)
        ranked = said if meant is None else meant.added_to(said)
        return ranked.in_part(degraded) if degraded else ranked

    def explain(self, query: str, candidates: Sequence[Entry], names: Collection[str]) -> Reading:
        """The parts of the default ranker's scores, and what meaning adds to them."""
        from pegboard.search import lexical, lexical_scores, lexical_shares

        pool = Candidates.of(candidates)
        reading = lexical_shares.reading(pool, query, names)
        meant, _ = self._meant(query, pool)
        if meant is None:
            return reading
        said, rows = lexical_scores.rank(pool, query), pool.corpus(lexical.SCHEME).index.rows
        shares = {
            name: meant.shares(said, int(rows[place]), reading.shares.get(name))
            for place in pool.places_of(names)
            for name in [pool.entry(place).name]
        }
        return Reading(words=reading.words, shares={name: one for name, one in shares.items() if one is not None})

    def prepare(self, candidates: Sequence[Entry], until: Callable[[], bool]) -> None:
        """Make the vectors of the candidates before somebody searches; give up once ``until()`` is true.

        The quickest encoder comes first, for it stands in until the others are done. One that fails is passed over: the
        log says why, and a search tries it again.
        """
        pool = Candidates.of(candidates)
        for guest in reversed(self._guests):
            if until():
                return
            with suppress(EncodingError):
                guest.prepare(pool, until)

    def encoders(self) -> tuple[EncoderState, ...]:
        """How each encoder is doing, as of its last use, in the order in which they are asked; then what is missing."""
        missing = (EncoderState.of(name, "missing", "", why) for name, why in self._missing.items())
        return (*(guest.state for guest in self._guests), *missing)

    def look(self) -> tuple[EncoderState, ...]:
        """The same once each has been tried, for as long as a search would wait for it. For a thread of its own."""
        for guest in self._guests:
            guest.look()
        return self.encoders()

    def _meant(self, query: str, pool: Candidates) -> tuple[Meant | None, str]:
        """(how alike each candidate is, None where the query says nothing or nobody knows; why less was done)."""
        from pegboard.search.asked import said
        from pegboard.search.counts import idf
        from pegboard.search.lexical import SCHEME, possible

        corpus = pool.corpus(SCHEME)
        most = possible(said(query), corpus.size)
        if not most or not corpus.size:
            return None, ""
        rows = corpus.index.rows if pool.places is None else corpus.index.rows[pool.places]
        why = ""
        for guest in self._guests:
            try:
                cosines, usual = guest.cosines(query, pool)
            except EncodingError as error:
                why = why or str(error)
            else:
                meant = Meant.of(rows, cosines, usual, most, idf(corpus.size, 0))
                return meant, _STANDS_IN.format(why=why) if why else ""
        return None, _WORDS_ALONE.format(why=why)
