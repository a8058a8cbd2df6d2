"""No module of the package can open a connection, but those of the guard and the few that are named here."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "src" / "pegboard"

OPENERS = (
    *("socket", "_socket", "socketserver", "ssl", "http.client", "urllib.request", "xmlrpc", "wsgiref"),
    *("ftplib", "smtplib", "poplib", "imaplib", "nntplib", "telnetlib", "asyncore", "webbrowser"),
    *("httpx2", "httpcore2", "httpx", "httpcore", "h11", "h2", "requests", "urllib3", "aiohttp", "pycurl"),
    *("websockets", "wsproto", "socksio", "paramiko", "grpc", "uvicorn", "openapi_spec_validator", "jwt.jwks_client"),
    *("mcp.client.streamable_http", "mcp.client.sse", "mcp.client.websocket", "mcp.client.auth", "mcp.client.client"),
    *("mcp.Client", "mcp.ClientSession", "mcp.client.Client", "mcp.shared._httpx_utils", "jwt.PyJWKClient"),
)
"""Modules, and names of modules, with which a program can reach the network."""

CALLS = frozenset(
    {
        *("open_connection", "open_unix_connection", "create_connection", "create_unix_connection"),
        *("create_datagram_endpoint", "connect_tcp", "connect_unix", "connect_unix_socket", "create_udp_socket"),
        *("create_connected_udp_socket", "create_unix_datagram_socket", "create_connected_unix_datagram_socket"),
        *("sock_connect", "getaddrinfo", "gethostbyname", "urlopen", "urlretrieve", "start_tls"),
        *("streamable_http_client", "streamablehttp_client", "sse_client", "websocket_client"),
        *("create_mcp_http_client", "AsyncClient", "PyJWKClient", "__import__"),
    }
)
"""Names that connect, or look up, however the object that has them was come by."""

ALLOWED = {
    ("net/guard.py", "httpcore2"): "the guard itself",
    ("net/guard.py", "connect_tcp"): "the guard itself: to addresses that it has just checked",
    ("net/guard.py", "create_connection"): "the guard itself: the pool's way to make one through a proxy",
    ("net/guard.py", "ssl"): "the type of the context that it hands on",
    ("net/client.py", "httpcore2"): "sends through the guard's pool",
    ("net/client.py", "httpx2"): "makes the context for certificates without the environment",
    ("net/client.py", "ssl"): "the type of the context that it takes",
    ("net/replies.py", "httpcore2"): "reads what the guard's pool gave, and translates errors",
    ("net/resolver.py", "socket"): "looks names up for the guard",
    ("net/resolver.py", "getaddrinfo"): "looks names up for the guard",
    ("gateway/http.py", "socket"): "opens the socket that listens, on loopback",
    ("gateway/web_server.py", "socket"): "the type of the socket that listens",
    ("gateway/web_server.py", "uvicorn"): "serves on the socket that listens",
    ("sources/mcp/session.py", "mcp.ClientSession"): "speaks over streams that it is given",
    ("cli/demo/client.py", "mcp.Client"): "speaks to a process of its own over stdio",
    ("evaluation/report.py", "h2"): "an element of HTML, not the module",
}
"""What each module may use nevertheless, and why."""


def is_opener(name: str) -> str:
    """The entry of ``OPENERS`` that a dotted name is, or lies in; empty for any other."""
    return next((opener for opener in OPENERS if name == opener or name.startswith(f"{opener}.")), "")


def found_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of whatever could open a connection. Imports for type checkers count too."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name in CALLS)
        elif isinstance(node, ast.Attribute) and node.attr in CALLS:
            yield node.lineno, node.attr
        elif isinstance(node, ast.Name) and node.id in CALLS:
            yield node.lineno, node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = [node.value]  # import_module, getattr and their like
        yield from ((getattr(node, "lineno", 0), is_opener(name)) for name in names if is_opener(name))


@functools.cache
def uses() -> tuple[tuple[str, int, str], ...]:
    """Module, line and name of everything in the package that could open a connection."""
    return tuple(all_uses())


def all_uses() -> Iterator[tuple[str, int, str]]:
    for file in sorted(SOURCES.rglob("*.py")):
        where = file.relative_to(SOURCES).as_posix()
        for line, name in found_in(ast.parse(file.read_text("utf-8"))):
            yield where, line, name


def test_no_module_opens_connections_past_the_guard() -> None:
    strays = [f"src/pegboard/{where}:{line}: {name}" for where, line, name in uses() if (where, name) not in ALLOWED]
    assert not strays, "outgoing HTTP goes through pegboard.net.client; what only listens is named in ALLOWED"


def test_every_exception_is_in_use_and_has_its_reason() -> None:
    used = {(where, name) for where, _, name in uses()}
    assert ALLOWED.keys() <= used, f"no longer needed: {sorted(ALLOWED.keys() - used)}"
    assert all(ALLOWED.values())


@pytest.mark.parametrize(
    "code",
    [
        "import socket",
        "import http.client as c",
        "from http import client",
        "from urllib import request",
        "from urllib.request import urlopen",
        "import httpx2",
        "from httpcore2 import AsyncConnectionPool",
        "def f():\n    import requests",
        "import importlib\nimportlib.import_module('httpx2')",
        "import asyncio\nasyncio.open_connection('h', 1)",
        "async def f(loop):\n    await loop.create_connection(None, 'h', 1)",
        "import anyio\nanyio.connect_tcp('h', 1)",
        "from mcp.client.streamable_http import streamable_http_client",
        "from mcp import Client",
        "__import__('soc' + 'ket')",
        "from jwt import PyJWKClient",
    ],
)
def test_a_way_around_is_seen_however_it_is_written(code: str) -> None:
    assert list(found_in(ast.parse(code)))


@pytest.mark.parametrize(
    "code", ["from urllib.parse import quote", "import http", "from mcp.types import Tool", "x = 'a socket'"]
)
def test_what_opens_nothing_is_left_alone(code: str) -> None:
    assert not list(found_in(ast.parse(code)))
