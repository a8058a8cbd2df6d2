"""Cutting a stream of bytes into lines: linear time, bounded memory. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

Line = bytes | bytearray

ENDS: Final = 4096
"""Bytes kept of each end of a line that is over the limit."""


@dataclass(frozen=True, kw_only=True)
class LongLine:
    """A line over the limit. Immutable. ``size`` counts its bytes; only ``head`` and ``tail`` of it were kept."""

    size: int
    head: bytes
    tail: bytes


class LineSplitter:
    """Cuts chunks into lines. Lives as long as one stream.

    A line of more than ``limit`` bytes comes out as a LongLine and is never held in memory whole. Line ends are
    ``\\n`` and are left out; a ``\\r`` before one is kept.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = bytearray()
        self._dropped = 0
        self._head = b""

    def feed(self, chunk: bytes) -> list[Line | LongLine]:
        """The lines that ``chunk`` completes."""
        lines: list[Line | LongLine] = []
        start = 0
        while (end := chunk.find(b"\n", start)) != -1:
            self._hold(chunk[start:end])
            lines.append(self._cut())
            start = end + 1
        self._hold(chunk[start:])
        return lines

    def finish(self) -> list[Line | LongLine]:
        """What was left without a line end when the stream ended."""
        return [self._cut()] if self._held or self._dropped else []

    def _hold(self, part: bytes) -> None:
        self._held += part
        if self._dropped == 0 and len(self._held) > self._limit:
            self._head = bytes(self._held[:ENDS])
        if self._head and len(self._held) > ENDS:
            self._dropped += len(self._held) - ENDS
            del self._held[:-ENDS]

    def _cut(self) -> Line | LongLine:
        held, self._held = self._held, bytearray()
        if not self._head:
            return held
        long = LongLine(size=self._dropped + len(held), head=self._head, tail=bytes(held))
        self._dropped, self._head = 0, b""
        return long
