"""Servers over HTTP that mean harm: each costs its own calls, no memory without bound, and nobody else's time."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from pegboard.errors import UpstreamError
from pegboard.sources.mcp import list_bounds
from pegboard.sources.mcp.frames import MAX_BATCH
from pegboard.sources.mcp.list_bounds import characters
from pegboard.sources.mcp.web_link import MAX_TELLING
from tests.net.loopback import Server
from tests.sources.servers import page, until
from tests.sources.test_mcp_sse import Streaming
from tests.sources.test_mcp_sse import in_use as sse_in_use
from tests.sources.web_servers import Asked, Used, asked, raw_server, reaching

pytestmark = pytest.mark.anyio

CONNECTIONS = 100
"""As many as the client of one upstream opens."""

KEY = {"Authorization": "Bearer a-long-secret-value"}
"""With a secret, everything that comes in is looked through for it, all the way down."""


def nested(depth: int) -> str:
    return '{"content":[],"structuredContent":{"a":' + "[" * depth + "]" * depth + "}}"


async def give_up(server: Server, used: Used, name: str, number: int) -> None:
    """Make calls that are never answered, and stop waiting for them once all have come."""
    before = asked(server).count("tools/call")
    stuck = [asyncio.create_task(used.call(name)) for _ in range(number)]
    await until(lambda: asked(server).count("tools/call") == before + number)
    for task in stuck:
        task.cancel()
    await asyncio.wait(stuck)


@pytest.mark.parametrize("depth", [400, 900, 3_000])
async def test_an_answer_that_nests_too_deep_fails_its_call_alone(depth: int) -> None:
    async def answer(one: Asked) -> None:
        if one.method == "tools/call" and one.message["params"]["name"] == "deep":
            body = f'{{"jsonrpc":"2.0","id":{one.message["id"]},"result":{nested(depth)}}}'
            await one.exchange.reply(body.encode(), "Content-Type: application/json")
        else:
            await one.as_usual("deep", "t")

    async with raw_server(answer) as server, reaching(server.url("/mcp"), headers=KEY) as used:
        with pytest.raises(UpstreamError, match="its JSON is nested too deep"):
            await used.call("deep")
        assert (await used.call("t")).text == "ok"


async def test_an_answer_on_an_endless_stream_that_nests_too_deep_leaves_the_stream_as_it_was() -> None:
    state = Streaming()

    async def deep(one: Asked) -> None:
        await one.exchange.reply(status=202)
        await state.say(one.message["id"], json.loads(nested(400)))

    async with sse_in_use(state, headers=KEY) as (_, used):
        state.on_call = deep
        with pytest.raises(UpstreamError, match="its JSON is nested too deep"):
            await used.call("t")
        state.on_call = state.answer_call
        assert (await used.call("t")).text == "ok"
        assert used.upstream.status().starts == 1


async def test_calls_that_were_given_up_leave_connections_for_others() -> None:
    async def answer(one: Asked) -> None:
        if one.method == "notifications/cancelled" or one.message.get("params", {}).get("name") == "stuck":
            await asyncio.sleep(600)
        else:
            await one.as_usual("stuck", "t")

    async with raw_server(answer) as server, reaching(server.url("/mcp")) as used:
        for _ in range(3):
            await give_up(server, used, "stuck", CONNECTIONS * 2 // 5)
        assert (await used.call("t")).text == "ok"
        assert asked(server).count("notifications/cancelled") <= MAX_TELLING


async def test_over_sse_too_a_request_that_is_given_up_holds_no_connection() -> None:
    state = Streaming()

    async def never(one: Asked) -> None:
        await asyncio.sleep(600)

    async with sse_in_use(state) as (server, used):
        state.on_call = never
        for _ in range(2):
            await give_up(server, used, "t", CONNECTIONS * 2 // 3)
        state.on_call = state.answer_call
        assert (await used.call("t")).text == "ok"


async def test_a_server_that_asks_and_does_not_listen_gets_no_answers_without_end() -> None:
    answers = 0

    async def answer(one: Asked) -> None:
        nonlocal answers
        if one.method == "tools/call" and answers == 0:
            pings = [json.dumps({"jsonrpc": "2.0", "id": f"p{n}", "method": "ping"}).encode() for n in range(1_000)]
            await one.stream(*pings)
        elif "result" in one.message:
            answers += 1
            await asyncio.sleep(600)
        else:
            await one.as_usual()

    async with raw_server(answer) as server, reaching(server.url("/mcp")) as used:
        asking = asyncio.create_task(used.call("t"))
        await until(lambda: answers == MAX_TELLING)
        asking.cancel()
        assert (await used.call("t")).text == "ok"
        assert answers == MAX_TELLING


async def test_a_crowd_of_messages_in_one_body_is_cut_and_told() -> None:
    async def answer(one: Asked) -> None:
        if one.method == "tools/call":
            crowd: list[Any] = [{"jsonrpc": "2.0", "method": "notifications/x"}] * MAX_BATCH
            last = {"jsonrpc": "2.0", "id": one.message["id"], "result": {"content": []}}
            await one.exchange.reply(json.dumps([*crowd, last]).encode(), "Content-Type: application/json")
        else:
            await one.as_usual()

    async with raw_server(answer) as server, reaching(server.url("/mcp")) as used:
        with pytest.raises(UpstreamError, match="without an answer"):
            await used.call("t")
        assert "not protocol" in used.upstream.status().notes[0]


@pytest.mark.parametrize(
    ("limit", "most", "tools", "says"),
    [
        ("MAX_LISTED", 3, ["a0", "a1", "b0"], "over 3 items"),
        ("MAX_CHARACTERS", 40, ["a0", "a1"], "over 40 characters"),
    ],
)
async def test_a_list_without_end_is_cut(
    monkeypatch: pytest.MonkeyPatch, limit: str, most: int, tools: list[str], says: str
) -> None:
    monkeypatch.setattr(list_bounds, limit, most)
    pages = iter("abcdefghijklmnopqrstuvwxyz")

    async def answer(one: Asked) -> None:
        if one.method == "tools/list":
            name = next(pages)
            await one.result(page(f"{name}0", f"{name}1", nextCursor=name))
        else:
            await one.as_usual()

    async with raw_server(answer) as server, reaching(server.url("/mcp")) as used:
        assert used.names() == tools
        assert any(says in note for note in used.upstream.status().notes)


@pytest.mark.parametrize("value", [{"a": [1, "xy", None]}, [], "abc", {"k": {"l": ["m"] * 50}}])
def test_characters_are_counted_as_json_has_them(value: Any) -> None:
    exact = len(json.dumps(value))
    assert exact / 2 <= characters(value) <= exact * 2
