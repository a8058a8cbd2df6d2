"""Searching what a principal may discover: filter first, then rank, count and cut."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pegboard.errors import InvalidArgumentsError
from pegboard.limits import Limits
from pegboard.registry import AWAY, SourceStatus
from pegboard.threads import in_thread
from pegboard.view import View

if TYPE_CHECKING:
    from pegboard.search.rankers import Ranker
    from pegboard.search.ranking import Ranked

NEAREST: Final = 3
"""How many of those that were not likely enough are told of: enough to see where the search went."""
_NEAR: Final = 50  # of them are asked for their categories
_SAYS_NOTHING: Final = "no word of the query says what is needed"


@dataclass(frozen=True, kw_only=True)
class FindResult:
    """The answer to a search. Immutable.

    ``matches`` are the best, at most the limit; ``total`` counts all that matched. ``confidence`` says how likely one
    of the best is right, 0 to 1; None where the ranker does not tell. Where nothing fits, or the confidence is below
    the limit ``no_match_below``, there are no matches: ``unmatched`` then holds the words of the query that no visible
    tool knows, ``nearest`` the few best of what was not likely enough, ``categories`` the visible ones that come first
    there (where nothing does, the largest of all), and ``fruitless`` counts the searches of the board in a row that
    ended like this with all of the ranker. ``degraded`` says why only a part of it has searched, "" where all
    of it has; ``notes`` what was changed of the request.
    """

    matches: tuple[Ranked, ...] = ()
    total: int = 0
    confidence: float | None = None
    unmatched: tuple[str, ...] = ()
    nearest: tuple[Ranked, ...] = ()
    categories: tuple[str, ...] = ()
    fruitless: int = 0
    degraded: str = ""
    notes: tuple[str, ...] = ()


class Searches:
    """How many searches in a row found nothing. Lives as long as its board; other tools begin the count anew."""

    def __init__(self) -> None:
        self._fruitless = 0
        self._generation = -1

    def ended(self, found: FindResult, query: str, generation: int) -> int:
        """Count a search over one generation of the catalog; a blank query is none. Gives the count.

        One that found nothing with a part of the ranker alone proves nothing: it leaves the count as it is.
        """
        if generation != self._generation:
            self._fruitless, self._generation = 0, generation
        if found.matches:
            self._fruitless = 0
        elif query.strip() and not found.degraded:
            self._fruitless += 1
        return self._fruitless


def find(view: View, ranker: Ranker, query: str, limit: int | None, limits: Limits) -> FindResult:
    """Rank the visible tools. A blank query matches nothing; nor does one of which the ranker is not sure enough.

    Raises InvalidArgumentsError for a query that is no text, and for a limit that is not a whole number from 1; above
    the cap it is capped, and said.
    """
    _check_query(query)
    checked_limit(limit, limits)
    return answer(view, ranking(view, ranker, query, limits), query, limit, limits)


def answer(view: View, ranked: Sequence[Ranked], query: str, limit: int | None, limits: Limits) -> FindResult:
    """What ``find`` gives where the visible tools are ``ranked`` like this."""
    from pegboard.search.confidence import confidence_of, degraded_by

    count, notes = checked_limit(limit, limits)
    searched = searched_part(query, limits)
    if searched != query:
        notes += (f"only the first {len(searched)} of the query's {len(query)} characters were searched for",)
    confidence, degraded = confidence_of(ranked), degraded_by(ranked)
    found = FindResult(confidence=confidence, degraded=degraded, notes=notes)
    seen = _seen(view, ranked)
    if not seen or (confidence is not None and confidence < limits.no_match_below):
        return _no_match(view, searched, seen, found)
    return replace(found, matches=tuple(seen[:count]), total=len(seen))


async def find_beside(view: View, ranker: Ranker, query: str, limit: int | None, limits: Limits) -> FindResult:
    """The same from an event loop, which goes on meanwhile where the ranker may take long."""
    if not getattr(ranker, "may_wait", False):
        return find(view, ranker, query, limit, limits)
    checked_limit(limit, limits)
    _ = view.candidates  # made here, so that two searches at once do not both make them
    return await in_thread(lambda: find(view, ranker, query, limit, limits), name="pegboard-search")


def _no_match(view: View, query: str, ranked: Sequence[Ranked], found: FindResult) -> FindResult:
    """The answer that nothing fits, with what may help to ask again."""
    from pegboard.search import unmatched_terms
    from pegboard.search.confidence import nearest_categories
    from pegboard.search.text import only_asks

    if not query.strip():
        return found
    near = ranked[:_NEAR]
    return replace(
        found,
        unmatched=unmatched_terms(query, view.candidates),
        nearest=tuple(near[:NEAREST]),
        categories=nearest_categories((one.entry for one in near), view.candidates),
        notes=found.notes + ((_SAYS_NOTHING,) if only_asks(query) else ()),
    )


def _seen(view: View, ranked: Sequence[Ranked]) -> Sequence[Ranked]:
    """Those that are visible. Strangers write rankers: one that remembers its answers may give somebody else's."""
    from pegboard.search.ranking import Ranking

    if isinstance(ranked, Ranking) and ranked.pool is view.candidates:
        return ranked
    return [one for one in ranked if view.shows(one.entry)]


def ranking(view: View, ranker: Ranker, query: str, limits: Limits) -> Sequence[Ranked]:
    """Every visible tool that fits, best first; those whose exact name stands in the query before all others."""
    from pegboard.search import search

    return search(searched_part(query, limits), ranker, view.candidates)


def searched_part(query: str, limits: Limits) -> str:
    """The part of a query that is searched for: all of it, or whole words of at most ``query_chars`` characters.

    What somebody pastes is as long as they like, and every word of it costs time.
    """
    whole = query.strip()
    if len(whole) <= limits.query_chars:
        return query
    head = whole[: limits.query_chars]
    words = head.rsplit(maxsplit=1)
    broken = not whole[limits.query_chars].isspace() and len(words) > 1
    return words[0] if broken else head


def missing_notes(missing: Sequence[SourceStatus], *, named: bool) -> tuple[str, ...]:
    """What to say of sources whose tools could not be searched; without their names where those may be secret."""
    if not named:
        return (f"{len(missing)} of the sources are not ready: their tools were not searched",) if missing else ()
    return tuple(f"source {m.name!r} {AWAY[m.state]}: its {_brings(m)} were not searched" for m in missing)


def _brings(source: SourceStatus) -> str:
    return "skills" if source.kind == "skills" else "tools"


def _check_query(query: Any) -> None:
    if not isinstance(query, str):
        raise InvalidArgumentsError("find_tools", [f"query: wanted a text, got {type(query).__name__}"])


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
