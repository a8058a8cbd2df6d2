"""Modern clients that listen: each is told when the list that it sees has changed, and only then."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.types import SubscriptionsListenRequestParams, SubscriptionsListenResult

logger = logging.getLogger(__name__)

Fingerprint = Callable[[], Awaitable[str]]
"""The fingerprint of one list, as of now."""


class About(NamedTuple):
    """Which list a stream is about: that of a principal (by its key, None for nobody), or of one of its boards."""

    principal: str | None
    board: str | None


class _Audience:
    """Everybody who listens for changes of one list. Lives as long as one of them does."""

    def __init__(self, fingerprint: Fingerprint) -> None:
        self._fingerprint = fingerprint
        self._seen = ""
        self._bus = InMemorySubscriptionBus()
        self.handler = ListenHandler(self._bus)
        self.size = 0

    async def look(self) -> None:
        """Tell them when the list has changed since the last look."""
        fingerprint = await self._fingerprint()
        changed = self._seen and fingerprint != self._seen
        self._seen = fingerprint
        if changed:
            await self._bus.publish(ToolsListChanged())


class Listening:
    """The open ``subscriptions/listen`` streams, by the list they are about. Lives as long as a server's lifespan."""

    def __init__(self) -> None:
        self._audiences: dict[About, _Audience] = {}

    async def serve(
        self,
        context: ServerRequestContext[Any, Any],
        params: SubscriptionsListenRequestParams,
        about: About,
        fingerprint: Fingerprint,
    ) -> SubscriptionsListenResult:
        """Serve one stream until its client leaves."""
        audience = self._audiences.setdefault(about, _Audience(fingerprint))
        audience.size += 1
        try:
            await audience.look()
            return await audience.handler(context, params)
        finally:
            audience.size -= 1
            if not audience.size:
                del self._audiences[about]

    def waits_for(self, board_id: str) -> bool:
        """Whether somebody listens for changes of this board."""
        return any(about.board == board_id for about in self._audiences)

    async def look(self) -> None:
        """Look whether lists have changed, and tell those who listen."""
        for audience in tuple(self._audiences.values()):
            try:
                await audience.look()
            except Exception:
                logger.exception("a list could not be compared with what its listeners have seen")

    def close(self) -> None:
        """End every stream, as the protocol has it: with an answer."""
        for audience in tuple(self._audiences.values()):
            audience.handler.close()
