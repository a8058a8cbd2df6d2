"""What a caller may not see leaves no trace: two worlds that differ in hidden tools alone answer alike, byte for byte.

A session is drawn from a seed: tools, rights, and what is asked. It runs twice, once among hidden tools, once without
them or with others in their place. What is told to operators (status, receipts, the log) is not compared. Nor are names
that two sources share: which of them has the name is decided when they are registered, for everybody alike.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from pegboard import (
    Context,
    Halt,
    Limits,
    Pegboard,
    PegboardError,
    Policy,
    Rule,
    RulePolicy,
    Tool,
    ToolRegistry,
    ToolResult,
)
from pegboard.board import Board
from pegboard.naming import MAX_NAME, legal_name
from pegboard.registry import SourceState, SourceStatus
from pegboard.search import RANKERS, Ranker
from pegboard.search.hybrid import HybridRanker
from pegboard.tools import Approval
from tests.search.encoders import Hashed
from tests.support import ALICE, Rules, make

pytestmark = pytest.mark.anyio

SESSIONS: Final = 1_000
WORKERS: Final = 8
"""The sessions are dealt out to so many tests, which may run side by side."""

WORDS: Final = ("refund", "order", "file", "read", "city", "weather", "issue", "mail", "create", "list", "user", "the")
ALL_RANKERS: Final[dict[str, Callable[[], Ranker]]] = {
    **RANKERS,
    "hybrid": lambda: HybridRanker(Hashed(), patience=60),
}
SOURCES: Final = ("shop", "git hub", "notes")
TEXTS: Final = ("", " ", "zeppelin", "résumé", "注文", "'; --", "*", "a" * 300)


async def nest(arguments: dict[str, Any], context: Context) -> Any:
    """Call what it is told to, from inside a call."""
    outcome = await context.call(arguments["name"], arguments.get("arguments"))
    return outcome.to_wire()


NEST: Final = make(
    "nest",
    nest.__doc__ or "",
    handler=nest,
    source="shop",
    approval=Approval.READ,
    input_schema={"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
)


@dataclass(frozen=True)
class Plan:
    """Everything about a session that the two worlds share, and the tools that each of them has."""

    seed: int
    visible: tuple[Tool, ...]
    hidden: tuple[tuple[Tool, ...], tuple[Tool, ...]]
    uncallable: frozenset[str]
    by_allowed: bool
    states: dict[str, SourceState]
    ranker: str
    on_drift: Any
    limits: Limits
    profile: str
    refused: str | None
    names: tuple[str, ...]

    @property
    def hidden_names(self) -> frozenset[str]:
        return frozenset(tool.name for tools in self.hidden for tool in tools)


class Draw:
    """Draws a plan, or what is asked in a session, from one seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def words(self, least: int, most: int) -> list[str]:
        return [self.rng.choice(WORDS) for _ in range(self.rng.randint(least, most))]

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def bare(self) -> str:
        """A name as a source gives it; some are too long to be shown, and alike for all that would be."""
        name = "_".join(self.words(1, 3))
        return f"{name}.{'x' * MAX_NAME}{self.rng.randint(0, 3)}" if self.chance(0.15) else name

    def tool(self, bare: str, source: str, related: Sequence[str] = ()) -> Tool:
        rng = self.rng
        parameters = {word: {"type": "string", "description": rng.choice(WORDS)} for word in self.words(0, 2)}
        return make(
            legal_name(bare, source),
            " ".join(self.words(0, 6)).capitalize(),
            bare_name=bare,
            source=source,
            always=self.chance(0.2),
            category=rng.choice([None, *WORDS[:3]]),
            tags=tuple(self.words(0, 2)),
            keywords=tuple(self.words(0, 2)),
            related_to=tuple(related[:1]) if self.chance(0.2) else (),
            hints={"mcp": {"visibility": "always"}} if self.chance(0.1) else {},
            approval=rng.choice([None, *Approval]),
            input_schema={"type": "object", "properties": parameters, "required": [*parameters][:1]},
        )

    def tools(self, count: int, taken: Iterable[str], related: Sequence[str] = ()) -> list[Tool]:
        found: dict[str, Tool] = {}
        while len(found) < count:
            tool = self.tool(self.bare(), self.rng.choice(SOURCES), related)
            if tool.name not in taken:
                found.setdefault(tool.name, tool)
        return list(found.values())

    def plan(self, seed: int) -> Plan:
        rng = self.rng
        one = self.tools(rng.randint(1, 4), ())
        # The other world: fewer of them, or others of the same names, or both.
        other = [self.tool(tool.bare_name, tool.source) for tool in one if self.chance(0.4)]
        hidden = {tool.name for tool in (*one, *other)}
        visible = self.tools(rng.randint(0, 8), hidden, sorted(hidden))
        visible.append(NEST)
        near = [name[:-1] or "x" for name in hidden] + [f"{name}s" for name in hidden if len(name) < MAX_NAME]
        return Plan(
            seed=seed,
            visible=tuple(visible),
            hidden=(tuple(one), tuple(other)),
            uncallable=frozenset(tool.name for tool in visible if self.chance(0.1)),
            by_allowed=self.chance(0.25),
            states={name: rng.choice(["ready", "ready", "starting", "failed"]) for name in SOURCES},
            ranker=rng.choice([*ALL_RANKERS]),
            on_drift=rng.choice(["accept", "quarantine"]),
            limits=Limits(
                page=rng.choice([1, 3, 50]), find_tokens=rng.choice([60, 400]), compact_tokens=30, load_best=2
            ),
            profile=rng.choice(["python", "python", "session", "modern"]),
            refused=rng.choice([None, *SOURCES]),
            names=tuple(sorted({*hidden, *near, "no_such_tool", "find_tools", "", *(t.name for t in visible)})),
        )


