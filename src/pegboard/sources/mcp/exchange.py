"""One request over streamable HTTP and its answer, whatever form the reply has."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mcp.shared.dispatcher import coerce_request_id
from mcp.types import METHOD_NOT_FOUND
from mcp.types.jsonrpc import JSONRPCError, JSONRPCMessage, JSONRPCRequest, JSONRPCResponse

from pegboard.errors import EgressError
from pegboard.lines import LongLine
from pegboard.sources.mcp.events import events_in
from pegboard.sources.mcp.frames import frame_of, line_of
from pegboard.sources.mcp.trouble import Trouble, TroubleError, of_content
from pegboard.sources.mcp.web import page_of
from pegboard.sources.mcp.web_link import EVENT_STREAM, QUIET, WebLink

if TYPE_CHECKING:
    from pegboard.net.replies import StreamedReply

logger = logging.getLogger(__name__)

MAX_RESUMES: Final = 3
"""How often in a row the rest of an answer may be asked for in vain."""

RESUME_PAUSE: Final = 1.0
"""Seconds until then, where the server does not say."""

POST: Final = {"Accept": f"application/json, {EVENT_STREAM}", "Content-Type": "application/json"}
GET: Final = {"Accept": EVENT_STREAM}

_SESSION_HEADER: Final = "Mcp-Session-Id"

_SAY_MORE: Final = frozenset({401, 403, 429, 503})
"""Statuses that say more than an error of the protocol that comes with them."""

Deliver = Callable[[JSONRPCMessage], Awaitable[None]]


class SessionGoneError(TroubleError):
    """The server no longer knows the session; it has not looked at the request."""

    def __init__(self) -> None:
        super().__init__(Trouble(what="ended its session again as soon as it had begun", gone=True))


@dataclass(frozen=True)
class Session:
    """A session of the handshake era, as the transport sees it. Immutable. The repr does not show its id."""

    id: str = field(default="", repr=False)

    @property
    def headers(self) -> Mapping[str, str]:
        """What every request in it carries."""
        return {_SESSION_HEADER: self.id} if self.id else {}


class Exchange:
    """One request on its way. Lives until it is answered, or nobody waits for it any more.

    Messages of its reply go to ``deliver``, the answer last. ``headers`` are the request's own.
    """

    def __init__(
        self, link: WebLink, message: JSONRPCRequest, headers: Mapping[str, str], deliver: Deliver, *, modern: bool
    ) -> None:
        self.id = message.id
        self.method = message.method
        self.modern = modern
        self.task: asyncio.Task[None] | None = None
        self._link = link
        self._body = line_of(message)
        self._headers = headers
        self._deliver = deliver
        self._last_event = ""
        self._pause = RESUME_PAUSE

    async def post(self, session: Session, on_reply: Callable[[Session], None] = lambda session: None) -> bool:
        """Send the request and hand on what its reply holds; whether the answer was there.

        ``on_reply`` is told of the session that a reply begins, before anything of it is read. Raises TroubleError.
        """
        headers = {**POST, **session.headers, **self._headers}
        quiet = QUIET if self.method == "subscriptions/listen" else None
        async with self._link.web.open("POST", headers, self._body, quiet_seconds=quiet) as reply:
            if reply.status >= 400:
                await self._deliver(await self._refusal(reply, session))
                return True
            on_reply(Session(reply.header(_SESSION_HEADER)))
            return await self._take(reply)

    async def resume(self, session: Session) -> None:
        """Ask for the rest of an answer that broke off, or whose reply the server ended early. Raises TroubleError."""
        failures = 0
        while failures < MAX_RESUMES:
            await asyncio.sleep(self._pause)
            headers = {**GET, **session.headers, **self._headers, "Last-Event-ID": self._last_event}
            try:
                async with self._link.web.open("GET", headers) as reply:
                    if reply.status != 200:
                        break
                    if await self._take(reply):
                        return
                failures = 0
            except TroubleError:
                failures += 1
        raise TroubleError(Trouble(what="broke off its answer and did not give the rest of it", ran=True))

    async def _take(self, reply: StreamedReply) -> bool:
        """Hand on what a reply holds; whether the answer was there, which ends it."""
        async with aclosing(self._messages(reply)) as messages:
            async for message in messages:
                if not isinstance(message, JSONRPCResponse | JSONRPCError):
                    await self._deliver(message)
                elif message.id is None or coerce_request_id(message.id) == coerce_request_id(self.id):
                    message.id = self.id
                    await self._deliver(message)
                    return True
        if not self._last_event:
            raise TroubleError(Trouble(what="ended its reply without an answer", ran=True))
        return False

    async def _messages(self, reply: StreamedReply) -> AsyncGenerator[JSONRPCMessage]:
        """The messages of a reply, as they come."""
        kind = reply.header("content-type").partition(";")[0].strip().lower()
        if reply.status in (202, 204):
            raise TroubleError(Trouble(what=f"took the request without an answer (HTTP {reply.status})", ran=True))
        if kind == EVENT_STREAM:
            async for message in self._streamed(reply):
                yield message
        elif kind in ("application/json", ""):
            for message in await self._whole(reply):
                yield message
        else:
            raise TroubleError(of_content(kind, self._link.spec))

    async def _streamed(self, reply: StreamedReply) -> AsyncGenerator[JSONRPCMessage]:
        try:
            async for event in events_in(reply.pieces, self._link.spec.max_line):
                self._last_event = event.id
                self._pause = self._pause if event.retry is None else event.retry
                for message in self._link.messages_of(event, {self.id}):
                    yield message
        except EgressError:
            if not self._last_event:
                raise
            logger.debug("a reply of upstream %r broke off; the rest is asked for", self._link.spec.name, exc_info=True)

    async def _whole(self, reply: StreamedReply) -> tuple[JSONRPCMessage, ...]:
        limit = self._link.spec.max_line
        body = await page_of(reply, limit + 1)
        if len(body) > limit:
            # What is over the limit is not waited for.
            return self._link.messages_in(LongLine(size=len(body), head=b"", tail=b""), {self.id})
        messages = self._link.messages_in(body, {self.id})
        if not messages:
            raise TroubleError(Trouble(what="answered with something that is not MCP", ran=True))
        return messages

    async def _refusal(self, reply: StreamedReply, session: Session) -> JSONRPCError:
        """What a status of 400 or more comes to for whoever asked. Raises TroubleError."""
        page = await page_of(reply)
        errors = [one for one in frame_of(page).messages if isinstance(one, JSONRPCError)]
        if session.id and _is_about_session(reply.status, page, errors):
            raise SessionGoneError
        if errors and reply.status not in _SAY_MORE:
            errors[0].id = self.id
            return errors[0]
        raise TroubleError(self._link.web.refusal(reply, page))


def _is_about_session(status: int, page: bytes, errors: list[JSONRPCError]) -> bool:
    """Whether a refusal says that the session is gone: 404 by the protocol, 400 in words of many servers."""
    if any(one.error.code == METHOD_NOT_FOUND for one in errors):
        return False
    return status == 404 or (status == 400 and b"session" in page.lower())
