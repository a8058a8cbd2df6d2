"""Entries and results of searches, as vectors write them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pegboard.search import Ranked
from pegboard.tools import EMPTY_SCHEMA, JsonObject


@dataclass(frozen=True)
class Entry:
    """Something to be ranked, under any name and beside others of the same name. Immutable."""

    name: str
    description: str = ""
    category: str | None = None
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    source: str = "vector"
    kind: str = "tool"
    input_schema: JsonObject = field(default_factory=lambda: EMPTY_SCHEMA, hash=False)

    @property
    def bare_name(self) -> str:
        """Vectors know no prefixes."""
        return self.name

    @classmethod
    def of(cls, told: dict[str, Any]) -> Entry:
        """The entry that a vector describes."""
        return cls(
            name=str(told["name"]),
            description=str(told.get("description") or ""),
            category=told.get("category"),
            tags=tuple(told.get("tags") or ()),
            keywords=tuple(told.get("keywords") or ()),
        )


def names(found: Iterable[Ranked]) -> list[str]:
    """The names of a ranking."""
    return [ranked.entry.name for ranked in found]


def scored(found: Iterable[Ranked]) -> list[dict[str, Any]]:
    """A ranking as ``{name, score, reason}``."""
    return [{"name": ranked.entry.name, "score": ranked.score, "reason": ranked.reason} for ranked in found]
