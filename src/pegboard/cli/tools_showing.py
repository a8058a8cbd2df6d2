"""``tools list`` and ``tools show``: tools that are data, where they come from, and what they would send."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pegboard.cli.catalog_commands import missing
from pegboard.cli.context import Ctx, context_named
from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.principals import As
from pegboard.cli.session import Opened, load_named, opened_settings
from pegboard.cli.tools_store import Format, ToolName, definition_text
from pegboard.cli.values import ArgumentsError, parse_arguments
from pegboard.detail import first_sentence
from pegboard.errors import CallError

if TYPE_CHECKING:
    from pegboard.http_tools.definition import HttpDefinition
    from pegboard.http_tools.preview import Preview
    from pegboard.http_tools.versions import Stored, ToolStore
    from pegboard.sources.http_source import HttpSource


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


def list_tools(common: Common) -> Exit:
    """List the tools that are data, each with its source; added ones with their version."""
    return asyncio.run(_list(common))


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


async def _list(common: Common) -> Exit:
    async with _data(common, None) as now:
        versions = await _versions(now)
        rows = [
            (name, source, versions.get(name) if kind == "overlay" else None, definition.description)
            for name, source, kind, definition in sorted(_used(now), key=lambda row: row[0])
        ]
        names = {source.name for source in _sources(now)}
        aside = [problem for problem in now.peg.catalog.problems if problem.source in names]
    if common.json:
        common.output.document(
            {
                "tools": [dict(zip(("name", "source", "version", "description"), row, strict=True)) for row in rows],
                "set_aside": [{"source": one.source, "name": one.name, "reason": one.reason} for one in aside],
            }
        )
    else:
        common.output.rows(
            [(name, source, str(number or ""), first_sentence(about)) for name, source, number, about in rows],
            head=("tool", "source", "version", "") if rows else (),
            numbers={2},
        )
        for one in aside:
            common.output.problem(f"{one.source}: {one.name} is set aside: {one.reason}")
    return Exit.OK if rows else Exit.NOTHING


async def _show(
    common: Common,
    name: str,
    words: Sequence[str],
    format: Format | None,
    version: int | None,
    ctx: Sequence[str] | None,
    who: str | None,
) -> Exit:
    async with _data(common, who) as now:
        context = now.peg.context.held(now.principal) | context_named(now.settings, ctx)
        found = await _stored(now, name, version) or (_of_source(now, name) if version is None else None)
        if found is None:
            if version is not None:
                return _no_version(common, name, version)
            return await missing(common, name, now, await now.board())
        request, failure = await _request(now, found, words, context)
        if failure is not None and words:
            raise failure
        _tell(common, name, found, request, format)
    for note in (*found.notes, *(request.notes if request else ())):
        common.output.problem(note, "Note")
    if failure is not None:
        common.output.problem(f"To see the request that a call would send, give arguments: {failure.message}", "Note")
    return Exit.OK if found.definition is not None else Exit.CONFIG


@asynccontextmanager
async def _data(common: Common, who: str | None) -> AsyncIterator[Opened]:
    """The Pegboard of the configuration without its upstreams, which have nothing to do with this."""
    loaded = load_named(common)
    settings = replace(loaded.settings, upstreams={})
    async with opened_settings(common, replace(loaded, settings=settings), who=who) as now:
        yield now


def _sources(now: Opened) -> list[HttpSource]:
    from pegboard.sources.http_source import HttpSource

    return [source for source in now.peg.sources if isinstance(source, HttpSource)]


def _used(now: Opened) -> list[tuple[str, str, str, HttpDefinition]]:
    """(name, source, kind of the source, definition) of every tool that is in the catalog."""
    found = []
    for source in _sources(now):
        for name, definition in source.definitions.items():
            tool = now.peg.catalog.get(name)
            if tool is not None and tool.source == source.name:
                found.append((name, source.name, source.kind, definition))
    return found


async def _versions(now: Opened) -> dict[str, int]:
    return {one.name: one.version for one in await _read(now, lambda store: store.newest())}


async def _read(now: Opened, read: Callable[[ToolStore], Awaitable[Sequence[Stored]]]) -> Sequence[Stored]:
    """What is read of the tools that were added; nothing where none ever was, or there is no place for any."""
    from pegboard.config.wire import tool_store_of

    store = tool_store_of(now.settings)
    if store is None or store.is_blank():
        return ()
    try:
        return await read(store)
    finally:
        await store.close()


async def _stored(now: Opened, name: str, version: int | None) -> Found | None:
    """The tool as it is stored: its newest version, or an older one. None where there is none, or it was removed."""
    from pegboard.config.wire import overlay_name
    from pegboard.http_tools.authored import read_back
    from pegboard.http_tools.versions import ToolVersion

    one = _chosen(await _read(now, lambda store: store.versions(name)), version)
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
    from pegboard.naming import legal_name

    for source in _sources(now):
        definition = source.definitions.get(name)
        if definition is not None:
            notes = _aside(now, name, source.name)
            return Found(source=source.name, written=lean(definition.to_json()), definition=definition, notes=notes)
    for source in _sources(now):
        reasons = [one.reason for one in source.status().problems if legal_name(one.name, source.spec.prefix) == name]
        if reasons:
            return Found(source=source.name, written={}, notes=reasons)
    return None


def _aside(now: Opened, name: str, source: str) -> list[str]:
    return [f"Set aside: {one.reason}" for one in now.peg.catalog.problems if (one.name, one.source) == (name, source)]


async def _request(
    now: Opened, found: Found, words: Sequence[str], context: Mapping[str, Any]
) -> tuple[Preview | None, CallError | None]:
    """The request of a call, or why there would be none."""
    from pegboard.config.wire import http_runtime
    from pegboard.http_tools.preview import preview
    from pegboard.net.client import HttpClient

    if found.definition is None:
        return None, None
    try:
        arguments = parse_arguments(words, found.definition.parameters)
    except ArgumentsError as error:
        raise typer.BadParameter(str(error), param_hint="arguments") from None
    async with HttpClient() as client:
        try:
            return await preview(found.definition, arguments, context, http_runtime(now.settings)(client)), None
        except CallError as error:
            return None, error


def _tell(common: Common, name: str, found: Found, request: Preview | None, format: Format | None) -> None:
    if common.json:
        told: dict[str, Any] = {"name": name, "source": found.source, "version": found.version}
        told |= {"definition": dict(found.written), "request": request.to_json() if request else None}
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
