"""Tools that are added and changed while a gateway runs, by processes of their own: ``serve`` and ``tools``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client

from tests.gateway.programs import PATIENCE, gateway, run
from tests.gateway.test_http import Heard
from tests.net.loopback import Exchange, Server, serving

pytestmark = pytest.mark.anyio

CONFIG = """\
[store]
path = "boards.sqlite3"

[http]
origins = ["{origin}"]
schemes = ["http"]

[[http_tools]]
file = "shop.toml"
visibility = "always"
"""
TOOL = 'name = "{name}"\ndescription = "{about}"\nurl = "{url}"\n'


@asynccontextmanager
async def service(folder: Path) -> AsyncIterator[Server]:
    async def answer(exchange: Exchange) -> None:
        await exchange.reply(exchange.path.encode())

    async with serving(answer) as server:
        (folder / "pegboard.toml").write_text(CONFIG.format(origin=server.url("").rstrip("/")), "utf-8")
        write(folder / "shop.toml", server, "filed", "From a file.", "/filed")
        yield server


def write(file: Path, server: Server, name: str, about: str, path: str) -> str:
    file.write_text(TOOL.format(name=name, about=about, url=server.url(path)), "utf-8")
    return str(file)


async def answers(client: Client, name: str, path: str) -> None:
    """Wait until a call of the tool reaches a path."""
    async with asyncio.timeout(PATIENCE):
        while True:
            result = await client.call_tool("call_tool", {"name": name, "arguments": {}})
            if not result.is_error and result.content[0].text == path:  # type: ignore[union-attr]
                return
            await asyncio.sleep(0.05)


async def test_tools_are_added_changed_removed_and_restored_while_the_gateway_runs(tmp_path: Path) -> None:
    heard = Heard()
    async with (
        service(tmp_path) as server,
        gateway(tmp_path) as address,
        Client(address, mode="legacy", message_handler=heard) as client,
    ):
        mine = tmp_path / "mine.toml"
        await answers(client, "filed", "/filed")
        # The first tool that is ever added: until now there was no such source, and no database.
        await run(tmp_path, "tools", "add", write(mine, server, "added", "Added.", "/one"))
        await answers(client, "added", "/one")
        await run(tmp_path, "tools", "edit", "added", "--file", write(mine, server, "added", "Changed.", "/two"))
        await answers(client, "added", "/two")

        said = await run(
            tmp_path, "tools", "edit", "added", "--file", write(mine, server, "added", "", "/{{x}}"), code=3
        )
        assert "mine.toml:2: description" in said
        assert "mine.toml:3: url" in said
        await answers(client, "added", "/two")

        await run(tmp_path, "tools", "remove", "added")
        async with asyncio.timeout(PATIENCE):
            while not (await client.call_tool("call_tool", {"name": "added", "arguments": {}})).is_error:
                await asyncio.sleep(0.05)
        await run(tmp_path, "tools", "restore", "added", "1")
        await answers(client, "added", "/one")

        # In the place of a file's tool, which is always visible: the client is told that its list changed.
        await client.list_tools()
        heard.news.clear()
        await run(
            tmp_path, "tools", "edit", "filed", "--file", write(mine, server, "filed", "In its place.", "/placed")
        )
        await answers(client, "filed", "/placed")
        await asyncio.wait_for(heard.news.wait(), PATIENCE)
        listed = {one.name: one.description for one in (await client.list_tools()).tools}
        assert listed["filed"] == "In its place."

        # The file changes meanwhile, and then breaks: what was added stands, and the file's last good is behind it.
        write(tmp_path / "shop.toml", server, "filed", "From a file, mended.", "/mended")
        await run(tmp_path, "tools", "remove", "filed")
        await answers(client, "filed", "/mended")
        (tmp_path / "shop.toml").write_text("name = ", "utf-8")
        await run(tmp_path, "tools", "add", write(mine, server, "last", "Last.", "/last"))
        await answers(client, "last", "/last")
        await answers(client, "filed", "/mended")
