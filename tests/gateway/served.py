"""The tools that these tests serve; as a program, ``python served.py stdio|http FOLDER``, the gateway itself.

Tools leave marks in the folder, so that a test sees what happened in another process too.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from pegboard import Context, Halt, Pegboard, SourceStatus, Tool, ToolRegistry, ToolResult, Visibility
from pegboard.gateway import serve_http, serve_stdio
from pegboard.registry import SourceState
from pegboard.tools import Handler

LATE_SECONDS = 0.6

VENDOR_TOOL = {
    "description": "A definition with keys that MCP does not know.",
    "x-vendor": {"deep": [1, None]},
    "inputSchema": {"x-order": 1, "type": "object", "properties": {}, "default": None},
    "annotations": {"readOnlyHint": True, "x-hint": "kept"},
    "_meta": {"com.example/owner": "me"},
}


class Marks:
    """Files in a folder, by which a tool says that something happened. Lives as long as the folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def leave(self, name: str) -> None:
        """Say that it happened."""
        (self.folder / name).touch()

    def seen(self, name: str) -> bool:
        """Whether it happened."""
        return (self.folder / name).exists()


async def echo(arguments: dict[str, Any], context: Context) -> dict[str, Any]:
    """Give back what came, and what the handler knows of the call."""
    client = context.client or {}
    return {"arguments": arguments, "meta": dict(context.meta), "values": dict(context.values), "client": dict(client)}


async def steps(arguments: dict[str, Any], context: Context) -> str:
    """Tell three times how far it is."""
    for step in (1, 2, 3):
        await context.progress(step, 3, f"step {step}")
    return "done"


async def nap(arguments: dict[str, Any], context: Context) -> str:
    """Take a moment."""
    await asyncio.sleep(0.3)
    return "rested"


async def chatty(arguments: dict[str, Any], context: Context) -> str:
    """Print in every way there is."""
    print("by print")
    sys.stdout.write("by sys.stdout")
    sys.stdout.flush()
    os.write(1, b"by os.write\n")
    libc = ctypes.CDLL(None)
    libc.puts(b"by a C library")
    libc.fflush(None)
    subprocess.run([sys.executable, "-c", "print('by a child'); print(len(input()))"], check=False)
    return "done, and read " + repr(sys.stdin.read())


async def result(arguments: dict[str, Any], context: Context) -> ToolResult:
    """Answer with the result that is asked for, as it is."""
    return ToolResult.from_wire(arguments)


async def strange(arguments: dict[str, Any], context: Context) -> ToolResult:
    """Answer with values that JSON does not have."""
    return ToolResult(content=({"type": "text", "text": "half \ud83d"},), structured={"n": float("nan"), "\udc00": 1})


async def stop_here(arguments: dict[str, Any], context: Context) -> Halt:
    """End the turn."""
    return Halt(result=ToolResult.of({"sent": True}), say="Sent.")


async def fail(arguments: dict[str, Any], context: Context) -> str:
    """Fail with a secret."""
    raise RuntimeError("password is hunter2")


def hanging(marks: Marks) -> Handler:
    """A handler that runs until cancelled."""

    async def hang(arguments: dict[str, Any], context: Context) -> str:
        marks.leave("hanging")
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            marks.leave("cancelled")
            raise
        return "never"

    return hang


def growing(registry: ToolRegistry) -> Handler:
    """A handler that registers ``count`` tools, ``always`` visible or on demand."""

    async def grow(arguments: dict[str, Any], context: Context) -> str:
        visibility = Visibility.ALWAYS if arguments.get("always") else Visibility.ON_DEMAND
        for index in range(int(arguments["count"])):
            name = f"grown_{arguments.get('prefix', 'x')}_{index}"
            registry.register(Tool(name=name, description="Grown.", handler=echo, visibility=visibility))
            await asyncio.sleep(0)
        return "grown"

    return grow


class Late:
    """A source whose one tool comes late, or never; one named ``listed...`` is always visible. Process-wide."""

    def __init__(self, name: str, seconds: float, marks: Marks) -> None:
        self.name = name
        self._visibility = Visibility.ALWAYS if name.startswith("listed") else Visibility.ON_DEMAND
        self.registry = ToolRegistry(name)
        self._seconds = seconds
        self._marks = marks
        self._state: SourceState = "idle"
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to be late."""
        self._state = "starting"
        self._task = asyncio.create_task(self._arrive())

    async def ready(self) -> None:
        """Return when the tool has come."""
        if self._task:
            await asyncio.shield(self._task)

    async def stop(self) -> None:
        """Come no more."""
        if self._task:
            self._task.cancel()
        self._marks.leave(f"stopped-{self.name}")

    def status(self) -> SourceStatus:
        """How it is doing."""
        return SourceStatus(
            name=self.name,
            kind="test",
            state=self._state,
            tools=len(self.registry.tools()),
            always_visible=self._visibility is Visibility.ALWAYS,
        )

    async def _arrive(self) -> None:
        await asyncio.sleep(self._seconds)
        name = f"{self.name}__arrive"
        arrived = Tool(
            name=name, description="Arrive by train.", handler=echo, source=self.name, visibility=self._visibility
        )
        self.registry.replace_source(self.name, [arrived])
        self._state = "ready"


def registered(marks: Marks) -> ToolRegistry:
    """The tools of these tests."""
    registry = ToolRegistry()
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    handlers = (echo, steps, nap, chatty, result, strange, stop_here, fail, hanging(marks), growing(registry))
    registry.register(
        *(Tool(name=h.__name__, description=h.__doc__ or h.__name__, handler=h) for h in handlers),
        *(
            tool.with_(visibility=Visibility.ALWAYS)
            for tool in (
                Tool(name="hello", description="Say hello.", handler=echo, input_schema=schema),
                Tool(name="lists", description="Give a list.", handler=echo, output_schema={"type": "array"}),
                Tool(name="vendor", description="Odd.", handler=echo, definition=VENDOR_TOOL),
            )
        ),
    )
    return registry


def sources(kind: str, marks: Marks) -> list[Late]:
    """Sources that are late as their kind says, in seconds."""
    late = {
        "none": {},
        "late": {"late": LATE_SECONDS},
        "never": {"late": 0.1, "never": 600},
        "listed": {"listed": LATE_SECONDS, "never": 600},
        "listed never": {"listed": 0.1, "listed_never": 600},
    }[kind]
    return [Late(name, seconds, marks) for name, seconds in late.items()]


def served(folder: Path, kind: str = "none") -> Pegboard:
    """The pegboard of these tests."""
    marks = Marks(folder)
    return Pegboard([registered(marks)], sources=sources(kind, marks))


async def main(door: str, folder: Path) -> None:
    """Serve through one of the two doors."""
    peg = served(folder, os.environ.get("SOURCES", "none"))
    if door == "stdio":
        await serve_stdio(peg)
    else:
        await serve_http(peg, port=0)
    Marks(folder).leave("ended")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
