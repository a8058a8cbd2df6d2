"""Streamable HTTP: sessions of their own, guards, and how serving begins and ends."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.types import ToolListChangedNotification

from pegboard import MemoryPinStore, Pegboard
from pegboard.errors import ConfigError
from pegboard.gateway import Gateway, GatewaySettings, serve_http
from pegboard.gateway.http import http_app, listen_on
from tests.gateway.pipe import HERE, MODERN, environment
from tests.gateway.served import Marks, served

pytestmark = pytest.mark.anyio

ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


@asynccontextmanager
async def serving(peg: Pegboard, settings: GatewaySettings | None = None) -> AsyncIterator[str]:
    """A gateway over HTTP in this process; its address."""
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(serve_http(peg, settings, port=0, on_listening=address.set_result))
    task.add_done_callback(lambda _: address.done() or address.cancel())
    try:
        yield await address
    finally:
        task.cancel()
        await asyncio.wait([task])


def rpc(method: str, params: Mapping[str, Any] | None = None, id_: int = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params or {}}


def modern(method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What a raw modern request is made of."""
    name = {"Mcp-Name": str(params["name"])} if params and "name" in params else {}
    return {
        "headers": {**ACCEPT, "MCP-Protocol-Version": MODERN, "Mcp-Method": method, **name},
        "json": rpc(method, {**(params or {}), "_meta": ENVELOPE}),
    }


async def session_id(http: httpx2.AsyncClient, address: str) -> str:
    """Begin a session by hand."""
    begun = await http.post(address, headers=ACCEPT, json=rpc("initialize", CLIENT))
    begun.raise_for_status()
    session = begun.headers["mcp-session-id"]
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    await http.post(address, headers={**ACCEPT, "Mcp-Session-Id": session}, json=note)
    return str(session)


