"""What a running server keeps of its clients, and how they learn of changes."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import anyio
from anyio.abc import TaskGroup

from pegboard.gateway.listening import Listening
from pegboard.gateway.sessions import Sessions
from pegboard.peg import Pegboard
from pegboard.pin_store import PinStore

logger = logging.getLogger(__name__)

_SETTLE_SECONDS: Final = 0.05
"""Changes of the catalog within this time are told as one: a source registers its tools one by one."""


class Hub:
    """The live clients of one server, and the tasks done for them. Lives as long as the server's lifespan."""

    def __init__(self, peg: Pegboard, store: PinStore, tasks: TaskGroup) -> None:
        self.sessions = Sessions(peg, store)
        self.listening = Listening()
        self._tasks = tasks
        self._changed = anyio.Event()
        self._open = True

    @classmethod
    @asynccontextmanager
    async def running(cls, peg: Pegboard, store: PinStore) -> AsyncIterator[Hub]:
        """A hub that is told of the pegboard's changes until the context ends.

        Sessions' boards are kept in ``store``.
        """
        async with anyio.create_task_group() as tasks:
            hub = cls(peg, store, tasks)
            unsubscribe = peg.on_change(hub._on_change), peg.on_boundary(hub._on_boundary)
            tasks.start_soon(hub._announce)
            try:
                yield hub
            finally:
                for stop in unsubscribe:
                    stop()
                hub._open = False
                tasks.cancel_scope.cancel()

    def spawn(self, action: Callable[[], Awaitable[None]]) -> None:
        """Do something beside the requests. A failure is logged; once the server stops, nothing is begun."""
        if self._open:
            self._tasks.start_soon(_logged, action)

    def _on_change(self) -> None:
        self._changed.set()

    def _on_boundary(self, board_id: str) -> None:
        if self.listening.waits_for(board_id):
            self._changed.set()

    async def _announce(self) -> None:
        while True:
            await self._changed.wait()
            await anyio.sleep(_SETTLE_SECONDS)
            self._changed = anyio.Event()
            self.sessions.for_each(lambda session: self.spawn(session.refresh))
            await self.listening.look()


async def _logged(action: Callable[[], Awaitable[None]]) -> None:
    try:
        await action()
    except Exception:
        logger.exception("a client could not be told of a change")
