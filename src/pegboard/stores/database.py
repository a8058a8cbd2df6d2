"""One database, opened when it is needed, and anew when its file was taken away or is broken."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pegboard.errors import StoreError
from pegboard.stores.failures import is_broken, translated
from pegboard.stores.sqlite_file import WRITING, Identity, SqliteFile, file_aside

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

    from pegboard.pin_store import SetAside

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

Work = Callable[["AsyncConnection"], Awaitable[_T]]
"""What is done in one transaction."""

PATIENCE = 10.0
"""Seconds to wait for another process that writes, unless told otherwise."""


class _Opened:
    """A database that is ready. Lives until it is closed, or its file is taken away; belongs to one event loop."""

    def __init__(self, engine: AsyncEngine, identity: Identity, loop: asyncio.AbstractEventLoop) -> None:
        self.identity = identity
        self.loop = loop
        self._engine = engine
        self._running: set[asyncio.Task[Any]] = set()

    async def run(self, work: Work[_T], writing: bool = False) -> _T:
        """What ``work`` gives, in one transaction, which is rolled back when its user is cancelled.

        It has a task of its own, which is cancelled once: anyio cancels again at every step of cleaning up, and the
        connection would stay half closed.
        """
        task = asyncio.create_task(self._transaction(work, writing))
        self._running.add(task)
        task.add_done_callback(self._ended)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait([task])
            raise

    async def close(self) -> None:
        """Close every connection once nothing runs: one that is in use would be lost, and stay open."""
        while self._running and self.loop is asyncio.get_running_loop():
            await asyncio.wait(self._running)
        await self._engine.dispose()

    async def _transaction(self, work: Work[_T], writing: bool) -> _T:
        async with self._engine.execution_options(**{WRITING: writing}).begin() as connection:
            return await work(connection)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # whoever waits is told; where nobody does any more, asyncio would complain


class Database:
    """A database file that several stores and processes may use at once. Lives as long as its store.

    The file is made, for its user alone, by the first ``run``, and brought to the newest schema when it is opened. One
    that is no database is given another name, and a new one made. ``look`` runs in a transaction of its own each time
    that it was opened. Everything raises StoreError, and nothing else.
    """

    def __init__(self, path: str | Path, patience: float = PATIENCE, *, look: Work[None] | None = None) -> None:
        self.file = SqliteFile(path, patience)
        self._look = look
        self._opened: _Opened | None = None
        self._opening = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.moved: list[SetAside] = []
        """The broken files that this has put out of the way."""

    async def run(self, work: Work[_T], *, writing: bool = False) -> _T:
        """What ``work`` gives, in one transaction. A file that turns out to be broken is opened anew, once."""
        for again in (True, False):
            opened = await self._ready()
            try:
                return await opened.run(work, writing)
            except Exception as error:
                if not (again and is_broken(error)):
                    raise translated(error, str(self.file.path)) from error
                await self.close()
        raise AssertionError("the second round returns or raises")

    async def close(self) -> None:
        """Let go of the file. What is used afterwards opens it again."""
        async with self._turn():
            await self._let_go()

    async def _let_go(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened.close()

    def _turn(self) -> asyncio.Lock:
        """What is held while the database is opened or closed, in this event loop."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._opening = loop, asyncio.Lock()
        return self._opening

    async def _ready(self) -> _Opened:
        """The database, opened in this event loop, and still the one that lies at the path."""
        loop = asyncio.get_running_loop()
        async with self._turn():
            try:
                opened = self._opened
                if opened is not None and opened.loop is loop and opened.identity == self.file.identity:
                    return opened
                await self._let_go()
                # It loads libraries and waits for locks, which would hold up everything else.
                identity, engine = await asyncio.to_thread(self._prepared)
                self._opened = opened = _Opened(engine, identity, loop)
                if self._look is not None:
                    await opened.run(self._look)
            except Exception as error:
                await self._let_go()
                raise translated(error, str(self.file.path)) from error
            return opened

    def _prepared(self) -> tuple[Identity, AsyncEngine]:
        """The file, made or brought up to date, and its engine. For a thread of its own."""
        for _ in range(3):
            self.file.make()
            identity = self.file.identity
            try:
                self._bring_up_to_date()
            except Exception as error:
                if not is_broken(error):
                    raise
                target = self.file.set_aside(identity)
                if target is not None:
                    self.moved.append(file_aside(target))
                    logger.error("%s is no database that can be read: it is kept as %s", self.file.path, target)
            else:
                return identity, self.file.engine()
        raise StoreError(f"{self.file.path} is damaged again and again.", hint="Find out what writes to it.")

    def _bring_up_to_date(self) -> None:
        # Loaded here, in the thread, for what comes after.
        import pegboard.stores.board_rows
        import pegboard.stores.tool_rows
        import pegboard.stores.usage_rows  # noqa: F401
        from pegboard.stores.schema import bring_up_to_date

        self.file.check()
        with self.file.opening() as engine:
            self.file.use_write_ahead_log(engine)
            bring_up_to_date(engine, str(self.file.path))
