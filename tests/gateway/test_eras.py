"""What clients of each revision are told and shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from pegboard.tokens import count_tokens
from tests.gateway.pipe import HANDSHAKE, LIST_CHANGED, MODERN, piped

pytestmark = pytest.mark.anyio

META = ["call_tool", "find_tools", "get_tool"]
PINS = ["load_tool", "unload_tool"]
ALWAYS = ["hello", "lists", "vendor"]


@pytest.mark.parametrize("revision", HANDSHAKE)
async def test_a_handshake_client_is_served_in_its_own_revision(tmp_path: Path, revision: str) -> None:
    async with piped(tmp_path) as pipe:
        told = await pipe.handshake(revision)
        assert told["protocolVersion"] == revision
        assert told["serverInfo"]["name"] == "tested"
        assert told["capabilities"]["tools"] == {"listChanged": True}
        assert "load_tool" in told["instructions"]
        assert await pipe.names() == sorted(META + PINS + ALWAYS)


async def test_a_modern_client_is_told_of_a_list_that_does_not_change(tmp_path: Path) -> None:
    async with piped(tmp_path) as pipe:
        pipe.modern()
        told = await pipe.ask("server/discover")
        assert told["supportedVersions"] == [MODERN]
        assert told["capabilities"]["tools"] == {"listChanged": True}
        assert "find_tools" in told["instructions"]
        assert "load_tool" not in told["instructions"]
        listed = await pipe.ask("tools/list")
        assert [tool["name"] for tool in listed["tools"]] == sorted(META + ALWAYS)
        assert (listed["ttlMs"], listed["cacheScope"], listed["resultType"]) == (60_000, "private", "complete")


async def test_nothing_that_a_modern_client_does_changes_its_list(tmp_path: Path) -> None:
    async with piped(tmp_path) as pipe:
        pipe.modern()
        before = await pipe.ask("tools/list")
        await pipe.call("find_tools", {"query": "steps"})
        assert (await pipe.call("load_tool", {"name": "echo"}))["isError"]
        await pipe.call("call_tool", {"name": "echo", "arguments": {"text": "x"}})
        await pipe.call("grow", {"count": 2})
        await pipe.settled()
        assert await pipe.ask("tools/list") == before
        assert not pipe.heard(LIST_CHANGED)


@pytest.mark.parametrize("era", ["handshake", "modern"])
async def test_a_tool_that_is_not_listed_answers_to_its_own_name(tmp_path: Path, era: str) -> None:
    async with piped(tmp_path) as pipe:
        if era == "modern":
            pipe.modern()
        else:
            await pipe.handshake()
        direct = await pipe.call("echo", {"text": "x"})
        through = await pipe.call("call_tool", {"name": "echo", "arguments": {"text": "x"}})
        assert direct["structuredContent"]["arguments"] == {"text": "x"}
        assert direct == through


async def test_what_a_handshake_client_is_shown_first_costs_little(tmp_path: Path) -> None:
    async with piped(tmp_path) as pipe:
        told = await pipe.handshake()
        await pipe.ask("tools/list")
        meta_tools = [tool for tool in pipe.seen[-1]["result"]["tools"] if tool["name"] in META + PINS]
        assert count_tokens(told["instructions"]) <= 120
        assert count_tokens(told["instructions"]) + count_tokens(str(meta_tools)) <= 1_500


async def test_the_first_bytes_of_a_list_are_the_same_on_every_start(tmp_path: Path) -> None:
    lists = []
    for _ in range(2):
        async with piped(tmp_path) as pipe:
            await pipe.handshake()
            await pipe.ask("tools/list")
            lists.append(pipe.lines[-1].partition(b'"result"')[2])
    assert lists[0] == lists[1]


@pytest.mark.parametrize("era", ["handshake", "modern"])
async def test_definitions_are_told_whole_and_in_their_own_order(tmp_path: Path, era: str) -> None:
    async with piped(tmp_path) as pipe:
        if era == "modern":
            pipe.modern()
        else:
            await pipe.handshake()
        listed = await pipe.ask("tools/list")
        vendor = next(tool for tool in listed["tools"] if tool["name"] == "vendor")
        assert vendor["x-vendor"] == {"deep": [1, None]}
        assert vendor["annotations"] == {"readOnlyHint": True, "x-hint": "kept"}
        assert vendor["_meta"] == {"com.example/owner": "me"}
        assert list(vendor["inputSchema"].items()) == [
            ("x-order", 1),
            ("type", "object"),
            ("properties", {}),
            ("default", None),
        ]


@pytest.mark.parametrize(("era", "told"), [("handshake", False), ("modern", True)])
async def test_an_output_schema_that_a_revision_does_not_know_is_left_out_alone(
    tmp_path: Path, era: str, told: bool
) -> None:
    async with piped(tmp_path) as pipe:
        if era == "modern":
            pipe.modern()
        else:
            await pipe.handshake()
        listed = await pipe.ask("tools/list")
        lists = next(tool for tool in listed["tools"] if tool["name"] == "lists")
        assert ("outputSchema" in lists) is told


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("tools/list", {"cursor": "made-up"}, -32602),
        ("tools/call", {"arguments": {}}, -32602),
        ("tools/call", {"name": "echo", "arguments": "text"}, -32602),
        ("no/such/method", {}, -32601),
        ("prompts/list", {}, -32601),
    ],
)
async def test_what_breaks_the_protocol_is_a_protocol_error(
    tmp_path: Path, method: str, params: dict[str, object], code: int
) -> None:
    async with piped(tmp_path) as pipe:
        await pipe.handshake()
        request = pipe.request(method, params)
        pipe.send(request)
        assert (await pipe.answer(request))["error"]["code"] == code
        assert await pipe.names()


async def test_the_eras_do_not_mix_on_one_pipe(tmp_path: Path) -> None:
    async with piped(tmp_path) as pipe:
        await pipe.handshake()
        pipe.modern()
        request = pipe.request("tools/list")
        pipe.send(request)
        assert "error" in await pipe.answer(request)
        pipe.envelope = {}
        assert await pipe.names()
