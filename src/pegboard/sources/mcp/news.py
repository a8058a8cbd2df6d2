"""What a server says unasked in a session of the handshake era: a stream of its own, kept open."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from mcp.types.jsonrpc import JSONRPCNotification

from pegboard.sources.mcp.events import events_in
from pegboard.sources.mcp.exchange import GET, SessionGoneError
from pegboard.sources.mcp.frames import Id
from pegboard.sources.mcp.pacing import Pacing
from pegboard.sources.mcp.trouble import Trouble, TroubleError
from pegboard.sources.mcp.web_link import EVENT_STREAM, QUIET, WebLink

if TYPE_CHECKING:
    from pegboard.net.replies import StreamedReply

ANNOUNCE_PAUSE: Final = 10.0
"""Seconds from one word of our own that the list may have changed to the next."""

_MAY_HAVE_CHANGED: Final = "notifications/tools/list_changed"

_MAY_PASS: Final = frozenset({401, 408, 425, 429})
"""Refusals after which the stream is asked for again; after others of that kind the server offers none."""


class News:
    """Listens to what a server says unasked. Lives as long as its link.

    ``waiting`` gives the ids of requests that have no answer yet. ``on_trouble`` is told why the stream broke off, or
    could not be opened.
    """

    def __init__(self, link: WebLink, waiting: Callable[[], set[Id]], on_trouble: Callable[[Trouble], None]) -> None:
        self._link = link
        self._waiting = waiting
        self._on_trouble = on_trouble
        self._heard = False
        self._refused = False
        self._asked_pause = 0.0
        self._announced = 0.0
        self._announcement: asyncio.TimerHandle | None = None

    async def hear(self, headers: Mapping[str, str]) -> None:
        """Keep the stream open for as long as the server has one; ``headers`` are those of the session.

        What was missed between two streams may be a change of the list, so that is said then. Raises SessionGoneError
        when a server that had a stream no longer knows the session.
        """
        pacing = Pacing()
        self._heard = self._refused = False
        while not self._refused and not self._link.ended:
            began, self._asked_pause = time.monotonic(), 0.0
            try:
                await self._open(headers)
            except SessionGoneError:
                raise
            except TroubleError as error:
                self._on_trouble(error.trouble)
            pacing.ended(time.monotonic() - began if self._heard else None)
            await asyncio.sleep(max(pacing.pause(random.random()), self._asked_pause))  # noqa: S311

    async def _open(self, headers: Mapping[str, str]) -> None:
        async with self._link.web.open("GET", {**GET, **headers}, quiet_seconds=QUIET) as reply:
            if reply.status == 404 and self._heard:
                raise SessionGoneError
            if 400 <= reply.status < 500 and reply.status not in _MAY_PASS:
                self._refused = True
            elif reply.status == 200 and reply.header("content-type").startswith(EVENT_STREAM):
                if self._heard:
                    self.announce()
                self._heard = True
                await self._take(reply)

    async def _take(self, reply: StreamedReply) -> None:
        """Hand on what comes."""
        async for event in events_in(reply.pieces, self._link.spec.max_line):
            self._asked_pause = event.retry or 0.0
            for message in self._link.messages_of(event, self._waiting()):
                await self._link.deliver(message)

    def announce(self) -> None:
        """Say that the list may have changed; in a while, where that has just been said."""
        if self._announcement is None:
            wait = max(self._announced + ANNOUNCE_PAUSE - time.monotonic(), 0.0)
            self._announcement = asyncio.get_running_loop().call_later(wait, self._announce_now)

    def close(self) -> None:
        """Say nothing more."""
        if self._announcement is not None:
            self._announcement.cancel()

    def _announce_now(self) -> None:
        self._announcement, self._announced = None, time.monotonic()
        self._link.start(self._link.deliver(JSONRPCNotification(jsonrpc="2.0", method=_MAY_HAVE_CHANGED)))
