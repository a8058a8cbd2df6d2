"""What the two transports over HTTP have in common: messages on their way in, work beside them, and the end."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, Self

import anyio
from mcp.shared.message import SessionMessage
from mcp.types.jsonrpc import ErrorData, JSONRPCError, JSONRPCMessage, JSONRPCResponse

from pegboard.http_tools.secrets import SecretProvider
from pegboard.lines import Line, LongLine
from pegboard.masking import Scrubber
from pegboard.sources.mcp.events import Event
from pegboard.sources.mcp.frames import UNREAD, Id, frame_of, frame_of_long
from pegboard.sources.mcp.link import Outgoing
from pegboard.sources.mcp.noise import Noise
from pegboard.sources.mcp.spec import HttpSpec
from pegboard.sources.mcp.trouble import Trouble, TroubleError
from pegboard.sources.mcp.web import Web

if TYPE_CHECKING:
    from pegboard.net.client import HttpClient

logger = logging.getLogger(__name__)

QUEUE: Final = 64
"""Messages that wait to be taken before the server is made to wait."""

QUIET: Final = 300.0
"""Seconds without a byte after which a stream that only tells of news counts as broken: nobody else would notice."""

TELLING: Final = 30.0
"""Seconds that a server has to take what it need not answer: each such message holds a connection until then."""

MAX_TELLING: Final = 50
"""Messages of that kind under way at once. Answers beyond are dropped: a server may ask faster than it listens."""

EVENT_STREAM: Final = "text/event-stream"


class WebLink(ABC):
    """A way to a server over HTTP. Lives from ``opened`` until its block is left; used from one event loop.

    ``read`` and ``write`` are the two streams of the session. ``on_end`` is called once, when the server can no longer
    be talked to.
    """

    def __init__(self, spec: HttpSpec, web: Web, noise: Noise, on_end: Callable[[], None]) -> None:
        self.spec = spec
        self.web = web
        self.noise = noise
        self.write = Outgoing(self)
        self._incoming, self.read = anyio.create_memory_object_stream[SessionMessage](QUEUE)
        self._on_end = on_end
        self._why = ""
        self._tasks: set[asyncio.Task[None]] = set()
        self._telling = 0

    @property
    def ended(self) -> bool:
        """Whether the server can no longer be talked to."""
        return self._why != ""

    def why_ended(self) -> str:
        """What it did that ended it."""
        return self._why

    @classmethod
    @asynccontextmanager
    async def opened(
        cls, spec: HttpSpec, client: HttpClient, secrets: SecretProvider, noise: Noise, on_end: Callable[[], None]
    ) -> AsyncIterator[Self]:
        """A link to a server. Raises UpstreamError for a missing secret, and TroubleError as ``begin`` does."""
        web = Web(spec, client, secrets)
        await web.fill()
        noise.hide = web.scrubber.text
        link = cls(spec, web, noise, on_end)
        try:
            await link.begin()
            yield link
        finally:
            await link.close()

    async def begin(self) -> None:
        """What has to be done before the first message: nothing, unless a transport says so. Raises TroubleError."""
        return

    @abstractmethod
    async def send(self, item: SessionMessage) -> None:
        """Write one message. Raises anyio.BrokenResourceError, ValueError for what JSON cannot say."""

    def end(self, trouble: Trouble) -> None:
        """Nothing more can be said or heard."""
        if not self.ended:
            self._why = trouble.what
            self._incoming.close()
            self._on_end()

    async def deliver(self, message: JSONRPCMessage) -> None:
        """Hand a message on, without the secrets that the server was given."""
        mask(message, self.web.scrubber)
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await self._incoming.send(SessionMessage(message))

    def messages_of(self, event: Event, waiting: Iterable[Id]) -> tuple[JSONRPCMessage, ...]:
        """The messages in an event; ``waiting`` are the requests that it may answer."""
        return self.messages_in(event.data, waiting) if event.kind == "message" and event.data else ()

    def messages_in(self, data: Line | LongLine, waiting: Iterable[Id]) -> tuple[JSONRPCMessage, ...]:
        """The messages in the data of an event, or in a body; an error in place of an answer that is too long."""
        if isinstance(data, LongLine):
            self.noise.overlong(data.size)
            return frame_of_long(data, self.spec.max_line, set(waiting)).messages
        frame = frame_of(data)
        if frame.noise:
            self.noise.heard(data)
        self.noise.mended += frame.mended
        return frame.messages

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do something beside; it is cancelled when the link is closed."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def tell(self, send: Callable[[], Awaitable[None]]) -> None:
        """Send beside what has no answer; whether it gets through matters to nobody."""
        if self._telling < MAX_TELLING:
            self._telling += 1
            self.start(self._told(send)).add_done_callback(self._has_told)
        else:
            logger.debug("upstream %r takes no messages: one was dropped", self.spec.name)

    async def _told(self, send: Callable[[], Awaitable[None]]) -> None:
        try:
            await send()
        except TroubleError as error:
            logger.debug("upstream %r was not told: it %s", self.spec.name, error.trouble.what)

    def _has_told(self, task: asyncio.Task[None]) -> None:
        self._telling -= 1

    async def close(self) -> None:
        """End everything that runs beside."""
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._incoming.close()
        self.read.close()


@asynccontextmanager
async def in_time() -> AsyncIterator[None]:
    """For what the server need not answer, but has to take. Raises TroubleError."""
    try:
        async with asyncio.timeout(TELLING):
            yield
    except TimeoutError:
        raise TroubleError(Trouble(what=f"did not take a message within {TELLING:g} s", ran=True)) from None


def mask(message: JSONRPCMessage, scrubber: Scrubber) -> None:
    """Take secrets out of a message that a server sent."""
    if isinstance(message, JSONRPCResponse):
        message.result = scrubber.value(message.result)
    elif isinstance(message, JSONRPCError):
        data = message.error.data
        ours = data is UNREAD or isinstance(data, Trouble)
        text = scrubber.text(message.error.message)
        message.error = ErrorData(code=message.error.code, message=text, data=data if ours else scrubber.value(data))
    elif message.params is not None:
        message.params = scrubber.value(message.params)
