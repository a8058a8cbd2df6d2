"""``list``, ``find``, ``show`` and ``call``: the catalog from the command line."""

from __future__ import annotations

import asyncio
import difflib
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pegboard.cli.exits import Exit, exit_for_result
from pegboard.cli.options import Common
from pegboard.cli.session import SURFACE, Opened, opened

if TYPE_CHECKING:
    from pegboard.finding import FindResult
    from pegboard.peg import Pegboard
    from pegboard.tools import JsonObject, Tool, ToolResult

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
    query: Annotated[list[str], typer.Argument(metavar="QUERY...", help="What is needed, in plain words.")],
    limit: Annotated[int, typer.Option(metavar="NUMBER", min=1, help="At most this many.")] = 20,
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


def call(
    common: Common,
    name: Name,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="ARGUMENT", help="KEY=VALUE, KEY:=JSON, one JSON object, or - to read that from stdin."),
    ] = None,
) -> Exit:
    """Call a tool and print its result.

    KEY=VALUE is text, unless the tool's schema wants something else for KEY: then VALUE is read as JSON. KEY:=JSON is
    JSON whatever the schema says.
    """
    return asyncio.run(_call(common, name, arguments or []))


async def _list(common: Common, category: str | None, tag: str | None, source: str | None) -> Exit:
    from pegboard.detail import first_sentence, summary

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


async def _find(common: Common, query: str, limit: int, detail: str) -> Exit:
    from pegboard.finding import missing_notes

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
    from pegboard.detail import Detail, describe

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
    from pegboard.detail import first_sentence
    from pegboard.schema import flat_parameters

    if detail == "brief":
        common.output.rows([(match.entry.name, first_sentence(match.entry.description)) for match in found.matches])
        return
    for match in found.matches:
        common.output.heading(match.entry.name)
        common.output.say(_indented(match.entry.description))
        if detail == "full":
            common.output.say(_indented(_json(match.entry.input_schema)))
        else:
            common.output.rows(
                [("  " + row[0], *row[1:]) for row in _parameter_rows(flat_parameters(match.entry.input_schema))]
            )
        common.output.say()


async def _show(common: Common, name: str) -> Exit:
    from pegboard.detail import explained

    async with opened(common, lambda peg: peg.catalog.get(name) is not None) as now:
        tool = _known(now.peg, name)
        if tool is None:
            return _missing(common, name, now)
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


async def _call(common: Common, name: str, words: Sequence[str]) -> Exit:
    from pegboard.tools import Halt

    async with opened(common, lambda peg: peg.catalog.get(name) is not None) as now:
        tool = _known(now.peg, name)
        if tool is None:
            return _missing(common, name, now)
        arguments = _arguments(tool, words)
        board = await now.peg.open(surface=SURFACE)

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            share = f"{progress:g}" + (f" of {total:g}" if total is not None else "")
            common.output.progress(f"{name}: {share}{f': {message}' if message else ''}")

        outcome = await board.call(name, arguments, on_progress=on_progress)
        result = outcome.result if isinstance(outcome, Halt) else outcome
        if common.json:
            common.output.document(result.to_wire())
        else:
            _print_result(common, result)
            if isinstance(outcome, Halt) and outcome.say:
                common.output.say(outcome.say)
        return exit_for_result(result)


def _arguments(tool: Tool, words: Sequence[str]) -> dict[str, Any]:
    from pegboard.cli.values import ArgumentsError, parse_arguments, parse_object

    try:
        if list(words) == ["-"]:
            return parse_object(sys.stdin.read())
        return parse_arguments(words, tool.input_schema)
    except ArgumentsError as error:
        raise typer.BadParameter(str(error), param_hint="arguments") from None


def _print_result(common: Common, result: ToolResult) -> None:
    """Text as it is; other blocks by what they are; structured content where there is no text."""
    from pegboard.tools import MISSING

    if result.is_error:
        common.output.problem(result.text or "The tool failed without saying why.", "Error")
        return
    for block in result.content:
        if block.get("type") == "text":
            common.output.raw(str(block.get("text", "")))
        else:
            common.output.say(_described(block))
    if not result.content and result.structured is not MISSING:
        common.output.raw(_json(result.structured))


def _described(block: JsonObject) -> str:
    """A block that is not text, in one line."""
    kind, mime, data = block.get("type"), block.get("mimeType"), block.get("data")
    facts = [str(fact) for fact in (mime, block.get("uri"), block.get("name")) if fact]
    if isinstance(data, str):
        facts.append(f"{len(data) * 3 // 4:,} bytes")
    resource = block.get("resource")
    if isinstance(resource, dict):
        facts.append(str(resource.get("uri", "")))
    return f"[{kind}{': ' if facts else ''}{', '.join(facts)}; --json prints all of it]"


def _known(peg: Pegboard, name: str) -> Tool | None:
    from pegboard.metatools import META_TOOLS

    return META_TOOLS.get(name) or peg.catalog.get(name)


def _tool(peg: Pegboard, name: str) -> Tool:
    tool = peg.catalog.get(name)
    if tool is None:
        raise RuntimeError(f"the search found {name!r}, which is not in the catalog")
    return tool


def _missing(common: Common, name: str, now: Opened) -> Exit:
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


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.strip().splitlines())
