"""``list`` and ``show``: the catalog from the command line."""

from __future__ import annotations

import asyncio
import difflib
import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from pegboard.board import Board
from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.principals import As
from pegboard.cli.session import SURFACE, Fresh, Opened, opened, there
from pegboard.cli.words import counted
from pegboard.detail import explained, first_sentence, summary
from pegboard.skill_source import SkillEntry, Skills
from pegboard.tools import JsonObject

Name = Annotated[str, typer.Argument(metavar="NAME", help="The tool's exact name, as list and find print it.")]


def list_tools(
    common: Common,
    category: Annotated[str | None, typer.Option(metavar="NAME", help="Only this category.")] = None,
    tag: Annotated[str | None, typer.Option(metavar="NAME", help="Only this tag.")] = None,
    source: Annotated[str | None, typer.Option(metavar="NAME", help="Only this source.")] = None,
    fresh: Fresh = False,
    who: As = None,
) -> Exit:
    """List the tools there are, by name."""
    return asyncio.run(_list(common, category, tag, source, fresh, who))


def show(common: Common, name: Name, fresh: Fresh = False, who: As = None) -> Exit:
    """Show everything about one tool.

    Its parameters, where it comes from, and what its definition costs in tokens.
    """
    return asyncio.run(_show(common, name, fresh, who))


async def _list(
    common: Common, category: str | None, tag: str | None, source: str | None, fresh: bool, who: str | None
) -> Exit:
    async with opened(common, who=who, fresh=fresh) as now:
        view = await (await now.board()).view()
        tools = [
            tool
            for tool in sorted(view.tools, key=lambda tool: tool.name)
            if (category is None or tool.category == category)
            and (tag is None or tag in tool.tags)
            and (source is None or tool.source == source)
        ]
        now.tell_amiss(common)
        now.tell_age(common)
        if common.json:
            told = [summary(tool, SURFACE) | {"source": tool.source} for tool in tools]
            counts = {"total": len(tools), "skills": len(view.skills)}
            common.output.document({"tools": told, **counts, "not_ready": now.lacking_json, **now.age_json})
        else:
            common.output.rows([(tool.name, first_sentence(tool.description)) for tool in tools])
            _tell_skills(common, view.skills, now)
        if tools:
            return Exit.OK
        narrowed = category is not None or tag is not None or source is not None
        tell_none(common, "No tool is listed under that." if narrowed else "There are no tools.", now)
        return now.nothing


def _tell_skills(common: Common, skills: Skills[SkillEntry], now: Opened) -> None:
    """Say how many skills there are beside the tools, and what tells of them."""
    ours = [skill for skill in skills if skill.source in now.settings.skills]
    theirs = len(skills) - len(ours)
    if ours:
        common.output.problem(f"{counted(len(ours), 'skill')} beside them: pegboard skills list", "Note")
    if theirs:
        said = f"{counted(theirs, 'skill')} of upstreams beside them"
        common.output.problem(f'{said}: pegboard find "what you need"', "Note")


async def _show(common: Common, name: str, fresh: bool, who: str | None) -> Exit:
    async with opened(common, there(name), who=who, fresh=fresh) as now:
        board = await now.board()
        tool = await now.visible(board, name)
        if tool is None:
            return await missing(common, name, now, board)
        told = explained(tool, SURFACE, (await board.view()).seen)
        now.tell_age(common)
        if common.json:
            common.output.document({**told, **now.age_json})
        else:
            _print_tool(common, told)
        return Exit.OK


def _print_tool(common: Common, told: dict[str, Any]) -> None:
    from pegboard.schema.flat import flat_parameters

    out = common.output
    out.heading(told["name"])
    out.say(indented(told["description"]))
    out.say()
    facts = {
        key: value
        for key, value in told.items()
        if key not in ("name", "kind", "description", "inputSchema", "outputSchema")
    }
    out.rows(
        [
            (key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
            for key, value in facts.items()
        ]
    )
    rows = parameter_rows(flat_parameters(told["inputSchema"]))
    out.say()
    if rows:
        out.rows(rows, head=("parameter", "type", "", "description"))
    else:
        out.say("It takes no parameters.")


def parameter_rows(parameters: Sequence[JsonObject]) -> list[tuple[str, ...]]:
    """Flat parameters as rows: name, type, whether it is required, description."""
    return [
        (p["name"], str(p.get("type", "")), "required" if p.get("required") else "", str(p.get("description", "")))
        for p in parameters
    ]


async def missing(common: Common, name: str, now: Opened, board: Board) -> Exit:
    """Say that there is no such tool, what it may be called, and which sources could still have it.

    Of the name of a skill, say how that is read.
    """
    view = await board.view()
    skill = view.skills.get(name)
    if skill is not None:
        hint = f"Read it with: pegboard call skills skill_name={skill.name}"
        common.output.error(f"{name!r} is a skill, not a tool.", code="not_found", hint=hint)
        return Exit.NOTHING
    close = difflib.get_close_matches(name, [*(tool.name for tool in view.tools), *view.skills.names], n=3)
    hint = f"Did you mean {', '.join(close)}?" if close else 'Search with: pegboard find "what you need"'
    now.tell_amiss(common)
    common.output.error(
        f"No tool is named {name!r}.", code="not_found", hint=hint, data={"not_ready": now.lacking_json}
    )
    return now.nothing


def tell_none(common: Common, what: str, now: Opened) -> None:
    """Say that nothing was found, and of how many sources."""
    if common.json:
        return
    count = len(now.peg.sources)
    common.output.problem(f"{what} Sources that are ready: {count - len(now.lacking)} of {count}.", "Note")


def indented(text: str) -> str:
    """Every line two blanks further in."""
    return "\n".join(f"  {line}".rstrip() for line in text.strip().splitlines())
