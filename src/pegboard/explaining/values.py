"""What an explanation says: findings, and what they come to. Pure values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from pegboard.search.shares import Reading, Shares


class Aspect(StrEnum):
    """What a tool can be kept from. Seen: listed to the model. Found: among the answers of a search. Called."""

    SEEN = "seen"
    FOUND = "found"
    CALLED = "called"


EVERYTHING: Final = tuple(Aspect)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that stands in the way, or is good to know. Immutable.

    ``what`` is stable, for programs. ``keeps_from`` is empty where it only is good to know. ``mend`` says how to change
    it, ``data`` has the facts as JSON values.
    """

    what: str
    message: str
    keeps_from: tuple[Aspect, ...] = ()
    mend: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The finding as a JSON object."""
        told: dict[str, Any] = {"what": self.what, "keeps_from": [str(one) for one in self.keeps_from]}
        told |= {"message": self.message} | ({"mend": self.mend} if self.mend else {})
        return told | dict(self.data)


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a search puts a tool. Immutable. ``rank`` counts from 1, among ``total`` that fit; ``limit`` were wanted.

    ``exact`` says that its name stands in the query, so that it comes first whatever its ``score``.
    """

    rank: int
    total: int
    limit: int
    score: float
    reason: str
    exact: bool = False

    def to_json(self) -> dict[str, Any]:
        """The place as a JSON object."""
        told = {"rank": self.rank, "total": self.total, "limit": self.limit, "score": round(self.score, 4)}
        return told | {"reason": self.reason, "exact_name": self.exact}


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Why one tool is not seen, not found, or not called; or one skill not told of, found or read. Immutable.

    ``findings`` are in the order in which they stand in the way. ``place`` and ``reading`` are there where a query was
    asked about: None where the tool is in no place, or the ranker cannot tell.
    """

    name: str
    kind: str = "tool"
    findings: tuple[Finding, ...] = ()
    query: str | None = None
    place: Place | None = None
    reading: Reading | None = None

    def kept_from(self, aspect: Aspect) -> bool:
        """Whether anything keeps the tool from this."""
        return any(aspect in finding.keeps_from for finding in self.findings)

    @property
    def free(self) -> bool:
        """Whether nothing keeps the tool from being found and called; most are not listed from the start."""
        return not self.kept_from(Aspect.FOUND) and not self.kept_from(Aspect.CALLED)

    @property
    def shares(self) -> Shares | None:
        """The parts of the tool's score."""
        return self.reading.shares.get(self.name) if self.reading else None

    @property
    def verdicts(self) -> tuple[str, ...]:
        """What each aspect comes to, in a few words."""
        found = "can be found" if self.place is None else f"found at rank {self.place.rank} of {self.place.total}"
        called = "readable" if self.kind == "skill" else "callable"
        yes = {Aspect.SEEN: "seen from the start", Aspect.FOUND: found, Aspect.CALLED: called}
        no = {Aspect.SEEN: "not seen from the start", Aspect.FOUND: "not found", Aspect.CALLED: f"not {called}"}
        return tuple((no if self.kept_from(aspect) else yes)[aspect] for aspect in Aspect)

    def to_json(self) -> dict[str, Any]:
        """The explanation as a JSON object."""
        told: dict[str, Any] = {"name": self.name, "kind": self.kind} | {
            str(one): not self.kept_from(one) for one in Aspect
        }
        told["findings"] = [finding.to_json() for finding in self.findings]
        if self.query is not None:
            told |= {"query": self.query, "place": self.place.to_json() if self.place else None}
        if self.reading is not None:
            told["words"] = [word.to_json() for word in self.reading.words]
        return told | (self.shares.to_json() if self.shares else {})
