"""A file of Python tools as a source."""

from __future__ import annotations

import logging
from pathlib import Path

from pegboard.errors import PegboardError, told
from pegboard.registry import SourceStatus, ToolRegistry
from pegboard.sources.python import tools_from_file
from pegboard.sources.reading import ReadSource
from pegboard.threads import in_thread
from pegboard.tools import Tool

logger = logging.getLogger(__name__)


class PythonFile(ReadSource):
    """A Python file whose top level defines tools. Process-wide; used from one event loop.

    The file runs in a thread when the source starts, so that slow imports hold nothing up, and again with ``reload``.
    A file that fails brings no tools, or keeps those that it had; ``status`` says why.
    """

    def __init__(self, name: str, path: Path) -> None:
        super().__init__(name, ToolRegistry(name))
        self.path = path

    def status(self) -> SourceStatus:
        """How it is doing now."""
        return SourceStatus(
            name=self.name,
            kind="python",
            state=self._state,
            reason=self._reason(),
            tools=len(self.registry.tools()),
            starts=self._starts,
            notes=self._kept(),
            problems=self.registry.problems(),
        )

    async def _read(self) -> None:
        try:
            tools = await in_thread(lambda: tools_from_file(self.path), name=f"file {self.name}")
        except PegboardError as error:
            self._failed(str(error))
        except Exception as error:
            logger.exception("the file %s could not be loaded", self.path)
            self._failed(f"{self.path}: {told(error)}")
        else:
            self._succeeded()
            self.registry.replace_source(self.name, [self._ours(tool) for tool in tools])

    def _ours(self, tool: Tool) -> Tool:
        return tool.with_(source=self.name)
