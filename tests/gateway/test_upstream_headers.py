"""What a client sends to the gateway beside its arguments goes to no upstream over HTTP: the operator's headers do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from pegboard import Pegboard
from pegboard.http_tools.secrets import GivenSecrets
from pegboard.sources.mcp import HttpSpec, HttpUpstream
from tests.gateway.test_http import ACCEPT, modern, rpc, serving, session_id
from tests.net.loopback import Server
from tests.sources.servers import PATIENCE
from tests.sources.web_servers import Asked, raw_server, sdk_server

pytestmark = pytest.mark.anyio

OF_CLIENT = {
    "Authorization": "Bearer client-token",
    "Cookie": "sid=client-cookie",
    "X-Custom": "client-custom",
    "X-Forwarded-For": "client-address",
    "User-Agent": "client-agent",
    "traceparent": "00-00000000000000000000000000c11e27-00000000000c11e2-01",
}
HEADERS = {"Authorization": "Bearer {{secret.API}}"}
CALL = {"name": "up__t", "arguments": {}}


@asynccontextmanager
async def before(server: Server) -> AsyncIterator[tuple[str, httpx2.AsyncClient]]:
    """A gateway before an upstream that has credentials of its own: its address, and an HTTP client for it."""
    spec = HttpSpec(name="up", url=server.url("/mcp"), headers=HEADERS)
    upstream = HttpUpstream(spec, secrets=GivenSecrets({"API": "operator-key"}))
    async with Pegboard(sources=[upstream]) as peg:
        assert await peg.ready(PATIENCE) == ()
        async with serving(peg) as address, httpx2.AsyncClient(timeout=PATIENCE) as http:
            yield address, http


async def call(http: httpx2.AsyncClient, address: str, era: str) -> httpx2.Response:
    if era == "modern":
        request = modern("tools/call", CALL)
        return await http.post(address, headers={**request["headers"], **OF_CLIENT}, json=request["json"])
    session = {"Mcp-Session-Id": await session_id(http, address), "MCP-Protocol-Version": "2025-11-25"}
    return await http.post(address, headers={**ACCEPT, **OF_CLIENT, **session}, json=rpc("tools/call", CALL, 2))


def everything(server: Server) -> str:
    """All that an upstream got, heads and bodies."""
    return "\n".join(f"{one.head}\n{one.body.decode()}" for one in server.exchanges)


@pytest.mark.parametrize("era", ["handshake", "modern"])
async def test_no_header_of_a_client_reaches_an_upstream(era: str) -> None:
    def usual(one: Asked) -> Awaitable[None]:
        return one.as_usual("t", session="of-the-upstream")

    async with raw_server(usual) as server, before(server) as (address, http):
        answer = await call(http, address, era)
        session = answer.request.headers.get("mcp-session-id", "none")
    assert "ok" in answer.text
    got = everything(server)
    assert "tools/call" in got
    assert "client-" not in got
    assert "c11e27" not in got
    assert session not in got
    assert {one.header("authorization") for one in server.exchanges} == {"Bearer operator-key"}
    assert {one.header("cookie") for one in server.exchanges} == {None}


async def test_the_key_of_an_upstream_goes_to_no_client() -> None:
    async def answer(one: Asked) -> None:
        if one.method == "tools/call":
            await one.text(f"you are {one.exchange.header('authorization')}")
        else:
            await one.as_usual()

    async with raw_server(answer) as server, before(server) as (address, http):
        told = (await call(http, address, "modern")).text
    assert "you are [secret]" in told
    assert "operator-key" not in told


async def test_two_gateways_may_stand_one_behind_the_other(tmp_path: Any) -> None:
    with sdk_server(tmp_path) as program:
        near = HttpUpstream(HttpSpec(name="web", url=program.at("/mcp").url))
        async with Pegboard(sources=[near]) as first:
            assert await first.ready(PATIENCE) == ()
            async with serving(first) as address:
                far = HttpUpstream(HttpSpec(name="behind", url=address))
                async with Pegboard(sources=[far]) as second:
                    assert await second.ready(PATIENCE) == ()
                    board = await second.open()
                    arguments = {"name": "web__told", "arguments": {"a": 1}}
                    async with asyncio.timeout(PATIENCE):
                        result: Any = await board.call("behind__call_tool", arguments)
    assert result.text == 'told handshake {"a": 1}'
