"""``tools list``: the tools that are data, and where they come from."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.session import Opened
from pegboard.cli.tools_data import data_sources, opened_data, stored
from pegboard.detail import first_sentence
from pegboard.errors import StoreError

if TYPE_CHECKING:
    from pegboard.http_tools.definition import HttpDefinition
    from pegboard.registry import Problem

_NONE: Final = (
    "There are no tools that are data. Add some: pegboard tools add FILE, or name files in [[http_tools]] and OpenAPI "
    "documents in [[openapi]]."
)

Row = tuple[str, str, int | None, str]
"""Name, source, version of an added tool, description."""


def list_tools(common: Common) -> Exit:
    """List the tools that are data, each with its source; added ones with their version."""
    return asyncio.run(_list(common))


async def _list(common: Common) -> Exit:
    async with opened_data(common) as now:
        now.tell_amiss(common)
        versions = await _versions(now)
        rows = [
            (name, source, versions.get(name) if kind == "overlay" else None, definition.description)
            for name, source, kind, definition in sorted(_used(now), key=lambda row: row[0])
        ]
        names = {source.name for source in data_sources(now)}
        aside = [problem for problem in now.peg.catalog.problems if problem.source in names]
        lacking, nothing = now.lacking_json, now.nothing
    if common.json:
        keys = ("name", "source", "version", "description")
        told = {"tools": [dict(zip(keys, row, strict=True)) for row in rows]}
        common.output.document(told | {"set_aside": [one.to_json() for one in aside], "not_ready": lacking})
    else:
        _print(common, rows, aside)
    return Exit.OK if rows else nothing


def _print(common: Common, rows: list[Row], aside: list[Problem]) -> None:
    common.output.rows(
        [(name, source, str(number or ""), first_sentence(about)) for name, source, number, about in rows],
        head=("tool", "source", "version", "") if rows else (),
        numbers={2},
    )
    for one in aside:
        common.output.problem(f"{one.source}: {one.name} is set aside: {one}")
    if not rows:
        common.output.problem(_NONE, "Note")


def _used(now: Opened) -> list[tuple[str, str, str, HttpDefinition]]:
    """(name, source, kind of the source, definition) of every tool that is in the catalog."""
    found = []
    for source in data_sources(now):
        for name, definition in source.definitions.items():
            tool = now.peg.catalog.get(name)
            if tool is not None and tool.source == source.name:
                found.append((name, source.name, source.kind, definition))
    return found


async def _versions(now: Opened) -> dict[str, int]:
    """The newest versions of added tools; none where the store fails, of which its source tells."""
    try:
        return {one.name: one.version for one in await stored(now, lambda store: store.newest())}
    except StoreError:
        return {}
