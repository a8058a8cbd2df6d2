"""The client for all outgoing HTTP.

Every request is checked here by its policy, and again where its socket is opened. Nothing of the environment is used:
no proxy, no netrc, no certificate paths. Cookies are not kept, HTTP/2 is not spoken, and redirects are followed only
where the caller says how many.
"""

from __future__ import annotations

import logging
import ssl
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from math import inf
from types import TracebackType
from typing import Final, Self

import anyio
import httpcore2
import httpx2

from pegboard.errors import ConfigError, EgressError, RefusedRequestError
from pegboard.net.decoding import ACCEPTED
from pegboard.net.egress import EgressPolicy
from pegboard.net.guard import GuardedPool, GuardedUrl, Reach
from pegboard.net.headers import OURS, TOKEN, UNSAFE
from pegboard.net.redirects import FOLLOWED, Outgoing
from pegboard.net.refusals import HINTS, refuse
from pegboard.net.replies import Reply, StreamedReply, checked_headers, timed_out, translated, unpacked
from pegboard.net.resolver import Resolver, SystemResolver
from pegboard.net.urls import Target, parse
from pegboard.version import __version__

logger = logging.getLogger(__name__)

# Its debug lines have every header of a reply, and so whatever a service repeats there.
logging.getLogger("httpcore2").setLevel(logging.INFO)

MAX_REDIRECTS: Final = 5

KNOCK_SECONDS: Final = 5.0
"""How long a connection that is only tried may take to open."""

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"})


@dataclass(frozen=True, kw_only=True)
class HttpLimits:
    """Bounds of one request. Immutable. The defaults are Pegboard's own.

    ``total_seconds`` from the look-up to the last byte, redirects too; ``connect_seconds`` for each connection;
    ``lookup_seconds`` for each look-up; ``body_bytes`` of a reply, unpacked; ``header_bytes`` of all its headers.
    Raises ConfigError for a number that is not above 0 and finite.
    """

    total_seconds: float = 30.0
    connect_seconds: float = 10.0
    lookup_seconds: float = 5.0
    body_bytes: int = 10_000_000
    header_bytes: int = 65_536

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0 < value < inf:  # NaN is refused too
                raise ConfigError(f"The limit {name} of outgoing HTTP is {value}.", hint="Set a number above 0.")

    @property
    def timeouts(self) -> dict[str, float | None]:
        """As the library has them: none of its waits is longer than the whole."""
        waits = dict.fromkeys(("read", "write", "pool"), self.total_seconds)
        return {**waits, "connect": min(self.connect_seconds, self.total_seconds)}


@dataclass(frozen=True, kw_only=True)
class TrustedProxy:
    """A proxy that the operator trusts with every address. Immutable.

    It resolves the names, so their addresses are not checked here: schemes, ports, host lists, names and literal
    addresses are. ``url`` is ``http://host:port`` or ``https://host:port``; ``user`` and ``password`` go to the proxy
    alone.
    """

    url: str
    user: str = ""
    password: str = ""


