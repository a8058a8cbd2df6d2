"""Sessions of the handshake era over HTTP: lost ones are begun anew, once, and only what was refused is sent again."""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pegboard.errors import UpstreamError
from pegboard.sources.mcp import pacing
from tests.net.loopback import Server
from tests.sources.servers import PATIENCE, page, until
from tests.sources.web_servers import Asked, asked, raw_server, reaching

pytestmark = pytest.mark.anyio

ERROR = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32001, "message": "no such session"}}
GONE = json.dumps(ERROR).encode()


class Forgetful:
    """A raw server that has sessions, and forgets them when told to. Lives inside one test."""

    def __init__(self, *tools: str, refusal: tuple[int, bytes] = (404, GONE)) -> None:
        self.tools = tools or ("t",)
        self.known: set[str] = set()
        self.numbers = itertools.count(1)
        self.refusal = refusal
        self.calls = 0

    async def answer(self, one: Asked) -> None:
        if one.method == "initialize":
            session = f"s{next(self.numbers)}"
            self.known.add(session)
            await one.as_usual(session=session)
        elif one.session not in self.known:
            await one.refuse(*self.refusal)
        else:
            self.calls += one.method == "tools/call"
            await self.in_session(one)

    async def in_session(self, one: Asked) -> None:
        await one.as_usual(*self.tools)


def count(server: Server, method: str) -> int:
    return asked(server).count(method)


@pytest.mark.parametrize("refusal", [(404, GONE), (404, b""), (400, b"Bad Request: No valid session ID provided")])
async def test_a_lost_session_is_begun_anew_and_the_call_sent_once_more(refusal: tuple[int, bytes]) -> None:
    state = Forgetful(refusal=refusal)
    async with raw_server(state.answer) as server, reaching(server.url("/mcp")) as used:
        state.known.clear()
        assert (await used.call("t")).text == "ok"
        assert (state.calls, count(server, "initialize"), count(server, "tools/call")) == (1, 2, 2)
        assert used.upstream.status().starts == 1


async def test_many_calls_that_lose_one_session_begin_one_other() -> None:
    state = Forgetful()
    async with raw_server(state.answer) as server, reaching(server.url("/mcp")) as used:
        state.known.clear()
        await asyncio.gather(*(used.call("t") for _ in range(20)))
        assert (state.calls, count(server, "initialize")) == (20, 2)


async def test_a_server_that_forgets_at_once_gets_no_loop() -> None:
    class Never(Forgetful):
        forgets = False

        async def answer(self, one: Asked) -> None:
            await super().answer(one)
            if self.forgets and one.method == "notifications/initialized":
                self.known.clear()

    state = Never()
    async with raw_server(state.answer) as server, reaching(server.url("/mcp")) as used:
        state.forgets = True
        state.known.clear()
        with pytest.raises(UpstreamError, match="ended its session again as soon as it had begun"):
            await used.call("t")
        assert (state.calls, count(server, "tools/call")) == (0, 2)


async def test_a_server_that_knows_nothing_any_more_is_told_and_left_in_peace() -> None:
    down = False

    async def answer(one: Asked) -> None:
        await (one.refuse(404, GONE) if down else one.as_usual())

    async with raw_server(answer) as server, reaching(server.url("/mcp")) as used:
        down = True
        with pytest.raises(
            UpstreamError, match="lost its session and began no other: it answered with error -32001: no such"
        ):
            await used.call("t")
        assert (count(server, "tools/call"), count(server, "initialize")) == (1, 2)
        await until(lambda: used.state == "failed")
        down = False
        await until(lambda: used.state == "ready")
        assert (await used.call("t")).text == "ok"


async def test_calls_that_are_being_answered_are_not_touched() -> None:
    held = asyncio.Event()

    class Slow(Forgetful):
        async def in_session(self, one: Asked) -> None:
            if one.method == "tools/call" and one.message["params"]["name"] == "slow":
                await held.wait()
            await super().in_session(one)

    state = Slow("slow", "t")
    async with raw_server(state.answer) as server, reaching(server.url("/mcp")) as used:
        slow = asyncio.create_task(used.call("slow"))
        await until(lambda: "tools/call" in asked(server))
        state.known.clear()
        assert (await used.call("t")).text == "ok"
        held.set()
        assert (await slow).text == "ok"
        assert count(server, "initialize") == 2


async def test_the_list_is_read_again_in_the_new_session() -> None:
    state = Forgetful("old")
    async with raw_server(state.answer) as server, reaching(server.url("/mcp")) as used:
        assert used.names() == ["old"]
        state.tools = ("new",)
        state.known.clear()
        await used.call("old")
        await until(lambda: used.names() == ["new"])
        assert count(server, "initialize") == 2


async def test_another_revision_after_a_restart_is_a_new_beginning() -> None:
    revision = "2025-11-25"

    class Older(Forgetful):
        async def answer(self, one: Asked) -> None:
            if one.method == "initialize":
                one.message["params"]["protocolVersion"] = revision
            await super().answer(one)

    state = Older()
    async with raw_server(state.answer) as server, reaching(server.url("/mcp")) as used:
        revision = "2025-06-18"
        state.known.clear()
        with pytest.raises(UpstreamError, match="speaks another revision of MCP now"):
            await used.call("t")
        await until(lambda: used.upstream.status().starts == 2 and used.state == "ready")
        assert (await used.call("t")).text == "ok"


