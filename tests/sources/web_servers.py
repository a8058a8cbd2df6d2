"""Servers over HTTP, for tests of upstreams."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pegboard import Context, ToolResult
from pegboard.http_tools.secrets import SecretProvider
from pegboard.sources.mcp import HttpSpec, HttpUpstream
from tests.net.loopback import Exchange, Server, serving
from tests.sources.servers import FIXTURES, PATIENCE, page

Answer = Callable[["Asked"], Awaitable[None]]


@dataclass
class Program:
    """A server that runs as a program of its own. Lives as long as its block."""

    url: str
    log: Path
    since: int = 0

    def read(self) -> list[dict[str, Any]]:
        """All that it logged, from ``since`` on."""
        if not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text("utf-8").splitlines()[self.since :]]

    def at(self, path: str) -> Program:
        """The same server at another path, with what it logs from now on."""
        return Program(f"{self.url}{path}", self.log, self.since + len(self.read()))

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.url.rpartition(":")[2].partition("/")[0])

    def requests(self, method: str | None = None) -> list[dict[str, Any]]:
        """The HTTP requests it got; those with messages of one method."""
        return [one for one in self.read() if "http" in one and (method is None or one["method"] == method)]


@contextmanager
def sdk_server(folder: Path, *args: str, port: int = 0) -> Iterator[Program]:
    """The SDK's own server, at ``/mcp`` and ``/sse``."""
    log = folder / f"web{''.join(args)}.jsonl"
    command = [sys.executable, str(FIXTURES / "web_server.py"), str(log), "--port", str(port), *args]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield Program(f"http://127.0.0.1:{int(process.stdout.readline())}", log)
        finally:
            process.terminate()


@dataclass
class Used:
    """An upstream over HTTP in use. Lives inside one test."""

    upstream: HttpUpstream

    async def call(self, bare_name: str, /, context: Context | None = None, **arguments: Any) -> ToolResult:
        """Call a tool by its own name."""
        async with asyncio.timeout(PATIENCE):
            return await self.upstream.call(bare_name, arguments, context or Context(tool=bare_name, call_id="test"))

    def names(self) -> list[str]:
        """The tools in the registry, by the upstream's own names."""
        return [tool.bare_name for tool in self.upstream.registry.tools()]

    @property
    def state(self) -> str:
        """How it is doing."""
        return self.upstream.status().state

    @property
    def reason(self) -> str:
        """Why, where it is not ready."""
        return self.upstream.status().reason

    @property
    def next_try(self) -> float | None:
        """In how many seconds it is tried again."""
        return self.upstream.status().next_try


@asynccontextmanager
async def reaching(url: str, secrets: SecretProvider | None = None, **spec: Any) -> AsyncIterator[Used]:
    """An upstream at an address that has been started and has settled; stopped in the end."""
    upstream = HttpUpstream(HttpSpec(name=spec.pop("name", "up"), url=url, **spec), secrets=secrets)
    await upstream.start()
    try:
        async with asyncio.timeout(PATIENCE):
            await upstream.ready()
        yield Used(upstream)
    finally:
        await upstream.stop()


@dataclass
class Asked:
    """One message that came by HTTP, and the ways to answer it. Lives as long as its request."""

    exchange: Exchange
    message: dict[str, Any] = field(default_factory=dict)

    @property
    def method(self) -> str:
        """What is asked; the HTTP method where there is no message."""
        return str(self.message.get("method", self.exchange.head.partition(" ")[0]))

    @property
    def session(self) -> str | None:
        """The session that it says it is in."""
        return self.exchange.header("mcp-session-id")

    async def result(self, result: dict[str, Any], *headers: str) -> None:
        """A result, as JSON."""
        body = {"jsonrpc": "2.0", "id": self.message["id"], "result": result}
        await self.exchange.reply(json.dumps(body).encode(), "Content-Type: application/json", *headers)

    async def text(self, text: str) -> None:
        """A tool's result of one text."""
        await self.result({"content": [{"type": "text", "text": text}]})

    async def refuse(self, status: int, body: bytes = b"", *headers: str) -> None:
        """A status of 400 or more."""
        await self.exchange.reply(body, *headers, status=status)

    async def stream(self, *events: bytes) -> None:
        """The beginning of an event stream, which stays open."""
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        await self.exchange.say(head, *(b"data: " + event + b"\n\n" for event in events))

    async def say(self, event: bytes) -> None:
        """One more line of events, as it stands."""
        await self.exchange.say(event)

    def leave(self) -> None:
        """Close the connection."""
        self.exchange.writer.close()

    async def as_usual(self, *tools: str, session: str = "s1") -> None:
        """What a server with these tools answers that has a session and no news."""
        if self.method == "initialize":
            version = self.message["params"]["protocolVersion"]
            answer = {"protocolVersion": version, "capabilities": {}, "serverInfo": {"name": "raw", "version": "0"}}
            await self.result(answer, *([f"Mcp-Session-Id: {session}"] if session else []))
        elif self.method == "tools/list":
            await self.result(page(*(tools or ("t",))))
        elif self.method == "tools/call":
            await self.text("ok")
        elif self.method in ("GET", "DELETE"):
            await self.refuse(405)
        else:
            await self.exchange.reply(status=202)


@asynccontextmanager
async def raw_server(answer: Answer) -> AsyncIterator[Server]:
    """A server that says exactly what a test wants, byte for byte."""

    async def handle(exchange: Exchange) -> None:
        await answer(Asked(exchange, json.loads(exchange.body or b"{}")))

    async with serving(handle) as server:
        yield server


def asked(server: Server) -> list[str]:
    """The methods of what a raw server got, in order."""
    return [Asked(one, json.loads(one.body or b"{}")).method for one in server.exchanges]
