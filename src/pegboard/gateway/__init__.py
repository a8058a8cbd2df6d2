"""The gateway: a Pegboard as one MCP server, over standard input and output or HTTP, for clients of every revision."""

from __future__ import annotations

from pegboard.gateway.http import http_app, serve_http
from pegboard.gateway.server import Gateway
from pegboard.gateway.settings import GatewaySettings
from pegboard.gateway.stdio import serve_stdio
from pegboard.gateway.wire import Wire, claim_stdio

__all__ = ["Gateway", "GatewaySettings", "Wire", "claim_stdio", "http_app", "serve_http", "serve_stdio"]
