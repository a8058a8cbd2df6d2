"""The tools that are data, for the commands that tell of them: their sources, and what is stored of added ones."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from pegboard.cli.options import Common
from pegboard.cli.session import Opened, load_named, opened_settings

if TYPE_CHECKING:
    from pegboard.http_tools.versions import Stored, ToolStore
    from pegboard.sources.http_source import HttpSource


@asynccontextmanager
async def opened_data(common: Common, who: str | None = None) -> AsyncIterator[Opened]:
    """The Pegboard of the configuration without its upstreams, which have nothing to do with this."""
    loaded = load_named(common)
    settings = replace(loaded.settings, upstreams={})
    async with opened_settings(common, replace(loaded, settings=settings), who=who) as now:
        yield now


def data_sources(now: Opened) -> list[HttpSource]:
    """The sources of tools that are data, in their order."""
    from pegboard.sources.http_source import HttpSource

    return [source for source in now.peg.sources if isinstance(source, HttpSource)]


async def stored(now: Opened, read: Callable[[ToolStore], Awaitable[Sequence[Stored]]]) -> Sequence[Stored]:
    """What ``read`` finds of the tools that were added; nothing where none ever was, or there is no place for any.

    Raises StoreError.
    """
    from pegboard.config.wire import tool_store_of

    store = tool_store_of(now.settings)
    if store is None or store.is_blank():
        return ()
    try:
        return await read(store)
    finally:
        await store.close()
