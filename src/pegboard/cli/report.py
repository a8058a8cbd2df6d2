"""``status`` and ``stats``: how the sources are doing, and what the definitions cost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import typer

from pegboard.cli.encoders import encoders_of
from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.principals import As
from pegboard.cli.session import Opened, opened
from pegboard.cli.waiting import how_to_try_again
from pegboard.cli.words import counted
from pegboard.pin_store import ManagedStore


def status(common: Common) -> Exit:
    """Tell how every source is doing.

    Also what was set aside, and why: single tools, entries of the configuration.
    """
    return asyncio.run(_status(common))


def stats(
    common: Common,
    top: Annotated[int, typer.Option(metavar="NUMBER", min=0, help="How many of the costliest tools to list.")] = 10,
    every: Annotated[bool, typer.Option("--all", help="List every tool.")] = False,
    who: As = None,
) -> Exit:
    """Tell what definitions cost in tokens.

    All of them, against what a client of the gateway is shown before it loads anything.
    """
    return asyncio.run(_stats(common, top, every, who))


async def _status(common: Common) -> Exit:
    async with opened(common) as now:
        if isinstance(now.peg.store, ManagedStore):
            await now.peg.store.look()
        await encoders_of(now)  # tried, so that the status tells of them as they are now
        told = now.peg.status() | {"configuration": [problem.to_json() for problem in now.problems]}
        if common.json:
            common.output.document(told)
        else:
            _print_status(common, told)
            if now.lacking:
                common.output.problem(how_to_try_again(now.lacking), "Note")
        if any(problem.level == "error" for problem in now.problems):
            return Exit.CONFIG
        return Exit.AWAY if now.lacking or told["store"]["state"] == "failed" else Exit.OK


def _print_status(common: Common, told: dict[str, Any]) -> None:
    out = common.output
    rows = [(s["name"], s["kind"], s["state"], _brought(s), s.get("reason", "")) for s in told["sources"]]
    if rows:
        out.rows(rows, head=("source", "kind", "state", "tools", "reason"), numbers={3})
    skills = f" and {counted(told['skills'], 'skill')}" if told["skills"] else ""
    out.say(f"{counted(told['tools'], 'tool')}{skills} in the catalog, generation {told['generation']}")
    for note in told["skills_prompt"]:
        out.say(f"Note: {note}")
    for source in told["sources"]:
        for note in source.get("notes", ()):
            out.say(f"Note on {source['name']}: {note}")
    _print_store(common, told["store"])
    _print_encoders(common, told.get("encoders", ()))
    for problem in told["set_aside"]:
        out.say(f"Set aside: {problem['source']}: {problem['name']}: {problem['reason']}")
        if "mend" in problem:
            out.say(f"  {problem['mend']}")
    for problem in told["configuration"]:
        if problem["level"] == "note":
            out.say(f"Left out: {problem['file']}: {problem['key']}: {problem['message']}")


def _brought(source: dict[str, Any]) -> str:
    """What a source has brought: a number of tools, and of skills where it has some."""
    skills = [counted(source["skills"], "skill")] if source.get("skills") else []
    tools = [str(source["tools"])] if source["tools"] or not skills else []
    return " + ".join((*tools, *skills))


def _print_store(common: Common, told: dict[str, Any]) -> None:
    out = common.output
    if told["state"] == "failed":
        out.say(f"Store of boards: failed: {told['reason']}")
    elif "where" not in told:
        out.say("Boards are kept in memory")
    elif told["state"] == "idle":
        out.say(f"Boards will be kept in {told['where']}, which is not there yet")
    else:
        out.say(f"{counted(told['boards'], 'board')} in {told['where']}")
    for one in told.get("set_aside", ()):
        out.say(f"Set aside: {one['where']}: {one['what']}. {one['mend']}")


def _print_encoders(common: Common, told: Iterable[dict[str, str]]) -> None:
    for one in told:
        reason = f": {one['reason']}" if "reason" in one else ""
        common.output.say(f"Encoder {one['name']}: {one['state']}{reason}")
        if "mend" in one:
            common.output.say(f"  {one['mend']}")


@dataclass(frozen=True)
class Costs:
    """Definition costs in tokens. Immutable; belongs to one report.

    ``each`` has every tool by name; ``definitions`` are those that a session shows before anything is loaded, and
    ``instructions`` what the gateway says beside them.
    """

    each: dict[str, int]
    definitions: dict[str, int]
    instructions: int

    @cached_property
    def everything(self) -> int:
        """What it costs to show every definition."""
        return sum(self.each.values())

    @cached_property
    def shown(self) -> int:
        """What it costs to show the board."""
        return sum(self.definitions.values()) + self.instructions

    @property
    def saved_percent(self) -> float:
        """How much less ``shown`` is, in percent with one decimal; negative when it is more, 0 without tools."""
        return round(100 * (1 - self.shown / self.everything), 1) if self.everything else 0.0

    def costliest(self, count: int | None) -> list[tuple[str, int]]:
        """The costliest tools first; all when ``count`` is None."""
        return sorted(self.each.items(), key=lambda item: (-item[1], item[0]))[:count]

    def to_json(self, count: int | None) -> dict[str, Any]:
        """The report as a JSON object."""
        return {
            "everything": {"tools": len(self.each), "tokens": self.everything},
            "shown": {
                "definitions": len(self.definitions),
                "definition_tokens": sum(self.definitions.values()),
                "instruction_tokens": self.instructions,
                "tokens": self.shown,
            },
            "saved_percent": self.saved_percent,
            "tools": [{"name": name, "tokens": tokens} for name, tokens in self.costliest(count)],
        }


async def costs_of(now: Opened) -> Costs:
    """The costs of an opened Pegboard."""
    from pegboard.gateway.instructions import instructions_for
    from pegboard.tokens import count_tokens, definition_cost

    board = await now.board(profile="session")
    return Costs(
        each={tool.name: definition_cost(tool.shown) for tool in (await board.view()).tools},
        definitions={str(item["name"]): definition_cost(item) for item in board.listing().items},
        instructions=count_tokens(now.settings.gateway.instructions or instructions_for(now.peg.profiles["session"])),
    )


async def _stats(common: Common, top: int, every: bool, who: str | None) -> Exit:
    async with opened(common, who=who) as now:
        costs = await costs_of(now)
        now.tell_amiss(common)
        count = None if every else top
        if common.json:
            common.output.document(costs.to_json(count) | {"not_ready": now.lacking_json})
        else:
            _print_stats(common, costs, count)
        return Exit.OK if costs.each else now.nothing


def _print_stats(common: Common, costs: Costs, count: int | None) -> None:
    out = common.output
    out.rows(
        [
            (f"everything: {counted(len(costs.each), 'tool')}", f"{costs.everything:,}"),
            (f"shown: {counted(len(costs.definitions), 'definition')} and the instructions", f"{costs.shown:,}"),
            ("saved", f"{costs.saved_percent} %"),
        ],
        head=("definition cost", "tokens"),
        numbers={1},
    )
    if costs.saved_percent < 0:
        out.say("With so few tools, the meta-tools cost more than they save.")
    rows = [(name, f"{tokens:,}") for name, tokens in costs.costliest(count)]
    if rows:
        out.say()
        title = "every tool" if len(rows) == len(costs.each) else f"the {len(rows)} costliest of {len(costs.each)}"
        out.rows(rows, head=(title, "tokens"), numbers={1})
