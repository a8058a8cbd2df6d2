"""``demo``: real MCP servers behind a real gateway, and a client of either era in front of it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from pegboard.cli.exits import Exit
from pegboard.cli.options import Common

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
        common.output.say(f'   pegboard find "put a table into a document" --config {_shown(config)}')
    return Exit.OK


async def _told(story: Any, config: Path, repository: Path) -> None:
    from pegboard.cli.demo.servers import SERVERS, DemoError
    from pegboard.cli.demo.story import handshake_client, modern_client, savings

    try:
        async with asyncio.timeout(_LIMIT):
            await handshake_client(story, config, SERVERS)
            await modern_client(story, config, SERVERS, repository)
            savings(story, await asyncio.to_thread(_stats, config))
    except TimeoutError:
        raise DemoError(f"The demo took longer than {_LIMIT:g} s.", hint=f"See {config.parent}/gateway.log.") from None


def _stats(config: Path) -> dict[str, Any]:
    """``pegboard stats --json``, run as a person would."""
    from pegboard.cli.demo.servers import DemoError

    command = [sys.executable, "-m", "pegboard", "stats", "--json", "--config", str(config)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)  # noqa: S603
    if done.returncode:
        raise DemoError(f"pegboard stats ended with code {done.returncode}: {done.stderr.strip() or done.stdout}")
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def _shown(path: Path) -> str:
    """A path as short as it can be from here."""
    short = os.path.relpath(path)
    return str(path) if short.startswith("..") else short
