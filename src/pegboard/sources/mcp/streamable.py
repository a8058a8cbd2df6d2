"""The streamable HTTP transport: each message is a request of its own, and its answer that request's reply.

The SDK's own client is not used: one request that finds nobody ends its whole session, notifications hold up the
requests behind them, and what a server says with a refusal, its status too, is lost.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import anyio
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp.types.jsonrpc import JSONRPCError, JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from pegboard.sources.mcp.exchange import POST, Exchange, Session, SessionGoneError
from pegboard.sources.mcp.frames import Id, line_of
from pegboard.sources.mcp.news import News
from pegboard.sources.mcp.noise import Noise, visible
from pegboard.sources.mcp.spec import HttpSpec
from pegboard.sources.mcp.trouble import Trouble, TroubleError, in_place_of_answer
from pegboard.sources.mcp.web import Web, page_of
from pegboard.sources.mcp.web_link import WebLink, in_time

if TYPE_CHECKING:
    pass

logger = logging.getLogger(__name__)

FAREWELL: Final = 2.0
"""Seconds that the server has to take leave of a session."""

_INITIALIZED: Final = JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized")


class StreamableLink(WebLink):
    """A way to a server over streamable HTTP. Lives from ``opened`` until its block is left.

    Both eras go over it. The modern one knows no sessions. One of the handshake era that the server has lost is begun
    anew, beside the calls that are still being answered in it; only a request that was refused for its want is sent
    again, once. Where nobody is there to take requests the link ends, once no call is being answered any more.
    """

    def __init__(self, spec: HttpSpec, web: Web, noise: Noise, on_end: Callable[[], None]) -> None:
        super().__init__(spec, web, noise, on_end)
        self._exchanges: dict[Id, Exchange] = {}
        self._session = Session()
        self._revision = ""
        self._initialize: JSONRPCRequest | None = None
        self._renewing = asyncio.Lock()
        self._news = News(self, lambda: {*self._exchanges}, self._end_if_gone)
        self._hearing: asyncio.Task[None] | None = None

    async def send(self, item: SessionMessage) -> None:
        """Send a message; the answer to a request comes later, on ``read``.

        Raises TroubleError for a notification that does not get through, anyio.BrokenResourceError when the server is
        gone, and ValueError for what JSON cannot say.
        """
        if self.ended:
            raise anyio.BrokenResourceError
        message, headers = item.message, self._headers_of(item)
        if isinstance(message, JSONRPCRequest):
            self._begin(message, headers)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._cancel(message, headers)
        elif isinstance(message, JSONRPCNotification):
            await self._tell(message, self._session, headers)
            if message.method == _INITIALIZED.method:
                self._hear_anew()
        else:
            self.tell(lambda: self._tell(message, self._session, headers))

    async def close(self) -> None:
        """Take leave of the server, and end everything that runs beside."""
        self._news.close()
        await super().close()
        if self._session.id and not self.ended:
            with suppress(TimeoutError, TroubleError):
                async with asyncio.timeout(FAREWELL), self.web.open("DELETE", self._headers_in(self._session)):
                    pass

    def _headers_of(self, item: SessionMessage) -> dict[str, str]:
        """The headers that the session wants on a message; what it says of the revision holds for later ones too."""
        if isinstance(item.message, JSONRPCRequest) and item.message.method == "initialize":
            self._initialize, self._session, self._revision = item.message, Session(), ""
            return {}
        wanted = item.metadata.headers if isinstance(item.metadata, ClientMessageMetadata) else None
        self._revision = (wanted or {}).get(MCP_PROTOCOL_VERSION_HEADER, self._revision)
        return {**self._headers_in(Session()), **(wanted or {})}

    def _headers_in(self, session: Session) -> dict[str, str]:
        revision = {MCP_PROTOCOL_VERSION_HEADER: self._revision} if self._revision else {}
        return {**session.headers, **revision}

    def _begin(self, message: JSONRPCRequest, headers: Mapping[str, str]) -> None:
        modern = headers.get(MCP_PROTOCOL_VERSION_HEADER) in MODERN_PROTOCOL_VERSIONS
        exchange = Exchange(self, message, headers, self.deliver, modern=modern)
        self._exchanges[message.id] = exchange
        exchange.task = self.start(self._answer(exchange))

    async def _answer(self, exchange: Exchange) -> None:
        """Get a request answered: by the server, or by what keeps it from answering."""
        trouble: Trouble | None = None
        try:
            await self._ask(exchange)
        except TroubleError as error:
            trouble = error.trouble
        except Exception:
            logger.exception("%r could not be asked of upstream %r", exchange.method, self.spec.name)
            trouble = Trouble(what="could not be asked, for a reason that is in the log", ran=True)
        finally:
            if self._exchanges.get(exchange.id) is exchange:
                del self._exchanges[exchange.id]
        if trouble is not None:
            await self.deliver(in_place_of_answer(exchange.id, trouble))
            self._end_if_gone(trouble)

    async def _ask(self, exchange: Exchange) -> None:
        """Send a request; once more where the session was gone, since then nobody has looked at it."""
        session = self._session
        on_reply = self._take_session if exchange.method == "initialize" else lambda session: None
        try:
            answered = await exchange.post(session, on_reply)
        except SessionGoneError:
            await self._renew(session)
            answered = await exchange.post(self._session)
        if not answered:
            await exchange.resume(self._session)

    def _take_session(self, session: Session) -> None:
        self._session = session

    def _cancel(self, message: JSONRPCNotification, headers: Mapping[str, str]) -> None:
        """Nobody waits for an answer any more: its reply is closed, which says everything in the modern era."""
        exchange = self._exchanges.pop((message.params or {}).get("requestId", ""), None)
        if exchange is not None and exchange.task is not None:
            exchange.task.cancel()
            if not exchange.modern:
                self.tell(lambda: self._tell(message, self._session, headers))

    async def _tell(self, message: JSONRPCMessage, session: Session, headers: Mapping[str, str]) -> None:
        """Send what has no answer. Raises TroubleError."""
        sent = {**POST, **session.headers, **headers}
        async with in_time(), self.web.open("POST", sent, line_of(message)) as reply:
            if reply.status >= 400:
                raise TroubleError(self.web.refusal(reply, await page_of(reply)))

    async def _renew(self, lost: Session) -> None:
        """Begin another session in place of the one that was lost, unless that has been done by now."""
        async with self._renewing:
            if self._session is not lost:
                return
            try:
                async with asyncio.timeout(self.spec.start_timeout):
                    self._session = await self._begun_again()
            except TimeoutError:
                raise TroubleError(Trouble(what="lost its session and began no other in time", gone=True)) from None
            except TroubleError as error:
                why = error.trouble
                what = f"lost its session and began no other: it {why.what}"
                raise TroubleError(Trouble(what=what, hint=why.hint, gone=True, retry_after=why.retry_after)) from error
            logger.info("upstream %r had lost its session; another one has begun", self.spec.name)
            self._hear_anew()
        self._news.announce()

    async def _begun_again(self) -> Session:
        assert self._initialize is not None, "a session begins with it"
        answers: list[JSONRPCMessage] = []
        sessions: list[Session] = []

        async def keep(message: JSONRPCMessage) -> None:
            answers.append(message)

        exchange = Exchange(self, self._initialize, {}, keep, modern=False)
        if not await exchange.post(Session(), sessions.append):
            await exchange.resume(sessions[-1])
        answer = answers[-1]
        if not isinstance(answer, JSONRPCResponse):
            raise TroubleError(Trouble(what=f"answered {self._shown(answer)}"))
        if answer.result.get("protocolVersion") != self._revision:
            raise TroubleError(Trouble(what="speaks another revision of MCP now"))
        await self._tell(_INITIALIZED, sessions[-1], self._headers_in(Session()))
        return sessions[-1]

    def _shown(self, answer: JSONRPCMessage) -> str:
        assert isinstance(answer, JSONRPCError), "the last message of an exchange is its answer"
        return f"with error {answer.error.code}: {visible(self.web.scrubber.text(answer.error.message), 300)}"

    def _hear_anew(self) -> None:
        """Listen in the session that has begun. A server without sessions has nothing to say unasked."""
        if self._hearing is not None and self._hearing is not asyncio.current_task():
            self._hearing.cancel()
        self._hearing = self.start(self._hear(self._session)) if self._session.id else None

    async def _hear(self, session: Session) -> None:
        try:
            await self._news.hear(self._headers_in(session))
        except SessionGoneError:
            try:
                await self._renew(session)
            except TroubleError as error:
                self._end_if_gone(error.trouble)

    def _end_if_gone(self, trouble: Trouble) -> None:
        if trouble.gone and not self._exchanges:
            self.end(trouble)
