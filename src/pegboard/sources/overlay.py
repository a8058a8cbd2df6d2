"""Tools that are added while Pegboard runs, as a source."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Final

from pegboard.documents.problems import ConfigProblem, Level
from pegboard.errors import StoreError
from pegboard.http_tools.authored import read_back
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.files import Loaded
from pegboard.http_tools.tool import Client, HttpRuntime
from pegboard.http_tools.versions import Stored, ToolStore, Unreadable
from pegboard.pin_store import SetAside
from pegboard.registry import Nature
from pegboard.sources.data_tools import DataToolSpec
from pegboard.sources.http_source import Closable, HttpSource

POLL: Final = 1.0
"""Seconds between two looks at the store: one small query each, so that a change holds everywhere about a second after
it was made. Another process's changes cannot be heard of in another way with every database."""


class OverlaySource(HttpSource):
    """The tools of a store, which any process may change. Process-wide; used from one event loop.

    It looks for changes every ``poll`` seconds (default: 1). A version that cannot be read, or that has a mistake by
    what holds here, sets its tool aside; a tool that was good before keeps what it was. ``environ`` (default: the
    process's own) fills ``{{env.*}}`` in. The store is closed when the source stops.
    """

    kind: ClassVar[str] = "overlay"
    nature: ClassVar[Nature] = "overlay"

    def __init__(
        self,
        name: str,
        store: ToolStore,
        runtime: Callable[[Client], HttpRuntime],
        *,
        spec: DataToolSpec | None = None,
        client: Callable[[], Closable] | None = None,
        environ: Mapping[str, str] | None = None,
        poll: float = POLL,
    ) -> None:
        super().__init__(name, runtime, spec=spec, client=client)
        self.store = store
        self._environ = environ
        self._poll = poll
        self._seen: int | None = None
        self._watch: asyncio.Task[None] | None = None

    @property
    def where(self) -> str:
        """Where the store keeps its tools."""
        return self.store.where

    async def start(self) -> None:
        """Begin to read, and to look for changes."""
        await super().start()
        if self._watch is None:
            self._watch = asyncio.create_task(self._watching(), name=f"changes of {self.name}")

    async def stop(self) -> None:
        """Look for no more changes, close all connections, and the store."""
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.cancel()
            await asyncio.wait([watch])
        await super().stop()
        await self.store.close()

    async def load(self, context: Collection[str]) -> Loaded:
        """What the store says now."""
        revision = await self.store.revision()
        loaded = together(await self.store.newest(), environ=self._environ, context=context)
        # The number from before the tools: what changed in between is then seen as a change.
        self._seen = revision
        moved = (_told_moved(one) for one in self.store.moved())
        return replace(loaded, problems=(*loaded.problems, *moved))

    async def _watching(self) -> None:
        while True:
            await asyncio.sleep(self._poll)
            try:
                if await self.store.revision() == self._seen:
                    continue
            except StoreError:
                if self._seen is None:
                    continue  # as it was told already
                self._seen = None  # what is read next says what is the matter
            self.reload()
            await self.ready()


def _told_moved(one: SetAside) -> ConfigProblem:
    return ConfigProblem(file=Path(one.where), message=f"{one.what}.", hint=one.mend, level=Level.WARNING)


def together(versions: Iterable[Stored], *, environ: Mapping[str, str] | None, context: Collection[str]) -> Loaded:
    """What the newest versions of all tools come to, removals left out."""
    definitions: list[HttpDefinition] = []
    problems: list[ConfigProblem] = []
    for one in versions:
        where = f"{one.name} version {one.version}"
        if isinstance(one, Unreadable):
            message = f"cannot be read: {one.reason}. It lies in {one.where}."
            hint = f"Bring an older version back: pegboard tools restore {one.name} VERSION."
            problems.append(ConfigProblem(file=Path(where), message=message, hint=hint, entry=one.name))
        elif one.definition is not None:
            read = read_back(one.definition, where, environ=environ, context=context)
            definitions += read.definitions
            problems += read.problems
    return Loaded(tuple(definitions), tuple(problems))
