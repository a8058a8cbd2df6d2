"""Standard input and output: what goes over them, and how serving begins and ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from pegboard.gateway import GatewaySettings
from tests.gateway.pipe import HERE, environment, piped, process

pytestmark = pytest.mark.anyio


async def test_nothing_but_messages_reaches_the_client_however_a_tool_prints(tmp_path: Path) -> None:
    async with process(tmp_path) as pipe:
        await pipe.handshake()
        told = await pipe.call("chatty")
        assert told["content"][0]["text"] == "done, and read ''"
        assert await pipe.names()
        pipe.outgoing.close()
        rest, errors = await pipe.process.communicate()
        assert rest == b""
        for way in ("by print", "by sys.stdout", "by os.write", "by a C library", "by a child", "EOFError"):
            assert way in errors.decode()


@pytest.mark.parametrize(
    ("line", "code", "id_"),
    [
        (b"not json", -32700, None),
        (b'{"jsonrpc":"2.0","id":1', -32700, None),
        (b"\xff\xfe", -32700, None),
        (b"[" * 100_000, -32700, None),
        (b'[{"jsonrpc":"2.0","id":7,"method":"ping"}]', -32600, None),
        (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, 7),
        (b'{"id":"seven","method":"ping"}', -32600, "seven"),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
        (b'"text"', -32600, None),
        (rb'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"cut \ud83d"}}', -32700, 7),
        (rb'{"jsonrpc":"2.0","id":"cut \ud83d","method":"ping"}', -32700, None),
    ],
)
async def test_a_line_that_is_no_message_is_answered_and_the_next_one_served(
    tmp_path: Path, line: bytes, code: int, id_: object
) -> None:
    async with piped(tmp_path) as pipe:
        pipe.write(line + b"\n")
        refused = await pipe.hear()
        assert refused["error"]["code"] == code
        assert refused["id"] == id_
        await pipe.handshake()
        pipe.write(line + b"\n")
        assert (await pipe.hear())["error"]["code"] == code
        assert await pipe.names()


async def test_blank_lines_line_ends_of_windows_and_a_byte_order_mark_do_no_harm(tmp_path: Path) -> None:
    async with piped(tmp_path) as pipe:
        request = pipe.request("ping")
        pipe.write(b"\xef\xbb\xbf" + json.dumps(request).encode() + b"\r\n\r\n  \n\n")
        assert (await pipe.hear())["result"] == {}


async def test_a_refused_line_does_not_end_the_call_that_has_its_id(tmp_path: Path) -> None:
    async with piped(tmp_path) as pipe:
        await pipe.handshake()
        request = pipe.calling("load_tool", {"name": "echo"})
        broken = json.dumps({"jsonrpc": "1.0", "id": request["id"], "method": "ping"})
        pipe.write(broken.encode() + b"\n" + json.dumps(request).encode() + b"\n")
        assert "error" in await pipe.hear()
        assert "result" in await pipe.hear()
        assert (await pipe.names())[-1] == "echo"


async def test_ten_megabytes_on_one_line_arrive(tmp_path: Path) -> None:
    text = "x" * (10 * 2**20)
    async with piped(tmp_path) as pipe:
        await pipe.handshake()
        pipe.send(pipe.calling("echo", {"text": text}))
        told = (await pipe.hear())["result"]
        assert "Shortened" in told["content"][-1]["text"]
        assert await pipe.names()


async def test_a_line_that_is_too_long_is_refused_and_the_next_one_served(tmp_path: Path) -> None:
    async with piped(tmp_path, settings=GatewaySettings(max_message=10_000)) as pipe:
        await pipe.handshake()
        request = pipe.calling("echo", {"text": "x" * 300_000})
        pipe.send(request)
        refused = await pipe.hear()
        assert (refused["error"]["code"], refused["id"]) == (-32600, request["id"])
        pipe.send({"jsonrpc": "2.0", "method": "notifications/x", "params": {"text": "x" * 300_000}})
        assert (await pipe.hear())["id"] is None
        assert "10000 bytes" in pipe.seen[-1]["error"]["message"]
        assert (await pipe.call("echo", {"text": "x" * 5_000}))["structuredContent"]


async def test_the_server_ends_when_its_input_does(tmp_path: Path) -> None:
    async with process(tmp_path, SOURCES="never") as pipe:
        await pipe.handshake()
        pipe.outgoing.close()
        assert await pipe.ended() == 0
        assert pipe.marks.seen("stopped-never")
        assert pipe.marks.seen("ended")
        assert "Traceback" not in await pipe.errors()


async def test_requests_from_a_file_are_answered_before_the_end(tmp_path: Path) -> None:
    requests = tmp_path / "requests.jsonl"
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "file", "version": "1"}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": "nap"}} for n in range(2, 30)),
    ]
    requests.write_text("\n".join(map(json.dumps, lines)))
    with requests.open("rb") as file:
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, str(HERE / "served.py"), "stdio", str(tmp_path)),
            stdin=file,
            stdout=PIPE,
            stderr=PIPE,
            env=environment(),
        )
        out, errors = await child.communicate()
    assert child.returncode == 0, errors
    assert {json.loads(line)["id"] for line in out.splitlines()} == set(range(1, 30))
    assert not [line for line in out.splitlines() if "error" in json.loads(line)]


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_the_server_and_its_sources(tmp_path: Path, sent: signal.Signals) -> None:
    async with process(tmp_path, SOURCES="never") as pipe:
        await pipe.handshake()
        pipe.send(pipe.calling("hang"))
        await pipe.marked("hanging")
        pipe.process.send_signal(sent)
        assert await pipe.ended() == 0
        assert pipe.marks.seen("cancelled")
        assert pipe.marks.seen("stopped-never")
        assert "Traceback" not in await pipe.errors()


async def test_a_client_that_is_gone_is_no_error(tmp_path: Path) -> None:
    ours, theirs = os.pipe()
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, str(HERE / "served.py"), "stdio", str(tmp_path)),
        stdin=PIPE,
        stdout=theirs,
        stderr=PIPE,
        env=environment(),
    )
    os.close(theirs)
    os.close(ours)
    assert child.stdin is not None
    child.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    assert await asyncio.wait_for(child.wait(), 30) == 0
    assert child.stderr is not None
    assert b"Traceback" not in await child.stderr.read()


async def test_without_standard_output_the_server_says_so(tmp_path: Path) -> None:
    child = await asyncio.create_subprocess_exec(
        *("sh", "-c", 'exec "$@" >&-', "sh", sys.executable, str(HERE / "served.py"), "stdio", str(tmp_path)),
        stdin=PIPE,
        stderr=PIPE,
        env=environment(),
    )
    _, errors = await child.communicate()
    assert b"ConfigError: There is no standard input or output" in errors
