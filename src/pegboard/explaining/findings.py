"""What stands in the way of a tool, found from the facts. Pure: each check looks at one thing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from pegboard.explaining.facts import Facts
from pegboard.explaining.of_skills import first_is_hidden, not_readable, not_told
from pegboard.explaining.searching import of_the_search
from pegboard.explaining.values import EVERYTHING, Aspect, Finding
from pegboard.naming import SEPARATOR, legal_name
from pegboard.pins import PinState
from pegboard.registry import AWAY, SourceStatus
from pegboard.tiers import Need, need_of
from pegboard.tools import Approval, Visibility

Check = Callable[[Facts], Iterator[Finding]]

_SEEN: Final = (Aspect.SEEN,)
_CALLED: Final = (Aspect.CALLED,)


def findings(facts: Facts) -> tuple[Finding, ...]:
    """Everything that stands in the way, or is good to know, in the order in which it does."""
    checks = (
        _OF_A_TOOL if facts.tool else _OF_A_META_TOOL if facts.meta else _OF_A_SKILL if facts.skill else _OF_NO_TOOL
    )
    return tuple(finding for check in checks for finding in check(facts))


def meta_tool(facts: Facts) -> Iterator[Finding]:
    """The name is that of a meta-tool."""
    if not facts.meta_here:
        yield Finding(
            what="not_in_profile",
            message=f"{facts.name!r} is a meta-tool, and the profile {facts.profile!r} has none of this name.",
            keeps_from=EVERYTHING,
            mend=f"Add it to {facts.profile} under [profiles].",
        )
        return
    yield Finding(
        what="meta_tool",
        message=f"{facts.name!r} is a meta-tool: it is listed from the start, and in no search.",
        keeps_from=(Aspect.FOUND,),
        mend="Call it directly, by its own name.",
    )


def left_out(facts: Facts) -> Iterator[Finding]:
    """The configuration leaves its source out."""
    for source in facts.left_out:
        if _may_be_of(facts.name, source.prefix):
            yield Finding(
                what="source_left_out",
                message=f"Source {source.source!r}, which may have it, is left out. {source.reason}",
                keeps_from=EVERYTHING,
                mend=source.hint or "Mend the entry in the configuration, or enable it.",
                data={"source": source.source},
            )


def excluded(facts: Facts) -> Iterator[Finding]:
    """Its source has it, and the configuration does not take it in."""
    for source in facts.sources:
        for own_name, reason in source.excluded.items():
            if facts.name in (own_name, legal_name(own_name, source.prefix)):
                yield Finding(
                    what="excluded",
                    message=f"Source {source.name!r} has it, but {reason}.",
                    keeps_from=EVERYTHING,
                    mend=f"Change {_CHOOSING.get(source.kind, _OWN_CHOICE).format(source.name)}.",
                    data={"source": source.name},
                )


def set_aside(facts: Facts) -> Iterator[Finding]:
    """It was offered, and could not be taken."""
    prefixes = {source.name: source.prefix for source in facts.sources}
    for problem in facts.set_aside:
        prefix = prefixes.get(problem.source, "")
        if facts.name in (problem.name, legal_name(problem.name, prefix)) or problem.name == legal_name(
            facts.name, prefix
        ):
            yield Finding(
                what="set_aside",
                message=f"It was set aside when source {problem.source!r} brought it: {problem.reason}",
                keeps_from=EVERYTHING,
                mend=problem.mend,
                data={"source": problem.source},
            )


def source_lacks_tools(facts: Facts) -> Iterator[Finding]:
    """A source that may have it has not brought any tools yet."""
    for source in facts.sources:
        if source.state in AWAY and not source.tools and _may_be_of(facts.name, source.prefix):
            yield Finding(
                what=f"source_{source.state}",
                message=f"Source {source.name!r}, which may have it, {_state(source)}",
                keeps_from=EVERYTHING,
                mend=_MENDING[source.state],
                data={"source": source.name},
            )


def unknown(facts: Facts) -> Iterator[Finding]:
    """There is no such name, as far as anybody knows."""
    if any(next(check(facts), None) for check in (excluded, set_aside)):
        return
    close = _names_meant(facts)
    yield Finding(
        what="no_such_tool",
        message=f"No tool is named {facts.name!r}.",
        keeps_from=EVERYTHING,
        mend=f"Did you mean {', '.join(close)}?" if close else "See all names with: pegboard list",
        data={"near": close},
    )


def degraded(facts: Facts) -> Iterator[Finding]:
    """Something that it requires is not there."""
    tool = facts.tool
    if tool and tool.requires and tool.degraded_description == tool.description:
        yield Finding(
            what="degraded",
            message="Its requirement does not hold, so it is shown with its degraded description.",
            mend="Provide what it requires, then start again.",
        )


def not_in_slice(facts: Facts) -> Iterator[Finding]:
    """The board was opened for other tools."""
    if not facts.in_slice:
        yield Finding(
            what="not_allowed",
            message=f"The board was opened for other {_kind(facts)}s: it is not among its allowed ones.",
            keeps_from=EVERYTHING,
            mend=f"Open the board with its name in {'skills' if facts.skill else 'allowed'}.",
        )


def hidden(facts: Facts) -> Iterator[Finding]:
    """The policy denies to discover it."""
    if facts.visible or not facts.in_slice or facts.discover is None:
        return
    reason = facts.discover.reason
    if facts.discover.allowed:
        reason = "decide allows it, and permitted leaves it out: the two contradict each other"
    yield Finding(
        what="hidden",
        message=f"The policy does not let this principal discover it: {reason}.",
        keeps_from=EVERYTHING,
        mend="Allow discover in a rule, and let none deny it.",
        data={"reason": reason},
    )


def source_away(facts: Facts) -> Iterator[Finding]:
    """Its source brought it, and is not there now."""
    source = facts.source
    if source and source.state in AWAY:
        away = source.state in ("failed", "stopped")
        yield Finding(
            what=f"source_{source.state}",
            message=f"Its source {source.name!r} {_state(source)}",
            keeps_from=_CALLED if away else (),
            mend="A call tries to start it again." if away else "The first call starts it, or waits for it.",
            data={"source": source.name},
        )


def not_invocable(facts: Facts) -> Iterator[Finding]:
    """The policy denies to call it."""
    if facts.visible and facts.invoke and not facts.invoke.allowed:
        yield Finding(
            what="not_invocable",
            message=f"The policy does not let this principal call it: {facts.invoke.reason}.",
            keeps_from=_CALLED,
            mend="Allow invoke in a rule, and let none deny it.",
            data={"reason": facts.invoke.reason},
        )


def needs_approval(facts: Facts) -> Iterator[Finding]:
    """Somebody has to agree to a call."""
    if not facts.tool or not facts.visible or not facts.invoke or not facts.invoke.allowed:
        return
    unasked, varies = facts.invoke.approves, callable(facts.tool.approval)
    need = Need(Approval.EXEC) if varies else need_of(facts.tool, None)
    tier = need.tier
    if tier.rank <= unasked.rank and not need.override:
        return
    said = "depends on the arguments" if varies else f"is {tier}" if facts.tool.approval else f"counts as {tier}"
    asked = "somebody is asked first" if facts.can_ask else "nobody can be asked here"
    yield Finding(
        what="needs_approval",
        message=f"It wants every call approved: {asked}."
        if need.override
        else f"Its approval tier {said}. Up to {unasked} a call passes unasked; for more, {asked}.",
        keeps_from=() if facts.can_ask or varies else _CALLED,
        mend="Raise approves in the rule that allows it, or declare a lower tier for the tool.",
        data={"tier": None if varies else str(tier), "approves": str(unasked)},
    )


def hindered(facts: Facts) -> Iterator[Finding]:
    """Its source knows what every call would fail at."""
    for one in facts.hindrances:
        yield Finding(what=one.what, message=one.message, keeps_from=_CALLED, mend=one.mend, data=one.data)


def drifted(facts: Facts) -> Iterator[Finding]:
    """Its definition is no longer the one that the board has shown."""
    if facts.drift is None:
        return
    yield Finding(
        what="quarantined" if facts.drift.held else "drifted",
        message=str(facts.drift),
        keeps_from=(Aspect.FOUND, Aspect.CALLED) if facts.drift.held else (),
        mend="Look at the new definition, then accept it."
        if facts.drift.held
        else "The new one is shown from the next boundary on.",
        data={"digest": facts.drift.digest},
    )


def pinned(facts: Facts) -> Iterator[Finding]:
    """Where the board has it, and whether it is listed."""
    tool = facts.tool
    if tool is None or not facts.visible:
        return
    if facts.pin in _OF_PINS:
        yield _OF_PINS[facts.pin]
    elif not facts.listed:
        yield from _not_listed(facts, tool.visibility_on(facts.surface))


def _not_listed(facts: Facts, visibility: Visibility) -> Iterator[Finding]:
    if visibility is Visibility.ALWAYS:
        message, mend = "It has come since the board's last boundary.", "It is listed from the next boundary on."
        yield Finding(what="not_yet_listed", message=message, keeps_from=_SEEN, mend=mend)
        return
    yield Finding(
        what="on_demand",
        message=f"It is on demand on the surface {facts.surface!r}, so it is not listed until it is loaded.",
        keeps_from=_SEEN,
        mend='Find it and call it with call_tool, load it, or set its visibility to "always".',
    )


def gone(facts: Facts) -> Iterator[Finding]:
    """The board has pinned it, and no source brings it any more."""
    if facts.pin is PinState.GONE:
        yield Finding(
            what="gone",
            message="It is pinned on this board, but its source no longer offers it.",
            keeps_from=_CALLED,
            mend="It is back when its source offers it again.",
        )


_OF_A_TOOL: Final[tuple[Check, ...]] = (
    not_in_slice,
    hidden,
    degraded,
    source_away,
    not_invocable,
    needs_approval,
    hindered,
    drifted,
    pinned,
    of_the_search,
)
_OF_A_SKILL: Final[tuple[Check, ...]] = (not_in_slice, hidden, first_is_hidden, not_readable, not_told, of_the_search)
_OF_NO_TOOL: Final[tuple[Check, ...]] = (gone, left_out, excluded, set_aside, source_lacks_tools, unknown)
_OF_A_META_TOOL: Final[tuple[Check, ...]] = (meta_tool,)

_TOMBSTONED: Final = Finding(
    what="tombstoned",
    message="It was unloaded on this board: its definition keeps its place, and calls by its name are refused.",
    keeps_from=_CALLED,
    mend="Load it again; call_tool reaches it all the same.",
)
_OF_PINS: Final[Mapping[PinState, Finding]] = {
    PinState.QUEUED: Finding(
        what="queued", message="It is pinned, and listed from the next boundary on.", keeps_from=_SEEN
    ),
    PinState.TOMBSTONED: _TOMBSTONED,
    PinState.RETURNING: _TOMBSTONED,
}
"""What is to be said of a tool that stands so on the board."""

_OWN_CHOICE: Final = "what the source {!r} takes in"

_CHOOSING: Final[Mapping[str, str]] = {
    "mcp": "include or exclude of [upstreams.{}]",
    "http": "include or exclude of the entry in [[http_tools]] for {}",
    "openapi": "tags, methods, paths, operations, include or exclude of the entry in [[openapi]] for {}",
}
"""What in the configuration chooses among the tools of a source, by its kind."""

_MENDING: Final[Mapping[str, str]] = {
    "idle": "It starts when it is needed; see: pegboard status",
    "starting": "Wait longer (--wait), or see what it waits for: pegboard status",
    "failed": "Mend what its reason says; see: pegboard status",
    "stopped": "Start it.",
}


def _kind(facts: Facts) -> str:
    return facts.entry.kind if facts.entry else "tool"


def _state(source: SourceStatus) -> str:
    return f"{AWAY[source.state]}{f': {source.reason}' if source.reason else '.'}"


def _may_be_of(name: str, prefix: str) -> bool:
    """Whether a source with this prefix could have a tool of this name, or one that it calls so itself."""
    return not prefix or name.startswith(prefix + SEPARATOR) or SEPARATOR not in name


def _names_meant(facts: Facts) -> list[str]:
    """The names that this one was most likely meant to be: those that their sources call so, then those close by."""
    from difflib import get_close_matches

    wanted = _letters(facts.name)
    same = [
        tool.name
        for tool in facts.names.values()
        if wanted in (_letters(tool.bare_name), _letters(tool.name), _letters(tool.source + tool.bare_name))
    ]
    return list(dict.fromkeys(same + get_close_matches(facts.name, facts.names, n=3)))[:3]


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())
