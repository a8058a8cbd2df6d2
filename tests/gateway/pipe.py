"""A client that speaks JSON-RPC on a pipe, line by line, and keeps the order of what it hears."""

from __future__ import annotations

import asyncio
import asyncio.streams
import json
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pegboard import PinStore
from pegboard.gateway import Gateway, GatewaySettings, Wire
from pegboard.gateway.stdio import serve_lines
from tests.gateway.served import Marks, served

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

MODERN = "2026-07-28"
HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
LIST_CHANGED = "notifications/tools/list_changed"

_PATIENCE = 30.0
"""Seconds until a missing message fails a test. No measure of speed."""


def environment(**more: str) -> dict[str, str]:
    """The environment for a server process."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONUNBUFFERED": "", **more}


class Pipe:
    """One connection to a gateway. Lives as long as its ``async with`` block.

    ``seen`` are all messages in the order in which they came. ``process`` is the gateway's own, where it has one.
    """

    def __init__(
        self,
        incoming: asyncio.StreamReader,
        outgoing: asyncio.StreamWriter,
        folder: Path,
        process: asyncio.subprocess.Process | None = None,
    ) -> None:
        self.seen: list[dict[str, Any]] = []
        self.lines: list[bytes] = []
        self.envelope: dict[str, Any] = {}
        self.outgoing = outgoing
        self.marks = Marks(folder)
        self._incoming = incoming
        self._process = process
        self._next = 100

    @property
    def process(self) -> asyncio.subprocess.Process:
        """The gateway's own process."""
        assert self._process is not None
        return self._process

    async def handshake(self, revision: str = "2025-11-25", capabilities: Mapping[str, Any] | None = None) -> Any:
        """Begin a session; the result of ``initialize``."""
        client = {"name": "raw", "version": "1"}
        params = {"protocolVersion": revision, "capabilities": capabilities or {}, "clientInfo": client}
        result = await self.ask("initialize", params)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def modern(self) -> None:
        """Put the envelope of the stateless era on every request from now on."""
        self.envelope = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        }

    def send(self, *messages: Any) -> None:
        """Write messages, all at once."""
        self.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))

    def write(self, data: bytes) -> None:
        """Write bytes as they are."""
        self.outgoing.write(data)

    def request(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """A request that has not been sent."""
        self._next += 1
        meta = {**self.envelope, **((params or {}).get("_meta") or {})}
        full = {**(params or {}), **({"_meta": meta} if meta else {})}
        return {"jsonrpc": "2.0", "id": self._next, "method": method, **({"params": full} if full else {})}

    def calling(self, name: str, arguments: Any = None, **meta: Any) -> dict[str, Any]:
        """The request that calls a tool, not sent."""
        params = {"name": name, "arguments": arguments or {}, **({"_meta": meta} if meta else {})}
        return self.request("tools/call", params)

    async def ask(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """Send a request; its result. An error answer fails."""
        request = self.request(method, params)
        self.send(request)
        answer = await self.answer(request)
        assert "error" not in answer, answer
        return answer["result"]

    async def call(self, name: str, arguments: Any = None, **meta: Any) -> Any:
        """Call a tool; its result."""
        request = self.calling(name, arguments, **meta)
        self.send(request)
        answer = await self.answer(request)
        assert "error" not in answer, answer
        return answer["result"]

    async def names(self) -> list[str]:
        """The names in the list of tools."""
        return [tool["name"] for tool in (await self.ask("tools/list"))["tools"]]

    async def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a request that was sent."""
        return await self.until(lambda message: message.get("id") == request["id"] and "method" not in message)

    async def notified(self, method: str) -> dict[str, Any]:
        """The next notification of this kind, among those that have not been heard yet."""
        return await self.until(lambda message: message.get("method") == method)

    async def until(self, wanted: Any) -> dict[str, Any]:
        """Hear messages until one is wanted."""
        while True:
            message = await self.hear()
            if wanted(message):
                return message

    async def hear(self) -> dict[str, Any]:
        """The next message. Every line must be one."""
        line = await asyncio.wait_for(self._incoming.readline(), _PATIENCE)
        assert line, "the server has ended"
        self.lines.append(line)
        message: dict[str, Any] = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        self.seen.append(message)
        return message

    def heard(self, method: str) -> int:
        """How many notifications of this kind have come."""
        return sum(message.get("method") == method for message in self.seen)

    async def settled(self) -> None:
        """Everything that a change of the catalog causes has been sent before this returns."""
        await asyncio.sleep(0.5)
        await self.call("echo")

    async def errors(self) -> str:
        """What the server has written to stderr; it must have ended."""
        assert self.process.stderr is not None
        return (await asyncio.wait_for(self.process.stderr.read(), _PATIENCE)).decode()

    async def ended(self) -> int | None:
        """Wait until the server has ended; its exit code."""
        return await asyncio.wait_for(self.process.wait(), _PATIENCE)

    async def marked(self, name: str) -> None:
        """Wait until a tool has left this mark."""
        async with asyncio.timeout(_PATIENCE):
            while not self.marks.seen(name):
                await asyncio.sleep(0.02)


@asynccontextmanager
async def piped(
    folder: Path, kind: str = "none", settings: GatewaySettings | None = None, store: PinStore | None = None
) -> AsyncIterator[Pipe]:
    """A connection over pipes to a gateway in this process, with the tools that these tests serve."""
    async with served(folder, kind) as peg:
        gateway = Gateway(peg, settings or GatewaySettings(name="tested"), session_store=store)
        async with piped_to(gateway, folder) as pipe:
            yield pipe


@asynccontextmanager
async def piped_to(gateway: Gateway, folder: Path) -> AsyncIterator[Pipe]:
    """A connection over pipes to this gateway."""
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    loop = asyncio.get_running_loop()
    incoming = asyncio.StreamReader(limit=2**26)
    reading = asyncio.StreamReaderProtocol(incoming)
    await loop.connect_read_pipe(lambda: reading, os.fdopen(ours_in, "rb"))
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(ours_out, "wb"))
    outgoing = asyncio.StreamWriter(transport, protocol, None, loop)
    serving = asyncio.create_task(serve_lines(gateway, Wire(theirs_in, theirs_out)))
    try:
        yield Pipe(incoming, outgoing, folder)
    finally:
        outgoing.close()
        await asyncio.wait_for(serving, _PATIENCE)
        os.close(theirs_out)
        os.close(theirs_in)
        while await incoming.read(2**16):
            pass


@asynccontextmanager
async def process(folder: Path, **variables: str) -> AsyncIterator[Pipe]:
    """A connection to a gateway in a process of its own, which is killed at the end, should it still run."""
    program = (sys.executable, str(HERE / "served.py"), "stdio", str(folder))
    child = await asyncio.create_subprocess_exec(
        *program, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment(**variables), limit=2**26
    )
    assert child.stdout is not None
    assert child.stdin is not None
    try:
        yield Pipe(child.stdout, child.stdin, folder, child)
    finally:
        if child.returncode is None:
            child.kill()
        await child.communicate()
