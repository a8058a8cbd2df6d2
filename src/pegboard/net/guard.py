"""Where sockets are opened: every one of them, however it came about, goes to an address that was checked just before.

The pool makes each connection with a network backend of ours, bound to one origin under one policy. The name stays in
the address, in the Host header and in the certificate check; the socket goes to what the look-up gave. Connections are
shared by requests for the same origin under an equal policy only: what one policy allowed is no way in for another.
"""

from __future__ import annotations

import ssl
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import anyio
import httpcore2

from pegboard.net.egress import EgressPolicy
from pegboard.net.refusals import refuse
from pegboard.net.resolver import Resolver
from pegboard.net.urls import Target

MAX_ADDRESSES: Final = 8
"""Answers of one look-up that are tried; all of them are checked."""

HEAD_START: Final = 0.25
"""Seconds until the next address is tried beside one that does not answer."""

_NO_CONNECTION: Final = (httpcore2.ConnectError, httpcore2.ConnectTimeout)


@dataclass(frozen=True)
class Reach:
    """What connections are opened with. Immutable; lives as long as its client. ``lookup_seconds`` bound a look-up."""

    resolver: Resolver
    network: httpcore2.AsyncNetworkBackend
    lookup_seconds: float


class GuardedUrl(httpcore2.URL):
    """What a request asks of the pool: a target, and the policy it is asked under. Lives as long as the request."""

    def __init__(self, target: Target, policy: EgressPolicy) -> None:
        where = target.origin
        path = f"{target.path}{target.query}"
        super().__init__(scheme=where.scheme, host=where.host, port=where.port, target=path)
        self._origin = GuardedOrigin(target, policy)

    @property
    def origin(self) -> GuardedOrigin:
        """What the pool looks connections up by."""
        return self._origin


class GuardedOrigin(httpcore2.Origin):
    """Scheme, host and port together with a policy: two are the same only when all four are. Immutable."""

    def __init__(self, target: Target, policy: EgressPolicy) -> None:
        where = target.origin
        super().__init__(where.scheme.encode("ascii"), where.host.encode("ascii"), where.port)
        self.target = target
        self.policy = policy

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GuardedOrigin) and super().__eq__(other) and self.policy == other.policy

    def __hash__(self) -> int:
        return hash((self.target.origin, self.policy))


class GuardedBackend(httpcore2.AsyncNetworkBackend):
    """Opens sockets to one origin under one policy. Lives as long as the connection that it opens."""

    def __init__(self, target: Target, policy: EgressPolicy, reach: Reach) -> None:
        self._target = target
        self._policy = policy
        self._reach = reach

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Look the host up once, check every answer, and connect to what was checked.

        Raises RefusedRequestError, or what the library raises when nobody answers.
        """
        if (host, port) != (self._target.origin.host, self._target.origin.port):
            raise refuse("address", f"a connection to {self._target.origin} was turned to {host}:{port}")
        self._policy.admit(self._target)
        addresses = await self._addresses()

        async def open_one(address: str) -> httpcore2.AsyncNetworkStream:
            return await self._reach.network.connect_tcp(address, port, timeout, local_address, socket_options)

        return await first_to_answer(addresses[:MAX_ADDRESSES], open_one)

    async def connect_unix_socket(self, path: str, *arguments: Any, **named: Any) -> httpcore2.AsyncNetworkStream:
        """Never."""
        raise refuse("address", "a Unix socket is no address on the network")

    async def sleep(self, seconds: float) -> None:
        """Wait between attempts to connect."""
        await anyio.sleep(seconds)

    async def _addresses(self) -> Sequence[str]:
        if self._target.literal is not None:
            return [str(self._target.literal)]
        host, port = self._target.origin.host, self._target.origin.port
        try:
            with anyio.fail_after(self._reach.lookup_seconds):
                answers = await self._reach.resolver.resolve(host, port)
        except (OSError, UnicodeError) as error:  # TimeoutError is an OSError
            raise refuse("resolution", f"{host} could not be looked up: {str(error) or 'no answer in time'}") from error
        return self._policy.admit_answers(self._target, answers)


async def first_to_answer(
    addresses: Sequence[str], open_one: Callable[[str], Awaitable[httpcore2.AsyncNetworkStream]]
) -> httpcore2.AsyncNetworkStream:
    """The first connection that opens; each address gets a head start over the next. Raises what the last one did."""
    if len(addresses) == 1:
        return await open_one(addresses[0])
    opened: list[httpcore2.AsyncNetworkStream] = []
    errors: list[Exception] = []

    async def attempt(address: str, settled: anyio.Event) -> None:
        try:
            opened.append(await open_one(address))
            race.cancel_scope.cancel()
        except _NO_CONNECTION as error:
            errors.append(error)
        finally:
            settled.set()

    try:
        async with anyio.create_task_group() as race:
            for address in addresses:
                settled = anyio.Event()
                race.start_soon(attempt, address, settled)
                with anyio.move_on_after(HEAD_START):
                    await settled.wait()
    except BaseException:
        await _close(opened)
        raise
    await _close(opened[1:])
    if not opened:
        raise errors[-1]
    return opened[0]


async def _close(streams: Iterable[httpcore2.AsyncNetworkStream]) -> None:
    with anyio.CancelScope(shield=True):
        for stream in streams:
            await stream.aclose()


class GuardedPool(httpcore2.AsyncConnectionPool):
    """Connections of one client. Lives as long as it. Through ``proxy``, only the proxy's own address is guarded."""

    def __init__(
        self,
        reach: Reach,
        tls: ssl.SSLContext,
        *,
        connections: int,
        keepalive_seconds: float,
        retries: int = 0,
        proxy: tuple[Target, httpcore2.Proxy] | None = None,
    ) -> None:
        self._reach = reach
        self._tls = tls
        self._tries_again = retries
        self._keeps_for = keepalive_seconds
        self._to_proxy = proxy is not None
        super().__init__(
            ssl_context=tls,
            proxy=proxy[1] if proxy else None,
            max_connections=connections,
            keepalive_expiry=keepalive_seconds,
            network_backend=_only_to(proxy[0], reach) if proxy else None,
        )

    async def knock(self, target: Target, policy: EgressPolicy, seconds: float) -> None:
        """Open a connection as a request would, and close it."""
        stream = await self._socket_to(target, policy).connect_tcp(target.origin.host, target.origin.port, seconds)
        await stream.aclose()

    def _socket_to(self, target: Target, policy: EgressPolicy) -> GuardedBackend:
        return GuardedBackend(target, policy, self._reach)

    def create_connection(self, origin: httpcore2.Origin) -> httpcore2.AsyncConnectionInterface:
        """A connection that opens its socket through the guard."""
        if not isinstance(origin, GuardedOrigin):
            raise refuse("address", f"a connection to {origin} has no policy")
        if self._to_proxy:
            return super().create_connection(origin)
        return httpcore2.AsyncHTTPConnection(
            origin=origin,
            ssl_context=self._tls,
            keepalive_expiry=self._keeps_for,
            retries=self._tries_again,
            network_backend=self._socket_to(origin.target, origin.policy),
        )


def _only_to(proxy: Target, reach: Reach) -> GuardedBackend:
    return GuardedBackend(proxy, EgressPolicy(origins=frozenset({proxy.origin})), reach)
