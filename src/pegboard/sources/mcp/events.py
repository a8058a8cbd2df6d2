"""Server-sent events from bytes: bounded, and nothing a server sends is fatal. Pure."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Final

from pegboard.lines import ENDS, Line, LineSplitter, LongLine

_FIELD_CHARS: Final = 16
"""What a line may have before its data."""

LONGEST_PAUSE: Final = 60.0

MAX_ID: Final = 1_000
"""Characters of an event's id: it goes back as a header."""

_SLICE: Final = 4_096
"""Bytes that are cut into lines before other work gets its turn: they may be lines of nothing, unpacked from a few."""


@dataclass(frozen=True)
class Event:
    """One event. Immutable. ``id`` is that of the last one that had any, "" before; ``data`` is empty in one that only
    tells an id. ``retry`` are the seconds that the server asks for before another connection; None when it never did.
    """

    kind: str
    data: Line | LongLine
    id: str
    retry: float | None


class EventReader:
    """Takes a stream's bytes as they come. Lives as long as one stream. ``limit`` bounds the data of an event."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._splitter = LineSplitter(limit + _FIELD_CHARS)
        self._after_return = False
        self._first = True
        self._id = ""
        self._retry: float | None = None
        self._begin()

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """The events that ``chunk`` completes."""
        for line in self._splitter.feed(self._with_plain_ends(chunk)):
            if isinstance(line, LongLine):
                self._long(line)
            elif line:
                self._field(bytes(line))
            else:
                yield from self._finished()

    def _with_plain_ends(self, chunk: bytes) -> bytes:
        """``\\r\\n`` and ``\\r`` end lines too."""
        if not chunk:  # nothing says nothing of what stands between the bytes around it
            return chunk
        if self._first:
            self._first = False
            chunk = chunk.removeprefix(b"\xef\xbb\xbf")
        if b"\r" not in chunk and not self._after_return:
            return chunk
        if self._after_return:
            chunk = chunk.removeprefix(b"\n")
        self._after_return = chunk.endswith(b"\r")
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _begin(self) -> None:
        self._kind = "message"
        self._data = bytearray()
        self._head: bytes | None = None
        self._size = 0
        self._has_data = False
        self._told = False

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._add(value, len(value))
        elif name == b"event":
            self._kind = value.decode("utf-8", "replace") or "message"
        elif name == b"id" and (ident := _id_of(value)) is not None:
            self._id, self._told = ident, True
        elif name == b"retry" and value.isdigit() and len(value) < 10:
            self._retry = min(int(value) / 1000, LONGEST_PAUSE)

    def _long(self, line: LongLine) -> None:
        if line.head.startswith(b"data:"):
            head = line.head.removeprefix(b"data:").removeprefix(b" ")
            self._add(LongLine(size=line.size - len(line.head) + len(head), head=head, tail=line.tail), line.size)

    def _add(self, data: Line | LongLine, size: int) -> None:
        self._size += size + self._has_data
        if self._size <= self._limit and not isinstance(data, LongLine):
            self._data += b"\n" * self._has_data + data
        else:
            head, tail = (data.head, data.tail) if isinstance(data, LongLine) else (data[:ENDS], data[-ENDS:])
            if self._head is None:
                self._head = bytes(self._data[:ENDS] if self._has_data else head)
            self._data = bytearray(tail)
        self._has_data = True

    def _finished(self) -> Iterator[Event]:
        if self._has_data or self._told:
            yield Event(self._kind, self._whole(), self._id, self._retry)
        self._begin()

    def _whole(self) -> Line | LongLine:
        if self._head is None:
            return self._data
        return LongLine(size=self._size, head=self._head, tail=bytes(self._data))


def _id_of(value: bytes) -> str | None:
    """An event's id; None for what could not be sent back in a header."""
    text = value.decode("utf-8", "replace")
    return text if text.isprintable() and text == text.strip() and len(text) <= MAX_ID else None


async def events_in(pieces: AsyncIterator[bytes], limit: int) -> AsyncIterator[Event]:
    """The events of a stream, as they come."""
    reader = EventReader(limit)
    async for piece in pieces:
        for start in range(0, len(piece), _SLICE):
            for event in reader.feed(piece[start : start + _SLICE]):
                yield event
            await asyncio.sleep(0)