class Source:
    """A source in some state, with what it has brought so far."""

    def __init__(self, name: str, state: SourceState) -> None:
        self.name = name
        self.registry = ToolRegistry(name)
        self.state: SourceState = state

    async def start(self) -> None:
        return None

    async def ready(self) -> None:
        return None

    async def stop(self) -> None:
        return None

    def status(self) -> SourceStatus:
        return SourceStatus(name=self.name, kind="test", state=self.state, tools=len(self.registry.tools()))


@dataclass
class World:
    """One of the two: its sources, and the board that is asked."""

    plan: Plan
    hidden: tuple[Tool, ...]
    sources: dict[str, Source] = field(default_factory=dict)

    async def begin(self) -> None:
        plan = self.plan
        self.sources = {name: Source(name, state) for name, state in plan.states.items()}
        shuffled = random.Random(plan.seed).sample([*plan.visible, *self.hidden], len(plan.visible) + len(self.hidden))
        # Visible tools are registered in one order in both worlds, hidden ones anywhere among them.
        order = iter(plan.visible)
        for tool in shuffled:
            placed = tool if tool.name in plan.hidden_names else next(order)
            self.sources[placed.source].registry.register(placed)
        self.peg = Pegboard(
            sources=self.sources.values(),
            policy=None if plan.by_allowed else self.policy(),
            ranker=ALL_RANKERS[plan.ranker](),
            limits=plan.limits,
            on_drift=plan.on_drift,
        )
        self.ids: list[str] = []
        self.board = await self.open(None)

    def policy(self) -> Policy:
        """Some rules that hide what is hidden: a test's own, or those of a configuration."""
        plan = self.plan
        hidden, uncallable = sorted(plan.hidden_names), sorted(plan.uncallable)
        if plan.refused is None:
            return Rules(hidden=hidden, uncallable=uncallable)
        everybody = ("*",)
        return RulePolicy(
            [
                Rule(principals=everybody, names=("*",), allow=("discover", "invoke"), approves="read"),
                Rule(principals=everybody, names=tuple(hidden), deny=("discover",)),
                Rule(principals=everybody, sources=(plan.refused,), deny=("invoke",)),
            ]
        )

    async def open(self, board_id: str | None) -> Board:
        plan = self.plan
        allowed = [name for name in plan.names if name not in plan.hidden_names] if plan.by_allowed else None
        principal = None if plan.by_allowed else ALICE
        board = await self.peg.open(principal, board_id, surface="mcp", allowed=allowed, profile=plan.profile)
        self.ids.append(board.id)
        return board


