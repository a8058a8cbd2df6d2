"""An upstream that runs as a child process, as a source."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from pegboard.sources.mcp.launch import secret_values
from pegboard.sources.mcp.noise import Noise, hiding
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
