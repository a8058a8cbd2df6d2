"""FastMCP's proxy in front of a stdio server, in an environment of its own: ``fastmcp_proxy.py COMMAND [ARG ...]``."""

import sys

from fastmcp.server import create_proxy

create_proxy(
    {"mcpServers": {"echo": {"command": sys.argv[1], "args": sys.argv[2:]}}},
    name="proxy",
).run(show_banner=False, log_level="ERROR")
