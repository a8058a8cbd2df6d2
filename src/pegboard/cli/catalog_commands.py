"""``list``, ``find`` and ``show``: the catalog from the command line."""

from __future__ import annotations

import asyncio
import difflib
import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import typer

from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.session import SURFACE, Opened, opened
from pegboard.cli.visible import json_text
from pegboard.detail import Detail, describe, explained, first_sentence, summary
from pegboard.finding import FindResult, missing_notes
from pegboard.metatools import META_TOOLS
from pegboard.peg import Pegboard
from pegboard.tools import JsonObject, Tool

Name = Annotated[str, typer.Argument(metavar="NAME", help="The tool's exact name, as list and find print it.")]


def list_tools(
    common: Common,
    category: Annotated[str | None, typer.Option(metavar="NAME", help="Only this category.")] = None,
    tag: Annotated[str | None, typer.Option(metavar="NAME", help="Only this tag.")] = None,
    source: Annotated[str | None, typer.Option(metavar="NAME", help="Only this source.")] = None,
) -> Exit:
    """List the tools there are, by name."""
    return asyncio.run(_list(common, category, tag, source))


def find(
    common: Common,
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="What is needed, in plain words.")],
    limit: Annotated[
        int | None, typer.Option(metavar="NUMBER", min=1, help="At most this many; 20 unless given or configured.")
    ] = None,
    detail: Annotated[Literal["brief", "detailed", "full"], typer.Option(help="How much to tell of each.")] = "brief",
) -> Exit:
    """Find the tools for a need, best first."""
    words = " ".join(query)
    if not words.strip():
        raise typer.BadParameter("it is blank. Say what is needed, or use: pegboard list", param_hint="QUERY")
    return asyncio.run(_find(common, words, limit, detail))


def show(common: Common, name: Name) -> Exit:
    """Show everything about one tool.

    Its parameters, where it comes from, and what its definition costs in tokens.
    """
    return asyncio.run(_show(common, name))


async def _list(common: Common, category: str | None, tag: str | None, source: str | None) -> Exit:
    async with opened(common) as now:
        tools = [
            tool
            for tool in sorted(now.peg.catalog.all(), key=lambda tool: tool.name)
            if (category is None or tool.category == category)
            and (tag is None or tag in tool.tags)
            and (source is None or tool.source == source)
        ]
        now.tell_lacking(common)
        if common.json:
            told = [summary(tool, SURFACE) | {"source": tool.source} for tool in tools]
            common.output.document({"tools": told, "total": len(tools), "not_ready": now.lacking_json})
        else:
            common.output.rows([(tool.name, first_sentence(tool.description)) for tool in tools])
        if tools:
            return Exit.OK
        narrowed = category is not None or tag is not None or source is not None
        _tell_none(common, "No tool is listed under that." if narrowed else "There are no tools.", now)
        return now.nothing


async def _find(common: Common, query: str, limit: int | None, detail: str) -> Exit:
    async with opened(common) as now:
        board = await now.peg.open(surface=SURFACE)
        found = await board.find(query, limit)
        now.tell_lacking(common)
        # What is missing has been told with its reason.
        for note in set(found.notes) - set(missing_notes(now.peg.missing(), named=True)):
            common.output.problem(note, "Note")
        if common.json:
            common.output.document(_found_json(query, found, detail, now))
        else:
            _print_found(common, found, detail)
        if found.matches:
            return Exit.OK
        _tell_none(common, "No tool fits.", now)
        return now.nothing


def _found_json(query: str, found: FindResult, detail: str, now: Opened) -> dict[str, Any]:
    told = [
        describe(_tool(now.peg, match.entry.name), Detail(detail))
        | {"score": round(match.score, 4), "reason": match.reason}
        for match in found.matches
    ]
    return {
        "query": query,
        "tools": told,
        "total": found.total,
        "unmatched_terms": list(found.unmatched),
        "notes": list(found.notes),
        "not_ready": now.lacking_json,
    }


def _print_found(common: Common, found: FindResult, detail: str) -> None:
    from pegboard.schema import flat_parameters

    if detail == "brief":
        common.output.rows([(match.entry.name, first_sentence(match.entry.description)) for match in found.matches])
        return
    for number, match in enumerate(found.matches):
        if number:
            common.output.say()
        common.output.heading(match.entry.name)
        common.output.say(_indented(match.entry.description))
        if detail == "full":
            common.output.say(_indented(json_text(match.entry.input_schema)))
        else:
            common.output.rows(_parameter_rows(flat_parameters(match.entry.input_schema)), indent=2)


async def _show(common: Common, name: str) -> Exit:
    async with opened(common, lambda peg: peg.catalog.get(name) is not None) as now:
        tool = known(now.peg, name)
        if tool is None:
            return missing(common, name, now)
        told = explained(tool, SURFACE)
        if common.json:
            common.output.document(told)
        else:
            _print_tool(common, told)
        return Exit.OK


def _print_tool(common: Common, told: dict[str, Any]) -> None:
    from pegboard.schema import flat_parameters

    out = common.output
    out.heading(told["name"])
    out.say(_indented(told["description"]))
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
    rows = _parameter_rows(flat_parameters(told["inputSchema"]))
    out.say()
    if rows:
        out.rows(rows, head=("parameter", "type", "", "description"))
    else:
        out.say("It takes no parameters.")


def _parameter_rows(parameters: Sequence[JsonObject]) -> list[tuple[str, ...]]:
    return [
        (p["name"], str(p.get("type", "")), "required" if p.get("required") else "", str(p.get("description", "")))
        for p in parameters
    ]


def known(peg: Pegboard, name: str) -> Tool | None:
    """The tool of a name, a meta-tool too."""
    return META_TOOLS.get(name) or peg.catalog.get(name)


def _tool(peg: Pegboard, name: str) -> Tool:
    tool = peg.catalog.get(name)
    if tool is None:
        raise RuntimeError(f"the search found {name!r}, which is not in the catalog")
    return tool


def missing(common: Common, name: str, now: Opened) -> Exit:
    """Say that there is no such tool, what it may be called, and which sources could still have it."""
    names = [tool.name for tool in now.peg.catalog.all()]
    close = difflib.get_close_matches(name, names, n=3)
    hint = f"Did you mean {', '.join(close)}?" if close else 'Search with: pegboard find "what you need"'
    now.tell_lacking(common)
    common.output.error(
        f"No tool is named {name!r}.", code="not_found", hint=hint, data={"not_ready": now.lacking_json}
    )
    return now.nothing


def _tell_none(common: Common, what: str, now: Opened) -> None:
    if common.json:
        return
    count = len(now.peg.sources)
    common.output.problem(f"{what} Sources that are ready: {count - len(now.lacking)} of {count}.", "Note")


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.strip().splitlines())
