"""Servers over HTTP in ``pegboard.toml``: what they come to, what they send, and changes while everything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pegboard.config import load
from pegboard.config.watch import Reloader
from pegboard.config.wire import build, secrets_of
from tests.config.conftest import Load, Write, spec_of
from tests.sources.servers import PATIENCE, until
from tests.sources.web_servers import Asked, raw_server

pytestmark = pytest.mark.anyio

TEXT = """
[store]
path = "memory"

[http]
secrets = ["files", "environment"]
secrets_folder = "keys"
secrets_prefix = "MCP_"

[upstreams.far]
url = "{url}"
transport = "streamable-http"
headers = {{ Authorization = "Bearer {{{{secret.TOKEN}}}}", X-Team = "${{TEAM}}"{more} }}
exclude = ["b"]
"""


async def usual(one: Asked) -> None:
    await one.as_usual("a", "b")


async def test_headers_get_their_secrets_from_where_http_says(write: Write, tmp_path: Path) -> None:
    async with raw_server(usual) as server:
        text = TEXT.format(url=server.url("/mcp"), more=', X-File = "{{secret.FILED}}"')
        write("keys/FILED", "from-a-file\n")
        environ = {"TEAM": "platform", "MCP_TOKEN": "from-the-environment"}
        settings = load(write("pegboard.toml", text), environ=environ, strict=True).settings
        async with build(settings, environ=environ).peg as peg:
            assert await peg.ready(PATIENCE) == ()
            assert [tool.name for tool in peg.catalog.all()] == ["far__a"]
    [sent, *_] = server.exchanges
    names = ("authorization", "x-team", "x-file")
    assert [sent.header(name) for name in names] == ["Bearer from-the-environment", "platform", "from-a-file"]


async def test_a_server_that_changed_is_reached_anew_and_one_that_did_not_is_left_alone(
    write: Write, tmp_path: Path
) -> None:
    environ = {"TEAM": "platform", "MCP_TOKEN": "t"}
    async with raw_server(usual) as server:
        file = write("pegboard.toml", TEXT.format(url=server.url("/mcp"), more=""))
        loaded = load(file, environ=environ)
        wired = build(loaded.settings, environ=environ)
        async with wired.peg as peg:
            assert await peg.ready(PATIENCE) == ()
            reloader = Reloader(wired, loaded, lambda: load(file, environ=environ), environ=environ)
            before = len(server.exchanges)
            write("pegboard.toml", TEXT.format(url=server.url("/mcp"), more="") + "\n[limits]\npage = 7\n")
            await reloader.reload()
            assert len(server.exchanges) == before
            write("pegboard.toml", TEXT.format(url=server.url("/mcp"), more=', X-New = "1"'))
            await reloader.reload()
            await until(lambda: any(one.header("x-new") for one in server.exchanges))
            assert await peg.ready(PATIENCE) == ()


def test_an_entry_adjusts_the_server_of_a_client_and_adds_headers(load_text: Load, write: Write) -> None:
    write("mcp.json", '{"mcpServers": {"far": {"url": "https://x/sse", "headers": {"X-A": "1", "X-B": "2"}}}}')
    text = """
    [[import]]
    file = "mcp.json"
    [upstreams.far]
    transport = "sse"
    headers = { x-b = "3", X-C = "4" }
    args = ["meant", "for", "a", "process"]
    """
    loaded = load_text(text)
    spec = spec_of(loaded, "far")
    assert (spec.url, spec.transport, spec.headers) == ("https://x/sse", "sse", {"X-A": "1", "x-b": "3", "X-C": "4"})
    [note] = loaded.problems
    assert note.message == "is for servers that are started, and says nothing here."


def test_no_log_shows_what_proves_who_calls(load_text: Load) -> None:
    text = """
    [upstreams.far]
    url = "https://x/mcp?api_key=abcdefgh"
    headers = { Authorization = "Bearer ${TOKEN}", X-Team = "platform-team" }
    """
    settings = load_text(text, TOKEN="s3cret-value").settings
    assert secrets_of(settings) == {"abcdefgh", "Bearer s3cret-value", "s3cret-value"}
    assert "s3cret" not in repr(settings)
