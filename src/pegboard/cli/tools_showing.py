"""``tools show``: a tool that is data as it is written, and what a call of it would send."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pegboard.cli.catalog_commands import missing
from pegboard.cli.context import Ctx, context_named
from pegboard.cli.exits import Exit, exit_for
from pegboard.cli.options import Common
from pegboard.cli.principals import As
from pegboard.cli.session import Opened
from pegboard.cli.tools_data import data_sources, opened_data, stored
from pegboard.cli.tools_store import Format, ToolName, definition_text
from pegboard.cli.values import ArgumentsError, parse_arguments
from pegboard.context_map import CONTEXT, how_to_give
from pegboard.errors import CallError, InvalidArgumentsError, StoreError

if TYPE_CHECKING:
    from pegboard.http_tools.definition import HttpDefinition
    from pegboard.http_tools.preview import Preview
    from pegboard.http_tools.tool import HttpRuntime
    from pegboard.http_tools.versions import Stored


@dataclass(kw_only=True)
class Found:
    """A tool that is data. Lives as long as one command.

    ``definition`` is None where it has a mistake; ``written`` is what is shown of it. ``version`` is that of an added
    tool. ``notes`` say what is to be known of it.
    """

    source: str
    written: Mapping[str, Any]
    definition: HttpDefinition | None = None
    version: int | None = None
    notes: list[str] = field(default_factory=list)


def show(
    common: Common,
    name: ToolName,
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="ARGUMENT", help="KEY=VALUE, KEY:=JSON or one JSON object: a dry run.")
    ] = None,
    format: Annotated[Format | None, typer.Option("--format", help="How the definition is written.")] = None,
    version: Annotated[int | None, typer.Option("--version", metavar="NUMBER", min=1, help="An older version.")] = None,
    ctx: Ctx = None,
    who: As = None,
) -> Exit:
    """Show a tool's definition, and the request that a call would send.

    Nothing is sent. With arguments, or for a tool that needs none, the request is shown as a call would send it, with
    [secret] in the place of each secret.
    """
    return asyncio.run(_show(common, name, arguments or [], format, version, ctx, who))


async def _show(
    common: Common,
    name: str,
    words: Sequence[str],
    format: Format | None,
    version: int | None,
    ctx: Sequence[str] | None,
    who: str | None,
) -> Exit:
    async with opened_data(common, who) as now:
        now.tell_amiss(common, only="overlay")
        context = now.peg.context.held(now.principal) | context_named(now.settings, ctx)
        found = await _stored(now, name, version) or (_of_source(now, name) if version is None else None)
        if found is None:
            if version is not None:
                return _no_version(common, name, version)
            return await missing(common, name, now, await now.board())
        request, failure = await _request(now, found, words, context)
        _tell(common, name, found, request, failure, format)
    for note in (*found.notes, *(request.notes if request else ())):
        common.output.problem(note, "Note")
    if failure is not None:
        return _tell_failure(common, failure, given=bool(words))
    return Exit.OK if found.definition is not None else Exit.CONFIG


def _tell_failure(common: Common, failure: CallError, *, given: bool) -> Exit:
    """Say why there is no request to show; without any arguments that only is good to know."""
    hint = how_to_give(failure.data[CONTEXT]) if CONTEXT in failure.data else failure.hint
    why = f"{failure.message} {hint}".rstrip()
    if not given:
        lacking = isinstance(failure, InvalidArgumentsError)
        said = "To see the request that a call would send, give arguments" if lacking else "A call would be refused"
        common.output.problem(f"{said}: {why}", "Note")
        return Exit.OK
    common.output.problem(f"There is no request to show: {why}", "Error")
    return exit_for(failure)


async def _stored(now: Opened, name: str, version: int | None) -> Found | None:
    """The tool as it is stored: its newest version, or an older one. None where there is none, or it was removed."""
    from pegboard.config.wire import overlay_name
    from pegboard.http_tools.authored import read_back
    from pegboard.http_tools.versions import ToolVersion

    try:
        one = _chosen(await stored(now, lambda store: store.versions(name)), version)
    except StoreError:  # of which the source of added tools tells
        if version is not None:
            raise
        return None
    if not isinstance(one, ToolVersion) or one.definition is None:
        return None
    read = read_back(one.definition, f"{name} version {one.version}", context=now.settings.context_names)
    found = Found(source=overlay_name(now.settings), written=one.definition, version=one.version)
    found.definition = read.definitions[0] if read.definitions else None
    found.notes += [str(problem) for problem in read.problems]
    if version is None:
        found.notes += _aside(now, name, found.source)
    return found


def _chosen(versions: Sequence[Stored], version: int | None) -> Stored | None:
    if version is None:
        return versions[-1] if versions else None
    return next((one for one in versions if one.version == version), None)


def _of_source(now: Opened, name: str) -> Found | None:
    """The tool of a file or document, one that another is used in place of too."""
    from pegboard.http_tools.dump import lean

    for source in data_sources(now):
        definition = source.definitions.get(name)
        if definition is not None:
            notes = _aside(now, name, source.name)
            return Found(source=source.name, written=lean(definition.to_json()), definition=definition, notes=notes)
    for source in data_sources(now):
        reasons = [str(one) for one in source.status().problems if one.name == name]
        if reasons:
            return Found(source=source.name, written={}, notes=reasons)
    return None


def _aside(now: Opened, name: str, source: str) -> list[str]:
    return [f"Set aside: {one}" for one in now.peg.catalog.problems if (one.name, one.source) == (name, source)]


async def _request(
    now: Opened, found: Found, words: Sequence[str], context: Mapping[str, Any]
) -> tuple[Preview | None, CallError | None]:
    """The request of a call, or why there would be none."""
    from pegboard.http_tools.preview import preview

    if found.definition is None:
        return None, None
    try:
        arguments = parse_arguments(words, found.definition.parameters)
    except ArgumentsError as error:
        return None, InvalidArgumentsError(found.definition.name, [str(error).rstrip(".")])
    async with _runtime(now, found.source) as runtime:
        try:
            return await preview(found.definition, arguments, context, runtime), None
        except CallError as error:
            return None, error


@asynccontextmanager
async def _runtime(now: Opened, source: str) -> AsyncIterator[HttpRuntime]:
    """What the tools of a source run with; where it is not there, what those of files do."""
    from pegboard.config.wire import http_runtime
    from pegboard.net.client import HttpClient

    own = next((one.runtime for one in data_sources(now) if one.name == source), None)
    if own is not None:
        yield own
        return
    async with HttpClient() as client:
        yield http_runtime(now.settings)(client)


def _tell(
    common: Common,
    name: str,
    found: Found,
    request: Preview | None,
    failure: CallError | None,
    format: Format | None,
) -> None:
    if common.json:
        told: dict[str, Any] = {"name": name, "source": found.source, "version": found.version}
        told |= {"definition": dict(found.written), "request": request.to_json() if request else None}
        told |= failure.to_json() if failure else {}
        common.output.document(told | {"notes": [*found.notes, *(request.notes if request else ())]})
        return
    out = common.output
    out.heading(name)
    version = () if found.version is None else (("version", str(found.version)),)
    out.rows([("source", found.source), *version])
    out.say()
    if found.written:
        out.say(definition_text(found.written, format)[0].rstrip())
    if request is not None:
        out.say()
        out.say(f"{request.method} {request.url}")
        for name, text in request.headers.items():
            out.say(f"{name}: {text}")
        if request.body:
            out.say()
            out.say(request.body)


def _no_version(common: Common, name: str, version: int) -> Exit:
    hint = f"Look: pegboard tools history {name}."
    common.output.error(f"There is no version {version} of {name!r} to show.", code="not_found", hint=hint)
    return Exit.NOTHING
