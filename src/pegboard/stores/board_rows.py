"""The statements over boards. The same for every dialect."""

from __future__ import annotations

from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from pegboard.stores.records import BoardRow
from pegboard.stores.tables import BOARDS, SET_ASIDE


class BoardRows:
    """The rows as one transaction sees and changes them. Lives as long as it."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def read(self, board_id: str) -> BoardRow | None:
        """The row of a board."""
        found = (await self._connection.execute(select(BOARDS).where(BOARDS.c.id == board_id))).first()
        return None if found is None else BoardRow(*found)

    async def add(self, row: BoardRow) -> bool:
        """Store the first record of a board; whether there was none."""
        try:
            async with self._connection.begin_nested():
                await self._connection.execute(insert(BOARDS).values(**vars(row)))
        except IntegrityError:
            return False
        return True

    async def swap(self, row: BoardRow, generation: int) -> bool:
        """Store a record in the place of that of a generation; whether that was the stored one."""
        statement = update(BOARDS).where(BOARDS.c.id == row.id, BOARDS.c.generation == generation)
        return (await self._connection.execute(statement.values(**vars(row)))).rowcount == 1

    async def remove(self, board_id: str) -> None:
        """Forget a board."""
        await self._connection.execute(delete(BOARDS).where(BOARDS.c.id == board_id))

    async def touch(self, board_id: str, now: int) -> None:
        """Note that a board is used."""
        await self._connection.execute(update(BOARDS).where(BOARDS.c.id == board_id).values(used=now))

    async def remove_unused(self, since: int) -> int:
        """Forget the boards that were not used since a second; how many they were."""
        return (await self._connection.execute(delete(BOARDS).where(BOARDS.c.used < since))).rowcount

    async def put_aside(self, spoilt: BoardRow, reason: str, fresh: BoardRow) -> bool:
        """Keep a record that cannot be read beside the boards, and store ``fresh`` in its place.

        Does nothing, and says so, where the row is another one by now.
        """
        if await self.read(spoilt.id) != spoilt:
            return False
        kept = {"board": spoilt.id, "owner": spoilt.owner, "record": _bytes(spoilt.record)}
        await self._connection.execute(insert(SET_ASIDE).values(**kept, reason=reason, at=fresh.used))
        await self._connection.execute(update(BOARDS).where(BOARDS.c.id == spoilt.id).values(**vars(fresh)))
        return True

    async def count(self) -> int:
        """How many boards there are."""
        return int((await self._connection.execute(select(func.count()).select_from(BOARDS))).scalar_one())

    async def set_aside(self) -> list[tuple[int, str, str]]:
        """(number, board, reason) of every record that was put aside, the oldest first."""
        columns = SET_ASIDE.c
        found = select(columns.number, columns.board, columns.reason).order_by(columns.number)
        return [(number, board, reason) for number, board, reason in await self._connection.execute(found)]


def _bytes(record: Any) -> bytes:
    """A record byte for byte, whatever type it was stored as."""
    if isinstance(record, bytes):
        return record
    return ("" if record is None else str(record)).encode("utf-8", "surrogateescape")
