"""An MCP client that writes its own lines: request ids, tokens and cancellations are exactly those of the case."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from pegboard.auth import Principal
from pegboard.peg import Pegboard
from tests.runners.cases.answer import Answer, Clock, of_wire

Message = dict[str, Any]
Send = Callable[[bytes], Awaitable[None]]

REVISION: Final = "2025-06-18"
"""A client with a handshake: its list follows its pins, and it is told of changes."""

LINE_BYTES: Final = 128 * 1024 * 1024
PROGRESS: Final = "notifications/progress"


class LineClient:
    """One connection. Lives until ``close``; ``lines`` are all that the server wrote, byte for byte."""

    def __init__(self, reader: asyncio.StreamReader, send: Send) -> None:
        self.lines: list[bytes] = []
        self.notifications: list[Message] = []
        self.replies: dict[Any, asyncio.Future[Message]] = {}
        self._send = send
        self._ids = itertools.count(1)
        self._reading = asyncio.ensure_future(self._read(reader))

    async def begin(self) -> None:
        """The handshake."""
        hello = {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": {"name": "case", "version": "0"}}
        await self.request("initialize", hello)
        await self.notify("notifications/initialized")

    async def request(self, method: str, params: Mapping[str, Any] | None = None) -> Message:
        """The reply to a request. Giving it up tells the server."""
        number = next(self._ids)
        try:
            return await self.send_request(number, method, params or {})
        except asyncio.CancelledError:
            await asyncio.shield(self.notify("notifications/cancelled", {"requestId": number}))
            raise

    def send_request(self, number: Any, method: str, params: Mapping[str, Any]) -> Awaitable[Message]:
        """Send a request under an id of one's own; what is awaited is the reply."""
        self.replies[number] = asyncio.get_running_loop().create_future()

        async def sent() -> Message:
            await self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            return await self.replies[number]

        return asyncio.ensure_future(sent())

    async def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Send a notification."""
        await self._write({"jsonrpc": "2.0", "method": method} | ({"params": params} if params else {}))

    async def call(self, name: str, arguments: Any, *, meta: Mapping[str, Any] | None = None) -> Answer:
        """``tools/call``; a protocol error is an error too."""
        before = len(self.notifications)
        params = {"name": name, "arguments": arguments} | ({"_meta": meta} if meta else {})
        with Clock() as clock:
            reply = await self.request("tools/call", params)
        answer = of_wire(reply["result"], arguments) if "result" in reply else _refused(reply["error"])
        answer.seconds = clock.seconds
        answer.progress = [note["params"] for note in self.notifications[before:] if note["method"] == PROGRESS]
        return answer

    async def listing(self) -> list[dict[str, Any]]:
        """Every page of ``tools/list``."""
        items: list[dict[str, Any]] = []
        cursor: dict[str, Any] = {}
        while True:
            result = (await self.request("tools/list", cursor))["result"]
            items += result["tools"]
            if not result.get("nextCursor"):
                return items
            cursor = {"cursor": result["nextCursor"]}

    async def close(self) -> None:
        """Stop reading."""
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)

    async def _write(self, message: Message) -> None:
        await self._send(json.dumps(message, ensure_ascii=False).encode() + b"\n")

    async def _read(self, reader: asyncio.StreamReader) -> None:
        while line := await reader.readline():
            self.lines.append(line)
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict):
                self._take(message)
        for reply in self.replies.values():
            if not reply.done():
                reply.set_result({"error": {"code": 0, "message": "the server closed the connection"}})

    def _take(self, message: Message) -> None:
        if "method" in message:
            self.notifications.append(message)
        elif message.get("id") in self.replies and not self.replies[message["id"]].done():
            self.replies[message["id"]].set_result(message)


def _refused(error: Message) -> Answer:
    return Answer(text=str(error.get("message")), is_error=True, wire=error)


@asynccontextmanager
async def beside(peg: Pegboard, principal: Principal | None = None) -> AsyncIterator[LineClient]:
    """A client of a gateway in this process, over two pipes and the gateway's own framing of lines."""
    # Loaded here: the MCP SDK takes a second, and most cases have no client.
    from pegboard.gateway import Gateway, Wire
    from pegboard.gateway.stdio import serve_lines

    gateway = Gateway(peg, identify=lambda request: principal)
    to_server, from_client = os.pipe()
    to_client, from_server = os.pipe()
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LINE_BYTES)
    incoming, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(to_client, "rb", buffering=0)
    )
    outgoing, _ = await loop.connect_write_pipe(asyncio.Protocol, os.fdopen(from_client, "wb", buffering=0))

    async def send(line: bytes) -> None:
        outgoing.write(line)

    serving = asyncio.ensure_future(serve_lines(gateway, Wire(to_server, from_server)))
    client = LineClient(reader, send)
    try:
        await client.begin()
        yield client
    finally:
        outgoing.close()
        await asyncio.wait_for(serving, 10)
        await client.close()
        incoming.close()
        os.close(to_server)
        os.close(from_server)


@asynccontextmanager
async def of_command(configuration: Path) -> AsyncIterator[LineClient]:
    """A client of ``pegboard serve``, started as a client would start it."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "pegboard",
        "serve",
        "--config",
        str(configuration),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=LINE_BYTES,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    stdin = process.stdin

    async def send(line: bytes) -> None:
        stdin.write(line)
        await stdin.drain()

    client = LineClient(process.stdout, send)
    try:
        await client.begin()
        yield client
    finally:
        stdin.close()
        try:
            await asyncio.wait_for(process.wait(), 10)
        except TimeoutError:
            process.kill()
            await process.wait()
        await client.close()
