"""The HTTP+SSE transport of revision 2024-11-05: one endless stream brings everything, messages go to an address that
it names first."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio
from mcp.shared.message import SessionMessage
from mcp.types.jsonrpc import JSONRPCMessage, JSONRPCNotification, JSONRPCRequest

from pegboard.errors import RefusedRequestError
from pegboard.lines import LongLine
from pegboard.net.urls import Target, next_target
from pegboard.sources.mcp.events import Event, events_in
from pegboard.sources.mcp.frames import Id, line_of
from pegboard.sources.mcp.noise import Noise
from pegboard.sources.mcp.spec import HttpSpec
from pegboard.sources.mcp.trouble import Trouble, TroubleError, in_place_of_answer, of_content
from pegboard.sources.mcp.waiting import Waiting
from pegboard.sources.mcp.web import Web, page_of
from pegboard.sources.mcp.web_link import EVENT_STREAM, QUIET, WebLink, in_time

if TYPE_CHECKING:
    pass

logger = logging.getLogger(__name__)


class SseLink(WebLink):
    """A way to a server over HTTP+SSE. Lives from ``opened`` until its block is left, or its stream ends."""

    def __init__(self, spec: HttpSpec, web: Web, noise: Noise, on_end: Callable[[], None]) -> None:
        super().__init__(spec, web, noise, on_end)
        self._endpoint: asyncio.Future[Target] = asyncio.get_running_loop().create_future()
        self._waiting = Waiting()
        self._asking: dict[Id, asyncio.Task[None]] = {}

    async def begin(self) -> None:
        """Open the stream and wait for the address of messages. Raises TroubleError."""
        self.start(self._hear())
        await self._endpoint

    async def send(self, item: SessionMessage) -> None:
        """Send a message; the answer to a request comes later, on ``read``. Raises TroubleError for a notification that
        does not get through, anyio.BrokenResourceError, and ValueError for what JSON cannot say."""
        if self.ended:
            raise anyio.BrokenResourceError
        message, body = item.message, line_of(item.message)
        self._waiting.sent(message)
        if isinstance(message, JSONRPCRequest):
            self._asking[message.id] = self.start(self._ask(message, body))
        elif isinstance(message, JSONRPCNotification) and message.method != "notifications/cancelled":
            await self._tell(body)
        else:
            self._leave(message)
            self.tell(lambda: self._tell(body))

    async def _ask(self, message: JSONRPCRequest, body: bytes) -> None:
        try:
            await self._post(body)
        except TroubleError as error:
            answer = in_place_of_answer(message.id, error.trouble)
            self._waiting.received(answer)
            await self.deliver(answer)
        finally:
            self._asking.pop(message.id, None)

    def _leave(self, message: JSONRPCMessage) -> None:
        """Of a request that nobody waits for any more, close the connection that the server keeps it open on."""
        params = message.params or {} if isinstance(message, JSONRPCNotification) else {}
        asking = self._asking.pop(params.get("requestId", ""), None)
        if asking is not None:
            asking.cancel()

    async def _tell(self, body: bytes) -> None:
        async with in_time():
            await self._post(body)

    async def _post(self, body: bytes) -> None:
        headers = {"Content-Type": "application/json"}
        async with self.web.open("POST", headers, body, target=await self._endpoint) as reply:
            page = await page_of(reply)
            if reply.status >= 400:
                raise TroubleError(self.web.refusal(reply, page))

    async def _hear(self) -> None:
        """Hand on what comes until the stream ends, and with it the link."""
        try:
            async with self.web.open("GET", {"Accept": EVENT_STREAM}, quiet_seconds=QUIET) as reply:
                if reply.status >= 400:
                    raise TroubleError(self.web.refusal(reply, await page_of(reply)))
                kind = reply.header("content-type").partition(";")[0].strip().lower()
                if kind != EVENT_STREAM:
                    raise TroubleError(of_content(kind, self.spec))
                async for event in events_in(reply.pieces, self.spec.max_line):
                    await self._take(event)
            trouble = Trouble(what="ended its stream")
        except TroubleError as error:
            trouble = error.trouble
        except Exception:
            logger.exception("the stream of upstream %r failed unexpectedly", self.spec.name)
            trouble = Trouble(what="could not be listened to, for a reason that is in the log")
        if not self._endpoint.done():
            self._endpoint.set_exception(TroubleError(trouble))
        self.end(trouble)

    async def _take(self, event: Event) -> None:
        if event.kind == "endpoint" and not isinstance(event.data, LongLine) and not self._endpoint.done():
            self._endpoint.set_result(self._same_origin(bytes(event.data).decode("utf-8", "replace")))
        for message in self.messages_of(event, self._waiting.ids):
            self._waiting.received(message)
            await self.deliver(message)

    def _same_origin(self, address: str) -> Target:
        """The address that the server names for messages. It comes from elsewhere than the operator."""
        try:
            target = next_target(self.web.target, address)
        except RefusedRequestError as error:
            raise TroubleError(Trouble(what=f"names no usable address for messages: {error.detail}")) from error
        if target.origin != self.web.target.origin:
            what = f"names another address for messages, {target.origin}, which is not followed"
            raise TroubleError(Trouble(what=what, hint="It must be that of its url, as far as scheme, host and port."))
        return target
