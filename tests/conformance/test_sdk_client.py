"""The official SDK's client goes the whole way: by both doors, in both eras, to a tool of an upstream."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import ToolListChangedNotification

from tests.conformance.programs import ROOT
from tests.conformance.serving import pegboard, serving, source_first

pytestmark = pytest.mark.anyio

TOOL = "fixture__test_simple_text"
NEED = {"query": "answer with simple text"}
SAID = "This is a simple text response for testing."

SETTINGS = f"""
[upstreams.fixture]
command = {json.dumps(sys.executable)}
args = ["-m", "tests.conformance.fixture"]
cwd = {json.dumps(str(ROOT))}
"""


@asynccontextmanager
async def connected(door: str, mode: str, folder: Path, changed: anyio.Event) -> AsyncIterator[Client]:
    """A client of ``pegboard serve``, a process of its own."""
    config = folder / "pegboard.toml"
    config.write_text(SETTINGS, encoding="utf-8")

    async def heard(message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            changed.set()

    command, *arguments = pegboard("serve", "--config", str(config))
    if door == "stdio":
        started = StdioServerParameters(command=command, args=arguments, env=source_first())
        async with Client(stdio_client(started), mode=mode, message_handler=heard) as client:
            yield client
    else:
        with serving([command, *arguments, "--http", "127.0.0.1:0"]) as address:
            async with Client(address, mode=mode, message_handler=heard) as client:
                yield client


async def answer(client: Client, tool: str, arguments: dict[str, Any]) -> str:
    """All that a call answers, which has to be a success."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return str(result.content)


async def listed(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


@pytest.mark.parametrize("door", ["stdio", "http"])
async def test_a_handshake_client_finds_loads_calls_and_unloads(door: str, tmp_path: Path) -> None:
    changed = anyio.Event()
    async with connected(door, "legacy", tmp_path, changed) as client:
        assert TOOL in await answer(client, "find_tools", NEED)
        assert TOOL not in await listed(client)
        await answer(client, "load_tool", {"name": TOOL})
        with anyio.fail_after(60):
            await changed.wait()
        assert TOOL in await listed(client)
        assert SAID in await answer(client, TOOL, {})
        await answer(client, "unload_tool", {"name": TOOL})
        refused = await client.call_tool(TOOL, {})
        assert refused.is_error
        assert "load_tool" in str(refused.content)


@pytest.mark.parametrize("door", ["stdio", "http"])
async def test_a_modern_client_finds_looks_closer_and_calls(door: str, tmp_path: Path) -> None:
    async with connected(door, "2026-07-28", tmp_path, anyio.Event()) as client:
        before = await listed(client)
        assert TOOL in await answer(client, "find_tools", NEED)
        assert "inputSchema" in await answer(client, "get_tool", {"name": TOOL})
        assert SAID in await answer(client, "call_tool", {"name": TOOL, "arguments": {}})
        assert await listed(client) == before
