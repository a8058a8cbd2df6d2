"""A file of Python tools as a source."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from pegboard.errors import PegboardError, told
from pegboard.registry import SourceState, SourceStatus, ToolRegistry
from pegboard.sources.python import tools_from_file
from pegboard.threads import in_thread
from pegboard.tools import Tool

logger = logging.getLogger(__name__)


class PythonFile:
    """A Python file whose top level defines tools. Process-wide; used from one event loop.

    The file runs in a thread when the source starts, so that slow imports hold nothing up, and again with ``reload``.
    A file that fails brings no tools, or keeps those that it had; ``status`` says why.
    """

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.path = path
        self.registry = ToolRegistry(name)
        self._state: SourceState = "idle"
        self._starts = 0
        self._failure = ""
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to run the file, in the background, unless that has been done."""
        if self._task is None:
            self.reload()

    def reload(self) -> None:
        """Run the file anew, in the background; its tools change when it has come to its end."""
        if self._task is not None:
            self._task.cancel()
        self._state = "starting"
        self._task = asyncio.create_task(self._run(), name=f"file {self.name}")

    async def ready(self) -> None:
        """Return when the file has been run, or has failed."""
        await self.start()
        while (task := self._task) is not None and not task.done():
            await asyncio.wait([task])

    async def stop(self) -> None:
        """Wait for nothing more. A file that is still running is left to its thread, and what it brings is dropped."""
        task, self._task = self._task, None
        self._state = "stopped"
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    def status(self) -> SourceStatus:
        """How it is doing now."""
        tools = len(self.registry.tools())
        kept = f"its tools are those of before it changed: {self._failure}" if self._failure and tools else ""
        return SourceStatus(
            name=self.name,
            kind="python",
            state=self._state,
            reason="" if kept or self._state == "stopped" else self._failure,
            tools=tools,
            starts=self._starts,
            notes=(kept,) if kept else (),
            problems=self.registry.problems(),
        )

    async def _run(self) -> None:
        self._starts += 1
        try:
            tools = await in_thread(lambda: tools_from_file(self.path), name=f"file {self.name}")
        except PegboardError as error:
            self._failed(str(error))
        except Exception as error:
            logger.exception("the file %s could not be loaded", self.path)
            self._failed(f"{self.path}: {told(error)}")
        else:
            self._failure, self._state = "", "ready"
            self.registry.replace_source(self.name, [self._ours(tool) for tool in tools])

    def _ours(self, tool: Tool) -> Tool:
        return tool.with_(source=self.name)

    def _failed(self, why: str) -> None:
        logger.warning("%s", why)
        self._failure = why
        self._state = "ready" if self.registry.tools() else "failed"
