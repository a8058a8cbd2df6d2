"""The Inspector as a client: what it says of our definitions, and whether it gets through."""

from __future__ import annotations

import json
import secrets
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.conformance.programs import Programs, environment
from tests.conformance.serving import pegboard, serving, source_first
from tests.conformance.skills import OWN, THEIRS, put_skills

DOORS: Final = ("stdio", "http")

ERAS: Final = ("legacy", "modern")
"""The Inspector's words for them."""

TOOLS: Final = '''
from pegboard import tool


@tool
def shout(text: str) -> str:
    """Say it loudly.

    Args:
        text: What to say.
    """
    return text.upper()


@tool(visibility="always")
def whisper(text: str) -> str:
    """Say it quietly.

    Args:
        text: What to say.
    """
    return text.lower()
'''

SETTINGS: Final = """
[[python]]
file = "tools.py"

[profiles]
session = [
    "list_tools", "find_tools", "get_tool", "explain_tool", "call_tool", "load_tool", "unload_tool", "tool_search",
]
"""
"""Every meta-tool is shown to clients of the handshake, so that the Inspector judges all their schemas."""

TOOL_FAILED: Final = 5
"""What the Inspector exits with when a tool answers with an error."""

_STEP_SECONDS: Final = 120


@dataclass(frozen=True)
class Step:
    """One command of the Inspector, and what has to come of it. Immutable.

    ``tells`` stands in what it says and ``never`` does not; ``status`` is what it exits with.
    """

    what: str
    command: tuple[str, ...]
    tells: str
    never: str | None = None
    status: int = 0


def run(programs: Programs) -> Iterator[tuple[Step, str]]:
    """Every step, and what is wrong with it: nothing most often. Both doors are gone through side by side."""
    with (
        tempfile.TemporaryDirectory() as folder,
        gateway_by_both_doors(Path(folder)) as config,
        inspector_apart(programs, Path(folder)) as apart,
    ):
        given = ("--config", str(config))

        def through(door: str) -> list[tuple[Step, str]]:
            fresh = [(step, programs.inspector(*given, *step.command)) for era in ERAS for step in anew(door, era)]
            lasting = [(step, programs.mcpdo(*given, *step.command)) for step in kept(door)]
            return [(step, _problem(step, command, apart)) for step, command in (*fresh, *lasting)]

        with ThreadPoolExecutor(len(DOORS)) as pool:
            for outcomes in pool.map(through, DOORS):
                yield from outcomes


def anew(door: str, era: str) -> list[Step]:
    """Commands with a connection each. The Inspector itself refuses to call what is not listed."""
    detail = {"legacy": [], "modern": [("get_tool", {"name": "shout"}, "inputSchema")]}[era]
    calls = [
        ("find_tools", {"query": "say it loudly"}, "shout"),
        *detail,
        ("call_tool", {"name": "shout", "arguments": {"text": "Hi"}}, "HI"),
    ]
    common = ("--server", door, "--protocol-era", era, "--method")
    strict = Step(f"{door} {era}: tools/list --strict", (*common, "tools/list", "--strict"), "find_tools", "Issue:")
    verify = Step(f"{door} {era}: skills/list --verify", (*common, "skills/list", "--verify"), '"verified"', '"failed"')
    return [
        strict,
        verify,
        *(
            Step(
                f"{door} {era}: {tool}",
                (*common, "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments)),
                tells,
            )
            for tool, arguments, tells in calls
        ),
    ]


def kept(door: str) -> list[Step]:
    """Commands on one connection of the handshake, which has pins: find, load, call by its own name, unload."""

    def call(tool: str, tells: str, status: int = 0, **arguments: str) -> Step:
        command = ("--connection", door, "tools/call", tool, json.dumps(arguments))
        return Step(f"{door} kept: {tool}", command, tells, status=status)

    def listed(tells: str, never: str | None = None) -> Step:
        return Step(f"{door} kept: tools/list", ("--connection", door, "tools/list"), tells, never)

    return [
        Step(f"{door} kept: connect", ("connect", "--server", door, "--era", "legacy"), "legacy"),
        listed("find_tools", never='"shout"'),
        call("find_tools", "shout", query="say it loudly"),
        call("load_tool", "queued", name="shout"),
        listed('"shout"'),
        call("shout", "HI", text="Hi"),
        call("whisper", "hi", text="Hi"),
        call("unload_tool", "queued", name="shout"),
        call("shout", "was unloaded", TOOL_FAILED, text="Hi"),
        Step(f"{door} kept: disconnect", ("disconnect", door), ""),
    ]


@contextmanager
def gateway_by_both_doors(folder: Path) -> Iterator[Path]:
    """A client's configuration with two servers: a gateway to be started on stdio, and one that serves over HTTP."""
    settings = folder / "pegboard.toml"
    settings.write_text(SETTINGS + put_skills(folder / "skills", OWN | THEIRS), encoding="utf-8")
    (folder / "tools.py").write_text(TOOLS, encoding="utf-8")
    command, *arguments = pegboard("serve", "--config", str(settings))
    with serving([command, *arguments, "--http", "127.0.0.1:0"]) as address:
        started = {"command": command, "args": arguments, "env": {"PYTHONPATH": source_first()["PYTHONPATH"]}}
        servers = {"stdio": started, "http": {"type": "http", "url": address}}
        config = folder / "mcp.json"
        config.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
        yield config


@contextmanager
def inspector_apart(programs: Programs, folder: Path) -> Iterator[dict[str, str]]:
    """An environment in which the Inspector has a home and a daemon of its own, which ends with the block."""
    home = folder / "home"
    home.mkdir()
    apart = environment(
        programs.node,
        HOME=str(home),
        MCP_INSPECTOR_DAEMON_DIR=str(home),
        MCP_INSPECTOR_DAEMON_TOKEN=secrets.token_urlsafe(),
        MCP_INSPECTOR_SECRET_STORE="memory",
    )
    try:
        yield apart
    finally:
        subprocess.run(programs.mcpdo("daemon", "stop"), env=apart, capture_output=True, check=False)


def _problem(step: Step, command: list[str], env: dict[str, str]) -> str:
    """What is wrong with a step; nothing when it went as it has to."""
    try:
        ran = subprocess.run(
            [*command, "--format", "json"], env=env, capture_output=True, text=True, check=False, timeout=_STEP_SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"It did not end within {_STEP_SECONDS} s."
    said = f"{ran.stdout}\n{ran.stderr}"
    if ran.returncode == step.status and step.tells in said and not (step.never and step.never in said):
        return ""
    return f"It ended with {ran.returncode} and said:\n{said[-2000:]}"
