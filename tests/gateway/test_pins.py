"""Handshake clients: pins, and when the client is told of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gateway.pipe import LIST_CHANGED, piped

pytestmark = pytest.mark.anyio


async def test_a_client_is_told_of_a_loaded_tool_after_the_answer(tmp_path: Path) -> None:
    async with piped(tmp_path) as pipe:
        await pipe.handshake()
        before = await pipe.names()
        request = pipe.calling("load_tool", {"name": "echo"})
        pipe.send(request)
        assert (await pipe.hear())["id"] == request["id"]
        assert (await pipe.hear())["method"] == LIST_CHANGED
        assert await pipe.names() == [*before, "echo"]


async def test_a_client_that_does_not_wait_sees_what_it_loaded(tmp_path: Path) -> None:
    async with piped(tmp_path) as pipe:
        await pipe.handshake()
        for name in ("echo", "steps", "hang"):
            assert not (await pipe.call("load_tool", {"name": name}))["isError"]
            assert (await pipe.names())[-1] == name


async def test_requests_in_one_burst_are_all_answered_and_the_client_told_behind(tmp_path: Path) -> None:
    async with piped(tmp_path) as pipe:
        await pipe.handshake()
        loads = [pipe.calling("load_tool", {"name": name}) for name in ("echo", "steps", "hang")]
        listing = pipe.request("tools/list")
        pipe.send(*loads, listing)
        waiting = {request["id"] for request in (*loads, listing)}
        while waiting:
            waiting.discard((await pipe.hear()).get("id"))
        if not pipe.heard(LIST_CHANGED):
            await pipe.notified(LIST_CHANGED)
        order = [message.get("id") or message["method"] for message in pipe.seen[1:]]
        assert order.index(LIST_CHANGED) > order.index(loads[0]["id"])
        assert (await pipe.names())[-3:] == ["echo", "steps", "hang"]


async def test_what_changes_no_bytes_is_not_told(tmp_path: Path) -> None:
    async with piped(tmp_path) as pipe:
        await pipe.handshake()
        await pipe.call("load_tool", {"name": "echo"})
        await pipe.notified(LIST_CHANGED)
        await pipe.call("load_tool", {"name": "echo"})
        await pipe.call("load_tool", {"name": "no-such-tool"})
        await pipe.call("load_tool", {"name": "hello"})
        await pipe.settled()
        assert pipe.heard(LIST_CHANGED) == 1


async def test_an_unloaded_tool_keeps_its_bytes_and_refuses(tmp_path: Path) -> None:
    async with piped(tmp_path) as pipe:
        await pipe.handshake()
        await pipe.call("load_tool", {"name": "echo"})
        await pipe.notified(LIST_CHANGED)
        before = await pipe.ask("tools/list")
        await pipe.call("unload_tool", {"name": "echo"})
        refused = await pipe.call("echo")
        assert refused["isError"]
        assert "load_tool" in refused["content"][0]["text"]
        assert not (await pipe.call("call_tool", {"name": "echo"}))["isError"]
        assert await pipe.ask("tools/list") == before
        assert pipe.heard(LIST_CHANGED) == 1


async def test_a_new_tool_that_is_always_visible_is_told_and_one_on_demand_is_not(tmp_path: Path) -> None:
    async with piped(tmp_path) as pipe:
        await pipe.handshake()
        await pipe.names()
        await pipe.call("grow", {"count": 3, "prefix": "hidden"})
        await pipe.settled()
        assert pipe.heard(LIST_CHANGED) == 0
        await pipe.call("grow", {"count": 1, "prefix": "shown", "always": True})
        await pipe.notified(LIST_CHANGED)
        assert "grown_shown_0" in await pipe.names()


async def test_many_changes_at_once_are_told_once(tmp_path: Path) -> None:
    async with piped(tmp_path) as pipe:
        await pipe.handshake()
        await pipe.names()
        await pipe.call("grow", {"count": 50, "always": True})
        await pipe.notified(LIST_CHANGED)
        await pipe.settled()
        assert pipe.heard(LIST_CHANGED) == 1
        assert "grown_x_49" in await pipe.names()


async def test_a_pin_of_a_cancelled_call_is_not_lost(tmp_path: Path) -> None:
    async with piped(tmp_path) as pipe:
        await pipe.handshake()
        before = await pipe.names()
        request = pipe.calling("load_tool", {"name": "echo"})
        pipe.send(
            request, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request["id"]}}
        )
        await pipe.call("load_tool", {"name": "steps"})
        assert set(await pipe.names()) - set(before) in ({"echo", "steps"}, {"steps"})
