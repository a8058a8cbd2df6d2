"""Sources that are late: who waits for them, and who does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from pegboard import Pegboard
from pegboard.gateway import GatewaySettings
from pegboard.gateway.readiness import bringing, wait_for_sources, wanted_tool
from tests.gateway.pipe import piped
from tests.gateway.served import Marks, registered, sources
from tests.support import ALICE, Rules

pytestmark = pytest.mark.anyio

IMPATIENT = GatewaySettings(ready_wait=0.5)


async def test_the_list_does_not_wait(tmp_path: Path) -> None:
    async with piped(tmp_path, "never") as pipe:
        await pipe.handshake()
        assert "find_tools" in await pipe.names()


async def test_the_list_waits_for_what_is_always_visible_and_for_nothing_else(tmp_path: Path) -> None:
    async with piped(tmp_path, "listed", GatewaySettings(list_wait=600)) as pipe:
        await pipe.handshake()
        assert "listed__arrive" in await pipe.names()


async def test_the_list_waits_only_so_long(tmp_path: Path) -> None:
    async with piped(tmp_path, "listed never", GatewaySettings(list_wait=0.5)) as pipe:
        await pipe.handshake()
        assert "listed__arrive" in await pipe.names()


async def test_a_modern_client_keeps_no_list_while_sources_start(tmp_path: Path) -> None:
    async with piped(tmp_path, "late") as pipe:
        pipe.modern()
        assert (await pipe.ask("tools/list"))["ttlMs"] == 0
        await pipe.call("find_tools", {"query": "train"})
        assert (await pipe.ask("tools/list"))["ttlMs"] == 60_000


async def test_a_search_waits_until_every_source_is_there(tmp_path: Path) -> None:
    async with piped(tmp_path, "late") as pipe:
        await pipe.handshake()
        found = (await pipe.call("find_tools", {"query": "arrive by train"}))["structuredContent"]
        assert found["tools"][0]["name"] == "late__arrive"
        assert "notes" not in found


async def test_a_search_names_the_sources_that_did_not_come_in_time(tmp_path: Path) -> None:
    async with piped(tmp_path, "never", IMPATIENT) as pipe:
        await pipe.handshake()
        for query in ("arrive by train", "xyzzy", ""):
            found = (await pipe.call("find_tools", {"query": query}))["structuredContent"]
            assert "source 'never' is still starting: its tools were not searched" in found["notes"]
            assert "'late'" not in str(found["notes"])


async def test_a_call_waits_for_its_own_source_only(tmp_path: Path) -> None:
    async with piped(tmp_path, "never", GatewaySettings(ready_wait=600)) as pipe:
        await pipe.handshake()
        assert not (await pipe.call("late__arrive"))["isError"]
        assert not (await pipe.call("call_tool", {"name": "late__arrive"}))["isError"]
        assert not (await pipe.call("get_tool", {"name": "late__arrive"}))["isError"]
        assert not (await pipe.call("echo"))["isError"]
        assert (await pipe.call("late__no_such"))["isError"]


async def test_a_failed_call_names_the_source_that_may_have_the_tool(tmp_path: Path) -> None:
    async with piped(tmp_path, "never", IMPATIENT) as pipe:
        await pipe.handshake()
        for result in (await pipe.call("never__x"), await pipe.call("call_tool", {"name": "never__x"})):
            assert result["isError"]
            assert result["content"][-1]["text"].startswith("Still starting: never.")


async def test_a_wait_can_be_cancelled(tmp_path: Path) -> None:
    async with piped(tmp_path, "never", GatewaySettings(ready_wait=600)) as pipe:
        await pipe.handshake()
        request = pipe.calling("find_tools", {"query": "x"})
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request["id"]}}
        pipe.send(request)
        pipe.send(cancel)
        assert not (await pipe.call("echo"))["isError"]


async def test_a_late_source_is_loaded_as_soon_as_it_is_there(tmp_path: Path) -> None:
    async with piped(tmp_path, "late", GatewaySettings(ready_wait=600)) as pipe:
        await pipe.handshake()
        await pipe.call("load_tool", {"name": "late__arrive"})
        assert (await pipe.names())[-1] == "late__arrive"


def test_a_call_is_about_the_tool_that_it_names() -> None:
    assert wanted_tool("github__find", {}) == "github__find"
    assert wanted_tool("call_tool", {"name": "x"}) == "x"
    assert wanted_tool("call_tool", {"name": 5}) is None
    assert wanted_tool("call_tool", "text") is None
    assert wanted_tool("find_tools", {"query": "x", "name": "y"}) is None
    assert wanted_tool("unload_tool", {"name": "x"}) is None


def test_a_name_waits_for_the_source_that_it_begins_like_else_for_all(tmp_path: Path) -> None:
    late, never = sources("never", Marks(tmp_path))
    assert bringing("late__x", [late, never], [never]) == []
    assert bringing("never__x", [late, never], [never]) == [never]
    assert bringing("other", [late, never], [late, never]) == [late, never]


async def test_a_hidden_tool_is_waited_for_like_a_missing_one(tmp_path: Path) -> None:
    marks = Marks(tmp_path)
    async with Pegboard([registered(marks)], sources=sources("never", marks), policy=Rules(hidden=["echo"])) as peg:
        board = await peg.open(ALICE)
        for name, arguments in (("echo", {}), ("call_tool", {"name": "echo"}), ("no_such", {})):
            assert "never" in await wait_for_sources(peg, board, name, arguments, 0.05)
        assert await wait_for_sources(peg, board, "hello", {}, 600) == ()
        assert await wait_for_sources(peg, await peg.open(), "echo", {}, 600) == ()
