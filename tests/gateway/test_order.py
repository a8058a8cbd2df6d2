"""A boundary is made after the answer has left, and never costs the answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest

from pegboard import MemoryPinStore, Pegboard
from pegboard.errors import StoreError
from pegboard.gateway import Gateway, http_app
from pegboard.gateway.exchange import Exchange
from pegboard.pins import PinRecord
from tests.gateway.pipe import LIST_CHANGED, piped
from tests.gateway.served import Marks, registered
from tests.gateway.test_http import ACCEPT, CLIENT, rpc

pytestmark = pytest.mark.anyio


class Store(MemoryPinStore):
    """A store that counts what it saves, and can be away."""

    def __init__(self) -> None:
        super().__init__()
        self.saves = 0
        self.away = False

    async def save(self, board_id: str, record: PinRecord) -> bool:
        """Save, unless away."""
        self.saves += 1
        if self.away:
            raise StoreError("The store is away.")
        return await super().save(board_id, record)


class Exchanged:
    """One HTTP request to an ASGI application, whose response leaves only when it may. Lives as long as the request."""

    def __init__(self, app: Any, body: dict[str, Any], session: str = "") -> None:
        headers = {**ACCEPT, "host": "127.0.0.1:1", **({"mcp-session-id": session} if session else {})}
        self.scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "path": "/mcp",
            "raw_path": b"/mcp",
            "root_path": "",
            "scheme": "http",
            "query_string": b"",
            "headers": [(key.lower().encode(), value.encode()) for key, value in headers.items()],
            "client": ("127.0.0.1", 2),
            "server": ("127.0.0.1", 1),
        }
        self.app = app
        self.body = json.dumps(body).encode()
        self.may_leave = asyncio.Event()
        self.answered = asyncio.Event()
        self.headers: dict[str, str] = {}
        self.text = ""

    async def run(self) -> None:
        """Make the request, wait for the whole response."""
        await self.app(self.scope, self.receive, self.send)

    async def receive(self) -> dict[str, Any]:
        """The request's body, once; then nothing."""
        if self.body:
            body, self.body = self.body, b""
            return {"type": "http.request", "body": body, "more_body": False}
        await asyncio.sleep(600)
        return {"type": "http.disconnect"}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Take a part of the response, when it may leave."""
        if message["type"] == "http.response.start":
            self.headers = {key.decode(): value.decode() for key, value in message["headers"]}
        elif b"result" in message.get("body", b""):
            self.answered.set()
            await self.may_leave.wait()
            self.text += message["body"].decode()


async def test_over_http_the_boundary_waits_for_the_answer_to_leave(tmp_path: Path) -> None:
    store = Store()
    app = http_app(Gateway(Pegboard([registered(Marks(tmp_path))]), session_store=store))
    async with app.router.lifespan_context(app):
        begin = Exchanged(app, rpc("initialize", CLIENT))
        begin.may_leave.set()
        await begin.run()
        session = begin.headers["mcp-session-id"]
        loading = rpc("tools/call", {"name": "load_tool", "arguments": {"name": "echo"}}, 2)
        load = Exchanged(app, loading, session)
        running = asyncio.create_task(load.run())
        await asyncio.wait_for(load.answered.wait(), 30)
        await asyncio.sleep(0.3)
        assert store.saves == 0
        load.may_leave.set()
        await running
        async with asyncio.timeout(30):
            while not store.saves:
                await asyncio.sleep(0.02)
        assert '"queued"' in load.text


async def test_over_http_a_client_that_is_quicker_makes_the_boundary_itself(tmp_path: Path) -> None:
    app = http_app(Gateway(Pegboard([registered(Marks(tmp_path))])))
    async with app.router.lifespan_context(app):
        begin = Exchanged(app, rpc("initialize", CLIENT))
        begin.may_leave.set()
        await begin.run()
        session = begin.headers["mcp-session-id"]
        loading = rpc("tools/call", {"name": "load_tool", "arguments": {"name": "echo"}}, 2)
        load = Exchanged(app, loading, session)
        running = asyncio.create_task(load.run())
        await asyncio.wait_for(load.answered.wait(), 30)
        listing = Exchanged(app, rpc("tools/list", id_=3), session)
        listing.may_leave.set()
        await asyncio.wait_for(listing.run(), 30)
        assert '"name":"echo"' in listing.text
        load.may_leave.set()
        await running


async def test_a_store_that_is_away_costs_no_answer_and_no_pin(tmp_path: Path) -> None:
    store = Store()
    async with piped(tmp_path, store=store) as pipe:
        await pipe.handshake()
        before = await pipe.names()
        store.away = True
        assert not (await pipe.call("load_tool", {"name": "echo"}))["isError"]
        assert await pipe.names() == before
        assert not pipe.heard(LIST_CHANGED)
        store.away = False
        assert await pipe.names() == [*before, "echo"]
        await pipe.notified(LIST_CHANGED)


async def test_a_session_never_uses_the_store_that_keeps_boards_for_later(tmp_path: Path) -> None:
    store = Store()
    store.away = True
    app = http_app(Gateway(Pegboard([registered(Marks(tmp_path))], store=store)))
    async with app.router.lifespan_context(app):
        begin = Exchanged(app, rpc("initialize", CLIENT))
        begin.may_leave.set()
        await begin.run()
        session = begin.headers["mcp-session-id"]
        for number, message in enumerate(
            [rpc("tools/call", {"name": "load_tool", "arguments": {"name": "echo"}}, 2), rpc("tools/list", id_=3)]
        ):
            asked = Exchanged(app, message, session)
            asked.may_leave.set()
            await asked.run()
            assert not number or '"name":"echo"' in asked.text
    assert store.saves == 0


async def test_a_session_that_ends_leaves_nothing_in_the_store(tmp_path: Path) -> None:
    store = Store()
    async with piped(tmp_path, store=store) as pipe:
        await pipe.handshake()
        await pipe.call("load_tool", {"name": "echo"})
        await pipe.names()
        assert store._records
    assert not store._records


def test_what_is_to_be_done_after_an_exchange_is_done_once() -> None:
    done: list[str] = []
    exchange = Exchange()
    exchange.after(lambda: done.append("before"))
    assert not done
    exchange.end()
    exchange.end()
    exchange.after(lambda: done.append("after"))
    assert done == ["before", "after"]
