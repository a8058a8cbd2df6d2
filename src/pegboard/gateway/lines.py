"""Lines in and out over blocking descriptors, without ever blocking the event loop.

A descriptor's flags are left alone, for others may share it. Pipes and sockets are used when they are ready; terminals,
files and systems on which one cannot ask get threads of their own, which do not keep the process from ending.
"""

from __future__ import annotations

import asyncio
import os
import select
import stat
import threading
from collections import deque
from queue import SimpleQueue
from typing import Final

import anyio

from pegboard.lines import Line, LineSplitter, LongLine

_CHUNK: Final = 2**16
_AHEAD: Final = 64
"""Chunks read ahead of their use, so that a client which floods us is slowed down."""

_AT_ONCE: Final = getattr(select, "PIPE_BUF", 512)
"""Bytes that a pipe or socket which is ready takes without blocking."""


class LineTooLongError(Exception):
    """A line was longer than allowed. It was skipped, but for its two ends; the next one is read as usual."""

    def __init__(self, line: LongLine) -> None:
        super().__init__(f"a line of {line.size} bytes")
        self.line = line


class LineReader:
    """The lines of a descriptor. Belongs to one event loop; ends with the stream."""

    def __init__(self, descriptor: int, limit: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._splitter = LineSplitter(limit)
        self._lines: deque[Line | LongLine] = deque()
        self._chunks: deque[bytes] = deque()
        self._ended = False
        self._news = asyncio.Event()
        self._watching = False
        self._watched = _tells_when_ready(descriptor)
        self._credit = threading.Semaphore(_AHEAD)
        if self._watched:
            self._watch()
        else:
            threading.Thread(target=self._read, name="pegboard-stdin", daemon=True).start()

    async def next(self) -> Line:
        """The next line that is not blank, without its end.

        Raises LineTooLongError for one that had to be skipped, and EndOfStream behind the last.
        """
        while True:
            while not self._lines:
                await self._more()
            line = self._lines.popleft()
            if isinstance(line, LongLine):
                raise LineTooLongError(line)
            if line.strip():
                return line

    def end(self) -> None:
        """Read no more: the next line is the end."""
        self._ended = True
        self._chunks.clear()
        self._unwatch()
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
            self._watch()
        else:
            self._lines.extend(self._splitter.finish())
            self._ended = True

    def _take(self, chunk: bytes) -> None:
        if not self._ended:
            self._chunks.append(chunk)
            self._news.set()

    def _watch(self) -> None:
        if self._watched and not self._watching and not self._ended:
            self._watching = True
            self._loop.add_reader(self._descriptor, self._readable)

    def _unwatch(self) -> None:
        if self._watching:
            self._watching = False
            self._loop.remove_reader(self._descriptor)

    def _readable(self) -> None:
        chunk = self._chunk()
        self._take(chunk)
        if not chunk or len(self._chunks) >= _AHEAD:
            self._unwatch()

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


class LineWriter:
    """Writes lines to a descriptor, whole and in the order in which they are handed over. Belongs to one event loop."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[tuple[bytes, asyncio.Future[None]] | None] = SimpleQueue()
        self._unwritten = 0
        self._ready = select.poll() if _tells_when_ready(descriptor) else None
        if self._ready:
            self._ready.register(descriptor, select.POLLOUT)
        threading.Thread(target=self._write, name="pegboard-stdout", daemon=True).start()

    async def write(self, line: bytes) -> None:
        """Write ``line`` and a line end. Once begun it is written, even when the caller is cancelled meanwhile.

        Raises BrokenResourceError when nobody reads any more.
        """
        whole = line + b"\n"
        if self._takes_at_once(whole):
            if _written(self._descriptor, memoryview(whole)) is not None:
                raise anyio.BrokenResourceError
            return
        written = self._loop.create_future()
        self._unwritten += 1
        self._queue.put((whole, written))
        await written

    def close(self) -> None:
        """Let the thread end behind what was handed over."""
        self._queue.put(None)

    def _takes_at_once(self, line: bytes) -> bool:
        """Whether writing here and now cannot block, nor overtake what waits. Handing a line to a thread costs more."""
        if self._ready is None or self._unwritten or len(line) > _AT_ONCE:
            return False
        return bool(self._ready.poll(0))

    def _write(self) -> None:
        """The thread: line by line."""
        while item := self._queue.get():
            line, written = item
            error = _written(self._descriptor, memoryview(line))
            try:
                self._loop.call_soon_threadsafe(self._settle, written, error)
            except RuntimeError:
                return  # the loop is closed: nobody waits for the outcome

    def _settle(self, written: asyncio.Future[None], error: OSError | None) -> None:
        self._unwritten -= 1
        if written.done():
            return
        if error is None:
            written.set_result(None)
        else:
            written.set_exception(anyio.BrokenResourceError())


def _tells_when_ready(descriptor: int) -> bool:
    """Whether this system can say when a descriptor may be used without blocking, and means it."""
    kind = os.fstat(descriptor).st_mode
    return hasattr(select, "poll") and (stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind))


def _written(descriptor: int, left: memoryview) -> OSError | None:
    try:
        while left:
            left = left[os.write(descriptor, left) :]
    except OSError as error:
        return error
    return None
