"""Servers on loopback that say exactly what a test wants, byte for byte, and note what happens to them."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

Handler = Callable[["Exchange"], Awaitable[None]]


@dataclass
class Exchange:
    """One request as it came, and the way to answer it. Lives as long as the request."""

    head: str
    writer: asyncio.StreamWriter
    body: bytes = b""

    @property
    def path(self) -> str:
        return self.head.split(" ", 2)[1]

    def header(self, name: str) -> str | None:
        lines = (line.partition(": ") for line in self.head.split("\r\n")[1:])
        return next((value for key, _, value in lines if key.lower() == name.lower()), None)

    async def say(self, *parts: bytes) -> None:
        """Send bytes; fails when the client has gone."""
        for part in parts:
            self.writer.write(part)
        await self.writer.drain()

    async def reply(self, body: bytes = b"", *headers: str, status: int = 200) -> None:
        lines = [f"HTTP/1.1 {status} Yes", f"Content-Length: {len(body)}", *headers]
        await self.say("\r\n".join(lines).encode() + b"\r\n\r\n", body)


@dataclass
class Server:
    """A server that listens. Lives as long as its block. ``gone`` is set when a client left before the answer's end."""

    port: int = 0
    connections: int = 0
    exchanges: list[Exchange] = field(default_factory=list)
    close_listener: Callable[[], None] = lambda: None
    """Take no further connection; those there are stay."""
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    def url(self, path: str = "/", host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"


@asynccontextmanager
async def serving(
    handler: Handler, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
) -> AsyncIterator[Server]:
    """Serve requests without bodies, or with a Content-Length, on one address."""
    state = Server()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        state.connections += 1
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode("latin-1"):
                exchange = Exchange(head.removesuffix("\r\n\r\n"), writer)
                exchange.body = await reader.readexactly(int(exchange.header("content-length") or 0))
                state.exchanges.append(exchange)
                await handler(exchange)
        except asyncio.IncompleteReadError:
            pass
        except (ConnectionError, ssl.SSLError):
            state.gone.set()
        finally:
            writer.close()

    server = await asyncio.start_server(connected, host, 0, ssl=tls)
    state.port = server.sockets[0].getsockname()[1]
    state.close_listener = server.close
    try:
        yield state
    finally:
        server.close()
        await server.wait_closed()
