"""The stdio transport: a server process as the two streams that an MCP session reads and writes.

The SDK's own stdio client is not used: it has no limit to a line, copies its buffer for every chunk of a long one,
and logs a traceback for every line that is not protocol.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

import anyio
import anyio.lowlevel
from anyio.abc import ObjectReceiveStream
from mcp.shared.message import SessionMessage
from mcp.types.jsonrpc import JSONRPCMessage, JSONRPCRequest

from pegboard.lines import Line, LineSplitter, LongLine
from pegboard.sources.mcp.frames import Frame, frame_of, frame_of_long, line_of
from pegboard.sources.mcp.launch import launch_of
from pegboard.sources.mcp.link import Outgoing
from pegboard.sources.mcp.noise import Noise
from pegboard.sources.mcp.process import CLOSE_WAIT, UNHEARD_WAIT, ServerProcess, exit_words
from pegboard.sources.mcp.spec import StdioSpec
from pegboard.sources.mcp.waiting import Waiting

HIGH_WATER: Final = 4 * 1024 * 1024
"""Bytes of unread lines above which the server is made to wait."""


class StdioLink:
    """A server process as a session's streams. Lives from ``open_stdio`` until its block is left.

    ``on_end`` is called once, when the server can no longer be talked to. ``heard`` says whether it has said anything.
    """

    def __init__(self, spec: StdioSpec, noise: Noise, on_end: Callable[[], None]) -> None:
        self.read = Incoming(self)
        self.write = Outgoing(self)
        self.heard = False
        self._spec = spec
        self._noise = noise
        self._on_end = on_end
        self._splitter = LineSplitter(spec.max_line)
        self._lines: deque[Line | LongLine] = deque()
        self._unread_bytes = 0
        self._messages: deque[JSONRPCMessage] = deque()
        self._news = asyncio.Event()
        self._waiting = Waiting()
        self._deaf = False
        self._held = False
        self._process: ServerProcess | None = None

    @property
    def process(self) -> ServerProcess:
        """The server's process."""
        if self._process is None:
            raise RuntimeError("the link is not open")
        return self._process

    @property
    def ended(self) -> bool:
        """Whether the server can no longer be talked to."""
        return self.process.ended

    def why_ended(self) -> str:
        """What happened to the process, and its last words on stderr."""
        words = str(self.process.last_words)
        return exit_words(self.process.returncode) + (f". Its last words: {words}" if words else "")

    async def start(self) -> None:
        """Start the process. Raises UpstreamError."""
        launch = launch_of(self._spec, os.environ)
        self._process = await ServerProcess.spawn(
            self._spec.name, launch, self._take, self._finish, hide=self._noise.hide
        )

    async def receive(self) -> SessionMessage:
        """The next message. Raises anyio.EndOfStream when no more will come."""
        await anyio.lowlevel.checkpoint()
        while not self._messages:
            if self._lines:
                self._decode(self._lines.popleft())
            elif self._deaf or self.ended:
                raise anyio.EndOfStream
            else:
                self._news.clear()
                await self._news.wait()
        return SessionMessage(self._messages.popleft())

    async def send(self, item: SessionMessage) -> None:
        """Write a message whole, or not at all. A request waits until the server takes it.

        Raises anyio.BrokenResourceError when the server is gone, ValueError for what JSON cannot say.
        """
        line = line_of(item.message)
        if isinstance(item.message, JSONRPCRequest):
            # Requests alone: a cancellation that had to wait would keep its caller from leaving.
            await self.process.room()
        self._waiting.sent(item.message)
        if not self.process.write(line):
            # Why the server is gone is known only when its end is.
            await self.process.until_ended()
            raise anyio.BrokenResourceError

    def deafen(self) -> None:
        """Read on, so that the server can finish writing and leave, but keep nothing."""
        self._deaf = True
        self._lines.clear()
        self._messages.clear()
        self._news.set()
        if self._process is not None:
            self._process.hold_output(False)

    def _take(self, chunk: bytes) -> None:
        self.heard = True
        if not self._deaf:
            self._keep(self._splitter.feed(chunk))

    def _finish(self) -> None:
        if not self._deaf:
            # A last message may lack its line end. One that breaks off fails its call, which then tells of the end.
            self._keep(self._splitter.finish())
        self._news.set()
        self._on_end()

    def _keep(self, lines: list[Line | LongLine]) -> None:
        if not lines:
            return
        self._lines.extend(lines)
        self._unread_bytes += sum(_weight(line) for line in lines)
        self._news.set()
        if self._unread_bytes > HIGH_WATER and not self._held:
            self._held = True
            self.process.hold_output(True)

    def _decode(self, line: Line | LongLine) -> None:
        self._unread_bytes -= _weight(line)
        if self._held and self._unread_bytes <= HIGH_WATER // 2:
            self._held = False
            self.process.hold_output(False)
        for message in self._frame(line).messages:
            self._waiting.received(message)
            self._messages.append(message)

    def _frame(self, line: Line | LongLine) -> Frame:
        if isinstance(line, LongLine):
            self._noise.overlong(line.size)
            return frame_of_long(line, self._spec.max_line, self._waiting.ids)
        frame = frame_of(line)
        if frame.noise:
            self._noise.heard(line)
        self._noise.mended += frame.mended
        return frame


class Incoming(ObjectReceiveStream[SessionMessage]):
    """What the server says: the reading half of a link, in the form that the SDK's dispatcher reads."""

    def __init__(self, link: StdioLink) -> None:
        self._link = link

    async def receive(self) -> SessionMessage:
        """The next message. Raises anyio.EndOfStream."""
        return await self._link.receive()

    async def aclose(self) -> None:
        """Nobody listens any more."""
        self._link.deafen()


@asynccontextmanager
async def open_stdio(spec: StdioSpec, noise: Noise, on_end: Callable[[], None]) -> AsyncIterator[StdioLink]:
    """Start an upstream's process; end it, and all that it started, when the block is left.

    Raises UpstreamError that says why it cannot be started.
    """
    link = StdioLink(spec, noise, on_end)
    await link.start()
    try:
        yield link
    finally:
        link.deafen()
        await link.process.close(CLOSE_WAIT if link.heard else UNHEARD_WAIT)


def _weight(line: Line | LongLine) -> int:
    return len(line) if not isinstance(line, LongLine) else len(line.head) + len(line.tail)