class Heard:
    """Counts the notifications of changed lists that a client gets."""

    def __init__(self) -> None:
        self.count = 0
        self.news = asyncio.Event()

    async def __call__(self, message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            self.count += 1
            self.news.set()


async def names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


async def test_both_eras_are_served_at_one_address(tmp_path: Path) -> None:
    async with serving(served(tmp_path)) as address:
        for mode, revision in (("legacy", "2025-11-25"), ("auto", MODERN), (MODERN, MODERN)):
            async with Client(address, mode=mode) as client:
                told = await client.call_tool("echo", {"text": "x"})
                assert told.structured_content["client"]["revision"] == revision
                assert ("load_tool" in await names(client)) is (mode == "legacy")


async def test_the_pins_of_one_client_are_seen_by_it_alone(tmp_path: Path) -> None:
    async with serving(served(tmp_path)) as address:
        heard_a, heard_b = Heard(), Heard()
        async with (
            Client(address, mode="legacy", message_handler=heard_a) as a,
            Client(address, mode="legacy", message_handler=heard_b) as b,
            Client(address, mode="auto") as c,
        ):
            before = [await names(client) for client in (a, b, c)]
            await a.call_tool("load_tool", {"name": "echo"})
            assert await names(a) == [*before[0], "echo"]
            await asyncio.wait_for(heard_a.news.wait(), 30)
            await b.call_tool("load_tool", {"name": "steps"})
            assert [await names(client) for client in (a, b, c)] == [
                [*before[0], "echo"],
                [*before[1], "steps"],
                before[2],
            ]
            await asyncio.wait_for(heard_b.news.wait(), 30)
            assert (heard_a.count, heard_b.count) == (1, 1)


async def test_the_answer_has_left_before_the_client_is_told(tmp_path: Path) -> None:
    async with serving(served(tmp_path)) as address, httpx2.AsyncClient(timeout=30) as http:
        headers = {**ACCEPT, "Mcp-Session-Id": await session_id(http, address)}
        async with http.stream("GET", address, headers=headers) as stream:
            loading = rpc("tools/call", {"name": "load_tool", "arguments": {"name": "echo"}}, 2)
            answer = await http.post(address, headers=headers, json=loading)
            assert '"queued"' in answer.text
            assert "list_changed" not in answer.text
            async for line in stream.aiter_lines():
                if line.startswith("data:"):
                    assert json.loads(line[5:])["method"] == "notifications/tools/list_changed"
                    break


async def test_a_change_of_the_catalog_reaches_clients_of_both_eras(tmp_path: Path) -> None:
    async with serving(served(tmp_path)) as address:
        heard = Heard()
        async with Client(address, mode="legacy", message_handler=heard) as old, Client(address, mode="auto") as new:
            await names(old)
            async with new.listen(tools_list_changed=True) as changes:
                await old.call_tool("grow", {"count": 10, "always": True})
                async with asyncio.timeout(30):
                    async for _ in changes:
                        break
            await asyncio.wait_for(heard.news.wait(), 30)
            assert "grown_x_9" in await names(old)
            assert heard.count == 1


async def test_a_session_that_is_ended_is_forgotten_with_its_board(tmp_path: Path) -> None:
    store = MemoryPinStore()
    app = http_app(Gateway(served(tmp_path), session_store=store))
    address = "http://127.0.0.1:1/mcp"
    async with app.router.lifespan_context(app), httpx2.AsyncClient(transport=httpx2.ASGITransport(app)) as http:
        headers = {**ACCEPT, "Mcp-Session-Id": await session_id(http, address)}
        loading = rpc("tools/call", {"name": "load_tool", "arguments": {"name": "echo"}}, 2)
        await http.post(address, headers=headers, json=loading)
        await http.post(address, headers=headers, json=rpc("tools/list", id_=3))
        assert len(store._records) == 1
        assert (await http.delete(address, headers=headers)).status_code == 200
        assert (await http.post(address, headers=headers, json=rpc("tools/list", id_=4))).status_code == 404
        async with asyncio.timeout(30):
            while store._records:
                await asyncio.sleep(0.02)


async def test_a_session_that_is_idle_is_ended(tmp_path: Path) -> None:
    settings = GatewaySettings(session_idle=1)
    async with serving(served(tmp_path), settings) as address, httpx2.AsyncClient(timeout=30) as http:
        headers = {**ACCEPT, "Mcp-Session-Id": await session_id(http, address)}
        await asyncio.sleep(1.5)
        assert (await http.post(address, headers=headers, json=rpc("tools/list"))).status_code == 404


async def test_there_are_at_most_so_many_sessions(tmp_path: Path) -> None:
    settings = GatewaySettings(max_sessions=2)
    async with serving(served(tmp_path), settings) as address, httpx2.AsyncClient(timeout=30) as http:
        for _ in range(2):
            await session_id(http, address)
        refused = await http.post(address, headers=ACCEPT, json=rpc("initialize", CLIENT))
        assert refused.status_code == 503


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:8000"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://localhost.evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:6274"}, 200),
        ({"Origin": "http://localhost:1@evil.example"}, 403),
        ({"Host": "localhost:1@evil.example"}, 421),
        ({"Host": "localhost"}, 200),
        ({}, 200),
    ],
)
async def test_requests_of_foreign_pages_and_for_foreign_hosts_are_refused(
    tmp_path: Path, headers: dict[str, str], status: int
) -> None:
    async with serving(served(tmp_path)) as address, httpx2.AsyncClient(timeout=30) as http:
        old = await http.post(address, headers={**ACCEPT, **headers}, json=rpc("initialize", CLIENT))
        asked = modern("tools/list")
        asked["headers"].update(headers)
        new = await http.post(address, **asked)
        assert (old.status_code, new.status_code) == (status, status)


async def test_a_request_that_is_too_large_is_refused(tmp_path: Path) -> None:
    settings = GatewaySettings(max_message=10_000)
    async with serving(served(tmp_path), settings) as address, httpx2.AsyncClient(timeout=30) as http:
        asked = modern("tools/call", {"name": "echo", "arguments": {"text": "x" * 20_000}})
        assert (await http.post(address, **asked)).status_code == 413


