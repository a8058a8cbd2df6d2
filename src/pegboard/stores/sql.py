"""Boards in a SQL database."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pegboard.errors import StoreError
from pegboard.pin_store import SetAside, StoreStatus
from pegboard.pins import PinRecord
from pegboard.stores.failures import is_broken, translated
from pegboard.stores.records import BoardRow, UnreadableError
from pegboard.stores.sqlite_file import WRITING, Identity, SqliteFile
from pegboard.texts import is_encodable

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

    from pegboard.stores.board_rows import BoardRows

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

DAY: Final = 86_400
"""Seconds. A board's last use is noted to within a day, and unused boards are looked for once a day."""

KEEP_DAYS: Final = 90.0


class _Opened:
    """A database that is ready. Lives until it is closed, or its file is taken away; belongs to one event loop."""

    def __init__(self, engine: AsyncEngine, identity: Identity, loop: asyncio.AbstractEventLoop) -> None:
        self.identity = identity
        self.loop = loop
        self._engine = engine
        self._running: set[asyncio.Task[Any]] = set()

    async def run(self, work: Callable[[BoardRows], Awaitable[_T]], writing: bool = False) -> _T:
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

    async def _transaction(self, work: Callable[[BoardRows], Awaitable[_T]], writing: bool) -> _T:
        from pegboard.stores.board_rows import BoardRows

        async with self._engine.execution_options(**{WRITING: writing}).begin() as connection:
            return await work(BoardRows(connection))

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # whoever waits is told; where nobody does any more, asyncio would complain


