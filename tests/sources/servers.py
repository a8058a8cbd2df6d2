"""Running the scripted server, for tests of upstreams."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pegboard import Context, ToolResult
from pegboard.sources.mcp import StdioSpec, StdioUpstream

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
PATIENCE = 30.0
"""Seconds after which a test that waits has failed. Nothing is expected to take that long."""


def tool(name: str, **members: Any) -> dict[str, Any]:
    """A raw definition."""
    return {"name": name, "description": f"Does {name}.", "inputSchema": {"type": "object"}} | members


def page(*names: str, **members: Any) -> dict[str, Any]:
    """A page of a raw listing."""
    return {"tools": [tool(name) for name in names]} | members


@dataclass
class Scripted:
    """A scripted upstream in use. Lives inside one test."""

    upstream: StdioUpstream
    log: Path

    async def call(self, bare_name: str, /, context: Context | None = None, **arguments: Any) -> ToolResult:
        """Call a tool by its own name."""
        known = context or Context(tool=bare_name, call_id="test")
        async with asyncio.timeout(PATIENCE):
            return await self.upstream.call(bare_name, arguments, known)

    def read(self) -> list[dict[str, Any]]:
        """All that the servers logged: one entry with ``pid`` at each start, then what they read."""
        if not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text("utf-8").splitlines()]

    def pids(self) -> list[int]:
        """The process ids, in order of start."""
        return [entry["pid"] for entry in self.read() if "pid" in entry]

    def received(self, method: str) -> list[dict[str, Any]]:
        """The messages of one method, in order."""
        return [entry for entry in self.read() if entry.get("method") == method]

    def names(self) -> list[str]:
        """The tools in the registry, by the upstream's own names."""
        return [tool.bare_name for tool in self.upstream.registry.tools()]

    def notes(self) -> str:
        """All notes of the status."""
        return "\n".join(self.upstream.status().notes)


async def until(holds: Callable[[], object]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(PATIENCE):
        while not holds():
            await asyncio.sleep(0.02)


def scripted(folder: Path, script: dict[str, Any], *, lazy: bool = False, **spec: Any) -> Scripted:
    """An upstream that runs the scripted server; not started."""
    name = spec.pop("name", "up")
    place = folder / f"{name}.json"
    place.write_text(json.dumps(script), "utf-8")
    log = folder / f"{name}.jsonl"
    args = (str(FIXTURES / "scripted_server.py"), str(place), str(log))
    return Scripted(StdioUpstream(StdioSpec(name=name, command=sys.executable, args=args, **spec), lazy=lazy), log)


@asynccontextmanager
async def running(folder: Path, script: dict[str, Any], **spec: Any) -> AsyncIterator[Scripted]:
    """A scripted upstream that has been started and has settled; stopped in the end."""
    server = scripted(folder, script, **spec)
    await server.upstream.start()
    try:
        async with asyncio.timeout(PATIENCE):
            await server.upstream.ready()
        yield server
    finally:
        await server.upstream.stop()
