"""Boards in a SQL database."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from pegboard.errors import StoreError
from pegboard.pin_store import SetAside, StoreStatus
from pegboard.pins import PinRecord
from pegboard.stores.database import PATIENCE, Database
from pegboard.stores.records import BoardRow, UnreadableError
from pegboard.stores.sqlite_file import file_aside
from pegboard.texts import is_encodable

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from pegboard.stores.board_rows import BoardRows

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

DAY: Final = 86_400
"""Seconds. A board's last use is noted to within a day, and unused boards are looked for once a day."""

KEEP_DAYS: Final = 90.0


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

    def __init__(self, path: str | Path, *, keep_days: float | None = KEEP_DAYS, patience: float = PATIENCE) -> None:
        self.keep_days = keep_days
        self._database = Database(path, patience, look=lambda connection: self._looked(_rows(connection)))
        self._file = self._database.file
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
        await self._database.close()

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
        files = [file_aside(path) for path in self._file.earlier_broken()]
        self._status = replace(self._status, boards=await rows.count(), set_aside=(*files, *records))

    async def _run(self, work: Callable[[BoardRows], Awaitable[_T]], *, writing: bool = False) -> _T:
        """What ``work`` gives, in one transaction."""
        try:
            result = await self._database.run(lambda connection: work(_rows(connection)), writing=writing)
        except StoreError as error:
            self._status = replace(self._status, state="failed", reason=str(error))
            raise
        self._status = replace(self._status, state="ready", reason="")
        return result


def _rows(connection: AsyncConnection) -> BoardRows:
    from pegboard.stores.board_rows import BoardRows

    return BoardRows(connection)


def _now() -> int:
    return int(time.time())


def _record_aside(path: Path, number: int, board: str, reason: str) -> SetAside:
    return SetAside(
        what=f"the state of board {board} could not be read: {reason}; the board began anew",
        where=f"{path}, table pegboard_set_aside, number {number}",
        mend="Look at the column record, which has it byte for byte; delete the row when it is of no use.",
    )
