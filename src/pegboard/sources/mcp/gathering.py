"""Reading a list of an upstream that may be long, or may be meant to fill our memory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pegboard.sources.mcp.session import Connection

MAX_PAGES: Final = 100
MAX_CHARS: Final = 32 * 2**20
"""Characters of all items together, as JSON."""


class Gathered:
    """The items of a list, as far as they are taken, and notes on the rest. Lives as long as one reading."""

    def __init__(self, most: int) -> None:
        self.items: list[Any] = []
        self.notes: list[str] = []
        self._most = most
        self._left = MAX_CHARS

    async def read(self, connection: Connection, method: str, member: str) -> None:
        """Read the pages of a list. Raises MCPError and OddAnswerError."""
        self.notes += [note async for note in connection.pages(method, member, self._take, MAX_PAGES)]
        if self._left < 0:
            self.notes.append(f"its list of {member} is too long; the first {len(self.items):,} are taken in")

    def _take(self, items: list[Any]) -> None:
        for item in items:
            if self._left < 0:
                return
            length = len(json.dumps(item))
            self._left = -1 if len(self.items) == self._most or length > self._left else self._left - length
            if self._left >= 0:
                self.items.append(item)