class HttpClient:
    """Sends requests. Lives as long as the process, or as an ``async with`` block; shared by all tools and sources.

    ``resolver`` looks names up (default: the system); ``network`` opens sockets to addresses that were checked
    (default: asyncio's, through anyio); ``tls`` is the context for certificates (default: the system's store);
    ``retries`` are attempts after the first when no connection opens, each with a look-up and a check of its own.
    """

    def __init__(
        self,
        *,
        limits: HttpLimits | None = None,
        resolver: Resolver | None = None,
        proxy: TrustedProxy | None = None,
        tls: ssl.SSLContext | None = None,
        network: httpcore2.AsyncNetworkBackend | None = None,
        connections: int = 100,
        keepalive_seconds: float = 5.0,
        retries: int = 0,
    ) -> None:
        self.limits = limits or HttpLimits()
        reach = Reach(resolver or SystemResolver(), network or httpcore2.AnyIOBackend(), self.limits.lookup_seconds)
        context = tls or httpx2.create_ssl_context(trust_env=False)
        self._has_proxy = proxy is not None
        self._pool = GuardedPool(
            reach,
            context,
            connections=connections,
            keepalive_seconds=keepalive_seconds,
            retries=retries,
            proxy=_proxy_of(proxy, context) if proxy else None,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close all connections."""
        await self._pool.aclose()

    async def request(
        self,
        method: str,
        url: str,
        *,
        policy: EgressPolicy,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        redirects: int = 0,
        secrets: Collection[str] = (),
        limits: HttpLimits | None = None,
    ) -> Reply:
        """Send one request and read its whole reply, whatever its status.

        ``redirects`` are followed at most, up to 5; by default a redirect is a reply like any other. Across origins
        only a few harmless headers go along, and nothing that holds one of ``secrets``. ``limits`` replace the
        client's. Raises EgressError.
        """
        bounds = limits or self.limits
        try:
            outgoing = Outgoing(_method(method), parse(url), _checked(headers or {}), body, secrets)
            with anyio.fail_after(bounds.total_seconds):
                return await self._follow(outgoing, policy, min(redirects, MAX_REDIRECTS), bounds)
        except TimeoutError as error:
            raise timed_out(f"no whole reply within {bounds.total_seconds:g} s") from error
        except EgressError as error:
            logger.warning("%s: rule %r: %s %s", error.code, error.rule, error.detail, HINTS.get(error.rule, ""))
            raise

    async def knock(self, url: str, *, policy: EgressPolicy) -> None:
        """Open a connection to where a request for ``url`` would go, and close it: nothing is sent.

        Through a proxy only the address is checked. Raises EgressError.
        """
        target = parse(url)
        policy.admit(target)
        if not self._has_proxy:
            with translated():
                await self._pool.knock(target, policy, min(self.limits.connect_seconds, KNOCK_SECONDS))

    async def _follow(self, first: Outgoing, policy: EgressPolicy, redirects: int, limits: HttpLimits) -> Reply:
        """Send, and send again where redirects lead."""
        outgoing, hops = first, 0
        while True:
            # What was allowed to the operator's own address is not allowed to where a reply points.
            own = outgoing.target.origin == first.target.origin
            reply = await self._exchange(outgoing, policy if own else policy.without_origins(), limits, hops)
            locations = [value for name, value in reply.headers if name == "location"]
            if not redirects or reply.status not in FOLLOWED or not locations:
                return reply
            if len(locations) > 1:
                raise refuse("redirect", f"{outgoing.target.origin} redirects to several addresses at once")
            if hops == redirects:
                raise refuse("redirect", f"{first.target.origin} redirects more than {redirects} times")
            outgoing, hops = outgoing.redirected(reply.status, locations[0]), hops + 1

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        target: Target,
        *,
        policy: EgressPolicy,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        quiet_seconds: float | None = None,
    ) -> AsyncIterator[StreamedReply]:
        """Send one request; its reply's body comes in pieces, for as long as the block lasts.

        For replies that may be endless: neither their size nor the time for the whole is bounded here, only, with
        ``quiet_seconds``, the time between two parts of them. No redirect is followed. Raises EgressError, when the
        pieces are read too.
        """
        outgoing = Outgoing(_method(method), target, _checked(headers or {}), body)
        timeouts = {**self.limits.timeouts, "read": quiet_seconds, "pool": None}
        response = await self._send(outgoing, policy, timeouts)
        try:
            found = checked_headers(response, self.limits.header_bytes)
            async with aclosing(unpacked(response, found, outgoing.method, None)) as pieces:
                yield StreamedReply(response.status, found, pieces)
        finally:
            await response.aclose()

    async def _exchange(self, outgoing: Outgoing, policy: EgressPolicy, limits: HttpLimits, hops: int) -> Reply:
        response = await self._send(outgoing, policy, limits.timeouts)
        try:
            found = checked_headers(response, limits.header_bytes)
            parts = [part async for part in unpacked(response, found, outgoing.method, limits.body_bytes)]
        finally:
            await response.aclose()
        return Reply(response.status, found, b"".join(parts), outgoing.target, hops)

    async def _send(
        self, outgoing: Outgoing, policy: EgressPolicy, timeouts: Mapping[str, float | None]
    ) -> httpcore2.Response:
        """Send one request, checked; the reply's body is still to be read, and the reply to be closed."""
        target = outgoing.target
        policy.admit(target)
        if self._has_proxy and ":" in target.origin.host:
            raise refuse("address", "an IPv6 address cannot be asked for through a proxy; use its name")
        request = httpcore2.Request(
            outgoing.method,
            GuardedUrl(target, policy),
            headers=_framed(outgoing),
            content=outgoing.body,
            extensions={"timeout": dict(timeouts)},
        )
        with translated():
            return await self._pool.handle_async_request(request)


def _framed(outgoing: Outgoing) -> list[tuple[bytes, bytes]]:
    """The headers of a request on the wire: the client's own before those that were given."""
    given = [(name.encode("ascii"), value.encode()) for name, value in outgoing.headers]
    authority = outgoing.target.origin.authority.encode("ascii")
    framed = [(b"Host", authority), (b"Accept-Encoding", ACCEPTED.encode("ascii"))]
    if not any(name.lower() == b"user-agent" for name, _ in given):
        framed.append((b"User-Agent", f"pegboard/{__version__}".encode("ascii")))
    if outgoing.body or outgoing.method in ("POST", "PUT", "PATCH"):
        given.append((b"Content-Length", b"%d" % len(outgoing.body)))
    return framed + given


def _method(method: str) -> str:
    if method.upper() not in _METHODS:
        raise refuse("header", f"the method is none of {', '.join(sorted(_METHODS))}")
    return method.upper()


def _checked(headers: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Headers that may be sent as they are. The error names a header, never its value."""
    for name, value in headers.items():
        if not TOKEN.fullmatch(name) or name.lower() in OURS:
            raise refuse("header", f"{name[:64]!r} is no header that a request may set")
        if UNSAFE.search(value) or value != value.strip(" \t"):
            raise refuse("header", f"the value of {name!r} has control characters, or blanks around it")
    return tuple(headers.items())


def _proxy_of(proxy: TrustedProxy, tls: ssl.SSLContext) -> tuple[Target, httpcore2.Proxy]:
    try:
        target = parse(proxy.url)
    except RefusedRequestError as error:
        raise ConfigError(
            f"The proxy's address cannot be used: {error.detail}.",
            hint="Write it like http://host:port; user and password are settings of their own.",
        ) from error
    where = target.origin
    return target, httpcore2.Proxy(
        httpcore2.URL(scheme=where.scheme, host=where.host, port=where.port, target="/"),
        auth=(proxy.user, proxy.password) if proxy.user else None,
        ssl_context=tls if where.scheme == "https" else None,
    )
