"""Modern clients that listen for changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gateway.pipe import LIST_CHANGED, piped

pytestmark = pytest.mark.anyio

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
TOOLS = {"notifications": {"toolsListChanged": True}}


async def test_a_listener_is_told_when_the_list_changed_and_only_then(tmp_path: Path) -> None:
    async with piped(tmp_path) as pipe:
        pipe.modern()
        listen = pipe.request("subscriptions/listen", TOOLS)
        pipe.send(listen)
        assert (await pipe.hear())["method"] == ACKNOWLEDGED
        await pipe.call("grow", {"count": 3, "prefix": "hidden"})
        await pipe.settled()
        assert not pipe.heard(LIST_CHANGED)
        await pipe.call("grow", {"count": 20, "prefix": "shown", "always": True})
        told = await pipe.notified(LIST_CHANGED)
        assert told["params"]["_meta"][SUBSCRIPTION] == listen["id"]
        await pipe.settled()
        assert pipe.heard(LIST_CHANGED) == 1
        assert "grown_shown_19" in await pipe.names()


async def test_only_streams_that_asked_for_tools_are_told(tmp_path: Path) -> None:
    async with piped(tmp_path) as pipe:
        pipe.modern()
        others = pipe.request("subscriptions/listen", {"notifications": {"promptsListChanged": True}})
        tools = pipe.request("subscriptions/listen", TOOLS)
        pipe.send(others, tools)
        for _ in range(2):
            await pipe.notified(ACKNOWLEDGED)
        await pipe.call("grow", {"count": 1, "always": True})
        await pipe.settled()
        told = [
            message["params"]["_meta"][SUBSCRIPTION] for message in pipe.seen if message.get("method") == LIST_CHANGED
        ]
        assert told == [tools["id"]]


async def test_a_cancelled_stream_is_told_nothing_more(tmp_path: Path) -> None:
    async with piped(tmp_path) as pipe:
        pipe.modern()
        listen = pipe.request("subscriptions/listen", TOOLS)
        pipe.send(listen)
        await pipe.notified(ACKNOWLEDGED)
        pipe.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": listen["id"]}})
        await pipe.call("grow", {"count": 1, "always": True})
        await pipe.settled()
        assert not pipe.heard(LIST_CHANGED)


async def test_a_client_that_does_not_listen_is_told_nothing(tmp_path: Path) -> None:
    async with piped(tmp_path) as pipe:
        pipe.modern()
        await pipe.names()
        await pipe.call("grow", {"count": 1, "always": True})
        await pipe.settled()
        assert not pipe.heard(LIST_CHANGED)
