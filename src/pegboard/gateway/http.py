"""Serving any number of clients over streamable HTTP."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.routing import Route

from pegboard.errors import ConfigError
from pegboard.gateway.exchange import SCOPE_KEY, Exchange
from pegboard.gateway.local_only import LOCAL_NAMES, LocalOnly
from pegboard.gateway.server import Gateway
from pegboard.gateway.settings import GatewaySettings
from pegboard.gateway.web_server import WebServer
from pegboard.peg import Pegboard

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

PATH: Final = "/mcp"
BOARD_PATH: Final = "/mcp/b/{board}"


async def serve_http(
    peg: Pegboard,
    settings: GatewaySettings | None = None,
    host: str = "127.0.0.1",
    port: int = 8765,
    *,
    on_listening: Callable[[str], None] | None = None,
) -> None:
    """Serve at ``http://host:port/mcp`` until SIGINT or SIGTERM comes, or the task is cancelled.

    Starts and stops ``peg``. ``port`` 0 means any free one. ``on_listening`` is told the address once requests are
    answered there (default: one line on stderr). Raises ConfigError for a host that is not loopback and for an address
    that cannot be had.
    """
    listener = listen_on(host, port)
    gateway = Gateway(peg, settings)
    address = f"http://{_authority(listener)}{PATH}"
    async with peg:
        app = http_app(gateway, host=listener.getsockname()[0])
        server = WebServer(app, lambda: (on_listening or _say)(address), gateway.end_streams)
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            server.should_exit = True
            await serving
            raise


def http_app(gateway: Gateway, *, host: str = "127.0.0.1") -> Starlette:
    """The gateway as an ASGI application with the endpoint ``/mcp``, and ``/mcp/b/BOARD``; for one run of one server.

    Its lifespan starts and stops the pegboard. Requests are answered only when they name ``host``, or another name of
    this machine's loopback, as the host that they are for, and come from a page of such a host or from no page.
    """
    manager = StreamableHTTPSessionManager(
        gateway.server,
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        max_request_body_size=gateway.settings.max_message,
        session_idle_timeout=gateway.settings.session_idle,
        max_sessions=gateway.settings.max_sessions,
    )

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with gateway.peg, manager.run():
            yield

    paths = [PATH, BOARD_PATH] if gateway.settings.boards else [PATH]
    # The SDK's own check of Host and Origin lets through whatever begins with "localhost:".
    endpoint = LocalOnly(_WithExchange(StreamableHTTPASGIApp(manager)), (*LOCAL_NAMES, _bracketed(host)))
    return Starlette(routes=[Route(path, endpoint=endpoint) for path in paths], lifespan=lifespan)


def listen_on(host: str, port: int) -> socket.socket:
    """A socket that listens on a loopback address. Raises ConfigError when there is none to be had."""
    address = _loopback(host)
    if not 0 <= port <= 65535:
        raise ConfigError(f"There is no port {port}.", hint="Choose one from 1 to 65535, or 0 for any free one.")
    try:
        return socket.create_server(
            (str(address), port), family=socket.AF_INET6 if address.version == 6 else socket.AF_INET
        )
    except OSError as error:
        raise ConfigError(
            f"Port {port} on {host} cannot be opened: {error.strerror}.",
            hint="Stop the program that uses it, or choose another port; 0 takes any free one.",
        ) from error


class _WithExchange:
    """Gives every HTTP request its exchange, and ends it when the response has been sent. Process-wide."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = scope[SCOPE_KEY] = Exchange()
        try:
            await self._app(scope, receive, send)
        finally:
            exchange.end()


def _loopback(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    try:
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host.strip("[]"))
    except ValueError:
        address = None
    if address is None or not address.is_loopback:
        raise ConfigError(
            f"The gateway does not listen on {host!r}: without sign-in, which there is not yet, anybody could call.",
            hint="Listen on 127.0.0.1.",
        )
    return address


def _authority(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"{_bracketed(host)}:{port}"


def _bracketed(host: str) -> str:
    """A host as it stands in addresses."""
    return f"[{host}]" if ":" in host else host


def _say(address: str) -> None:
    sys.stderr.write(f"pegboard serves MCP at {address}\n")
    sys.stderr.flush()
