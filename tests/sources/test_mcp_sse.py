"""HTTP+SSE, byte for byte: the address that a server names for messages, and what becomes of its stream."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from pegboard.errors import UpstreamError
from tests.net.loopback import Server
from tests.sources.servers import until
from tests.sources.web_servers import Asked, Used, asked, raw_server, reaching

pytestmark = pytest.mark.anyio


class Streaming:
    """A raw server of HTTP+SSE. Lives inside one test. ``endpoint`` is the address that it names for messages."""

    def __init__(self, endpoint: str = "/messages?session=1", *tools: str) -> None:
        self.endpoint = endpoint
        self.tools = tools or ("t",)
        self.stream: Asked | None = None
        self.on_call: Callable[[Asked], Awaitable[None]] = self.answer_call

    async def answer(self, one: Asked) -> None:
        if one.method == "GET":
            self.stream = one
            await one.stream()
            await one.say(b": welcome\n\nevent: endpoint\ndata: " + self.endpoint.encode() + b"\n\n")
            await asyncio.sleep(600)
        elif one.method == "tools/call":
            await self.on_call(one)
        else:
            await one.exchange.reply(status=202)
            if "id" in one.message:
                await self.say(one.message["id"], self.result_of(one))

    def result_of(self, one: Asked) -> dict[str, object]:
        if one.method == "tools/list":
            return {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in self.tools]}
        return {
            "protocolVersion": one.message["params"]["protocolVersion"],
            "capabilities": {},
            "serverInfo": {"name": "raw", "version": "0"},
        }

    async def answer_call(self, one: Asked) -> None:
        await one.exchange.reply(status=202)
        await self.say(one.message["id"], {"content": [{"type": "text", "text": "ok"}]})

    async def say(self, ident: object, result: dict[str, object]) -> None:
        assert self.stream is not None
        body = json.dumps({"jsonrpc": "2.0", "id": ident, "result": result}).encode()
        await self.stream.say(b"event: message\ndata: " + body + b"\n\n")


@asynccontextmanager
async def in_use(state: Streaming, **spec: Any) -> AsyncIterator[tuple[Server, Used]]:
    async with raw_server(state.answer) as server, reaching(server.url("/sse"), transport="sse", **spec) as used:
        yield server, used


@pytest.mark.parametrize("endpoint", ["/messages?session=1", "messages?session=1", "?session=1"])
async def test_messages_go_where_the_server_says(endpoint: str) -> None:
    async with in_use(Streaming(endpoint), headers={"X-Key": "k"}) as (server, used):
        assert (await used.call("t")).text == "ok"
    paths = {exchange.path for exchange in server.exchanges[1:]}
    assert paths == {"/sse?session=1" if endpoint.startswith("?") else "/messages?session=1"}
    assert {exchange.header("x-key") for exchange in server.exchanges} == {"k"}


async def test_an_address_elsewhere_is_refused_and_gets_nothing() -> None:
    async with raw_server(lambda one: one.as_usual()) as thief:
        for endpoint in (thief.url("/messages"), f"//127.0.0.1:{thief.port}/m", "https://127.0.0.1/m"):
            async with in_use(Streaming(endpoint)) as (_, used):
                assert "did not start: it names another address for messages, http" in used.reason
                assert "which is not followed" in used.reason
        assert thief.connections == 0


@pytest.mark.parametrize("endpoint", ["http://u:p@127.0.0.1/", "ftp://127.0.0.1/", "\\\\elsewhere"])
async def test_an_address_that_is_none_is_told(endpoint: str) -> None:
    async with in_use(Streaming(endpoint)) as (_, used):
        assert "names no usable address for messages" in used.reason


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda one: one.refuse(404), "it answered HTTP 404 Not Found. Check that its url is that of an MCP server."),
        (lambda one: one.exchange.reply(b"<html>", "Content-Type: text/html"), "it answered with 'text/html'"),
        (lambda one: one.leave(), "it gave no whole reply in HTTP"),
    ],
)
async def test_a_server_without_a_stream_says_why(answer: Callable[[Asked], Awaitable[None]], says: str) -> None:
    async def handle(one: Asked) -> None:
        found = answer(one)
        if found is not None:
            await found

    async with raw_server(handle) as server, reaching(server.url("/sse"), transport="sse") as used:
        assert says in used.reason


async def test_a_stream_without_an_address_is_given_up_in_time() -> None:
    async def silent(one: Asked) -> None:
        await one.stream()
        await asyncio.sleep(600)

    state = Streaming()
    state.answer = silent  # type: ignore[method-assign]
    async with in_use(state, start_timeout=0.3) as (_, used):
        assert "did not start within 0.3 s. Check that its url is that of an MCP server" in used.reason


async def test_a_message_that_is_refused_fails_its_call_alone() -> None:
    state = Streaming()
    async with in_use(state) as (_, used):
        state.on_call = lambda one: one.refuse(500)
        with pytest.raises(UpstreamError, match="answered HTTP 500"):
            await used.call("t")
        state.on_call = state.answer_call
        assert (await used.call("t")).text == "ok"
        assert used.upstream.status().starts == 1


async def test_the_end_of_the_stream_ends_its_calls_and_begins_another() -> None:
    state = Streaming()
    async with in_use(state) as (server, used):

        async def never(one: Asked) -> None:
            await one.exchange.reply(status=202)
            assert state.stream is not None
            state.stream.leave()

        state.on_call = never
        with pytest.raises(UpstreamError, match="broke off during the call of 't': it"):
            await used.call("t")
        state.on_call = state.answer_call
        await until(lambda: used.state == "ready" and used.upstream.status().starts == 2)
        assert (await used.call("t")).text == "ok"
        assert asked(server).count("GET") == 2


async def test_an_answer_that_is_too_long_fails_its_own_call_and_the_stream_goes_on() -> None:
    state = Streaming()

    async def long(one: Asked) -> None:
        await one.exchange.reply(status=202)
        await state.say(one.message["id"], {"content": [{"type": "text", "text": "x" * 50_000}]})

    async with in_use(state, max_line=4_000) as (_, used):
        state.on_call = long
        with pytest.raises(UpstreamError, match=r"the limit \(max_line\) is 4,000"):
            await used.call("t")
        state.on_call = state.answer_call
        assert (await used.call("t")).text == "ok"