async def test_the_clients_headers_reach_no_tool(tmp_path: Path) -> None:
    async with serving(served(tmp_path)) as address, httpx2.AsyncClient(timeout=30) as http:
        asked = modern("tools/call", {"name": "echo", "arguments": {}})
        asked["headers"]["Authorization"] = "Bearer s3cr3t"
        asked["headers"]["Cookie"] = "id=s3cr3t"
        told = await http.post(address, **asked)
        assert told.status_code == 200
        assert "s3cr3t" not in told.text


async def test_a_modern_client_that_closes_its_request_cancels_the_call(tmp_path: Path) -> None:
    marks = Marks(tmp_path)
    async with serving(served(tmp_path)) as address, httpx2.AsyncClient(timeout=30) as http:
        call = asyncio.create_task(http.post(address, **modern("tools/call", {"name": "hang", "arguments": {}})))
        await until(marks, "hanging")
        call.cancel()
        await until(marks, "cancelled")


async def test_a_handshake_client_cancels_by_message_and_not_by_leaving(tmp_path: Path) -> None:
    marks = Marks(tmp_path)
    async with serving(served(tmp_path)) as address, httpx2.AsyncClient(timeout=30) as http:
        headers = {**ACCEPT, "Mcp-Session-Id": await session_id(http, address)}
        call = asyncio.create_task(http.post(address, headers=headers, json=rpc("tools/call", {"name": "hang"}, 5)))
        await until(marks, "hanging")
        call.cancel()
        await http.post(address, headers=headers, json=rpc("tools/list", id_=6))
        assert not marks.seen("cancelled")
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}
        await http.post(address, headers=headers, json=cancel)
        await until(marks, "cancelled")


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.0.1", "::", "example.com", ""])
def test_other_hosts_than_loopback_are_refused(host: str) -> None:
    with pytest.raises(ConfigError, match="without sign-in"):
        listen_on(host, 0)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_loopback_is_served_under_the_name_it_was_given(tmp_path: Path, host: str) -> None:
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(serve_http(served(tmp_path), None, host, 0, on_listening=address.set_result))
    async with httpx2.AsyncClient(timeout=30) as http:
        assert (await http.post(await address, **modern("tools/list"))).status_code == 200
    task.cancel()
    await asyncio.wait([task])


async def test_a_port_in_use_is_said_with_the_fix(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"Port {port} on 127.0.0.1.*choose another port"):
            await serve_http(served(tmp_path), port=port)
    with pytest.raises(ConfigError, match="no port 70000"):
        listen_on("127.0.0.1", 70_000)


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_the_server_with_streams_open(tmp_path: Path, sent: signal.Signals) -> None:
    marks = Marks(tmp_path)
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, str(HERE / "served.py"), "http", str(tmp_path)),
        stderr=PIPE,
        env=environment(SOURCES="never"),
    )
    assert child.stderr is not None
    address = (await child.stderr.readline()).decode().split()[-1]
    async with httpx2.AsyncClient(timeout=30) as http:
        headers = {**ACCEPT, "Mcp-Session-Id": await session_id(http, address)}
        listen = modern("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
        async with (
            http.stream("GET", address, headers=headers),
            http.stream("POST", address, **listen) as stream,
        ):
            lines = stream.aiter_lines()
            assert await anext(lines)
            child.send_signal(sent)
            assert "resultType" in "".join([line async for line in lines])
        assert await asyncio.wait_for(child.wait(), 30) == 0
    assert marks.seen("stopped-never")
    assert marks.seen("ended")
    assert b"Traceback" not in await child.stderr.read()


async def until(marks: Marks, name: str) -> None:
    """Wait until a tool has left this mark."""
    async with asyncio.timeout(30):
        while not marks.seen(name):
            await asyncio.sleep(0.02)
