"""Sources that read something in the background: beginning, reading anew, waiting for it, and what is told of it."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod

from pegboard.registry import SourceState, ToolRegistry

logger = logging.getLogger(__name__)


class ReadSource(ABC):
    """A source whose tools or skills come of something that is read. Process-wide; used from one event loop.

    It is read when the source starts, and again with ``reload``. What fails brings nothing, or keeps what there was.
    """

    _brings = "tools"

    def __init__(self, name: str, registry: ToolRegistry) -> None:
        self.name = name
        self.registry = registry
        self._state: SourceState = "idle"
        self._failure = ""
        self._starts = 0
        self._task: asyncio.Task[None] | None = None

    @abstractmethod
    async def _read(self) -> None:
        """Read, and put the tools into the registry: ends with ``_succeeded`` or ``_failed``, and raises nothing."""

    async def start(self) -> None:
        """Begin to read, in the background, unless that has been done."""
        if self._task is None:
            self.reload()

    def reload(self) -> None:
        """Read anew, in the background; the tools change when that is done."""
        if self._task is not None:
            self._task.cancel()
        self._state = "starting"
        self._task = asyncio.create_task(self._run(), name=f"reading of {self.name}")

    async def ready(self) -> None:
        """Return when everything has been read, or could not be."""
        await self.start()
        while (task := self._task) is not None and not task.done():
            await asyncio.wait([task])

    async def stop(self) -> None:
        """Wait for nothing more. What still runs in a thread is left to it, and what it brings is dropped."""
        task, self._task = self._task, None
        self._state = "stopped"
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def _run(self) -> None:
        self._starts += 1
        await self._read()

    def _succeeded(self) -> None:
        self._failure, self._state = "", "ready"

    def _failed(self, why: str) -> None:
        """Note why nothing could be read; the log has it once, however often it is tried."""
        if why != self._failure:
            logger.warning("%s: %s", self.name, why)
        self._failure = why
        self._state = "ready" if self._has() else "failed"

    def _kept(self) -> tuple[str, ...]:
        """The note that there is what an earlier reading brought, where the last one failed."""
        if not (self._failure and self._has()):
            return ()
        return (f"its {self._brings} are those of before it changed: {self._failure}",)

    def _has(self) -> bool:
        """Whether there is anything that a reading brought."""
        return bool(self.registry.tools())

    def _reason(self) -> str:
        """Why there is nothing."""
        return "" if self._kept() or self._state == "stopped" else self._failure
