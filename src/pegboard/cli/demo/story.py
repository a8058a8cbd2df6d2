"""What the demo shows: a client of either era finds, loads and calls tools that its list never held."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import anyio

from pegboard.cli.demo.client import Connection, connected, text_of
from pegboard.cli.demo.material import COMMITS
from pegboard.cli.demo.servers import Server
from pegboard.cli.demo.telling import Story

_START: Final = 60.0
"""Seconds that all servers together may take to start."""
_STARTING: Final = "still starting"
"""What an answer notes of a server that is on its way; it has waited for some seconds before it says so."""

SESSION: Final = {"find_tools", "get_tool", "call_tool", "load_tool", "unload_tool"}
MODERN: Final = {"find_tools", "get_tool", "call_tool"}

_TIME_NEED: Final = "what is the current time in Tokyo"
_GIT_NEED: Final = "show the log of commits"


async def handshake_client(story: Story, config: Path, servers: Sequence[Server]) -> None:
    """A client whose list follows what it loads."""
    story.step("A client that opens a session connects: MCP as most clients speak it today")
    story.line(f"the client starts: pegboard serve --config {config}")
    async with connected(config, "legacy") as client:
        before = await client.listed()
        story.line(f"MCP {client.version}, over stdio; the gateway lists {len(before)} tools:")
        story.line(", ".join(before))
        story.check(set(before) >= SESSION, f"the meta-tools {', '.join(sorted(SESSION))}", before)
        await _all_started(story, client, servers)

        story.step("It asks in plain words")
        name = await _find(story, client, _TIME_NEED, "get_current_time")

        story.step("It loads the tool, and its list grows")
        await client.ask("load_tool", {"name": name})
        story.line(f'load_tool {{"name": "{name}"}}')
        await client.changed()
        after = await client.listed()
        story.line(f"tools/list_changed; now listed: {', '.join(tool for tool in after if tool not in before)}")
        story.check(after == [*before, name], f"{name} behind the others", after)

        story.step("It calls the tool by its own name")
        result = await client.call(name, {"timezone": "Asia/Tokyo"})
        moment = re.search(r"\d{4}-\d\d-\d\dT[\d:.]+\+09:00", text_of(result))
        story.line(f'{name} {{"timezone": "Asia/Tokyo"}} -> {moment.group() if moment else text_of(result)}')
        story.check(not result.is_error and moment is not None, "a time in UTC+09:00", text_of(result))

        story.step("It unloads the tool, and calls to it are refused")
        await client.ask("unload_tool", {"name": name})
        refused = await client.call(name, {"timezone": "Asia/Tokyo"})
        story.line(f"{name} -> {text_of(refused)}")
        story.check(refused.is_error and "unloaded" in text_of(refused), "a refusal", text_of(refused))


async def modern_client(story: Story, config: Path, servers: Sequence[Server], repository: Path) -> None:
    """A client whose list never changes: it calls through ``call_tool``."""
    story.step("A client of MCP 2026-07-28 connects: no session, a list that never changes")
    async with connected(config, "2026-07-28") as client:
        before = await client.listed()
        story.line(f"MCP {client.version}; listed: {', '.join(before)}")
        story.check(set(before) >= MODERN, f"the meta-tools {', '.join(sorted(MODERN))}", before)
        name = await _find(story, client, _GIT_NEED, "git_log")

        tool = (await client.ask("get_tool", {"name": name}))["tool"]
        story.line(f"get_tool -> its schema: {', '.join(tool['inputSchema']['properties'])}")
        story.check("repo_path" in tool["inputSchema"]["properties"], "a parameter repo_path", tool["inputSchema"])

        result = await client.call("call_tool", {"name": name, "arguments": {"repo_path": str(repository)}})
        story.line(f"call_tool {name} ->")
        for line in _interesting(text_of(result)):
            story.line(line, deeper=True)
        missing = [message for _, message, *_ in COMMITS if message not in text_of(result)]
        story.check(not result.is_error and not missing, "every commit of the repository", text_of(result))

        after = await client.listed()
        story.check(after == before, "the same list as before", after)


async def _all_started(story: Story, client: Connection, servers: Sequence[Server]) -> None:
    """Wait until no server is starting any more, and count their tools."""
    wanted = sum(server.tools for server in servers)
    total, notes = 0, [_STARTING]
    with anyio.move_on_after(_START):
        while total < wanted and any(_STARTING in note for note in notes):
            answer = await client.ask("find_tools", {"query": ""})
            total, notes = answer["total"], answer.get("notes", [])
    sizes = ", ".join(f"{server.name} {server.tools}" for server in servers)
    got = f"{total} ({'; '.join(notes) or 'and no server is missing'})"
    story.check(total == wanted, f"{wanted} tools ({sizes}) behind the board", got)
    story.line(f"behind it, unlisted: {total} tools of {len(servers)} servers ({sizes})")


async def _find(story: Story, client: Connection, need: str, ending: str) -> str:
    """Ask for a need; the name, among the best three matches, that ends as told: what a model would pick."""
    found = await client.ask("find_tools", {"query": need, "limit": 3, "detail": "brief"})
    story.line(f"find_tools {json.dumps({'query': need})} ->")
    for match in found["tools"]:
        story.line(f"{match['name']}: {match['description']}", deeper=True)
    names = [str(match["name"]) for match in found["tools"]]
    fitting = [name for name in names if name.endswith(ending)]
    story.check(bool(fitting), f"a tool named ...{ending} among the first three", names or "nothing")
    return fitting[0]


def _interesting(log: str) -> list[str]:
    """The lines of a git log that a person looks at, one a commit."""
    facts: dict[str, list[str]] = {"Author": [], "Message": []}
    for line in log.splitlines():
        key, _, value = line.partition(": ")
        if key in facts:
            facts[key].append(value.strip("'\" "))
    return [f"{message} ({author})" for author, message in zip(facts["Author"], facts["Message"], strict=False)]


def savings(story: Story, stats: dict[str, Any]) -> None:
    """What all this saves, from the report of ``pegboard stats --json``."""
    everything, shown = stats["everything"], stats["shown"]
    story.line(f"everything listed: {everything['tools']} definitions, {everything['tokens']:,} tokens")
    what = f"{shown['definitions']} definitions and the instructions"
    story.line(f"with Pegboard: {what}, {shown['tokens']:,} tokens: {stats['saved_percent']} % less")
    story.check(stats["saved_percent"] > 50, "at least half saved", f"{stats['saved_percent']} %")
