"""``pegboard`` as programs of their own, in a folder with a configuration."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.gateway.pipe import environment

PATIENCE = 90.0
"""Seconds until something that does not happen fails a test. No measure of speed."""


def command(folder: Path, *words: str) -> list[str]:
    """A command line with the folder's configuration."""
    return [sys.executable, "-m", "pegboard", *words, "--config", str(folder / "pegboard.toml")]


@asynccontextmanager
async def gateway(folder: Path) -> AsyncIterator[str]:
    """``pegboard serve --http`` for the length of the block; its address."""
    words = command(folder, "serve", "--http", "0")
    process = await asyncio.create_subprocess_exec(*words, stderr=PIPE, env=environment())
    assert process.stderr is not None
    try:
        async with asyncio.timeout(PATIENCE):
            line = (await process.stderr.readline()).decode()
        assert "serves MCP at " in line, line
        yield line.split("serves MCP at ")[1].strip()
    finally:
        process.terminate()
        await process.communicate()


async def run(folder: Path, *words: str, code: int = 0) -> str:
    """Run a command to its end; what it said on both streams."""
    process = await asyncio.create_subprocess_exec(
        *command(folder, *words), stdout=PIPE, stderr=PIPE, env=environment()
    )
    out, err = await process.communicate()
    assert process.returncode == code, err.decode()
    return out.decode() + err.decode()
