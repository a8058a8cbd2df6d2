"""Two worlds that differ in one hidden tool answer alike, byte for byte, whatever is asked of them.

A session is drawn from a seed: some tools, one more that its principal may not discover, and a list of things to do.
It is played twice, once with the hidden tool and once where there has never been one. In between the hidden tool
changes, goes and comes back: that must not show either.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any, Final

import pytest

from pegboard import Context, Limits, Pegboard, Rule, RulePolicy, Tool, ToolRegistry, ToolResult
from pegboard.auth import Policy
from pegboard.board import Board
from pegboard.tools import Approval, Halt
from tests.support import ALICE, Rules, make

pytestmark = pytest.mark.anyio

SESSIONS: Final = 1_000
SHARES: Final = 10
"""Tests that the sessions are split over, so that several processes can run them."""

WORDS: Final = (
    "refund",
    "order",
    "parcel",
    "void",
    "money",
    "vault",
    "alarm",
    "clock",
    "city",
    "weather",
    "note",
    "search",
    "delete",
    "report",
)
SOURCES: Final = ("shop", "wiki", "vault", "city")
SCHEMAS: Final[tuple[dict[str, Any], ...]] = (
    {"type": "object", "properties": {}},
    {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]},
    {"type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}, "days": {"type": "integer", "minimum": 1}}},
)


def words(dice: random.Random, least: int, most: int) -> list[str]:
    return [dice.choice(WORDS) for _ in range(dice.randint(least, most))]


async def through(arguments: dict[str, Any], context: Context) -> Any:
    """Call another tool from inside, and tell all of its answer."""
    return (await context.call(arguments.get("name", "none__such"), arguments.get("with"))).to_wire()


def some_tool(dice: random.Random, name: str, others: list[str]) -> Tool:
    """A tool of random words; some call others, some name others as related, some need approval."""
    more: dict[str, Any] = {"input_schema": dice.choice(SCHEMAS)}
    if dice.random() < 0.2:
        more = {"handler": through, "input_schema": {"type": "object", "properties": {"name": {"type": "string"}}}}
    return make(
        name,
        " ".join(words(dice, 0, 8)).capitalize(),
        always=dice.random() < 0.25,
        source=name.partition("__")[0],
        category=dice.choice([None, *WORDS[:4]]),
        tags=tuple(dict.fromkeys(words(dice, 0, 2))),
        keywords=tuple(dict.fromkeys(words(dice, 0, 2))),
        related_to=tuple(dice.sample(others, min(len(others), dice.randint(0, 2)))),
        approval=dice.choice([None, Approval.READ, Approval.EXEC]),
        **more,
    )


def some_names(dice: random.Random, count: int) -> list[str]:
    """Different names that share words, so that each is near to another; some are another one with an end."""
    names: list[str] = []
    while len(names) < count:
        name = f"{dice.choice(SOURCES)}__{'_'.join(words(dice, 1, 2))}"
        if names and dice.random() < 0.2:
            name = names[-1] + dice.choice(["s", "_2", "_all"])
        if name not in names:
            names.append(name)
    return names


class World:
    """One of the two: a Pegboard and a board of Alice's. Lives as long as one session."""

    def __init__(self, tools: list[Tool], policy: Policy, limits: Limits) -> None:
        self.registry = ToolRegistry()
        self.registry.register(*tools)
        self.peg = Pegboard([self.registry], policy=policy, limits=limits)
        self.board: Board

    async def open(self, allowed: list[str] | None, profile: str) -> None:
        self.board = await self.peg.open(ALICE, allowed=allowed, profile=profile)


Step = Callable[[World], Any]
"""One thing to do; its answer is compared between the worlds."""


def told(outcome: ToolResult | Halt) -> str:
    return json.dumps(outcome.to_wire(), ensure_ascii=False)


def some_call(dice: random.Random, names: list[str], hidden: str) -> Step:
    """A call of a meta-tool, of a tool, or from inside a tool, often about the hidden one."""
    name = dice.choice([hidden, hidden, hidden[:-1], "none__such", *names])
    query = " ".join(dice.choice([*WORDS, *WORDS, hidden, hidden.partition("__")[2], ""]) for _ in range(3))
    arguments: dict[str, Any] = dice.choice([{}, {"order": "A7"}, {"city": "Oslo", "days": 0}, {"order": 5}])
    meta, given = dice.choice(
        [
            ("list_tools", {dice.choice(["category", "tag"]): dice.choice(WORDS)}),
            ("list_tools", {"visibility": dice.choice(["always", "on-demand", "odd"])}),
            ("list_tools", {"cursor": dice.choice(["", "nonsense", None])}),
            ("find_tools", {"query": query}),
            ("find_tools", {"query": query, "limit": dice.choice([1, 2, 0, 1_000, "5", None])}),
            ("find_tools", {"query": query, "detail": dice.choice(["brief", "detailed", "full", "odd"])}),
            ("find_tools", {"query": " "}),
            ("tool_search", {"query": query}),
            *((about, {"name": name}) for about in ("get_tool", "explain_tool", "load_tool", "unload_tool")),
            ("call_tool", {"name": name, "arguments": arguments}),
            ("call_tool", {"name": name, "arguments": json.dumps(arguments)}),
            ("call_tool", {"name": name, **arguments}),
            (name, arguments),
            (dice.choice(names), {"name": name, "with": arguments}),
            (dice.choice(names), {"name": "call_tool", "with": {"name": name}}),
        ]
    )
    return lambda world: world.board.call(meta, given)


