"""What was learned from use, in a SQL database."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pegboard.pin_store import SetAside
from pegboard.stores.database import PATIENCE, Database
from pegboard.usage.bounds import faded_before
from pegboard.usage.rows import HALF_LIFE, Lesson, Row
from pegboard.usage.store import Changes

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from pegboard.stores.usage_rows import UsageRows

_T = TypeVar("_T")


class SqlUsageStore:
    """Keeps what was learned in a SQLite file, beside boards. Process-wide.

    Any number of processes may use the file at once; ``scope`` keeps apart what several configurations learn. After
    ``half_life`` days a use counts half. Everything raises StoreError, and nothing else; ``patience`` is the seconds to
    wait for another process that writes.
    """

    def __init__(
        self, path: str | Path, scope: str = "", *, half_life: float = HALF_LIFE, patience: float = PATIENCE
    ) -> None:
        self.scope = scope
        self.half_life = half_life
        self._database = Database(path, patience)
        self._swept = 0

    @property
    def where(self) -> str:
        """The file."""
        return str(self._database.file.path)

    async def changes(self, space: str, since: int) -> Changes:
        """What has changed in a space. Makes nothing: without a file nothing was learned."""
        if self._database.file.is_absent:
            return Changes((), 0, whole=since > 0)
        return await self._run(lambda rows: rows.changes(space, since))

    async def learn(self, space: str, lessons: Sequence[Lesson], day: int) -> None:
        """Add lessons of a day, all or none. With the first of a day, what has faded is forgotten."""

        async def learned(rows: UsageRows) -> None:
            await rows.learn(space, lessons, day)
            if day != self._swept:
                await rows.sweep(faded_before(day, self.half_life))

        await self._run(learned, writing=True)
        self._swept = day

    async def everything(self) -> Mapping[str, Sequence[Row]]:
        """Every row by space."""
        if self._database.file.is_absent:
            return {}

        async def read(rows: UsageRows) -> dict[str, Sequence[Row]]:
            return {space: await rows.all(space) for space in await rows.spaces()}

        return await self._run(read)

    async def put(self, rows: Mapping[str, Sequence[Row]]) -> None:
        """Take in rows by space, all or none."""

        async def stored(here: UsageRows) -> None:
            for space, given in rows.items():
                await here.put(space, given)

        await self._run(stored, writing=True)

    async def forget(self, space: str | None = None, *, tool: str | None = None, by: str | None = None) -> int:
        """Forget rows; how many they were."""
        if self._database.file.is_absent:
            return 0

        async def gone(rows: UsageRows) -> int:
            spaces = [space] if space is not None else await rows.spaces()
            return sum([await rows.forget(one, tool, by) for one in spaces])

        return await self._run(gone, writing=True)

    def moved(self) -> Sequence[SetAside]:
        """The files that could not be read, and that this store has put out of the way."""
        return tuple(self._database.moved)

    async def close(self) -> None:
        """Let go of the file. What is used afterwards opens it again."""
        await self._database.close()

    async def _run(self, work: Callable[[UsageRows], Awaitable[_T]], *, writing: bool = False) -> _T:
        """What ``work`` gives, in one transaction."""
        return await self._database.run(
            lambda connection: work(_rows(connection, self.scope, self.half_life)), writing=writing
        )


def _rows(connection: AsyncConnection, scope: str, half_life: float) -> UsageRows:
    from pegboard.stores.usage_rows import UsageRows

    return UsageRows(connection, scope, half_life)
