"""``call``: a tool from the command line."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer

from pegboard.cli.approving import approver
from pegboard.cli.catalog_commands import Name, missing
from pegboard.cli.context import Ctx, context_named
from pegboard.cli.exits import Exit, dispatch_error, exit_for_result
from pegboard.cli.options import Common
from pegboard.cli.principals import As
from pegboard.cli.session import opened, there
from pegboard.cli.values import ArgumentsError, parse_arguments, parse_object
from pegboard.cli.visible import json_text
from pegboard.context_map import CONTEXT, how_to_give
from pegboard.tools import MISSING, Halt, JsonObject, Tool, ToolResult

_EXPLAINED: Final = frozenset({"request_refused", "unreachable"})
"""The errors of calls of which ``why-not`` tells more than a model may read."""


def call(
    common: Common,
    name: Name,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="ARGUMENT", help="KEY=VALUE, KEY:=JSON, one JSON object, or - to read that from stdin."),
    ] = None,
    who: As = None,
    ctx: Ctx = None,
    yes: Annotated[bool, typer.Option("--yes", help="Agree to the call where the policy wants somebody to.")] = False,
) -> Exit:
    """Call a tool and print its result.

    KEY=VALUE is text, unless the tool's schema wants something else for KEY: then VALUE is read as JSON. KEY:=JSON is
    JSON whatever the schema says.
    """
    return asyncio.run(_call(common, name, arguments or [], who, ctx, yes))


async def _call(
    common: Common, name: str, words: Sequence[str], who: str | None, ctx: Sequence[str] | None, yes: bool
) -> Exit:
    asked = approver(common.output, yes=yes)
    async with opened(common, there(name), who=who, approver=asked, fresh=False) as now:
        now.tell_amiss(common, only="overlay")
        context = context_named(now.settings, ctx)
        board = await now.board()
        await now.ask_source_of(name)
        tool = await now.visible(board, name)
        if tool is None:
            # Dispatch refuses it too, and its receipt has the true reason. No tool takes a list: should this one turn
            # up just now, it does not run.
            await board.call(name, [])
            return await missing(common, name, now, board)
        arguments = _arguments(tool, words)

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            share = f"{progress:g}" + (f" of {total:g}" if total is not None else "")
            common.output.progress(f"{name}: {share}{f': {message}' if message else ''}")

        outcome = await board.call(name, arguments, context=context, on_progress=on_progress)
        result = outcome.result if isinstance(outcome, Halt) else outcome
        if common.json:
            common.output.document(outcome.to_wire())
        else:
            _print_result(common, result)
            if isinstance(outcome, Halt) and outcome.say:
                common.output.say(outcome.say)
        advice = _advice(name, result)
        if advice:
            common.output.problem(advice, "Note")
        return exit_for_result(result)


def _arguments(tool: Tool, words: Sequence[str]) -> dict[str, Any]:
    try:
        if list(words) == ["-"]:
            return parse_object(sys.stdin.read())
        return parse_arguments(words, tool.input_schema)
    except (ArgumentsError, UnicodeDecodeError) as error:
        raise typer.BadParameter(str(error), param_hint="arguments") from None


def _advice(name: str, result: ToolResult) -> str:
    """What the person at the command line can do about a call that was refused; "" for nothing in particular."""
    error = dispatch_error(result)
    if "approval" in error:
        return "Agree to it on a terminal, or beforehand with --yes."
    if CONTEXT in error:
        return how_to_give(str(error[CONTEXT]))
    told = error.get("code") in _EXPLAINED or "secret" in error
    return f"What is in the way: pegboard why-not {name}" if told else ""


def _print_result(common: Common, result: ToolResult) -> None:
    """Text as it is; other blocks by what they are; structured content where there is no text."""
    if result.is_error:
        common.output.problem(result.text or "The tool failed without saying why.", "Error")
        return
    for block in result.content:
        if block.get("type") == "text":
            common.output.raw(str(block.get("text", "")))
        else:
            common.output.say(_described(block))
    if not result.content and result.structured is not MISSING:
        common.output.raw(json_text(result.structured))


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
