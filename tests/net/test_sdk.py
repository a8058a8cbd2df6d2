"""The MCP SDK's client over the guard, against a real gateway on loopback."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from pegboard import Pegboard
from pegboard.errors import RefusedReplyError, RefusedRequestError, UnreachableError
from pegboard.gateway.http import serve_http
from pegboard.net.client import HttpClient, HttpLimits
from pegboard.net.egress import EgressPolicy
from pegboard.net.sdk import sdk_client
from tests.net.loopback import Exchange, Server, serving
from tests.runners.egress_adapter import tls
from tests.support import make, registry_of

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def gateway() -> AsyncIterator[str]:
    """A gateway with one tool; its address."""
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    peg = Pegboard([registry_of(make("add", "Adds."))])
    task = asyncio.create_task(serve_http(peg, port=0, on_listening=address.set_result))
    task.add_done_callback(lambda _: address.done() or address.cancel())
    try:
        yield await address
    finally:
        task.cancel()
        await asyncio.wait([task])


def client(**limits: float) -> HttpClient:
    return HttpClient(tls=tls(), limits=HttpLimits(**limits))  # type: ignore[arg-type]


def through(http: HttpClient, server: Server) -> httpx2.AsyncClient:
    """The SDK's client, for this server only."""
    return sdk_client(http, EgressPolicy.allowing(origins=[server.url()]))


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_sdk_calls_a_server_through_the_guard(mode: str) -> None:
    async with gateway() as address, client() as http:
        upstream = sdk_client(http, EgressPolicy.allowing(origins=[address]))
        async with upstream, Client(streamable_http_client(address, http_client=upstream), mode=mode) as mcp:
            tools = {tool.name for tool in (await mcp.list_tools()).tools}
            found = await mcp.call_tool("find_tools", {"query": "add"})
    assert "find_tools" in tools
    assert "add" in str(found.content)


async def test_an_address_that_the_policy_does_not_allow_is_not_connected_to() -> None:
    async def answer(exchange: Exchange) -> None:
        await exchange.reply()

    async with serving(answer) as server, client() as http, sdk_client(http, EgressPolicy()) as upstream:
        for url in (server.url(), server.url(scheme="https"), "https://u:p@example.com/", "ws://example.com/"):
            with pytest.raises(httpx2.UnsupportedProtocol) as caught:
                await upstream.get(url)
            assert isinstance(caught.value.__cause__, RefusedRequestError)
    assert server.connections == 0


async def test_redirects_are_not_followed_and_cookies_not_kept() -> None:
    async def luring(exchange: Exchange) -> None:
        await exchange.reply(b"", "Location: /elsewhere", "Set-Cookie: id=1; Path=/", status=307)

    async with serving(luring) as server, client() as http, through(http, server) as upstream:
        assert [(await upstream.get(server.url())).status_code for _ in range(2)] == [307, 307]
    assert [exchange.path for exchange in server.exchanges] == ["/", "/"]
    assert server.exchanges[1].header("cookie") is None


async def test_what_was_packed_arrives_unpacked_and_counted() -> None:
    async def packing(exchange: Exchange) -> None:
        size = 10_000_000 if exchange.path == "/bomb" else 1_000
        await exchange.reply(gzip.compress(b"a" * size), "Content-Encoding: gzip")

    async with serving(packing) as server, client(body_bytes=100_000) as http, through(http, server) as upstream:
        got = await upstream.get(server.url())
        assert (got.content, "content-encoding" in got.headers) == (b"a" * 1_000, False)
        with pytest.raises(httpx2.RemoteProtocolError) as caught:
            await upstream.get(server.url("/bomb"))
        assert isinstance(caught.value.__cause__, RefusedReplyError)


async def test_an_event_stream_may_be_longer_than_any_body() -> None:
    async def streaming(exchange: Exchange) -> None:
        await exchange.say(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n")
        for _ in range(100):
            await exchange.say(b"data: " + b"x" * 1_000 + b"\n\n")
        exchange.writer.close()

    async with serving(streaming) as server, client(body_bytes=10_000) as http, through(http, server) as upstream:
        assert len((await upstream.get(server.url())).content) == 100 * 1_008


async def test_a_stream_that_is_left_early_closes_its_connection() -> None:
    async def endless(exchange: Exchange) -> None:
        await exchange.say(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        while True:
            await exchange.say(b"data: x\n\n")
            await asyncio.sleep(0.001)

    async with serving(endless) as server, client() as http, through(http, server) as upstream:
        async with upstream.stream("GET", server.url()) as got:
            assert b"data: x" in await anext(got.aiter_bytes())
        await server.gone.wait()


async def test_the_protocol_cannot_be_changed() -> None:
    async def switching(exchange: Exchange) -> None:
        await exchange.say(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")

    async with serving(switching) as server, client() as http, through(http, server) as upstream:
        with pytest.raises(httpx2.RemoteProtocolError):
            await upstream.get(server.url(), headers={"Upgrade": "x", "Connection": "upgrade"})
    assert server.exchanges[0].header("upgrade") is None


async def test_a_port_where_nobody_listens_is_an_error_of_the_library() -> None:
    async with serving(lambda exchange: asyncio.sleep(0)) as server:
        pass
    async with client() as http, sdk_client(http, EgressPolicy.allowing(origins=[server.url()])) as upstream:
        with pytest.raises(httpx2.ConnectError) as caught:
            await upstream.get(server.url())
    assert isinstance(caught.value.__cause__, UnreachableError)


async def test_closing_it_leaves_the_connections_to_the_client() -> None:
    async def answer(exchange: Exchange) -> None:
        await exchange.reply()

    async with serving(answer) as server, client() as http:
        policy = EgressPolicy.allowing(origins=[server.url()])
        async with sdk_client(http, policy, headers={"X-Key": "k"}) as upstream:
            await upstream.get(server.url())
        await http.request("GET", server.url(), policy=policy)
    assert server.connections == 1
    assert [exchange.header("x-key") for exchange in server.exchanges] == ["k", None]
