"""The guard under the HTTP client that the MCP SDK takes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Final, NoReturn

import httpcore2
import httpx2

from pegboard.errors import EgressError, RefusedReplyError, RefusedRequestError, RequestTimeoutError, UnreachableError
from pegboard.net.client import HttpClient
from pegboard.net.egress import EgressPolicy
from pegboard.net.replies import checked_headers, unpacked
from pegboard.net.urls import parse

_REPLACED: Final = frozenset({b"host", b"connection", b"accept-encoding", b"upgrade"})
"""Set by the client; an upgrade would leave HTTP, and the guard's view of it."""

_AS_THEIRS: Final[Mapping[type[EgressError], type[httpx2.RequestError]]] = {
    RefusedRequestError: httpx2.UnsupportedProtocol,
    UnreachableError: httpx2.ConnectError,
    RequestTimeoutError: httpx2.ReadTimeout,
    RefusedReplyError: httpx2.RemoteProtocolError,
}
"""Errors that the SDK expects of its client; ours is the cause."""


def sdk_client(
    client: HttpClient,
    policy: EgressPolicy,
    *,
    headers: Mapping[str, str] | None = None,
    auth: httpx2.Auth | None = None,
    timeout: httpx2.Timeout | None = None,
) -> httpx2.AsyncClient:
    """A client for the SDK's transports, whose requests all go through ``client`` under ``policy``.

    It lives as long as one upstream; closing it leaves the connections to ``client``. It follows no redirect, keeps no
    cookie and uses nothing of the environment. ``timeout`` defaults to 30 s, 300 s between two parts of a stream.
    Event streams may be endless; other replies have the client's bounds.
    """
    return httpx2.AsyncClient(
        transport=GuardedTransport(client, policy),
        headers=dict(headers or {}),
        auth=auth,
        timeout=timeout or httpx2.Timeout(30.0, read=300.0),
        cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=())),
        follow_redirects=False,
        trust_env=False,
    )


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Takes the requests of one httpx2 client. Lives as long as that client, within the life of ``client``."""

    def __init__(self, client: HttpClient, policy: EgressPolicy) -> None:
        self._client = client
        self._policy = policy

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request, checked. Raises httpx2's errors, with ours as their cause."""
        assert isinstance(request.stream, httpx2.AsyncByteStream)
        kept = [(name, value) for name, value in request.headers.raw if name.lower() not in _REPLACED]
        try:
            target = parse(str(request.url))
            timeouts = request.extensions.get("timeout") or self._client.limits.timeouts
            response = await self._client.send(request.method, target, self._policy, kept, request.stream, timeouts)
            return await self._as_theirs(request, response)
        except EgressError as error:
            _raise_as_theirs(error, request)

    async def _as_theirs(self, request: httpx2.Request, response: httpcore2.Response) -> httpx2.Response:
        try:
            headers = checked_headers(response, self._client.limits.header_bytes)
        except EgressError:
            await response.aclose()
            raise
        kind = next((value for name, value in headers if name == "content-type"), "")
        endless = kind.partition(";")[0].strip().lower() == "text/event-stream"
        pieces = unpacked(response, headers, request.method, None if endless else self._client.limits.body_bytes)
        coded = any(name == "content-encoding" for name, _ in headers)
        gone = (b"content-encoding", b"content-length") if coded else ()
        return httpx2.Response(
            response.status,
            headers=[pair for pair in response.headers if pair[0].lower() not in gone],
            stream=_Stream(request, response, pieces),
            extensions={"http_version": response.extensions["http_version"]},
        )


class _Stream(httpx2.AsyncByteStream):
    """A reply's body as it comes. Lives as long as the reply."""

    def __init__(
        self, request: httpx2.Request, response: httpcore2.Response, pieces: AsyncGenerator[bytes, None]
    ) -> None:
        self._request = request
        self._response = response
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._pieces:
                yield piece
        except EgressError as error:
            _raise_as_theirs(error, self._request)

    async def aclose(self) -> None:
        """Give the connection back, or close it when more was to come."""
        await self._pieces.aclose()
        await self._response.aclose()


def _raise_as_theirs(error: EgressError, request: httpx2.Request) -> NoReturn:
    raise _AS_THEIRS.get(type(error), httpx2.TransportError)(str(error), request=request) from error