async def test_a_404_of_a_tool_that_the_protocol_does_not_know_is_no_lost_session() -> None:
    class Unknown(Forgetful):
        async def in_session(self, one: Asked) -> None:
            if one.method == "tools/call":
                error = {"jsonrpc": "2.0", "id": one.message["id"], "error": {"code": -32601, "message": "what?"}}
                await one.refuse(404, json.dumps(error).encode())
            else:
                await super().in_session(one)

    state = Unknown()
    async with raw_server(state.answer) as server, reaching(server.url("/mcp")) as used:
        with pytest.raises(UpstreamError, match="answered with error -32601: what"):
            await used.call("t")
        assert count(server, "initialize") == 1


async def test_a_server_without_sessions_needs_none() -> None:
    async with raw_server(lambda one: one.as_usual(session="")) as server, reaching(server.url("/mcp")) as used:
        assert (await used.call("t")).text == "ok"
    assert "GET" not in asked(server)
    assert "DELETE" not in asked(server)


@pytest.mark.parametrize("status", [404, 405])
async def test_a_server_that_has_no_stream_of_news_is_asked_for_it_once(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pacing, "FIRST_PAUSE", 0.01)

    class Silent(Forgetful):
        async def in_session(self, one: Asked) -> None:
            await (one.refuse(status) if one.method == "GET" else super().in_session(one))

    async with raw_server(Silent().answer) as server, reaching(server.url("/mcp")) as used:
        await until(lambda: "GET" in asked(server))
        await asyncio.sleep(0.3)
        assert (await used.call("t")).text == "ok"
        assert (count(server, "GET"), count(server, "initialize")) == (1, 1)


async def test_the_stream_of_news_is_opened_again_and_what_was_missed_is_looked_for() -> None:
    class Telling(Forgetful):
        async def in_session(self, one: Asked) -> None:
            if one.method == "GET":
                await one.stream()
                one.leave()
            else:
                await super().in_session(one)

    state = Telling("old")
    async with raw_server(state.answer) as server, reaching(server.url("/mcp")) as used:
        await until(lambda: "GET" in asked(server))
        state.tools = ("new",)
        await until(lambda: used.names() == ["new"])
        assert count(server, "initialize") == 1


async def test_a_change_is_heard_on_the_stream_of_news() -> None:
    changed = asyncio.Event()

    class Telling(Forgetful):
        async def in_session(self, one: Asked) -> None:
            if one.method == "GET":
                await one.stream()
                await changed.wait()
                await one.say(b'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\r\n\r\n')
                await asyncio.sleep(600)
            else:
                await super().in_session(one)

    state = Telling("old")
    async with raw_server(state.answer) as server, reaching(server.url("/mcp")) as used:
        await until(lambda: "GET" in asked(server))
        state.tools = ("new",)
        changed.set()
        await until(lambda: used.names() == ["new"])


async def test_a_request_of_the_server_is_answered() -> None:
    answered: list[dict[str, Any]] = []

    class Pinging(Forgetful):
        async def in_session(self, one: Asked) -> None:
            if one.method == "tools/call":
                ping = b'{"jsonrpc":"2.0","id":"p1","method":"ping"}'
                answer = {"jsonrpc": "2.0", "id": one.message["id"], "result": page() | {"content": []}}
                await one.stream(ping)
                await until(lambda: answered)
                await one.say(b"data: " + json.dumps(answer).encode() + b"\n\n")
                await asyncio.sleep(600)
            elif "result" in one.message:
                answered.append(one.message)
                await one.exchange.reply(status=202)
            else:
                await super().in_session(one)

    state = Pinging()
    async with raw_server(state.answer) as server, reaching(server.url("/mcp")) as used:
        await used.call("t")
    assert answered == [{"jsonrpc": "2.0", "id": "p1", "result": {}}]


@pytest.fixture
def scripted(tmp_path: Path, root: Path) -> Iterator[tuple[str, Path]]:
    """The scripted server of the cases: its address and its log."""
    script, log = tmp_path / "up.json", tmp_path / "up.log"
    script.write_text(json.dumps({**page("far"), "calls": {"far": "from afar"}}))
    log.touch()
    port = free_port()
    program = root / "tests/data/cases/_harness/fake_http_upstream.py"
    with subprocess.Popen(
        [sys.executable, str(program), str(script), "--port", str(port), "--log", str(log)]
    ) as process:
        yield f"http://127.0.0.1:{port}", log
        process.kill()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def control(address: str, **order: Any) -> None:
    request = urllib.request.Request(f"{address}/_admin", json.dumps(order).encode())
    urllib.request.urlopen(request, timeout=PATIENCE).close()


async def test_the_scripted_server_of_the_cases_may_come_late_and_lose_everything(scripted: tuple[str, Path]) -> None:
    address, log = scripted
    async with reaching(f"{address}/mcp") as used:
        await until(lambda: used.state == "ready")
        assert (await used.call("far")).text == "from afar"
        await asyncio.to_thread(control, address, drop_sessions=True)
        assert (await used.call("far")).text == "from afar"
        methods = [json.loads(line)["method"] for line in log.read_text("utf-8").splitlines()]
        assert methods.count("initialize") == 2
