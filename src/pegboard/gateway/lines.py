"""Lines in and out over blocking descriptors, without ever blocking the event loop.

Threads of our own do the reading and writing: pipes, terminals, sockets and files work alike, on every system, and a
reader that waits for a client which says nothing does not keep the process from ending.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Final

import anyio

_CHUNK: Final = 2**16
_AHEAD: Final = 64
"""Chunks read ahead of their use, so that a client which floods us is slowed down."""


class LineTooLongError(Exception):
    """A line was longer than allowed. It was skipped; the next one is read as usual."""


class LineSplitter:
    """Cuts a stream of bytes into lines of at most ``limit`` bytes. Belongs to one stream; pure."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._skipping = False

    def feed(self, chunk: bytes) -> Iterator[bytes | None]:
        """The lines that ``chunk`` completes, without their ends; None for one that was too long."""
        *complete, rest = chunk.split(b"\n")
        for end in complete:
            self._add(end)
            yield self._taken()
        self._add(rest)

    def rest(self) -> bytes | None:
        """What is left after the last line end; None when it was too long."""
        return self._taken()

    def _add(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._limit:
            self._skipping = True
            self._parts.clear()
        if not self._skipping and part:
            self._parts.append(part)

    def _taken(self) -> bytes | None:
        line = None if self._skipping else b"".join(self._parts)
        self._parts, self._size, self._skipping = [], 0, False
        return line


class LineReader:
    """The lines of a descriptor. Belongs to one event loop; ends with the stream."""

    def __init__(self, descriptor: int, limit: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._splitter = LineSplitter(limit)
        self._lines: deque[bytes | None] = deque()
        self._chunks: deque[bytes] = deque()
        self._ended = False
        self._news = asyncio.Event()
        self._credit = threading.Semaphore(_AHEAD)
        threading.Thread(target=self._read, name="pegboard-stdin", daemon=True).start()

    async def next(self) -> bytes:
        """The next line that is not blank, without its end.

        Raises LineTooLongError for one that had to be skipped, and EndOfStream behind the last.
        """
        while True:
            while not self._lines:
                await self._more()
            line = self._lines.popleft()
            if line is None:
                raise LineTooLongError
            if line.strip():
                return line

    def end(self) -> None:
        """Read no more: the next line is the end."""
        self._ended = True
        self._chunks.clear()
        self._news.set()

    async def _more(self) -> None:
        while not self._chunks:
            if self._ended:
                raise anyio.EndOfStream
            self._news.clear()
            await self._news.wait()
        chunk = self._chunks.popleft()
        self._credit.release()
        if chunk:
            self._lines.extend(self._splitter.feed(chunk))
        else:
            self._lines.append(self._splitter.rest())
            self._ended = True

    def _read(self) -> None:
        """The thread: hand over chunk by chunk, an empty one last."""
        try:
            while chunk := self._chunk():
                self._credit.acquire()
                self._loop.call_soon_threadsafe(self._take, chunk)
            self._loop.call_soon_threadsafe(self._take, b"")
        except RuntimeError:
            return  # the loop is closed: nobody waits for more

    def _chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, _CHUNK)
        except OSError:
            return b""

    def _take(self, chunk: bytes) -> None:
        if not self._ended:
            self._chunks.append(chunk)
            self._news.set()


class LineWriter:
    """Writes lines to a descriptor, whole and in the order in which they are handed over. Belongs to one event loop."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[tuple[bytes, asyncio.Future[None]] | None] = SimpleQueue()
        threading.Thread(target=self._write, name="pegboard-stdout", daemon=True).start()

    async def write(self, line: bytes) -> None:
        """Write ``line`` and a line end. Once begun it is written, even when the caller is cancelled meanwhile.

        Raises BrokenResourceError when nobody reads any more.
        """
        written = self._loop.create_future()
        self._queue.put((line + b"\n", written))
        await written

    def close(self) -> None:
        """Let the thread end behind what was handed over."""
        self._queue.put(None)

    def _write(self) -> None:
        """The thread: line by line."""
        while item := self._queue.get():
            line, written = item
            error = self._written(memoryview(line))
            try:
                self._loop.call_soon_threadsafe(_settle, written, error)
            except RuntimeError:
                return  # the loop is closed: nobody waits for the outcome

    def _written(self, left: memoryview) -> OSError | None:
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError as error:
            return error
        return None


def _settle(written: asyncio.Future[None], error: OSError | None) -> None:
    if written.done():
        return
    if error is None:
        written.set_result(None)
    else:
        written.set_exception(anyio.BrokenResourceError())
