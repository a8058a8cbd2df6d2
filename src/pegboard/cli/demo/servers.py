"""The MCP servers of the demo, and how each gets an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pegboard.errors import PegboardError

_LIMIT: Final = 900
"""Seconds that one installation may take."""

_LOG_LINES: Final = 3


class DemoError(PegboardError):
    """A step of the demo did not do what it has to."""

    code = "demo_failed"


@dataclass(frozen=True, kw_only=True)
class Server:
    """One server: what to install, what to start, and how many tools it has. Immutable.

    In ``arguments``, ``{folder}`` is the demo's folder.
    """

    name: str
    requirements: tuple[str, ...]
    program: str
    arguments: tuple[str, ...] = ()
    tools: int

    def environment(self, folder: Path) -> Path:
        """Its virtual environment."""
        return folder / "servers" / self.name

    def command(self, folder: Path) -> Path:
        """Its program, once it is installed."""
        return programs(self.environment(folder)) / (f"{self.program}.exe" if os.name == "nt" else self.program)


SERVERS: Final = (
    Server(name="time", requirements=("mcp-server-time==2026.10.19",), program="mcp-server-time", tools=2),
    Server(
        name="git",
        requirements=("mcp-server-git==2026.10.19",),
        program="mcp-server-git",
        arguments=("--repository", "{folder}/repository"),
        tools=12,
    ),
    Server(
        name="sqlite",
        requirements=("mcp-server-sqlite==2025.4.25", "mcp<2"),
        program="mcp-server-sqlite",
        arguments=("--db-path", "{folder}/notes.db"),
        tools=6,
    ),
    Server(name="word", requirements=("office-word-mcp-server==1.1.11",), program="word_mcp_server", tools=54),
)
"""Four servers from PyPI that need neither credentials nor, once installed, a network."""


def programs(environment: Path) -> Path:
    """The folder of a virtual environment's programs."""
    return environment / ("Scripts" if os.name == "nt" else "bin")


def install(servers: Sequence[Server], folder: Path, tell: Callable[[str], None]) -> None:
    """Install, side by side, what is not installed yet. ``tell`` hears a line as each begins and ends.

    Raises DemoError when one cannot be installed; those that were stay for the next time.
    """
    missing = [server for server in servers if not _installed(server, folder)]
    if missing:
        tell(f"Installing {', '.join(server.name for server in missing)} with pip, once: about a minute")
    with ThreadPoolExecutor(max_workers=max(len(missing), 1)) as pool:
        for server in pool.map(lambda server: _install(server, folder, tell), missing):
            if server is not None:
                raise server


def _installed(server: Server, folder: Path) -> bool:
    mark = _mark(server, folder)
    return server.command(folder).is_file() and mark.is_file() and mark.read_text("utf-8") == _wanted(server)


def _install(server: Server, folder: Path, tell: Callable[[str], None]) -> DemoError | None:
    """Install one server. Gives the error instead of raising it, so that the others end in their own time."""
    log = folder / f"install-{server.name}.log"
    with log.open("w", encoding="utf-8") as output:
        for step in _steps(server.environment(folder), server.requirements):
            error = _run(step, output.fileno())
            if error:
                return _not_installed(server, error, log)
    _mark(server, folder).write_text(_wanted(server), "utf-8")
    tell(f"{server.name}: installed {' '.join(server.requirements)}")
    return None


def _steps(environment: Path, requirements: Sequence[str]) -> tuple[list[str], list[str]]:
    """The commands that make an environment and fill it. Our own pip, where there is one, saves installing another."""
    make = [sys.executable, "-m", "venv", "--clear", str(environment)]
    python = str(programs(environment) / ("python.exe" if os.name == "nt" else "python"))
    install = ["install", "--quiet", "--disable-pip-version-check", *requirements]
    if find_spec("pip") is None:
        return make, [python, "-m", "pip", *install]
    return [*make, "--without-pip"], [sys.executable, "-m", "pip", "--python", python, *install]


def _run(step: Sequence[str], output: int) -> str:
    """Run a program to its end; what went wrong, or nothing."""
    # What Python finds through these is not for another environment's Python.
    environ = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    try:
        ended = subprocess.run(  # noqa: S603 - every word of it is ours
            step, check=False, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environ, timeout=_LIMIT
        )
    except subprocess.TimeoutExpired:
        return f"took longer than {_LIMIT} s"
    except OSError as error:
        return str(error)
    return f"ended with code {ended.returncode}" if ended.returncode else ""


def _not_installed(server: Server, error: str, log: Path) -> DemoError:
    lines = [line for line in log.read_text("utf-8", errors="replace").splitlines() if line.strip()]
    last = " / ".join(lines[-_LOG_LINES:])
    return DemoError(
        f"{' '.join(server.requirements)} could not be installed: pip {error}: {last or 'it said nothing'}.",
        hint=f"pip needs a package index that it can reach; all it said is in {log}.",
    )


def _mark(server: Server, folder: Path) -> Path:
    return server.environment(folder) / "installed.txt"


def _wanted(server: Server) -> str:
    return f"{sys.version}\n{' '.join(server.requirements)}\n"
