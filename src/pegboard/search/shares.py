"""How a ranker read a query, and which part of a text brought how much of a score. Pure values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from pegboard.search.text import asks
from pegboard.tools import Entry


@dataclass(frozen=True, kw_only=True)
class AskedWord:
    """A word of a query. Immutable.

    ``terms`` are what it is looked for by, ``entries`` how many of the candidates have one of them. A word that none
    has was ``read_as`` these terms, which may stand for it. One that does not count is one of asking and of grammar,
    beside others that say more.
    """

    text: str
    terms: tuple[str, ...]
    entries: int
    counts: bool = True
    read_as: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The word as a JSON object."""
        told = {"word": self.text, "terms": list(self.terms), "entries": self.entries, "counts": self.counts}
        return told | ({"read_as": list(self.read_as)} if self.read_as else {})


@dataclass(frozen=True, kw_only=True)
class TermShare:
    """What one term brought through one field. Immutable.

    It stands there ``count`` times; ``idf`` says how rare it is among the candidates; ``points`` went into the score.
    One that the query does not have ``stands_for`` these terms that it has.
    """

    term: str
    field: str
    count: int
    idf: float
    points: float
    stands_for: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The share as a JSON object."""
        told = {"term": self.term, "field": self.field, "count": self.count}
        told |= {"idf": round(self.idf, 4), "points": round(self.points, 4)}
        return told | ({"stands_for": list(self.stands_for)} if self.stands_for else {})


@dataclass(frozen=True, kw_only=True)
class Part:
    """A summand of a score. Immutable. ``about`` says what it is for, where its name does not."""

    name: str
    points: float
    about: str = ""

    def to_json(self) -> dict[str, Any]:
        """The part as a JSON object."""
        return {"part": self.name, "points": round(self.points, 4)} | ({"about": self.about} if self.about else {})


@dataclass(frozen=True, kw_only=True)
class Shares:
    """A score in its parts: they add up to it. Immutable. ``terms`` say what the parts of the fields are made of."""

    parts: tuple[Part, ...]
    terms: tuple[TermShare, ...] = ()

    @property
    def score(self) -> float:
        """The sum of the parts."""
        return sum(part.points for part in self.parts)

    def to_json(self) -> dict[str, Any]:
        """The shares as a JSON object."""
        return {"parts": [part.to_json() for part in self.parts], "terms": [term.to_json() for term in self.terms]}


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a ranker read a query, and how it came to the scores that were asked for. Immutable.

    ``shares`` has the entries with a score above 0, by name.
    """

    words: tuple[AskedWord, ...]
    shares: Mapping[str, Shares] = field(default_factory=dict)

    @property
    def unmatched(self) -> tuple[str, ...]:
        """The words that say something and stand in no candidate."""
        return tuple(word.text for word in self.words if not word.entries and not asks(word.text))


@runtime_checkable
class Explains(Protocol):
    """What a ranker may have besides ``rank``. Process-wide, like the ranker."""

    def explain(self, query: str, candidates: Sequence[Entry], names: Collection[str]) -> Reading:
        """How it reads ``query``, and the shares of the candidates of these names. Nothing is computed for others."""
        ...
