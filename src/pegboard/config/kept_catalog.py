"""What commands keep of a catalog for those that follow: what upstreams listed, and the index of it all.

Nothing of it decides about rights: the policy of the moment is asked about every tool, wherever it was taken from.
What cannot be used is passed over, and told in the log alone: it can be made again. Files of tools and folders of
skills are not kept: they are read every time, for what a Python file brings depends on more than on itself.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from pegboard.config.kept_index import KeptIndex
from pegboard.config.kept_listings import KeptListings
from pegboard.config.settings import Settings
from pegboard.sources.mcp.upstream import McpUpstream
from pegboard.stores.kept_files import KeptFiles

if TYPE_CHECKING:
    from pegboard.catalog import Catalog
    from pegboard.peg import Pegboard
    from pegboard.registry import Source

SETTLE: Final = 1.0
"""Seconds from a change of the catalog to the writing: changes come in bursts, skills after tools."""

LOOK: Final = 30.0
"""Seconds between two looks where no change is told: a list that came again unchanged changes nothing."""


class KeptCatalog:
    """What is kept of the catalog of one configuration. Lives as long as a command or a gateway.

    Nothing is, where ``settings`` have no folder for it.
    """

    def __init__(self, settings: Settings) -> None:
        folder = settings.cache_folder if settings.cache_age else None
        files = None if folder is None else KeptFiles(folder)
        self._listings = None if files is None else KeptListings(files, settings.cache_age)
        # Other rankers search other indexes, and make them in no time.
        lexical = files is not None and settings.ranker in ("lexical", "hybrid")
        self._index = KeptIndex(files, name_of(settings, "index")) if files is not None and lexical else None

    async def recall(self, sources: Iterable[Source]) -> None:
        """Let upstreams that listed not long ago offer that, and start only when they are needed."""
        if self._listings is not None:
            await self._listings.recall(sources)

    def recalled(self, sources: Iterable[Source]) -> list[McpUpstream]:
        """The upstreams among ``sources`` that still go by what was recalled."""
        return [source for source in sources if isinstance(source, McpUpstream) and source.recalled]

    def seconds_ago(self, sources: Iterable[Source]) -> int | None:
        """How long ago the oldest listing was made that these still go by; None when they go by none."""
        made = [self._listings.listed[one.name] for one in self.recalled(sources)] if self._listings else []
        return max(0, round(time.time() - min(made))) if made else None

    def index(self, catalog: Catalog) -> None:
        """Have a catalog search with the index that was kept."""
        if self._index is not None:
            self._index.use(catalog)

    async def keep(self, sources: Iterable[Source]) -> None:
        """Keep what ``sources`` have listed since, and the index that was used."""
        if self._listings is not None:
            await self._listings.keep(sources)
        if self._index is not None:
            await self._index.keep()

    async def follow(self, peg: Pegboard) -> None:
        """Keep what the upstreams of a running Pegboard list, as they do, until cancelled."""
        if self._listings is None:
            return
        changed = asyncio.Event()
        unsubscribe = peg.on_change(changed.set)
        try:
            while True:
                with suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), LOOK)
                await asyncio.sleep(SETTLE)
                changed.clear()
                await self._listings.keep(peg.sources)
        finally:
            unsubscribe()


def name_of(settings: Settings, ending: str) -> str:
    """The name of a file that is kept for a configuration, by the files that it comes from."""
    files = [str(settings.file), *sorted({str(one.origin) for one in settings.upstreams.values()})]
    return f"{blake2b('|'.join(files).encode('utf-8', 'surrogatepass'), digest_size=20).hexdigest()}.{ending}"
