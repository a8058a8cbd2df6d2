"""The statements over versions of tools. The same for every dialect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from pegboard.stores.tables import TOOL_VERSIONS

_COLUMNS = TOOL_VERSIONS.c
Row = tuple[int, Any, Any, Any]
"""(number, name, version, record), as they are stored: anybody may have written to the database."""


class ToolRows:
    """The versions in one overlay as one transaction sees them and adds to them. Lives as long as it."""

    def __init__(self, connection: AsyncConnection, overlay: str) -> None:
        self._connection = connection
        self._overlay = overlay

    async def last(self) -> int:
        """The number of the last change; 0 before the first."""
        found = select(func.max(_COLUMNS.number)).where(_COLUMNS.overlay == self._overlay)
        return int((await self._connection.execute(found)).scalar_one() or 0)

    async def newest(self) -> list[Row]:
        """The newest version of every tool, by name."""
        mine = _COLUMNS.overlay == self._overlay
        newest = select(func.max(_COLUMNS.number)).where(mine).group_by(_COLUMNS.name)
        return await self._rows(_COLUMNS.number.in_(newest), _COLUMNS.name)

    async def of(self, name: str) -> list[Row]:
        """Every version of a tool, the oldest first."""
        return await self._rows((_COLUMNS.overlay == self._overlay) & (_COLUMNS.name == name), _COLUMNS.number)

    async def add(self, versions: Sequence[tuple[str, int, str]]) -> str | None:
        """Store (name, version, record) of each, or of none; the first name of which that version is not the next.

        Nobody else adds any between looking and storing: the transaction has the lock for writing.
        """
        for name, version, _ in versions:
            newest = select(func.max(_COLUMNS.version)).where(_COLUMNS.overlay == self._overlay, _COLUMNS.name == name)
            if ((await self._connection.execute(newest)).scalar_one() or 0) != version - 1:
                return name
        rows = [{"overlay": self._overlay, "name": n, "version": v, "record": record} for n, v, record in versions]
        await self._connection.execute(insert(TOOL_VERSIONS), rows)
        return None

    async def _rows(self, condition: Any, order: Any) -> list[Row]:
        columns = (_COLUMNS.number, _COLUMNS.name, _COLUMNS.version, _COLUMNS.record)
        found = await self._connection.execute(select(*columns).where(condition).order_by(order))
        return [(number, name, version, record) for number, name, version, record in found]
