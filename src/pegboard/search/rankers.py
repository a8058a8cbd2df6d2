"""The Ranker protocol, and the rankers that come with Pegboard."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, Protocol

from pegboard.search.candidates import Candidates
from pegboard.search.ranking import Ranked
from pegboard.search.shares import AskedWord, Reading
from pegboard.search.text import ANALYZERS, content_words, words
from pegboard.search.unindexed import KeywordRanker, SubstringRanker
from pegboard.tools import Entry

if TYPE_CHECKING:
    from pegboard.search.corpus import Corpus


class Ranker(Protocol):
    """Puts entries in order for a query. Process-wide; without state that a query changes.

    ``rank`` gives the candidates that fit, best first: by score, highest first, then by name, code point by code point.
    Everything it counts (frequencies, averages) it counts over ``candidates`` alone. It is fastest when they are
    ``Candidates``; any other sequence is indexed anew on each call. A blank query fits nothing. It may give nothing.
    A ranker that can tell how it came to its scores has an ``explain`` besides: see ``Explains``. One that may take
    long, because it asks something that may, has a true ``may_wait``: boards search with it beside the event loop.
    """

    def rank(self, query: str, candidates: Sequence[Entry]) -> Sequence[Ranked]: ...


class LexicalRanker:
    """The default: see ``pegboard.search.lexical`` for what it counts. Process-wide, without state."""

    def rank(self, query: str, candidates: Sequence[Entry]) -> Sequence[Ranked]:
        """The candidates that share a term with ``query``; asking words count only where there are no others."""
        from pegboard.search import lexical_scores

        return lexical_scores.rank(Candidates.of(candidates), query)

    def explain(self, query: str, candidates: Sequence[Entry], names: Collection[str]) -> Reading:
        """The parts of its scores: what terms gained by field, the best clause, and the covered shares."""
        from pegboard.search import lexical_shares

        return lexical_shares.reading(Candidates.of(candidates), query, names)


class Bm25Ranker:
    """The reference: Okapi BM25 by field, name x3, category x2, description, tags and keywords x1, k1 1.2, b 0.75.

    Process-wide, without state. ``analyzer="plain"`` gives the reference's scores; ``"full"``, the default, finds the
    parts of names and the forms of words too, and drops asking words.
    """

    def __init__(self, analyzer: Literal["full", "plain"] = "full") -> None:
        self._analyzer = analyzer
        self._analyze = ANALYZERS[analyzer]

    def rank(self, query: str, candidates: Sequence[Entry]) -> Sequence[Ranked]:
        """The candidates that share a term with ``query``; a term that is asked twice counts twice."""
        from pegboard.search import okapi

        return okapi.rank(Candidates.of(candidates), self._terms(query), self._analyzer)

    def explain(self, query: str, candidates: Sequence[Entry], names: Collection[str]) -> Reading:
        """The parts of its scores by field, each times the field's weight."""
        from pegboard.search import okapi

        pool, terms = Candidates.of(candidates), self._terms(query)
        corpus = pool.corpus(okapi.SCHEMES[self._analyzer])
        rows = {pool.entry(place).name: int(corpus.index.rows[place]) for place in pool.places_of(names)}
        shares = {name: okapi.shares(corpus, terms, row) for name, row in rows.items()}
        return Reading(
            words=tuple(self._asked_words(query, corpus)),
            shares={name: one for name, one in shares.items() if one.terms},
        )

    def _terms(self, query: str) -> list[str]:
        if self._analyzer == "plain":
            return self._analyze(query)
        return [term for word in content_words(query) for term in word.terms]

    def _asked_words(self, query: str, corpus: Corpus) -> Iterator[AskedWord]:
        asked: dict[str, tuple[str, ...]] = {term: (term,) for term in self._analyze(query)}
        counting = set(asked)
        if self._analyzer == "full":
            asked = {word.text: word.terms for word in words(query)}
            counting = {word.text for word in content_words(query)}
        for text, terms in asked.items():
            spaces = range(corpus.index.scheme.spaces)
            rows = {row for space in spaces for row in corpus.rows_with(terms, space)}
            yield AskedWord(text=text, terms=terms, entries=len(rows), counts=text in counting)


RANKERS: Final[Mapping[str, Callable[[], Ranker]]] = {
    "lexical": LexicalRanker,
    "bm25": Bm25Ranker,
    "substring": SubstringRanker,
    "keyword": KeywordRanker,
}
"""The rankers by the name that a configuration gives."""
