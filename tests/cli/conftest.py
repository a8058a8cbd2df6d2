"""Running the command line in a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pegboard.cli.app import run

SCRIPTED = Path(__file__).resolve().parent.parent / "fixtures" / "scripted_server.py"
PATIENCE = 60.0
"""Seconds after which a test that waits has failed. Nothing is expected to take that long."""

FAILING = """
class Failing:
    identity, dimension = "failing", 8

    def encode(self, texts):
        raise RuntimeError("key=sk-123")

encoder = Failing()
"""
"""A file with an encoder that always fails, with a text that is nobody's business."""

TOOLS = '''
from pegboard import Context, Halt, ToolError, ToolResult, tool

print("printed while loading")


@tool(category="shop", tags=["orders"])
def refund(order: str, amount: float, reasons: list[str] | None = None) -> str:
    """Refund an order. [bold]No markup[/bold].

    Args:
        order: The order's number.
    """
    print("printed while running")
    return f"refunded {amount} of {order} for {reasons}"


@tool(tags=["orders"])
def track(order: str) -> dict[str, str]:
    """Tell where an order is."""
    return {"order": order, "where": "on its way"}


@tool
def hostile() -> str:
    """Say \\x1b[31msomething\\x1b[0m."""
    return "\\x1b]0;owned\\x07done"


@tool
def refuse() -> str:
    """Refuse."""
    raise ToolError("not \\x1b[31mtoday")


@tool
def broken() -> str:
    """Break."""
    raise KeyError("the reason")


@tool
async def slow(context: Context) -> str:
    """Tell how far it is."""
    await context.progress(1, 2, "half way")
    return "done"


@tool
def picture() -> ToolResult:
    """Draw."""
    return ToolResult(content=({"type": "image", "data": "AAAA", "mimeType": "image/png"},))


@tool
def halt() -> Halt:
    """End the turn."""
    return Halt(result=ToolResult.of("paid"), say="Thank you.")
'''


@dataclass(frozen=True)
class Done:
    """What a command line came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on stdout."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Run = Callable[..., Done]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty, of a person who has no configuration."""
    if "PYTHONPATH" in os.environ:
        # Processes that are started here have to find what is found through a relative path now.
        places = (str(Path(place).absolute()) for place in os.environ["PYTHONPATH"].split(os.pathsep))
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(places))
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    return tmp_path


@pytest.fixture
def shop(here: Path) -> Path:
    """The current folder, with a file of tools."""
    (here / "tools.py").write_text(TOOLS, "utf-8")
    (here / "pegboard.toml").write_text('[[python]]\nfile = "tools.py"\n', "utf-8")
    return here


@pytest.fixture
def pegboard(here: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line in this process, in the current folder."""

    def call(*words: str) -> Done:
        capsys.readouterr()
        code = run(words)
        out, err = capsys.readouterr()
        return Done(int(code), out, err)

    return call


def command(*words: str) -> list[str]:
    """A command line as a process of its own."""
    return [sys.executable, "-W", "error", "-m", "pegboard", *words]


def process(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command line as a process of its own, to its end."""
    return subprocess.run(command(*words), capture_output=True, text=True, timeout=PATIENCE, check=False, **options)


def client_file(folder: Path, **scripts: dict[str, Any]) -> Path:
    """A client's file with one scripted server for each script, each with all the time to start."""
    servers = {}
    for name, script in scripts.items():
        path = folder / f"{name}.json"
        path.write_text(json.dumps(script), "utf-8")
        arguments = [str(SCRIPTED), str(path), str(folder / f"{name}.jsonl")]
        servers[name] = {"command": sys.executable, "args": arguments, "startup_timeout_sec": 600}
    file = folder / "mcp.json"
    file.write_text(json.dumps({"mcpServers": servers}), "utf-8")
    return file


def page(*names: str) -> dict[str, Any]:
    """A script of a server with these tools."""
    tools = [{"name": name, "description": f"Does {name}.", "inputSchema": {"type": "object"}} for name in names]
    return {"pages": [{"tools": tools}]}


def pids(folder: Path, name: str) -> list[int]:
    """The processes that a scripted server ran as."""
    log = folder / f"{name}.jsonl"
    lines = log.read_text("utf-8").splitlines() if log.exists() else []
    return [entry["pid"] for entry in map(json.loads, lines) if "pid" in entry]


def alive(pid: int) -> bool:
    """Whether there is a process of this id."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def hybrid(shop: Path) -> Path:
    """The shop's configuration with the hybrid ranker, and a place of its own for what is kept."""
    with (shop / "pegboard.toml").open("a", encoding="utf-8") as file:
        file.write('\n[cache]\npath = "cache"\n\n[search]\nranker = "hybrid"\n')
    return shop
