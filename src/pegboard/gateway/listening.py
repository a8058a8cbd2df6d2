"""Modern clients that listen: each is told when the list that it sees has changed, and only then."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, NamedTuple

from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ServerEvent,
    ToolsListChanged,
)
from mcp.types import SubscriptionsListenRequestParams, SubscriptionsListenResult

logger = logging.getLogger(__name__)


class Seen(NamedTuple):
    """The fingerprints of what one client may list. Immutable."""

    tools: str
    resources: str


Look = Callable[[], Awaitable[Seen]]
"""What may be listed, as of now."""

_EVENTS: Final[Mapping[str, Callable[[], ServerEvent]]] = {"tools": ToolsListChanged, "resources": ResourcesListChanged}


class About(NamedTuple):
    """Whose lists a stream is about: those of a principal (by its key, None for nobody), or of one of its boards."""

    principal: str | None
    board: str | None


class _Audience:
    """Everybody who listens for changes of the same lists. Lives as long as one of them does."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._seen: Seen | None = None
        self._bus = InMemorySubscriptionBus()
        self.handler = ListenHandler(self._bus)
        self.size = 0

    async def look(self) -> None:
        """Tell them which lists have changed since the last look."""
        now, before = await self._look(), self._seen
        self._seen = now
        for kind, event in _EVENTS.items():
            if before is not None and getattr(now, kind) != getattr(before, kind):
                await self._bus.publish(event())


class Listening:
    """The open ``subscriptions/listen`` streams, by the list they are about. Lives as long as a server's lifespan."""

    def __init__(self) -> None:
        self._audiences: dict[About, _Audience] = {}

    async def serve(
        self,
        context: ServerRequestContext[Any, Any],
        params: SubscriptionsListenRequestParams,
        about: About,
        look: Look,
    ) -> SubscriptionsListenResult:
        """Serve one stream until its client leaves."""
        audience = self._audiences.setdefault(about, _Audience(look))
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