async def all_pages(world: World) -> list[str]:
    pages: list[str] = []
    cursor = None
    while cursor is not None or not pages:
        page = await world.board.call("list_tools", {"cursor": cursor} if cursor else {})
        assert isinstance(page, ToolResult)
        pages.append(told(page))
        cursor = page.structured.get("cursor") if isinstance(page.structured, dict) else None
    return pages


async def boundary(world: World, compact: bool) -> Any:
    return await (world.board.compact() if compact else world.board.commit())


async def recommended(world: World, text: str) -> Any:
    return [(ranked.entry.name, ranked.score, ranked.reason) for ranked in await world.board.recommend(text)]


async def pinned(world: World, name: str, wished: bool) -> Any:
    (world.board.pin if wished else world.board.unpin)(name)
    return world.board.pending


async def prompt(world: World) -> Any:
    return await world.board.prompt()


def some_step(dice: random.Random, names: list[str], hidden: str) -> Step:
    compact, text = dice.random() < 0.3, " ".join(words(dice, 1, 4))
    name, wished = dice.choice(names), dice.random() < 0.7
    rare: list[Step] = [
        all_pages,
        prompt,
        lambda world: boundary(world, compact),
        lambda world: boundary(world, False),
        lambda world: recommended(world, text),
        lambda world: pinned(world, name, wished),
    ]
    return dice.choice(rare) if dice.random() < 0.35 else some_call(dice, names, hidden)


def hiding(dice: random.Random, hidden: str) -> tuple[Policy, Policy]:
    """For each world a policy of its own that hides a name, and now and then refuses calls of others."""
    if dice.random() < 0.5:
        return Rules(hidden=[hidden]), Rules(hidden=[hidden])
    rules = [
        Rule(principals=["*"], names=["*"], allow=["discover", "invoke"], approves=dice.choice(["read", "exec"])),
        Rule(principals=["*"], names=[hidden], deny=["discover"]),
        Rule(principals=["*"], sources=[dice.choice(SOURCES)], deny=["invoke"]),
    ]
    return RulePolicy(rules), RulePolicy(rules)


def some_news(dice: random.Random, tool: Tool) -> Callable[[ToolRegistry], None]:
    """What happens to the hidden tool, behind the principal's back."""

    def swap(registry: ToolRegistry) -> None:
        registry.unregister(tool.name)
        registry.register(tool.with_(description=" ".join(words(dice, 1, 6)), tags=("news",)))

    return dice.choice([swap, lambda registry: registry.unregister(tool.name), lambda registry: None])


async def answer_of(step: Step, world: World) -> str:
    outcome = await step(world)
    if isinstance(outcome, ToolResult | Halt):
        outcome = told(outcome)
    board = world.board
    active = [tool.name for tool in board.active_set()]
    return repr((outcome, board.pending, board.listing().bytes, active, board.tombstone_tokens))


async def play(seed: int) -> int:
    """One session; the number of answers that were compared."""
    dice = random.Random(seed)
    names = some_names(dice, dice.randint(3, 8))
    tools = [some_tool(dice, name, names) for name in names]
    hidden = tools.pop(dice.randrange(len(tools)))
    names.remove(hidden.name)
    limits = Limits(page=dice.choice([1, 2, 50]), find_tokens=dice.choice([60, 200, 2_000]), compact_tokens=50)
    place = dice.randint(0, len(tools))
    both = ([*tools[:place], hidden, *tools[place:]], tools)
    policies = hiding(dice, hidden.name)
    within, without = (World(some, policy, limits) for some, policy in zip(both, policies, strict=True))
    allowed = dice.choice([None, None, [*names[1:], hidden.name]])
    profile = dice.choice(["python", "python", "session", "modern"])
    for world in (within, without):
        await world.open(allowed, profile)
    steps = dice.randint(4, 10)
    for number in range(steps):
        step = some_step(dice, names, hidden.name)
        answers = [await answer_of(step, world) for world in (within, without)]
        assert answers[0] == answers[1], f"session {seed}, step {number}"
        if dice.random() < 0.2:
            some_news(dice, hidden)(within.registry)
    return steps


@pytest.mark.parametrize("share", range(SHARES))
async def test_a_hidden_tool_changes_no_byte_of_any_answer(share: int) -> None:
    compared = 0
    for seed in range(share, SESSIONS, SHARES):
        compared += await play(seed)
    assert compared >= 4 * SESSIONS // SHARES


async def test_the_comparison_sees_a_tool_that_is_not_hidden() -> None:
    """So that a comparison which always holds would be noticed."""
    differing = 0
    for seed in range(40):
        dice = random.Random(seed)
        names = some_names(dice, 4)
        tools = [some_tool(dice, name, names) for name in names]
        worlds = [World(some, Rules(), Limits()) for some in (tools, tools[:-1])]
        for world in worlds:
            await world.open(None, "python")
        step = some_call(dice, names[:-1], names[-1])
        answers = [await answer_of(step, world) for world in worlds]
        differing += answers[0] != answers[1]
    assert differing > 10
