from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
import typer
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from pegboard.cli.serve import http_address
from tests.cli.conftest import PATIENCE, client_file, command, page, process

META = {"find_tools", "get_tool", "call_tool"}


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("8000", (None, 8000)),
        ("0", (None, 0)),
        ("localhost:80", ("localhost", 80)),
        ("127.0.0.1:65535", ("127.0.0.1", 65535)),
        ("[::1]:8000", ("::1", 8000)),
    ],
)
def test_an_address_is_a_port_with_or_without_a_host(text: str, address: tuple[str | None, int]) -> None:
    assert http_address(text) == address


@pytest.mark.parametrize("text", ["", ":80", "web", "host:", "65536", "-1", "host:8_0", "８０", "::1:80"])
def test_what_is_no_address_is_refused_by_name(text: str) -> None:
    with pytest.raises(typer.BadParameter) as caught:
        http_address(text)
    assert caught.value.param_hint == "--http"


def gateway(*words: str) -> StdioServerParameters:
    arguments = ["-W", "error", "-m", "pegboard", "serve", *words]
    return StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ), cwd=Path.cwd())


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_client_reaches_tools_that_its_list_does_not_show(shop: Path, mode: str) -> None:
    with anyio.fail_after(PATIENCE), (shop / "stderr.txt").open("w") as stderr:
        async with Client(stdio_client(gateway(), errlog=stderr), mode=mode) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert names >= META
            assert "track" not in names
            result = await client.call_tool("call_tool", {"name": "track", "arguments": {"order": "7"}})
            assert result.structured_content == {"order": "7", "where": "on its way"}


@pytest.mark.anyio
async def test_servers_of_a_clients_own_file_are_served_and_end_with_it(here: Path) -> None:
    file = client_file(here, files=page("read"))
    with anyio.fail_after(PATIENCE), (here / "stderr.txt").open("w") as stderr:
        async with Client(stdio_client(gateway("--from", str(file)), errlog=stderr), mode="legacy") as client:
            result = await client.call_tool("files__read", {})
            assert result.content[0].model_dump()["text"] == "ok"


@pytest.mark.anyio
async def test_a_tool_that_is_added_to_a_file_is_served_without_a_restart(shop: Path) -> None:
    with anyio.fail_after(PATIENCE), (shop / "stderr.txt").open("w") as stderr:
        async with Client(stdio_client(gateway(), errlog=stderr), mode="legacy") as client:
            await client.call_tool("track", {"order": "7"})
            with (shop / "tools.py").open("a", encoding="utf-8") as file:
                file.write('\n@tool\ndef added() -> str:\n    """New."""\n    return "here"\n')
            while (await client.call_tool("added", {})).is_error:
                await anyio.sleep(0.1)


def test_over_http_the_address_is_told_and_answers(shop: Path) -> None:
    async def ask(address: str) -> set[str]:
        with anyio.fail_after(PATIENCE):
            async with Client(address, mode="2026-07-28") as client:
                return {tool.name for tool in (await client.list_tools()).tools}

    with subprocess.Popen(command("serve", "--http", "0"), stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        found = None
        while found is None:
            line = running.stderr.readline()
            assert line, "the gateway ended before it told its address"
            found = re.search(r"http://127\.0\.0\.1:\d+/mcp", line)
        assert anyio.run(ask, found.group()) >= META
        running.send_signal(signal.SIGTERM)
        assert running.wait(PATIENCE) == 0


def test_a_host_that_is_not_loopback_is_refused(shop: Path) -> None:
    done = process("serve", "--http", "0.0.0.0:8000")
    assert (done.returncode, done.stdout) == (3, "")
    assert "0.0.0.0" in done.stderr


def test_without_a_configuration_nothing_goes_to_stdout(here: Path) -> None:
    done = process("serve", stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (3, "")
    assert "There is no configuration" in done.stderr


def test_the_log_goes_where_it_is_told(shop: Path) -> None:
    with (shop / "pegboard.toml").open("a", encoding="utf-8") as file:
        file.write("[limits]\npage = 0\n")
    done = process("serve", "--log-file", "gateway.log", stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (0, "")
    assert "limits.page" in (shop / "gateway.log").read_text("utf-8")
    assert "limits.page" not in done.stderr
    assert "limits.page" in process("serve", stdin=subprocess.DEVNULL).stderr
