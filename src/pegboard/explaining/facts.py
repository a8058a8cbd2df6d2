"""What an explanation is made of: everything known of one name, looked up and asked for. The policy is asked here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pegboard.auth import Action, Decision
from pegboard.board import Board
from pegboard.board_tools import ALL_NAMES
from pegboard.budget import within_budget
from pegboard.detail import Detail
from pegboard.drift import Drift
from pegboard.finding import FindResult, answer, checked_limit, ranking, searched_part
from pegboard.hindrances import Hinders, Hindrance
from pegboard.limits import Limits
from pegboard.peg import Pegboard
from pegboard.pins import PinState
from pegboard.registry import Problem, SourceStatus
from pegboard.rights import decide
from pegboard.search import Explains, Ranked, Reading
from pegboard.skill_source import SkillEntry, Skills
from pegboard.tools import Entry, Tool
from pegboard.view import View


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A source that a configuration names and leaves out. Immutable. ``prefix`` is that of its tools' names."""

    source: str
    prefix: str
    reason: str
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class SearchFacts:
    """One search, and what became of one tool in it. Immutable.

    ``searched`` is the part of ``query`` that was searched for, ``order`` all that fits, best first. ``shown`` says how
    many of ``found`` one answer of the finding tool has room for, ``in_less_detail`` that it tells less of this tool.
    """

    query: str
    searched: str
    limit: int
    order: tuple[Ranked, ...]
    found: FindResult
    shown: int
    in_less_detail: bool
    reading: Reading | None


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Everything known of one name on one board. Immutable.

    ``tool`` is that of the catalog, hidden or not, ``skill`` likewise where there is no such tool: of several that have
    the name the first that may be discovered, else the first, ``before`` being the first where it is another;
    ``discover`` and ``invoke`` are what the policy decides about it, None without a principal. ``drift`` is how its
    definition differs from what the board has shown, if it does, and ``listed`` says whether the board's listing shows
    the name, or its prompt that of a skill; ``hindrances`` are what its source knows to be in the way of every call.
    """

    name: str
    tool: Tool | None
    skill: SkillEntry | None
    before: SkillEntry | None
    names: Mapping[str, Entry]
    meta: bool
    meta_here: bool
    gives_skills: bool
    set_aside: tuple[Problem, ...]
    sources: tuple[SourceStatus, ...]
    left_out: tuple[LeftOut, ...]
    in_slice: bool
    visible: bool
    drift: Drift | None
    discover: Decision | None
    invoke: Decision | None
    can_ask: bool
    pin: PinState
    listed: bool
    hindrances: tuple[Hindrance, ...]
    profile: str
    surface: str
    limits: Limits = field(default_factory=Limits)
    search: SearchFacts | None = None

    @property
    def entry(self) -> Entry | None:
        """The tool, or the skill; None where there is neither."""
        return self.tool or self.skill

    @property
    def source(self) -> SourceStatus | None:
        """The source of the tool or skill; None where it has none that can fail."""
        wanted = self.entry.source if self.entry else None
        return next((source for source in self.sources if source.name == wanted), None)


async def facts_of(
    peg: Pegboard, board: Board, name: str, query: str | None, limit: int | None, left_out: Iterable[LeftOut]
) -> Facts:
    """Look everything up. Raises InvalidArgumentsError for a limit that is not a whole number from 1."""
    view = await board.view()
    tool = peg.catalog.get(name)
    skill = None if tool or name in ALL_NAMES else view.skills.get(name) or peg.skills.get(name)
    name = skill.name if skill else name
    first = peg.skills.get(name) if skill else None
    entry = tool or skill
    return Facts(
        name=name,
        tool=tool,
        skill=skill,
        before=None if first is skill else first,
        names={one.name: one for one in (*peg.skills, *peg.catalog.all())},
        meta=tool is None and name in ALL_NAMES,
        meta_here=name in board.meta_names,
        gives_skills=board.skills.given,
        set_aside=peg.catalog.problems,
        sources=tuple(source.status() for source in peg.sources),
        left_out=tuple(left_out),
        in_slice=bool(board.skills.choice.of(Skills([skill]))) if skill else _allowed(board, name),
        visible=(view.skills.get(name) if skill else view.seen(name)) is not None,
        drift=next((drift for drift in await board.drifted() if drift.name == name), None),
        discover=await _decided(peg, board, Action.DISCOVER, entry),
        invoke=await _decided(peg, board, Action.INVOKE, tool),
        can_ask=peg.dispatcher.approver is not None,
        pin=board.pin_state(name),
        listed=_is_told(board, view, name) if skill else name in board.listing().names,
        hindrances=await _hindrances(peg, board, tool),
        profile=board.profile,
        surface=board.surface,
        limits=peg.limits,
        search=None if query is None else await _searched(peg, board, view, name, entry, query, limit),
    )


def _allowed(board: Board, name: str) -> bool:
    return board.allowed is None or name in board.allowed


def _is_told(board: Board, view: View, skill: str) -> bool:
    """Whether the model knows a skill from the start: by the prompt, or because the board begins with it."""
    told = board.skills.prompt_in(view).names
    return skill in told or skill in board.skills.choice.begun_with(view.skills).names


async def _decided(peg: Pegboard, board: Board, action: Action, entry: Entry | None) -> Decision | None:
    if board.principal is None or entry is None:
        return None
    return await decide(peg.policy, board.principal, action, entry)


async def _hindrances(peg: Pegboard, board: Board, tool: Tool | None) -> tuple[Hindrance, ...]:
    if tool is None:
        return ()
    source: object = next((one for one in peg.sources if one.name == tool.source), None)
    return tuple(await source.hindrances(tool, board.context_values)) if isinstance(source, Hinders) else ()


async def _searched(
    peg: Pegboard, board: Board, view: View, name: str, entry: Entry | None, query: str, limit: int | None
) -> SearchFacts:
    view = board.skills.searched(view)
    ranker = await peg.ranker_for(board.principal)
    order = ranking(view, ranker, query, peg.limits)
    found = answer(view, order, query, limit, peg.limits)
    told = within_budget(found.matches, Detail.DETAILED, peg.limits.find_tokens)
    place = next((place for place, match in enumerate(found.matches) if match.entry is entry), None)
    shown_item = told.items[place] if place is not None and place < len(told.items) else None
    searched = searched_part(query, peg.limits)
    reading = ranker.explain(searched, view.candidates, [name]) if isinstance(ranker, Explains) else None
    return SearchFacts(
        query=query,
        searched=searched,
        limit=checked_limit(limit, peg.limits)[0],
        order=tuple(order),
        found=found,
        shown=len(told.items),
        in_less_detail=shown_item is not None and entry is not None and _is_shortened(shown_item, entry),
        reading=reading,
    )


def _is_shortened(item: Mapping[str, Any], entry: Entry) -> bool:
    return bool(item["description"] != entry.description) if entry.kind == "skill" else "parameters" not in item