Step = Callable[[World], Any]


def steps(draw: Draw, plan: Plan) -> list[tuple[str, Step]]:
    """What is asked in a session: each step with its name."""
    rng = draw.rng
    menu = [
        *(meta(name, arguments) for name in ("find_tools", "list_tools", "tool_search") for arguments in _asked(draw)),
        *(meta(name, {"name": rng.choice(plan.names)}) for name in (*NAMED, *NAMED)),
        *(direct(rng.choice(plan.names), _arguments(draw, plan)) for _ in range(4)),
        *(meta("call_tool", _arguments(draw, plan) | {"name": rng.choice(plan.names)}) for _ in range(3)),
        *(direct("nest", {"name": rng.choice(plan.names), "arguments": {}}) for _ in range(3)),
        direct("nest", {"name": "call_tool", "arguments": {"name": rng.choice(plan.names)}}),
        direct("call_tool", {"name": "nest", "arguments": {"name": rng.choice(plan.names)}}),
        *(of_board(what, rng.choice(plan.names), " ".join(draw.words(1, 3))) for what in BOARD_STEPS),
        change_hidden(rng.randint(0, 3)),
        ("open again", again),
        ("all pages", all_pages),
    ]
    return [rng.choice(menu) for _ in range(rng.randint(8, 16))]


NAMED: Final = ("get_tool", "explain_tool", "load_tool", "unload_tool")


def _asked(draw: Draw) -> list[dict[str, Any]]:
    """Arguments for what searches and lists, odd ones too."""
    rng, queries = draw.rng, []
    for _ in range(3):
        hidden_words = " ".join(draw.words(1, 4))
        query = rng.choice([hidden_words, hidden_words, rng.choice(TEXTS)])
        odd: dict[str, list[Any]] = {
            "limit": [None, 1, 2, 0, -1, 2.5, "3", True, 10**9],
            "detail": [None, "brief", "detailed", "full", "all"],
            "cursor": [None, "", "x", "YWZ0ZXI6b3JkZXI", "YWZ0ZXI6c2hvcF9fbQ"],
            "category": [None, *WORDS[:3]],
            "tag": [None, *WORDS[:4]],
            "visibility": [None, "always", "on-demand", "hidden"],
        }
        chosen = {key: rng.choice(values) for key, values in odd.items() if draw.chance(0.25)}
        queries.append({"query": query} | chosen)
    return queries


def _arguments(draw: Draw, plan: Plan) -> dict[str, Any]:
    rng = draw.rng
    return rng.choice(
        [
            {},
            {"arguments": {rng.choice(WORDS): "x"}},
            {"arguments": json.dumps({rng.choice(WORDS): rng.choice(plan.names)})},
            {rng.choice(WORDS): 1},
            {"arguments": {"arguments": {rng.choice(WORDS): "x"}}},
            {"arguments": []},
        ]
    )


FITTING: Final = {
    "find_tools": {"query", "limit", "detail", "cursor"},
    "list_tools": {"category", "tag", "visibility", "cursor"},
    "tool_search": {"query"},
}


def meta(name: str, arguments: dict[str, Any]) -> tuple[str, Step]:
    """A call of a meta-tool. A name in place of a query's word makes a search for exactly that name."""
    fitting = {key: value for key, value in arguments.items() if key in FITTING.get(name, arguments)}
    return direct(name, fitting)


def direct(name: str, arguments: dict[str, Any]) -> tuple[str, Step]:
    async def step(world: World) -> str:
        outcome = await world.board.call(name, arguments, call_id="call")
        assert isinstance(outcome, ToolResult | Halt)
        return json.dumps(outcome.to_wire())

    return f"call {name} {arguments}", step


def change_hidden(number: int) -> tuple[str, Step]:
    """Something happens among the hidden tools: one comes or goes. Nothing of it may be seen."""

    def step(world: World) -> None:
        if world.hidden:
            tool = world.hidden[number % len(world.hidden)]
            registry = world.sources[tool.source].registry
            if not registry.unregister(tool.name):
                registry.register(tool)

    return "hidden tools change", step