class SqlPinStore:
    """Keeps boards in a SQLite file, which any number of processes may use at once. Process-wide.

        store = SqlPinStore("boards.sqlite3")
        async with Pegboard([registry], store=store) as peg:
            ...

    The file is made, for its user alone, when the first board is saved, and brought to the newest schema when it is
    opened. A save that was acknowledged outlives ``kill -9``. Boards that were not used for ``keep_days`` (default: 90;
    None: never) are forgotten. ``patience`` is the seconds to wait for another process that writes.

    A record that cannot be read is set aside in a table of its own, and the board opens empty for its owner; a file
    that is no database is given another name, and a new one made. ``status`` tells of both. Everything raises
    StoreError, and nothing else.
    """

    def __init__(self, path: str | Path, *, keep_days: float | None = KEEP_DAYS, patience: float = 10.0) -> None:
        self.keep_days = keep_days
        self._file = SqliteFile(path, patience)
        self._opened: _Opened | None = None
        self._opening = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pruned: float | None = None
        self._status = StoreStatus(kind=self._file.kind, where=str(self._file.path), state="idle")

    @property
    def path(self) -> Path:
        """The file, absolute."""
        return self._file.path

    async def load(self, board_id: str) -> PinRecord | None:
        """The record, or None for a board that never saved."""
        # No board has an id that cannot be written; whoever asks for one must not look like a broken database.
        while is_encodable(board_id) and not self._file.is_absent:
            row = await self._run(lambda rows: rows.read(board_id))
            if row is None:
                return None
            try:
                record = row.read()
            except UnreadableError as error:
                await self._put_aside(row, str(error))
            else:
                await self._note_use(row)
                return record
        return None

    async def save(self, board_id: str, record: PinRecord) -> bool:
        """Store ``record`` if it follows the one that is stored."""
        row = BoardRow.of(board_id, record, _now())

        async def stored(rows: BoardRows) -> bool:
            return await (rows.add(row) if record.generation == 1 else rows.swap(row, record.generation - 1))

        saved = await self._run(stored, writing=True)
        await self._forget_unused()
        return saved

    async def delete(self, board_id: str) -> None:
        """Forget a board."""
        if self._file.is_absent:
            return
        await self._run(lambda rows: rows.remove(board_id), writing=True)

    async def prune(self, older_than_days: float) -> int:
        """Forget the boards that were not used for so many days; how many they were."""
        self._pruned = time.monotonic()
        since = int(_now() - older_than_days * DAY)
        gone = await self._run(lambda rows: rows.remove_unused(since), writing=True)
        if gone:
            logger.info("%d boards were not used for %g days and are forgotten", gone, older_than_days)
        return gone

    async def look(self) -> StoreStatus:
        """How the store is doing now. Makes nothing: without a file there are no boards."""
        if not self._file.is_absent:
            with suppress(StoreError):
                await self._run(self._looked)
        return self.status()

    def status(self) -> StoreStatus:
        """How the store was doing when it was last used."""
        return self._status

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

    async def _forget_unused(self) -> None:
        """Prune with the first save, and then once a day. What fails there takes nothing back of the save."""
        if self.keep_days is not None and (self._pruned is None or time.monotonic() - self._pruned > DAY):
            with suppress(StoreError):
                await self.prune(self.keep_days)

    async def _put_aside(self, row: BoardRow, reason: str) -> None:
        fresh = row.replacement(_now())
        if await self._run(lambda rows: rows.put_aside(row, reason, fresh), writing=True):
            logger.warning("the record of board %s could not be read and is set aside: %s", row.id, reason)
            await self._run(self._looked)

    async def _note_use(self, row: BoardRow) -> None:
        now = _now()
        if type(row.used) is not int or now - row.used > DAY:
            # A board that can be read but not written is still read.
            with suppress(StoreError):
                await self._run(lambda rows: rows.touch(row.id, now), writing=True)

    async def _looked(self, rows: BoardRows) -> None:
        records = [_record_aside(self._file.path, *one) for one in await rows.set_aside()]
        files = [_file_aside(path) for path in self._file.earlier_broken()]
        self._status = replace(self._status, boards=await rows.count(), set_aside=(*files, *records))

    async def _run(self, work: Callable[[BoardRows], Awaitable[_T]], *, writing: bool = False) -> _T:
        """What ``work`` gives, in one transaction. A file that turns out to be broken is opened anew, once."""
        for again in (True, False):
            opened = await self._ready()
            try:
                result = await opened.run(work, writing)
            except Exception as error:
                if not (again and is_broken(error)):
                    raise self._failed(error) from error
                await self.close()
            else:
                self._status = replace(self._status, state="ready", reason="")
                return result
        raise AssertionError("the second round returns or raises")

    async def _ready(self) -> _Opened:
        """The database, opened in this event loop, and still the one that lies at the path."""
        loop = asyncio.get_running_loop()
        async with self._turn():
            try:
                opened = self._opened
                if opened is not None and opened.loop is loop and opened.identity == self._file.identity:
                    return opened
                await self._let_go()
                # It loads libraries and waits for locks, which would hold up everything else.
                identity, engine = await asyncio.to_thread(self._prepared)
                self._opened = opened = _Opened(engine, identity, loop)
                await opened.run(self._looked)
            except Exception as error:
                await self._let_go()
                raise self._failed(error) from error
            return opened

    def _prepared(self) -> tuple[Identity, AsyncEngine]:
        """The file, made or brought up to date, and its engine. For a thread of its own."""
        for _ in range(3):
            self._file.make()
            identity = self._file.identity
            try:
                self._bring_up_to_date()
            except Exception as error:
                if not is_broken(error):
                    raise
                target = self._file.set_aside(identity)
                if target is not None:
                    logger.error("%s is no database that can be read: it is kept as %s", self._file.path, target)
            else:
                return identity, self._file.engine()
        raise StoreError(f"{self._file.path} is damaged again and again.", hint="Find out what writes to it.")

    def _bring_up_to_date(self) -> None:
        # Loaded here, in the thread, for what comes after.
        import pegboard.stores.board_rows  # noqa: F401
        from pegboard.stores.schema import bring_up_to_date

        self._file.check()
        with self._file.opening() as engine:
            self._file.use_write_ahead_log(engine)
            bring_up_to_date(engine, str(self._file.path))

    def _failed(self, error: Exception) -> StoreError:
        failure = translated(error, str(self._file.path))
        self._status = replace(self._status, state="failed", reason=str(failure))
        return failure


def _now() -> int:
    return int(time.time())


def _record_aside(path: Path, number: int, board: str, reason: str) -> SetAside:
    return SetAside(
        what=f"the state of board {board} could not be read: {reason}; the board began anew",
        where=f"{path}, table pegboard_set_aside, number {number}",
        mend="Look at the column record, which has it byte for byte; delete the row when it is of no use.",
    )


def _file_aside(path: Path) -> SetAside:
    return SetAside(
        what="a database file with the state of boards could not be read; a new one was made",
        where=str(path),
        mend=f"Try `sqlite3 {path} .recover`, or restore a backup; delete the file when it is of no use.",
    )
