"""Rankers without an index: they look for the words of a query, as they are, in the texts of every candidate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pegboard.search.ranking import Ranked
from pegboard.search.shares import AskedWord, Part, Reading, Shares
from pegboard.tools import Entry


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
