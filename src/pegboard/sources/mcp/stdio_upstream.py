"""An upstream that runs as a child process, as a source."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from pegboard.sources.mcp.launch import secret_values
from pegboard.sources.mcp.noise import Noise, hiding
from pegboard.sources.mcp.origin import origin_of_process, secrets_of
from pegboard.sources.mcp.spec import StdioSpec
from pegboard.sources.mcp.upstream import McpUpstream

if TYPE_CHECKING:
    from pegboard.sources.mcp.link import Link


class StdioUpstream(McpUpstream):
    """An upstream MCP server that runs as a child process. Process-wide; used from one event loop.

        upstream = StdioUpstream(StdioSpec(name="files", command="mcp-files", args=["/srv"]))
        async with Pegboard(sources=[upstream]) as peg:
            await peg.ready(10)

    The process is its own: it ends with it.
    """

    def __init__(self, spec: StdioSpec, *, lazy: bool = False) -> None:
        def opens(noise: Noise, on_end: Callable[[], None]) -> AbstractAsyncContextManager[Link]:
            from pegboard.sources.mcp.stdio import open_stdio

            return open_stdio(spec, noise, on_end)

        super().__init__(spec, opens, Noise(hide=hiding(secret_values(spec, os.environ))), lazy=lazy)
        self._process = spec

    async def origin(self) -> str:
        """See ``McpUpstream.origin``."""
        return origin_of_process(self._process, os.environ)

    def secrets(self) -> Iterable[str]:
        """What is secret, and could stand in what it lists."""
        return secrets_of(self._process, os.environ)
