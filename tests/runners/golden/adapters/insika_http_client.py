"""``insika_http_client``: one request to a raw server on loopback.

- Ours is the client under the guard, told that this server may be reached.
- Their errors of a client are those of its library; ours say what to do next.
- Their client announces a body without a type as a form; ours announces nothing, the HTTP tool says what it sends.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Final

from pegboard.errors import EgressError, RefusedReplyError, RefusedRequestError, RequestTimeoutError
from pegboard.http_tools.response import decoded
from pegboard.net.client import HttpClient, HttpLimits
from pegboard.net.egress import EgressPolicy
from tests.runners.golden.adapter import Adapter
from tests.runners.golden.outcome import Comparison, Outcome, Raised, Returned

ERRORS: Final = {
    "ArgumentError": RefusedRequestError,
    "Insika::HttpClient::ResponseTooLarge": RefusedReplyError,
    "Net::ReadTimeout": RequestTimeoutError,
    "Net::OpenTimeout": RequestTimeoutError,
    "Errno::ECONNREFUSED": EgressError,
    "EOFError": EgressError,
}


class RawServer:
    """Answers every connection with the same bytes. Belongs to one vector; ``seen`` are the requests it got."""

    def __init__(self, reply: Any) -> None:
        self._reply = reply
        self._writers: list[asyncio.StreamWriter] = []
        self.seen: list[dict[str, Any]] = []

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read one request, and answer it."""
        self._writers.append(writer)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.seen.append({"line": head[0], "headers": headers, "body": body.decode()})
        if self._reply != "hang":
            writer.write(_bytes(self._reply))
            await writer.drain()
            writer.close()

    async def close(self) -> None:
        """Close what is still open."""
        for writer in self._writers:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


def _bytes(reply: dict[str, Any]) -> bytes:
    body = reply.get("body", "")
    data = body if isinstance(body, bytes) else body.encode()
    lines = [f"HTTP/1.1 {reply['status']} OK", *(f"{name}: {text}" for name, text in reply.get("headers", {}).items())]
    if not reply.get("no_length"):
        lines.append(f"Content-Length: {len(data)}")
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + data


async def request(values: dict[str, Any]) -> dict[str, Any]:
    """What the client gave, and what the server saw."""
    raw = RawServer(values["reply"])
    server = await asyncio.start_server(raw.answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    limits = HttpLimits(total_seconds=values.get("timeout", 5), body_bytes=values.get("max_bytes", 1_000_000))
    policy = EgressPolicy.allowing(schemes=["http"], origins=[f"http://127.0.0.1:{port}"])
    body = (values.get("body") or "").encode()
    headers = values.get("headers") or {}
    try:
        async with HttpClient() as client:
            reply = await client.request(
                values["method"],
                f"http://127.0.0.1:{port}{values['path']}",
                policy=policy,
                headers=headers,
                body=body,
                limits=limits,
            )
        told: Any = {"status": reply.status, "body": decoded(reply.body, reply.header("content-type"))}
        if reply.header("location"):
            told["location"] = reply.header("location")
    except EgressError as error:
        told = Raised(error)
    finally:
        server.close()
        await raw.close()
    return {"result": told, "seen": raw.seen}


def same_exchange(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """The result, and the requests with the headers that the vector gives."""
    if not isinstance(got, Returned):
        return comparison.outcome(expected, got)
    told, answer = expected["returns"], got.value
    given = {name.lower() for name in comparison.values.get("headers") or {}} | {"content-length"}
    seen = [{**one, "headers": _of(one["headers"], given)} for one in answer["seen"]]
    wanted = [{**one, "headers": _of(one["headers"], given)} for one in told["seen"]]
    if "raises" in told["result"]:
        result = comparison.value(told["result"], answer["result"], "result")
    else:
        result = comparison.value(told["result"]["returns"], answer["result"], "result")
    return result or comparison.value(wanted, seen, "seen")


def _of(headers: dict[str, str], names: set[str]) -> dict[str, str]:
    return {name: text for name, text in headers.items() if name in names}


ADAPTERS: Final = {"insika_http_client": Adapter(request, ERRORS, same_exchange)}
