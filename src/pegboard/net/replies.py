"""Replies: read within bounds, and the HTTP library's errors as ours."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import httpcore2

from pegboard.errors import RefusedReplyError, RefusedRequestError, RequestTimeoutError, UnreachableError
from pegboard.net.decoding import Body, too_large
from pegboard.net.refusals import refuse
from pegboard.net.urls import Target

_LENGTH: Final = re.compile(r"[0-9]{1,19}")


@dataclass(frozen=True)
class Reply:
    """One reply, whole and unpacked. Immutable. ``headers`` are (lower-case name, value) in their order; ``target`` is
    the address that gave it, after ``hops`` redirects. A service may repeat what is secret: no repr shows it."""

    status: int
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    body: bytes = field(repr=False)
    target: Target = field(repr=False)
    hops: int = 0

    def header(self, name: str) -> str:
        """The values of a header, joined with commas; empty without one."""
        return _joined(self.headers, name)


@dataclass(frozen=True)
class StreamedReply:
    """One reply whose body is still to come. Lives as long as its block. ``headers`` are as those of ``Reply``;
    ``pieces`` gives the body once, unpacked, and raises EgressError where it breaks off."""

    status: int
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    pieces: AsyncIterator[bytes] = field(repr=False)

    def header(self, name: str) -> str:
        """The values of a header, joined with commas; empty without one."""
        return _joined(self.headers, name)


def checked_headers(response: httpcore2.Response, limit: int) -> tuple[tuple[str, str], ...]:
    """A reply's headers as text, names in lower case. Raises RefusedReplyError for a flood."""
    if sum(len(name) + len(value) for name, value in response.headers) > limit:
        raise RefusedReplyError(f"The reply's headers are larger than {limit:,} bytes.", rule="size")
    return tuple((name.decode("latin-1").lower(), _text(value)) for name, value in response.headers)


async def unpacked(
    response: httpcore2.Response, headers: Iterable[tuple[str, str]], method: str, limit: int | None
) -> AsyncGenerator[bytes, None]:
    """A reply's body without its content codings, in pieces, counted. Raises EgressError."""
    named = list(headers)
    declared = [value for name, value in named if name == "content-length" and _LENGTH.fullmatch(value)]
    if limit is not None and method != "HEAD" and any(int(value) > limit for value in declared):
        raise too_large(limit)
    body = Body(",".join(value for name, value in named if name == "content-encoding"), limit)
    with translated():
        async for data in response.aiter_stream():
            for piece in body.feed(data):
                yield piece
    body.finish()


def timed_out(detail: str) -> RequestTimeoutError:
    """The error for a reply that takes too long."""
    return RequestTimeoutError(
        "The server did not answer in time.", rule="time", detail=detail, hint="Try again, or ask for less."
    )


def _unreachable(detail: str) -> UnreachableError:
    return UnreachableError("The server could not be reached.", rule="network", detail=detail, hint="Try again later.")


def _broke_off(detail: str) -> UnreachableError:
    hint = "It may have been carried out all the same."
    return UnreachableError("The connection broke off.", rule="connection", detail=detail, hint=hint)


def _unreadable(detail: str) -> RefusedReplyError:
    return RefusedReplyError("The reply is not readable as HTTP.", rule="protocol", detail="broken HTTP/1.1")


def _unsendable(detail: str) -> RefusedRequestError:
    # The library quotes what it refuses, and that may be a secret.
    return refuse("header", "it cannot be written as HTTP/1.1")


_TRANSLATIONS: Final = (
    (httpcore2.ConnectTimeout, _unreachable),
    (httpcore2.TimeoutException, timed_out),
    (httpcore2.ConnectError, _unreachable),
    (httpcore2.NetworkError, _broke_off),
    (httpcore2.ProxyError, _unreachable),
    (httpcore2.RemoteProtocolError, _unreadable),
    (httpcore2.LocalProtocolError, _unsendable),
    (httpcore2.UnsupportedProtocol, _unsendable),
)
"""The library's errors and ours, the narrower before the wider."""


@contextmanager
def translated() -> Iterator[None]:
    """Raise the library's errors as ours."""
    try:
        yield
    except tuple(kind for kind, _ in _TRANSLATIONS) as error:
        make = next(make for kind, make in _TRANSLATIONS if isinstance(error, kind))
        raise make(str(error) or type(error).__name__) from error


def _joined(headers: Iterable[tuple[str, str]], name: str) -> str:
    return ", ".join(value for key, value in headers if key == name.lower())


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
