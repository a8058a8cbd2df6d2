"""``tools import-openapi``: the definitions of a document's operations, to own and change."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.session import load_found
from pegboard.cli.tools_store import Format
from pegboard.cli.words import counted
from pegboard.errors import DefinitionError

if TYPE_CHECKING:
    from pegboard.http_tools.openapi.options import ImportOptions
    from pegboard.http_tools.openapi.report import Aside, Imported
    from pegboard.net.egress import EgressPolicy

Globs = list[str] | None
Pairs = list[str] | None

_ENDINGS: Final[dict[str, Format]] = {".toml": "toml", ".yaml": "yaml", ".yml": "yaml", ".json": "json"}


def _globs(name: str, about: str) -> Any:
    return typer.Option(name, metavar="GLOB", help=f"{about} Repeatable.")


def import_openapi(
    common: Common,
    document: Annotated[str, typer.Argument(metavar="DOCUMENT", help="A file, or an address.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write; unset: stdout.")
    ] = None,
    format: Annotated[Format | None, typer.Option("--format", help="Unset: by the file's ending, else YAML.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    server: Annotated[str | None, typer.Option("--server", metavar="URL", help="The address to send to.")] = None,
    variable: Annotated[
        Pairs, typer.Option("--server-variable", metavar="NAME=VALUE", help="Of the document's servers. Repeatable.")
    ] = None,
    secret: Annotated[
        Pairs, typer.Option("--secret", metavar="SCHEME=NAME", help="A security scheme's secret. Repeatable.")
    ] = None,
    header: Annotated[
        Pairs, typer.Option("--header", metavar="NAME=VALUE", help="May hold {{secret.NAME}}. Repeatable.")
    ] = None,
    tag: Annotated[Globs, _globs("--tag", "Tags to take in.")] = None,
    method: Annotated[Globs, typer.Option("--method", help="A method to take in. Repeatable.")] = None,
    path: Annotated[Globs, _globs("--path", "Paths to take in.")] = None,
    exclude_path: Annotated[Globs, _globs("--exclude-path", "Paths to leave out.")] = None,
    operation: Annotated[Globs, _globs("--operation", "OperationIds to take in.")] = None,
    include: Annotated[Globs, _globs("--include", "Names of tools to take in.")] = None,
    exclude: Annotated[Globs, _globs("--exclude", "Names of tools to leave out.")] = None,
) -> Exit:
    """Write the tools of an OpenAPI document to a file of definitions, and report what was set aside.

    To use a document without owning its definitions, name it in [[openapi]] instead.
    """
    from pegboard.http_tools.openapi.options import ImportOptions
    from pegboard.http_tools.openapi.spelling import TYPED

    options = ImportOptions(
        spelling=TYPED,
        server=server or "",
        server_variables=_pairs(variable, "--server-variable"),
        secrets=_pairs(secret, "--secret"),
        headers=_pairs(header, "--header"),
        tags=tuple(tag or ()),
        methods=tuple(method or ()),
        paths=tuple(path or ()),
        exclude_paths=tuple(exclude_path or ()),
        operations=tuple(operation or ()),
        include=tuple(include or ()),
        exclude=tuple(exclude or ()),
    )
    if output is not None and output.exists() and not force:
        raise typer.BadParameter(f"{output} is there already; --force writes over it.", param_hint="--output")
    found = asyncio.run(_imported(common, document, options))
    return _told(common, found, output, format or _format_of(output))


def _pairs(words: Sequence[str] | None, option: str) -> dict[str, str]:
    split = [word.partition("=") for word in words or ()]
    wrong = next((name for name, equals, _ in split if not name or not equals), None)
    if wrong is not None:
        raise typer.BadParameter(f"wanted NAME=VALUE, got {wrong!r}.", param_hint=option)
    return {name: value for name, _, value in split}


def _format_of(output: Path | None) -> Format:
    return _ENDINGS.get(output.suffix.lower(), "yaml") if output is not None else "yaml"


async def _imported(common: Common, document: str, options: ImportOptions) -> Imported:
    """What the document comes to. Raises DefinitionError and EgressError."""
    from pegboard.documents.read import read_text
    from pegboard.http_tools.openapi.importing import import_openapi

    if "://" not in document:
        text = read_text(Path(document))
        if not isinstance(text, str):
            raise DefinitionError(text.message, hint=text.hint)
        return import_openapi(text, options)
    from pegboard.net.client import HttpClient
    from pegboard.net.egress import EgressPolicy
    from pegboard.sources.openapi import fetched

    policy = replace(_policy(common), origins=EgressPolicy.allowing(origins=[document]).origins)
    async with HttpClient() as client:
        found = await fetched(document, client, policy)
    return import_openapi(found.text, replace(options, address=found.address))


def _policy(common: Common) -> EgressPolicy:
    """What may be reached besides: that of the configuration where there is one, for redirects."""
    from pegboard.net.egress import EgressPolicy

    loaded = load_found(common)
    return EgressPolicy.allowing() if loaded is None else loaded.settings.http.policy


def manifest(found: Imported, format: Format) -> str:
    """A file with all tools. Raises DefinitionError for a null in TOML, which has none."""
    from pegboard.http_tools.dump import as_text, lean

    tools = [lean(definition.to_json()) for definition in found.definitions]
    for tool in tools:
        del tool["schema"]
    return as_text({"version": 1, "defaults": {"schema": "full"}, "tools": tools}, format)


def _told(common: Common, found: Imported, output: Path | None, format: Format) -> Exit:
    text = manifest(found, format)
    if not found.operations:
        output = None  # a file without a tool would only be in the way of the next try
    if output is not None:
        _write(output, text)
    if common.json:
        common.output.document(_report(found, output))
        return _exit(found)
    if output is None:
        common.output.raw(text)
    for line in found.lines():
        common.output.problem(line, "Note")
    summary = [counted(len(found.operations), "tool"), *_counts(found)]
    said = f"{found.title or 'The document'}: {', '.join(summary)}"
    if output is None:
        common.output.problem(f"{said}.", "Note")
    else:
        common.output.say(f"{said}, in {output}")
    return _exit(found)


def _write(output: Path, text: str) -> None:
    try:
        output.write_text(text, "utf-8")
    except OSError as error:
        raise DefinitionError(
            f"{output} cannot be written: {error.strerror or error}.", hint="Check the path."
        ) from None


def _counts(found: Imported) -> Iterable[str]:
    left_out = len(found.aside) - len(found.failed)
    if left_out:
        yield f"{left_out} left out by filters"
    if found.failed:
        yield f"{len(found.failed)} set aside"


def _exit(found: Imported) -> Exit:
    return Exit.OK if found.operations else Exit.NOTHING


def _report(found: Imported, output: Path | None) -> dict[str, Any]:
    """The report as JSON; the definitions too where they are written nowhere else."""
    told: dict[str, Any] = {
        "title": found.title,
        "openapi": found.version,
        "file": None if output is None else str(output),
        "tools": [
            {
                "name": one.definition.name,
                "method": one.method,
                "path": one.path,
                "operation_id": one.operation_id,
                "notes": list(one.notes),
            }
            for one in found.operations
        ],
        "set_aside": [_aside(one) for one in found.failed],
        "left_out": [_aside(one) for one in found.aside if one.chosen],
    }
    if output is None:
        told["definitions"] = [definition.to_json() for definition in found.definitions]
    return told


def _aside(one: Aside) -> dict[str, str]:
    told = {"method": one.method, "path": one.path, "operation_id": one.operation_id, "reason": one.reason}
    return told | ({"mend": one.mend} if one.mend else {})
