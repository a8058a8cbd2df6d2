"""``tools add``, ``edit``, ``remove``, ``history`` and ``restore``: tools that are added while Pegboard runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from pegboard.cli.editor import Draft
from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.session import tell_problems
from pegboard.cli.tools_elsewhere import elsewhere
from pegboard.cli.tools_store import (
    Format,
    ForVersion,
    Opened,
    StdinFormat,
    ToolName,
    definition_text,
    opened_overlay,
    text_of,
)
from pegboard.errors import NoVersionError, PegboardError

if TYPE_CHECKING:
    from pegboard.http_tools.versions import Stored, ToolVersion

DEFINITIONS = "A file of one tool or many, in TOML, YAML or JSON; - is stdin."
_DONE = {"add": "added", "edit": "changed", "remove": "removed", "restore": "restored"}


def add(
    common: Common,
    file: Annotated[str, typer.Argument(metavar="FILE", help=DEFINITIONS)],
    format: StdinFormat = None,
) -> Exit:
    """Add the tools of a file, all or none. Gateways that run take them up within seconds."""
    return asyncio.run(_add(common, file, format))


def edit(
    common: Common,
    name: ToolName,
    file: Annotated[
        str | None, typer.Option("--file", metavar="FILE", help="The new definition; - is stdin. Else: your EDITOR.")
    ] = None,
    format: StdinFormat = None,
    version: ForVersion = None,
) -> Exit:
    """Change a tool's definition, in your editor or from a file.

    A tool of a file, or of an OpenAPI document, is not changed there: what you write is used in its place until you
    remove it.
    """
    return asyncio.run(_edit(common, name, file, format, version))


def remove(common: Common, name: ToolName, version: ForVersion = None) -> Exit:
    """Remove a tool that was added. Its versions stay, and can be restored."""
    return asyncio.run(_remove(common, name, version))


def history(common: Common, name: ToolName) -> Exit:
    """List a tool's versions: when, by whom, and what was changed."""
    return asyncio.run(_history(common, name))


def restore(
    common: Common,
    name: ToolName,
    wanted: Annotated[int, typer.Argument(metavar="VERSION", min=1, help="As history prints it.")],
    version: ForVersion = None,
) -> Exit:
    """Make an older version of a tool the newest."""
    return asyncio.run(_restore(common, name, wanted, version))


async def _add(common: Common, file: str, format: Format | None) -> Exit:
    text, where = text_of(file, format)
    async with opened_overlay(common) as now:
        tell_problems(common, now.overlay.checked(text, where).problems)
        return _changed(common, await now.overlay.add(text, where))


async def _edit(common: Common, name: str, file: str | None, format: Format | None, version: int | None) -> Exit:
    async with opened_overlay(common) as now:
        if file is not None:
            text, where = text_of(file, format)
            return await _edited(common, now, name, text, where, version)
        before, seen = await _before(now, name)
        text, written = definition_text(before, format)
        draft = Draft(text, name, f".{written}")
        version = seen if version is None else version
        try:
            code = await _edited(common, now, name, draft.edited(), str(draft.path), version)
        except PegboardError as error:
            if draft.path.exists():
                again = f"pegboard tools edit {name} --file {draft.path}"
                error.hint = f"{error.hint} What you wrote is in {draft.path}: {again}".strip()
            raise
        draft.discard()
        return code


async def _edited(common: Common, now: Opened, name: str, text: str, where: str, version: int | None) -> Exit:
    tell_problems(common, now.overlay.checked(text, where).problems)
    made = await now.overlay.edit(name, text, where, version=version)
    return _changed(common, () if made is None else (made,))


async def _remove(common: Common, name: str, version: int | None) -> Exit:
    async with opened_overlay(common) as now:
        try:
            return _changed(common, (await now.overlay.remove(name, version=version),))
        except NoVersionError as error:
            found = await elsewhere(now.settings, name)
            if found is not None:
                error.hint = f"{name!r} is {found.where}: {found.leave_out}."
            raise


async def _restore(common: Common, name: str, wanted: int, version: int | None) -> Exit:
    async with opened_overlay(common) as now:
        made = await now.overlay.restore(name, wanted, version=version)
        return _changed(common, () if made is None else (made,))


async def _history(common: Common, name: str) -> Exit:
    async with opened_overlay(common) as now:
        versions = await now.overlay.history(name)
    changes = [_what(before, after) for before, after in zip((None, *versions), versions, strict=False)]
    if common.json:
        told = [_told(one) | {"changed": what} for one, what in zip(versions, changes, strict=True)]
        common.output.document({"name": name, "versions": told})
    else:
        common.output.rows(
            [_row(one, what) for one, what in zip(versions, changes, strict=True)],
            head=("version", "when", "by", "change", ""),
            numbers={0},
        )
    return Exit.OK


def _what(before: Stored | None, after: Stored) -> list[str]:
    from pegboard.http_tools.overlay import changed_fields
    from pegboard.http_tools.versions import ToolVersion

    return changed_fields(before, after) if isinstance(after, ToolVersion) else []


def _told(one: Stored) -> dict[str, object]:
    from pegboard.http_tools.versions import ToolVersion

    if isinstance(one, ToolVersion):
        return one.to_json()
    return {"name": one.name, "version": one.version, "unreadable": one.reason, "where": one.where}


def _row(one: Stored, what: Sequence[str]) -> tuple[str, ...]:
    from pegboard.http_tools.versions import ToolVersion

    if not isinstance(one, ToolVersion):
        return (str(one.version), "", "", "cannot be read", f"{one.reason} ({one.where})")
    change = f"restore {one.restored}" if one.restored is not None else str(one.change)
    return (str(one.version), _moment(one.at), one.by, change, ", ".join(what))


def _moment(seconds: int) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
    except (OverflowError, OSError, ValueError):
        return str(seconds)


def _changed(common: Common, versions: Sequence[ToolVersion]) -> Exit:
    """Say what was stored."""
    if common.json:
        common.output.document({"changed": [one.to_json() for one in versions]})
    for one in () if common.json else versions:
        common.output.say(f"{_DONE[one.change]} {one.name}, version {one.version}")
    if not versions:
        common.output.problem("That is the newest version already: nothing was stored.", "Note")
    return Exit.OK


async def _before(now: Opened, name: str) -> tuple[dict[str, object], int]:
    """The definition to begin with, and the version that it is: that of a tool that was not added is 0."""
    from pegboard.http_tools.versions import ToolVersion

    versions = await now.overlay.store.versions(name)
    last = versions[-1] if versions else None
    if isinstance(last, ToolVersion) and last.definition is not None:
        return dict(last.definition), last.version
    found = await elsewhere(now.settings, name)
    if found is None:
        await now.overlay.current(name)  # says what is the matter
    return dict(found.definition if found else {}), last.version if last else 0
