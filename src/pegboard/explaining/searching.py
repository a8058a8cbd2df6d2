"""What keeps a tool out of the answer to a query. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pegboard.explaining.facts import Facts, SearchFacts
from pegboard.explaining.values import Aspect, Finding, Place
from pegboard.search.exact import REASON

_FOUND: Final = (Aspect.FOUND,)


def place_of(facts: Facts) -> Place | None:
    """Where the search puts the tool; None where it finds it nowhere."""
    search = facts.search
    if search is None:
        return None
    for rank, match in enumerate(search.order, start=1):
        if match.entry is facts.entry:
            return Place(
                rank=rank,
                total=len(search.order),
                limit=search.limit,
                score=match.score,
                reason=match.reason,
                exact=match.reason == REASON,
            )
    return None


def of_the_search(facts: Facts) -> Iterator[Finding]:
    """What the query, the rank, the limit and the answer's budget do."""
    search = facts.search
    if search is None or not facts.visible or (facts.drift and facts.drift.held):
        return
    if not search.query.strip():
        message = (
            "The query is blank: find_tools answers it with the list of all tools, every other search with nothing."
        )
        yield Finding(what="blank_query", message=message, keeps_from=_FOUND, mend="Say what is needed.")
        return
    if search.searched != search.query:
        message = (
            f"Only the first {len(search.searched)} of the query's {len(search.query)} characters are searched for."
        )
        yield Finding(what="query_cut", message=message, mend="Ask more briefly, or raise query_chars in [limits].")
    place = place_of(facts)
    if place is None:
        yield _no_match(facts, search)
    elif not search.found.matches:
        yield _not_sure(facts, search, place)
    elif place.rank > len(search.found.matches):
        yield _below_limit(facts, search, place)
    elif place.rank > search.shown:
        yield _over_budget(facts, search, place)
    elif search.in_less_detail:
        message = "One answer of find_tools has no room for all of it: it is told in less detail."
        mend = "Ask for fewer results, or raise find_tokens in [limits]; get_tool tells the rest."
        yield Finding(what="shortened", message=message, mend=mend)


def _no_match(facts: Facts, search: SearchFacts) -> Finding:
    counting = [word for word in search.reading.words if word.counts] if search.reading else []
    said = [_told(word.text, word.entries) for word in counting]
    nothing = "; nothing else fits either" if not search.order else ""
    places = "description" if facts.skill else "description, tags or keywords"
    return Finding(
        what="no_match",
        message=f"No word of the query stands in it{nothing}{': ' + ', '.join(said) if said else ''}.",
        keeps_from=_FOUND,
        mend=f"Ask in words of its name or description, or add those of the query to its {places}.",
        data={"unmatched_terms": list(search.reading.unmatched) if search.reading else []},
    )


def _not_sure(facts: Facts, search: SearchFacts, place: Place) -> Finding:
    confidence, least = search.found.confidence or 0.0, facts.limits.no_match_below
    return Finding(
        what="not_sure",
        message=(
            f"It is number {place.rank} of {place.total}, but the answer is that nothing fits: that one of the best is "
            f"right is {confidence:.0%} likely, and {least:.0%} is the least that is shown."
        ),
        keeps_from=_FOUND,
        mend=(
            "Ask in words of its name or description, add those of the query to its description, tags or keywords, or "
            "lower no_match_below in [limits]."
        ),
        data={"confidence": round(confidence, 4)},
    )


def _told(word: str, entries: int) -> str:
    return f"{word!r} stands in {'no tool' if not entries else '1 tool' if entries == 1 else f'{entries} tools'}"


def _below_limit(facts: Facts, search: SearchFacts, place: Place) -> Finding:
    last = search.found.matches[-1]
    return Finding(
        what="below_limit",
        message=(
            f"It is number {place.rank} of {place.total} that fit, and the best {search.limit} are shown. Its score is "
            f"{place.score:.3f} ({place.reason}); the last one shown, {last.entry.name!r}, has {last.score:.3f}."
        ),
        keeps_from=_FOUND,
        mend=(
            f"Ask more narrowly, or for {place.rank} results."
            if place.rank <= facts.limits.search_cap
            else f"Ask more narrowly: no search gives more than {facts.limits.search_cap} results."
        ),
        data={"last_shown": {"name": last.entry.name, "score": round(last.score, 4), "reason": last.reason}},
    )


def _over_budget(facts: Facts, search: SearchFacts, place: Place) -> Finding:
    return Finding(
        what="over_budget",
        message=(
            f"It is number {place.rank}, and one answer of find_tools, of {facts.limits.find_tokens} tokens at most, "
            f"has room for {search.shown}."
        ),
        keeps_from=_FOUND,
        mend="Ask more narrowly or for fewer results, shorten descriptions, or raise find_tokens in [limits].",
    )
