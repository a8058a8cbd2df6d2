"""Content codings undone in small pieces, counted at every stage: a few bytes can unpack to gigabytes.

What one coding gives is what the next one takes, so each of these counts against the limit by itself: a stage that
swallows everything and gives nothing is bounded too.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Final

from pegboard.errors import RefusedReplyError

ACCEPTED: Final = "gzip, deflate"
"""What is asked for: the codings that unpack in steps as small as wanted."""

PIECE: Final = 65_536
"""Bytes that one step of unpacking gives at most."""

MAX_CODINGS: Final = 3

_GZIP: Final = zlib.MAX_WBITS | 16


def too_large(limit: int) -> RefusedReplyError:
    """The error for a body above its limit."""
    return RefusedReplyError(
        f"The reply is larger than {limit:,} bytes.", rule="size", hint="Ask for less, for example one page of it."
    )


def _broken(detail: str) -> RefusedReplyError:
    return RefusedReplyError("The reply cannot be unpacked.", rule="coding", detail=detail)


class Meter:
    """Counts the bytes that pass one place. Lives as long as one reply. ``limit`` None counts in vain."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._seen = 0

    def pass_on(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The pieces, until they are too many: then RefusedReplyError."""
        for piece in pieces:
            self._seen += len(piece)
            if self._limit is not None and self._seen > self._limit:
                raise too_large(self._limit)
            yield piece


class Inflater:
    """Undoes one gzip or deflate coding. Lives as long as one reply. Raises RefusedReplyError."""

    def __init__(self, coding: str) -> None:
        self._is_gzip = coding == "gzip"
        self._stream: zlib._Decompress | None = None
        self._head = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """What more input unpacks to, in pieces of at most ``PIECE`` bytes."""
        data = self._head + data
        if self._stream is None and len(data) < 2:  # two bytes tell zlib's wrapper from a raw stream
            self._head = data
            return
        self._head = b""
        stream = self._stream or self._begin(data)
        more = bool(data)
        while more:
            if stream.eof:
                stream = self._begin(data)
            piece = _unpack(stream, data)
            if piece:
                yield piece
            data = stream.unused_data if stream.eof else stream.unconsumed_tail
            # A full piece may leave output inside, though all input is taken.
            more = bool(data) or (len(piece) == PIECE and not stream.eof)

    def finish(self) -> None:
        """Check that nothing is missing; a reply without any body is whole."""
        if self._head or (self._stream is not None and not self._stream.eof):
            raise _broken("the coded body ends early")

    def _begin(self, data: bytes) -> zlib._Decompress:
        """A new stream: the first one, or that of a gzip member behind another."""
        if self._stream is not None and not self._is_gzip:
            raise _broken("more follows the coded body")
        self._stream = zlib.decompressobj(_GZIP if self._is_gzip else _wrapping(data))
        return self._stream


def _wrapping(data: bytes) -> int:
    """How a deflate stream is wrapped: the standard says by zlib, and some servers send it bare."""
    wrapped = data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
    return zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS


def _unpack(stream: zlib._Decompress, data: bytes) -> bytes:
    try:
        return stream.decompress(data, PIECE)
    except zlib.error as error:
        raise _broken(str(error)) from error


class Body:
    """Takes a reply's bytes as they come and gives them unpacked. Lives as long as one reply.

    ``codings`` is the Content-Encoding header, ``limit`` the most bytes that any stage may pass (None: any number).
    Raises RefusedReplyError: for an unknown coding, too many of them, a broken stream, too many bytes.
    """

    def __init__(self, codings: str, limit: int | None) -> None:
        named = [name.strip().lower().removeprefix("x-") for name in codings.split(",")]
        applied = [name for name in named if name not in ("", "identity")]
        unknown = [name for name in applied if name not in ("gzip", "deflate")]
        if unknown or len(applied) > MAX_CODINGS:
            raise _broken(f"of its content codings {codings[:80]!r} not all were asked for")
        self._stages = [Inflater(name) for name in reversed(applied)]
        self._meters = [Meter(limit) for _ in range(len(applied) + 1)]

    def feed(self, data: bytes) -> Iterator[bytes]:
        """What more bytes unpack to."""
        pieces: Iterable[bytes] = self._meters[0].pass_on((data,))
        for stage, meter in zip(self._stages, self._meters[1:], strict=True):
            pieces = meter.pass_on(_through(stage, pieces))
        yield from pieces

    def finish(self) -> None:
        """Check that every stage came to its end."""
        for stage in self._stages:
            stage.finish()


def _through(stage: Inflater, pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        yield from stage.feed(piece)
