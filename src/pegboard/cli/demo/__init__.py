"""``demo``: real MCP servers behind a real gateway, and a client of either era in front of it."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from pegboard.cli.exits import Exit
from pegboard.cli.options import Common

if TYPE_CHECKING:
    from pegboard.cli.demo.telling import Story

_LIMIT: Final = 240.0
"""Seconds that the story may take, on the slowest of machines."""


def demo(
    common: Common,
    folder: Annotated[
        Path, typer.Option("--dir", metavar="FOLDER", help="Where the servers are installed, and kept.")
    ] = Path(".demo"),
) -> Exit:
    """See it work, with real MCP servers.

    Installs four servers from PyPI, once; needs no credentials and, after that, no network. Every step is checked.
    """
    from pegboard.cli.demo.material import make_repository, prepare_folder, write_config
    from pegboard.cli.demo.servers import SERVERS, install
    from pegboard.cli.demo.telling import Story

    place = prepare_folder(folder)
    install(SERVERS, place, common.output.progress)
    repository, config = make_repository(place), write_config(place, SERVERS)
    story = Story(common.output, hint=f"The gateway's log is in {place / 'gateway.log'}.")
    began = time.monotonic()
    asyncio.run(_told(story, config, repository))
    seconds = time.monotonic() - began
    if common.json:
        common.output.document({"checks": story.checks, "seconds": round(seconds, 1), "steps": story.steps})
    else:
        common.output.say(f"\nAll {story.checks} checks passed in {seconds:.1f} s. Look around:")
        common.output.say(f'   {_program()} find "put a table into a document" --config {_shown(config)}')
    return Exit.OK


async def _told(story: Story, config: Path, repository: Path) -> None:
    from pegboard.cli.demo.servers import SERVERS, DemoError
    from pegboard.cli.demo.story import handshake_client, modern_client, savings

    try:
        async with asyncio.timeout(_LIMIT):
            await handshake_client(story, config, SERVERS)
            await modern_client(story, config, SERVERS, repository)
            story.step("What it saves, on every turn of every conversation")
            savings(story, await asyncio.to_thread(_stats, config))
    except TimeoutError:
        raise DemoError(f"The demo took longer than {_LIMIT:g} s.", hint=f"See {config.parent}/gateway.log.") from None


def _stats(config: Path) -> dict[str, Any]:
    """``pegboard stats --json``, run as a person would."""
    from pegboard.cli.demo.servers import DemoError

    command = [sys.executable, "-m", "pegboard", "stats", "--json", "--config", str(config)]
    try:
        done = subprocess.run(  # noqa: S603 - every word of it is ours
            command, check=False, capture_output=True, text=True, encoding="utf-8", timeout=_LIMIT / 2
        )
    except subprocess.TimeoutExpired as error:
        raise DemoError(f"pegboard stats took longer than {error.timeout:g} s.") from None
    if done.returncode:
        raise DemoError(f"pegboard stats ended with code {done.returncode}: {done.stderr.strip() or done.stdout}")
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def _program() -> str:
    """What to type to run this program from here."""
    started = Path(sys.argv[0])
    if started.stem != "pegboard":
        return f"{_shown(Path(sys.executable))} -m pegboard"
    on_path = shutil.which("pegboard")
    return "pegboard" if on_path and started.exists() and Path(on_path).samefile(started) else _shown(started)


def _shown(path: Path) -> str:
    """A path as short as it can be from here."""
    short = os.path.relpath(path)
    return str(path) if short.startswith("..") else short
