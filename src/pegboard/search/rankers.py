"""The Ranker protocol, and the rankers that come with Pegboard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol

from pegboard.search.candidates import Candidates
from pegboard.search.ranking import Ranked
from pegboard.search.shares import AskedWord, Part, Reading, Shares
from pegboard.search.text import ANALYZERS, content_words, words
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


class SubstringRanker:
    """For each blank-separated word of the query: 2 when the name contains it, 1 when the description does.

    Process-wide, without state. Case does not matter and both small sigmas are one letter; nothing else is folded.
    Equal scores keep the order of the candidates.
    """

    def rank(self, query: str, candidates: Sequence[Entry]) -> list[Ranked]:
        """The candidates that contain a word of ``query``, best first, then in candidate order."""
        words = _lower(query).split()
        found = (self._judge(words, entry) for entry in candidates)
        return sorted((ranked for ranked in found if ranked.score), key=lambda ranked: -ranked.score)

    def explain(self, query: str, candidates: Sequence[Entry], names: Collection[str]) -> Reading:
        """The points for name and description."""
        asked = _lower(query).split()
        points = {entry.name: dict(self._points(asked, entry)) for entry in candidates if entry.name in names}
        met = {word: sum(any(self._points([word], entry).values()) for entry in candidates) for word in asked}
        return _reading(met, points)

    @classmethod
    def _judge(cls, words: list[str], entry: Entry) -> Ranked:
        points = cls._points(words, entry)
        return Ranked(entry, sum(points.values()), ",".join(part for part, gained in points.items() if gained))

    @staticmethod
    def _points(words: list[str], entry: Entry) -> dict[str, float]:
        name, description = _lower(entry.name), _lower(entry.description)
        in_name = sum(word in name for word in words)
        return {"name": 2.0 * in_name, "description": float(sum(word in description for word in words))}


class KeywordRanker:
    """The older sums, for each blank-separated word of the query: exact name 10, else part of the name 5; a tag 3;
    part of a keyword 2; part of any text 1. Process-wide, without state."""

    def rank(self, query: str, candidates: Sequence[Entry]) -> list[Ranked]:
        """The candidates with a sum above 0, best first, then by name."""
        words = query.lower().split()
        found = (self._judge(words, entry) for entry in candidates)
        return sorted((ranked for ranked in found if ranked.score), key=_order)

    def explain(self, query: str, candidates: Sequence[Entry], names: Collection[str]) -> Reading:
        """The points of each rule."""
        asked = query.lower().split()
        points: dict[str, Counter[str]] = {entry.name: Counter() for entry in candidates if entry.name in names}
        for entry in candidates:
            for gained, reason in self._met(asked, entry) if entry.name in points else ():
                points[entry.name][reason or "any text"] += gained
        met = {word: sum(bool(self._met([word], entry)) for entry in candidates) for word in asked}
        return _reading(met, points)

    @classmethod
    def _judge(cls, words: list[str], entry: Entry) -> Ranked:
        met = cls._met(words, entry)
        reasons = dict.fromkeys(reason for _, reason in met if reason)
        return Ranked(entry, float(sum(points for points, _ in met)), ",".join(reasons))

    @staticmethod
    def _met(words: list[str], entry: Entry) -> list[tuple[int, str]]:
        texts = _KeywordTexts.of(entry)
        return [(points, reason) for word in words for points, reason, rule in _KEYWORD_RULES if rule(word, texts)]


@dataclass(frozen=True, slots=True)
class _KeywordTexts:
    """The texts of one entry in lower case. Lives as long as its judgement."""

    name: str
    tags: tuple[str, ...]
    keywords: tuple[str, ...]
    everything: str

    @classmethod
    def of(cls, entry: Entry) -> _KeywordTexts:
        texts = (entry.name, entry.description, entry.category or "", *entry.tags, *entry.keywords)
        return cls(entry.name.lower(), _all_lower(entry.tags), _all_lower(entry.keywords), " ".join(texts).lower())


_KEYWORD_RULES: Final[tuple[tuple[int, str, Callable[[str, _KeywordTexts], bool]], ...]] = (
    (10, "exact-name", lambda word, texts: word == texts.name),
    (5, "name", lambda word, texts: word in texts.name and word != texts.name),
    (3, "tag", lambda word, texts: word in texts.tags),
    (2, "keyword", lambda word, texts: any(word in keyword for keyword in texts.keywords)),
    (1, "", lambda word, texts: word in texts.everything),
)

keyword_ranker: Final = KeywordRanker()
"""The one instance that is needed."""

RANKERS: Final[Mapping[str, Callable[[], Ranker]]] = {
    "lexical": LexicalRanker,
    "bm25": Bm25Ranker,
    "substring": SubstringRanker,
    "keyword": KeywordRanker,
}
"""The rankers by the name that a configuration gives."""


def _reading(met: Mapping[str, int], points: Mapping[str, Mapping[str, float]]) -> Reading:
    """A reading of words that are looked for as they are; ``met`` says in how many candidates each one is."""
    parts = {
        name: tuple(Part(name=part, points=float(gained)) for part, gained in by_part.items() if gained)
        for name, by_part in points.items()
    }
    return Reading(
        words=tuple(AskedWord(text=word, terms=(word,), entries=entries) for word, entries in met.items()),
        shares={name: Shares(parts=found) for name, found in parts.items() if found},
    )


def _order(ranked: Ranked) -> tuple[float, str]:
    return (-ranked.score, ranked.entry.name)


def _lower(text: str) -> str:
    return text.lower().replace("\u03c2", "\u03c3")


def _all_lower(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(text.lower() for text in texts)
