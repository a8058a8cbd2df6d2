"""Searching what a principal may discover: filter first, then rank, count and cut."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pegboard.catalog import Catalog
from pegboard.errors import InvalidArgumentsError
from pegboard.limits import Limits
from pegboard.registry import SourceStatus
from pegboard.tools import Tool

if TYPE_CHECKING:
    from pegboard.search.index import Candidates
    from pegboard.search.rankers import Ranked, Ranker


@dataclass(frozen=True)
class View:
    """What one principal may discover of one catalog. Immutable; lives as long as one request.

    ``names`` is None when it is the whole catalog. ``hidden`` are the catalog's names outside it.
    """

    catalog: Catalog
    names: frozenset[str] | None = None

    def get(self, name: str) -> Tool | None:
        """The tool of this name; None when it is missing or hidden."""
        return self.catalog.get(name) if self.names is None or name in self.names else None

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The visible tools, in catalog order."""
        if self.names is None:
            return self.catalog.all()
        return tuple(tool for tool in self.catalog.all() if tool.name in self.names)

    @property
    def hidden(self) -> frozenset[str]:
        """The names that must not show anywhere."""
        if self.names is None:
            return frozenset()
        return frozenset(tool.name for tool in self.catalog.all()) - self.names

    @property
    def candidates(self) -> Candidates:
        """The visible tools as search candidates."""
        return self.catalog.candidates if self.names is None else self.catalog.slice(self.names)


@dataclass(frozen=True, kw_only=True)
class FindResult:
    """The answer to a search. Immutable.

    ``matches`` are the best, at most the limit; ``total`` counts all that matched. With none, ``unmatched`` holds the
    words of the query that no visible tool knows. ``notes`` say what was changed of the request.
    """

    matches: tuple[Ranked, ...] = ()
    total: int = 0
    unmatched: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def find(view: View, ranker: Ranker, query: str, limit: int | None, limits: Limits) -> FindResult:
    """Rank the visible tools. A blank query matches nothing.

    Raises InvalidArgumentsError for a limit that is not a whole number from 1; above the cap it is capped, and said.
    """
    from pegboard.search import exact_first, unmatched_terms

    count, notes = checked_limit(limit, limits)
    if not query.strip():
        return FindResult(notes=notes)
    pool = view.candidates
    ranked = exact_first(query, ranker.rank(query, pool), pool)
    unmatched = () if ranked else tuple(unmatched_terms(query, pool))
    return FindResult(matches=tuple(ranked[:count]), total=len(ranked), unmatched=unmatched, notes=notes)


def missing_notes(missing: Sequence[SourceStatus], *, named: bool) -> tuple[str, ...]:
    """What to say of sources whose tools could not be searched; without their names where those may be secret."""
    if not named:
        return (f"{len(missing)} of the sources are not ready: their tools were not searched",) if missing else ()
    words = {"idle": "has not been started", "starting": "is still starting", "failed": "failed"}
    return tuple(f"source {m.name!r} {words.get(m.state, m.state)}: its tools were not searched" for m in missing)


def checked_limit(limit: Any, limits: Limits) -> tuple[int, tuple[str, ...]]:
    """(the limit in force, what to say about it). None means the default."""
    if limit is None:
        return limits.search, ()
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        shown = json.dumps(limit, default=str)[:40]
        raise InvalidArgumentsError("find_tools", [f"limit: wanted a whole number from 1, got {shown}"])
    if limit > limits.search_cap:
        return limits.search_cap, (f"limit {limit} was capped at {limits.search_cap}",)
    return limit, ()
