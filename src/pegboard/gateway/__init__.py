"""The gateway: a Pegboard as one MCP server, over standard input and output or HTTP, for clients of every revision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pegboard.gateway.server import Gateway
from pegboard.gateway.settings import GatewaySettings
from pegboard.gateway.stdio import serve_stdio
from pegboard.gateway.wire import Wire, claim_stdio

if TYPE_CHECKING:
    from pegboard.gateway.http import http_app, serve_http

__all__ = ["Gateway", "GatewaySettings", "Wire", "claim_stdio", "http_app", "serve_http", "serve_stdio"]

_OF_HTTP: Final = frozenset({"http_app", "serve_http"})
"""Names whose module is loaded on first use: whoever serves on standard input and output needs no web server."""


def __getattr__(name: str) -> Any:
    if name in _OF_HTTP:
        from pegboard.gateway import http

        return getattr(http, name)
    raise AttributeError(f"module 'pegboard.gateway' has no attribute {name!r}")
