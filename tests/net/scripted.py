"""A network below the guard that follows a script: look-ups, connections, and replies as bytes on the wire.

Nothing of the guard or the client is replaced: they get these as their resolver and as their way to open sockets.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import h11
import httpcore2


@dataclass
class Received:
    """A request as it arrived. Lives as long as the test."""

    address: str
    method: str
    path: str
    headers: list[tuple[str, str]]
    body: bytes = b""

    def header(self, name: str) -> str | None:
        """The value of a header; None without one."""
        return dict(self.headers).get(name.lower())


Answer = Callable[[Received], bytes]
"""What a server says to a request, byte for byte."""


def reply(status: int = 200, body: bytes = b"", *headers: tuple[str, str]) -> bytes:
    """A reply with its length."""
    lines = [f"HTTP/1.1 {status} Scripted", f"Content-Length: {len(body)}", *(f"{name}: {v}" for name, v in headers)]
    return "\r\n".join(lines).encode("utf-8") + b"\r\n\r\n" + body


@dataclass
class Network(httpcore2.AsyncNetworkBackend):
    """Opens connections to servers that ``answer``. Lives as long as the test; ``connects`` are the tried addresses."""

    answer: Answer = lambda request: reply()
    fails: Sequence[str] = ()
    connects: list[str] = field(default_factory=list)
    requests: list[Received] = field(default_factory=list)
    names_checked: list[str | None] = field(default_factory=list)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        self.connects.append(host)
        if host in self.fails:
            raise httpcore2.ConnectError("refused by the script")
        return Stream(self, host)

    async def sleep(self, seconds: float) -> None:
        """No waiting in a script."""


class Stream(httpcore2.AsyncNetworkStream):
    """One connection: takes requests, gives the script's replies. Lives as long as the connection."""

    def __init__(self, network: Network, address: str) -> None:
        self._network = network
        self._address = address
        self._peer = h11.Connection(h11.SERVER)
        self._request: Received | None = None
        self._out = b""

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if not buffer:  # to h11 that would be the end of the connection
            return
        self._peer.receive_data(buffer)
        while True:
            event = self._peer.next_event()
            if isinstance(event, h11.Request):
                headers = [(name.decode(), value.decode()) for name, value in event.headers]
                self._request = Received(self._address, event.method.decode(), event.target.decode(), headers)
            elif isinstance(event, h11.Data):
                assert self._request is not None
                self._request.body += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                self._respond()
                return
            else:
                return

    def _respond(self) -> None:
        assert self._request is not None
        self._network.requests.append(self._request)
        self._out += self._network.answer(self._request)
        self._peer = h11.Connection(h11.SERVER)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        given, self._out = self._out[:max_bytes], self._out[max_bytes:]
        return given

    async def aclose(self) -> None:
        """Nothing to close."""

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        self._network.names_checked.append(server_hostname)
        return self

    def get_extra_info(self, info: str) -> Any:
        return False if info == "is_readable" else None


@dataclass
class Names:
    """A resolver with answers by host, one list for each look-up; the last one stays. Lives as long as the test."""

    answers: dict[str, list[list[str]]]
    asked: list[str] = field(default_factory=list)

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        if host not in self.answers:
            raise OSError("no such name in the script")
        given = self.answers[host]
        return given.pop(0) if len(given) > 1 else given[0]
