"""Upstream MCP servers as sources of tools. The MCP SDK is loaded when the first of them starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pegboard.late import late

if TYPE_CHECKING:
    from pegboard.sources.mcp.http_upstream import HttpUpstream
    from pegboard.sources.mcp.payload import Intake, tools_from_payload
    from pegboard.sources.mcp.spec import HttpSpec, StdioSpec, UpstreamSpec, prefix_of
    from pegboard.sources.mcp.stdio_upstream import StdioUpstream
    from pegboard.sources.mcp.upstream import McpUpstream

__all__ = [
    "HttpSpec",
    "HttpUpstream",
    "Intake",
    "McpUpstream",
    "StdioSpec",
    "StdioUpstream",
    "UpstreamSpec",
    "prefix_of",
    "tools_from_payload",
]

__getattr__ = late(
    __name__,
    {
        "http_upstream": ("HttpUpstream",),
        "payload": ("Intake", "tools_from_payload"),
        "spec": ("HttpSpec", "StdioSpec", "UpstreamSpec", "prefix_of"),
        "stdio_upstream": ("StdioUpstream",),
        "upstream": ("McpUpstream",),
    },
)
