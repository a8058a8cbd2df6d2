"""Versions of tools in a SQL database."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote

from pegboard.http_tools.versions import Stored, ToolVersion
from pegboard.pin_store import SetAside
from pegboard.stores.database import PATIENCE, Database
from pegboard.stores.tool_records import to_text, version_of
from pegboard.texts import is_encodable

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from pegboard.stores.tool_rows import Row, ToolRows

_T = TypeVar("_T")

_ANY = "SELECT 1 FROM pegboard_tool_versions WHERE overlay = ? LIMIT 1"


class SqlToolStore:
    """Keeps versions of tools in a SQLite file, beside boards. Process-wide.

    Any number of processes may use the file at once; ``overlay`` keeps the tools of several configurations apart in it.
    A version is only ever added: what was acknowledged outlives ``kill -9``, and what cannot be read stays where it is.
    Everything raises StoreError, and nothing else; ``patience`` is the seconds to wait for another process that writes.
    """

    def __init__(self, path: str | Path, overlay: str = "", *, patience: float = PATIENCE) -> None:
        self.overlay = overlay
        self._database = Database(path, patience)

    @property
    def path(self) -> Path:
        """The file, absolute."""
        return self._database.file.path

    @property
    def where(self) -> str:
        """The file."""
        return str(self.path)

    def is_blank(self) -> bool:
        """Whether no tool was ever added, as far as can be seen at once.

        Makes nothing, waits for nobody, and loads none of what the store needs for its work: most files have no tools.
        """
        if self._database.file.is_absent:
            return True
        if self._database.file.is_odd:
            return False  # whoever reads it is told
        address = f"file:{quote(str(self.path))}?mode=ro"
        try:
            with closing(sqlite3.connect(address, uri=True, timeout=0)) as connection:
                return connection.execute(_ANY, (self.overlay,)).fetchone() is None
        except sqlite3.Error as error:
            # What cannot be read may well have tools; the file of an older Pegboard has no table for them.
            return "no such table" in str(error)

    async def revision(self) -> int:
        """The number of the last change."""
        if self._database.file.is_absent:
            return 0
        return await self._run(lambda rows: rows.last())

    async def newest(self) -> Sequence[Stored]:
        """The newest version of every tool, by name."""
        if self._database.file.is_absent:
            return ()
        return self._read(await self._run(lambda rows: rows.newest()))

    async def versions(self, name: str) -> Sequence[Stored]:
        """Every version of a tool, the oldest first."""
        if self._database.file.is_absent or not is_encodable(name):
            return ()
        return self._read(await self._run(lambda rows: rows.of(name)))

    async def add(self, versions: Sequence[ToolVersion]) -> str | None:
        """Store versions, all or none."""
        added = [(one.name, one.version, to_text(one)) for one in versions]
        return await self._run(lambda rows: rows.add(added), writing=True)

    def moved(self) -> Sequence[SetAside]:
        """The files that could not be read, and that this store has put out of the way."""
        return tuple(self._database.moved)

    async def close(self) -> None:
        """Let go of the file. What is used afterwards opens it again."""
        await self._database.close()

    def _read(self, rows: Sequence[Row]) -> Sequence[Stored]:
        table = f"{self.path}, table pegboard_tool_versions, number"
        return [version_of(name, version, record, f"{table} {number}") for number, name, version, record in rows]

    async def _run(self, work: Callable[[ToolRows], Awaitable[_T]], *, writing: bool = False) -> _T:
        """What ``work`` gives, in one transaction."""
        return await self._database.run(lambda connection: work(_rows(connection, self.overlay)), writing=writing)


def _rows(connection: AsyncConnection, overlay: str) -> ToolRows:
    from pegboard.stores.tool_rows import ToolRows

    return ToolRows(connection, overlay)
