"""The ways in: a board in this process, or an MCP client on the gateway. Steps do not care which."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol

from pegboard.board import Board
from tests.runners.cases.answer import Answer, Clock, of_result


class Door(Protocol):
    """One way in. Lives as long as the case's Pegboard."""

    async def call(self, name: str, arguments: Any, *, meta: Mapping[str, Any] | None = None) -> Answer:
        """Call a tool, or a meta-tool, by its shown name."""
        ...

    async def listing(self) -> list[dict[str, Any]]:
        """The definitions that are shown."""
        ...


class BoardDoor:
    """A board, in process. Lives as long as the board."""

    def __init__(self, board: Board) -> None:
        self.board = board

    async def call(self, name: str, arguments: Any, *, meta: Mapping[str, Any] | None = None) -> Answer:
        """Call, and make the boundary that a surface would make after it."""
        with Clock() as clock:
            answer = of_result(await self.board.call(name, arguments, meta=meta), arguments)
        answer.seconds = clock.seconds
        return answer

    async def listing(self) -> list[dict[str, Any]]:
        """The board's listing."""
        return [dict(item) for item in self.board.listing().items]


async def cancelled_after(door: Door, name: str, arguments: Any, seconds: float) -> Answer:
    """A call that its caller gives up after some seconds."""
    call = asyncio.ensure_future(door.call(name, arguments))
    await asyncio.sleep(seconds)
    call.cancel()
    try:
        return await call
    except asyncio.CancelledError:
        return Answer(cancelled=True)