async def all_pages(world: World) -> str:
    pages: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = await world.board.call("list_tools", {"cursor": cursor})
        assert isinstance(page, ToolResult)
        pages.append(page.text)
        cursor = None if page.is_error else page.structured.get("cursor")
    return repr(pages)


async def again(world: World) -> str:
    await world.board.commit()
    world.board = await world.open(world.board.id)
    return str(world.board.listing().bytes)


async def missing(board: Board) -> tuple[str, ...]:
    return board.missing_notes(await board.view())


BOARD_STEPS: Final[dict[str, Callable[[Board, str, str], Any]]] = {
    "pin": lambda board, name, text: board.pin(name),
    "unpin": lambda board, name, text: board.unpin(name),
    "pending": lambda board, name, text: board.pending,
    "state": lambda board, name, text: board.pin_state(name),
    "commit": lambda board, name, text: board.commit(),
    "compact": lambda board, name, text: board.compact(),
    "boundary": lambda board, name, text: board.boundary(),
    "stale": lambda board, name, text: board.stale(),
    "listing": lambda board, name, text: board.listing().bytes,
    "standing": lambda board, name, text: board.standing_listing(),
    "active": lambda board, name, text: [tool.name for tool in board.active_set()],
    "prompt": lambda board, name, text: board.prompt(),
    "recommend": lambda board, name, text: board.recommend(text),
    "recommend a name": lambda board, name, text: board.recommend(name),
    "find": lambda board, name, text: board.find(text),
    "find a name": lambda board, name, text: board.find(f"use {name} to {text}", 3),
    "find a bare name": lambda board, name, text: board.find(name.partition("__")[2]),
    "drifted": lambda board, name, text: board.drifted(),
    "accept": lambda board, name, text: board.accept_drift(name),
    "used": lambda board, name, text: board.used_since(0),
    "missing": lambda board, name, text: missing(board),
}


def of_board(what: str, name: str, text: str) -> tuple[str, Step]:
    async def step(world: World) -> str:
        told = BOARD_STEPS[what](world.board, name, text)
        return repr(await told if hasattr(told, "__await__") else told)

    return f"{what} {name!r} {text!r}", step


async def told_by(world: World, step: Step) -> str:
    """What a step brings to light, without the ids of boards, which are random."""
    try:
        given = step(world)
        text = str(await given if hasattr(given, "__await__") else given)
    except PegboardError as error:
        text = f"{type(error).__name__}: {error}"
    board = world.board
    names = [tool.name for tool in board.active_set()]
    text += repr((board.pending, board.listing().bytes, names, board.tombstone_tokens))
    for board_id in world.ids:
        text = text.replace(board_id, "BOARD")
    return text


@pytest.mark.parametrize("worker", range(WORKERS))
async def test_two_worlds_that_differ_in_hidden_tools_answer_alike(worker: int) -> None:
    for seed in range(worker, SESSIONS, WORKERS):
        draw = Draw(seed)
        plan = draw.plan(seed)
        worlds = [World(plan, hidden) for hidden in plan.hidden]
        for world in worlds:
            await world.begin()
        for name, step in steps(draw, plan):
            one, other = [await told_by(world, step) for world in worlds]
            assert one == other, f"session {seed}, {name}; hidden: {sorted(plan.hidden_names)}"


async def test_the_sessions_would_see_a_tool_that_only_one_world_shows() -> None:
    """The proof can fail: with the hidden tools permitted, the same sessions differ."""
    differing = 0
    for seed in range(50):
        draw = Draw(seed)
        plan = draw.plan(seed)
        worlds = [World(plan, hidden) for hidden in plan.hidden]
        for world in worlds:
            world.policy = Rules  # type: ignore[method-assign]
            await world.begin()
        told = [[await told_by(world, step) for _, step in steps(Draw(seed), plan)] for world in worlds]
        differing += told[0] != told[1]
    assert differing > 25
