"""``pegboard usage``: what was learned from use, told, taken elsewhere and forgotten."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.principals import principal_named
from pegboard.cli.private_files import agreed, refuse_existing, write_for_owner
from pegboard.cli.session import load_named, tell_moved, tell_problems
from pegboard.cli.tools_store import text_of
from pegboard.cli.words import counted
from pegboard.errors import ConfigError, StoreError
from pegboard.usage.rows import day_of

if TYPE_CHECKING:
    from pegboard.config import Settings
    from pegboard.usage.rows import Row
    from pegboard.usage.store import UsageStore

_WORDS: Final = 8
"""Words of a tool that are listed where nobody asked for it by name."""

Tenant = Annotated[str | None, typer.Option(metavar="NAME", help="Only what was learned in this tenant.")]
Tool = Annotated[str | None, typer.Option(metavar="NAME", help="Only what was learned about this tool.")]


def show(
    common: Common,
    tool: Annotated[
        str | None, typer.Argument(metavar="TOOL", help="All words of this tool; else the first of each.")
    ] = None,
    tenant: Tenant = None,
) -> Exit:
    """Tell which words have led to which tools, and how much each still counts."""
    return asyncio.run(_show(common, tool, tenant))


def export(
    common: Common,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write it; unless given, stdout.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> Exit:
    """Write everything that was learned, one JSON object a line."""
    if output is not None:
        refuse_existing(output, force=force)
    return asyncio.run(_export(common, output, force))


def import_(
    common: Common,
    file: Annotated[str, typer.Argument(metavar="FILE", help="What export has written; - is stdin.")],
) -> Exit:
    """Take in what was exported, beside what is there. Of two alike, the one that counts more stays."""
    return asyncio.run(_import(common, file))


def clear(
    common: Common,
    tenant: Tenant = None,
    tool: Tool = None,
    who: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="Only what this principal of the configuration taught.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Agree to it, and do not ask.")] = False,
) -> Exit:
    """Forget what was learned: all of it, or that of a tenant, a tool or a principal."""
    return asyncio.run(_clear(common, tenant, tool, who, yes))


@asynccontextmanager
async def _opened(common: Common) -> AsyncIterator[tuple[Settings, UsageStore]]:
    """The settings, and the store of what was learned. Raises ConfigError where nothing is kept."""
    from pegboard.config.usage import usage_store_of

    loaded = load_named(common)
    tell_problems(common, loaded.problems)
    settings = loaded.settings
    if settings.store_file is None or settings.overlay is None:
        raise ConfigError(
            "What is learned is not kept: there is no pegboard.toml, or its store is in memory.",
            hint="Write a pegboard.toml, and name a file: path under [store].",
        )
    if not settings.usage.learn:
        common.output.problem("Nothing is learned at present: learn = true under [usage] switches it on.", "Note")
    store = usage_store_of(settings)
    try:
        yield settings, store
    finally:
        tell_moved(common, store.moved())
        await store.close()


async def _show(common: Common, tool: str | None, tenant: str | None) -> Exit:
    from pegboard.usage.spaces import space_of_tenant, tenant_of

    async with _opened(common) as (settings, store):
        rows = await store.everything()
    half_life, today = settings.usage.half_life, _today()
    told = []
    for space, of_space in rows.items():
        if tenant is None or space == space_of_tenant(tenant):
            of_tools = _by_tool(of_space, today, half_life)
            told += [(tenant_of(space), name, words) for name, words in of_tools.items() if tool in (None, name)]
    if common.json:
        common.output.document({"learned": [_json(*one) for one in told]})
    else:
        _print(common, told, whole=tool is not None)
    if told:
        return Exit.OK
    common.output.problem("Nothing was learned yet." if tool is None else _nothing_of(tool, tenant), "Note")
    return Exit.NOTHING


Words = Mapping[str, tuple[float, int]]
"""By word: the uses as of today, and how many principals they are of."""


def _by_tool(rows: Sequence[Row], today: int, half_life: float) -> dict[str, Words]:
    found: dict[str, dict[str, tuple[float, int]]] = {}
    for row in rows:
        words = found.setdefault(row.tool, {})
        uses, principals = words.get(row.term, (0.0, 0))
        words[row.term] = uses + row.on(today, half_life), principals + 1
    order: Callable[[tuple[str, tuple[float, int]]], Any] = lambda item: (-item[1][0], item[0])  # noqa: E731
    return {tool: dict(sorted(words.items(), key=order)) for tool, words in found.items()}


def _json(tenant: str | None, tool: str, words: Words) -> dict[str, Any]:
    told = [{"word": word, "uses": round(uses, 4), "principals": of} for word, (uses, of) in words.items()]
    return {"tenant": tenant, "tool": tool, "words": told}


def _print(common: Common, told: Sequence[tuple[str | None, str, Words]], *, whole: bool) -> None:
    if whole:
        for tenant, tool, words in told:
            common.output.heading(tool if tenant is None else f"{tool} (tenant {tenant})")
            rows = [(word, f"{uses:.2f}", counted(of, "principal")) for word, (uses, of) in words.items()]
            common.output.rows(rows, numbers={1}, indent=2)
        return
    rows = [
        (tool, tenant or "", " ".join(list(words)[:_WORDS]) + (" ..." if len(words) > _WORDS else ""))
        for tenant, tool, words in told
    ]
    common.output.rows(rows, head=("tool", "tenant", "words that led to it") if rows else ())


async def _export(common: Common, output: Path | None, force: bool) -> Exit:
    from pegboard.usage.export import to_text

    async with _opened(common) as (_, store):
        rows = await store.everything()
    if output is None:
        common.output.raw(to_text(rows))
        return Exit.OK
    write_for_owner(output, to_text(rows), StoreError, force=force)
    count = sum(map(len, rows.values()))
    if common.json:
        common.output.document({"file": str(output), "rows": count})
    else:
        common.output.say(f"{output}: {counted(count, 'row')}")
    return Exit.OK


async def _import(common: Common, file: str) -> Exit:
    from pegboard.usage.export import from_text

    text, where = text_of(file, None)
    rows = from_text(text, where, _today())
    async with _opened(common) as (_, store):
        await store.put(rows)
    count = sum(map(len, rows.values()))
    if common.json:
        common.output.document({"rows": count})
    else:
        common.output.say(f"took in {counted(count, 'row')}")
    return Exit.OK


async def _clear(common: Common, tenant: str | None, tool: str | None, who: str | None, yes: bool) -> Exit:
    from pegboard.usage.spaces import space_of, space_of_tenant

    async with _opened(common) as (settings, store):
        principal = principal_named(settings, who)
        if tenant is not None:
            space: str | None = space_of_tenant(tenant)
        else:
            space = space_of(principal) if principal else None
        if not (yes or agreed(common, "What was learned cannot be learned anew at once. Forget it?")):
            common.output.error("Nothing was forgotten.", code="denied", hint="Agree to it with --yes.")
            return Exit.REFUSED
        gone = await store.forget(space, tool=tool, by=principal.key if principal else None)
    if common.json:
        common.output.document({"forgotten": gone})
    else:
        common.output.say(f"forgot {counted(gone, 'row')}")
    if not gone and tool is not None:
        common.output.problem(_nothing_of(tool, tenant, who), "Note")
    return Exit.OK


def _nothing_of(tool: str, tenant: str | None = None, who: str | None = None) -> str:
    """That there is nothing of a tool, among what was asked for."""
    within = "" if tenant is None else f" in the tenant {tenant!r}"
    return f"Nothing was learned of a tool {tool!r}{within}" + ("." if who is None else f" from {who!r}.")


def _today() -> int:
    return day_of(time.time())
