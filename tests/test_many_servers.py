"""Dozens of real servers' tools behind one gateway: they are listed, found and called, and cost next to nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import TextContent

from pegboard.naming import is_legal

pytestmark = pytest.mark.anyio

GIT_STATUS = "pypi__mcp-server-git__git_status"

SERVER = Path(__file__).parent / "fixtures" / "recorded_server.py"


@pytest.fixture(scope="module")
def recordings(shared: Path) -> list[Path]:
    """The recorded servers."""
    return sorted((shared / "corpora" / "mcp").glob("*.json"))


@pytest.fixture(scope="module")
def config(recordings: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A configuration in which each recording is an upstream."""
    file = tmp_path_factory.mktemp("many") / "pegboard.toml"
    entries = [
        f"[upstreams.{json.dumps(path.stem)}]\n"
        f"command = {json.dumps(sys.executable)}\nargs = {json.dumps([str(SERVER), str(path)])}\n"
        for path in recordings
    ]
    file.write_text("\n".join(entries), encoding="utf-8")
    return file


def pegboard(*arguments: str, config: Path) -> Any:
    """A command's answer with ``--json``."""
    command = [sys.executable, "-m", "pegboard", *arguments, "--json", "--config", str(config)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_tool_is_listed_under_a_unique_legal_name_or_set_aside_with_a_reason(
    recordings: list[Path], config: Path
) -> None:
    offered = sum(len(json.loads(path.read_text("utf-8"))["tools"]) for path in recordings)
    names = [tool["name"] for tool in pegboard("list", config=config)["tools"]]
    aside = pegboard("status", config=config)["set_aside"]
    assert len(names) + len(aside) == offered
    assert len(set(names)) == len(names)
    assert all(is_legal(name) for name in names)
    assert len(aside) <= offered * 0.005
    assert all(problem["reason"] for problem in aside)


def test_a_need_in_plain_words_finds_the_right_tool_among_all_of_them(config: Path) -> None:
    found = pegboard("find", "show the commit history of a git repository", "--limit", "5", config=config)
    assert any("git" in tool["name"] and "log" in tool["name"] for tool in found["tools"])


def test_the_listing_costs_a_small_part_of_everything(config: Path) -> None:
    stats = pegboard("stats", config=config)
    assert stats["everything"]["tokens"] > 500_000
    assert stats["shown"]["tokens"] <= 1_500


async def test_a_client_finds_loads_and_calls_among_all_of_them(config: Path) -> None:
    server = StdioServerParameters(command=sys.executable, args=["-m", "pegboard", "serve", "--config", str(config)])
    async with Client(server, mode="legacy") as client:
        found = await client.call_tool("find_tools", {"query": "show the working tree status of a repository"})
        assert found.structured_content is not None
        name = next(t["name"] for t in found.structured_content["tools"] if t["name"] == GIT_STATUS)
        await client.call_tool("load_tool", {"name": name})
        assert name in [tool.name for tool in (await client.list_tools()).tools]
        called = await client.call_tool(name, {"repo_path": "/srv/repo"})
        assert called.content == [TextContent(text='{"tool": "git_status", "arguments": {"repo_path": "/srv/repo"}}')]
