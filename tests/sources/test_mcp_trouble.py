"""What goes wrong with upstreams, with real processes: nothing hangs, nothing spreads, everything is told."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from pegboard import Pegboard, ToolResult
from pegboard.errors import UpstreamError
from pegboard.sources.mcp import StdioSpec, StdioUpstream
from tests.sources.servers import PATIENCE, page, running, scripted, tool, until

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="the programs and signals are those of POSIX"),
]


async def failure(command: str, *args: str, **spec: Any) -> str:
    """Why an upstream with this command is not ready."""
    upstream = StdioUpstream(StdioSpec(name="up", command=command, args=args, **spec))
    try:
        await upstream.start()
        async with asyncio.timeout(PATIENCE):
            await upstream.ready()
        assert upstream.status().state == "failed"
        with pytest.raises(UpstreamError, match="Upstream 'up'"):
            await upstream.call("anything", {}, None)  # type: ignore[arg-type]
        return upstream.status().reason
    finally:
        await upstream.stop()


@pytest.mark.parametrize(
    ("command", "args", "reason"),
    [
        ("/no/such/program", (), "command '/no/such/program' does not exist"),
        ("no-such-program", (), "command 'no-such-program' was not found on PATH"),
        ("/", (), "command '/' is a folder"),
        ("false", (), "did not answer 'initialize': it ended with exit code 1"),
        ("true", (), "did not answer 'initialize': it ended with exit code 0"),
        ("sh", ("-c", "echo no licence >&2; exit 3"), "exit code 3. Its last words: no licence."),
        ("sh", ("-c", "kill -9 $$"), "it was ended by signal 9"),
        ("sh", ("-c", "head -c 1000000 /dev/urandom; exit 1"), "ended with exit code 1"),
        ("sh", ("-c", 'echo; printf \'{"jsonrpc":"2.0","id":1,\''), "ended with exit code 0"),
    ],
)
async def test_a_server_that_does_not_start_says_why(command: str, args: tuple[str, ...], reason: str) -> None:
    assert reason in await failure(command, *args)


async def test_a_server_that_never_answers_is_given_up_and_ended() -> None:
    reason = await failure("sleep", "600", start_timeout=0.3)
    assert "Upstream 'up' did not answer 'initialize' within 0.3 s" in reason
    assert "Next try" not in reason  # a process that ends tries nothing again


async def test_a_value_of_the_spec_is_not_shown_in_a_reason() -> None:
    reason = await failure("sh", "-c", "echo bad key $KEY >&2; exit 1", env={"KEY": "s3cret-value"})
    assert "bad key ***" in reason


async def test_an_inherited_value_with_a_telling_name_is_not_shown_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "s3cret-value")
    monkeypatch.setenv("SOME_FOLDER", "plain-value")
    say = "echo bad $SOME_TOKEN in $SOME_FOLDER >&2; exit 1"
    assert "bad *** in plain-value" in await failure("sh", "-c", say, inherit_env=["SOME_TOKEN", "SOME_FOLDER"])


async def test_a_value_of_the_spec_that_an_answer_repeats_is_not_shown(tmp_path: Path) -> None:
    env = {"KEY": "s3cret-value"}
    async with running(tmp_path, {"version": "s3cret-value"}, name="odd", env=env) as server:
        assert "from the server: ***" in server.upstream.status().reason
    script = {"pages": [page("a")], "calls": {"a": {"error": {"code": 1, "message": "bad key s3cret-value"}}}}
    async with running(tmp_path, script, env=env) as server:
        with pytest.raises(UpstreamError, match=r"error 1: bad key \*\*\*"):
            await server.call("a")


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ({"quit_at": "tools/list", "quit_code": 9}, "did not answer 'tools/list': it ended with exit code 9"),
        ({"silent_at": "tools/list"}, "did not answer 'tools/list' within 1 s"),
        ({"version": "1999-01-01"}, "speaks another protocol"),
        ({"version": 5}, "did not answer 'initialize' as MCP asks: protocolVersion"),
        (
            {"pages": [{"tools": "none"}]},
            "Upstream 'up' did not answer 'tools/list' as MCP asks: the answer holds no list",
        ),
        ({"pages": [page("a", nextCursor="7")]}, "did not answer 'tools/list'"),
    ],
)
async def test_a_server_that_breaks_off_its_start_says_where(
    tmp_path: Path, script: dict[str, Any], reason: str
) -> None:
    async with running(tmp_path, script, start_timeout=1.0) as server:
        assert reason in server.upstream.status().reason
        assert server.upstream.status().state == "failed"


async def test_a_server_that_quits_at_once_is_started_again_and_a_call_says_when(tmp_path: Path) -> None:
    async with running(tmp_path, {"quit_at": "start"}) as server:
        await until(lambda: len(server.pids()) == 3)
        assert server.upstream.status().starts == 3
        with pytest.raises(UpstreamError, match=r"exit code 1.*Next try in \d s"):
            await server.call("anything")
        assert len(server.pids()) == 3


async def test_broken_upstreams_neither_delay_the_others_nor_hide_their_tools(tmp_path: Path) -> None:
    good = scripted(tmp_path, {"pages": [page("hello")]}, name="good")
    broken = [
        StdioUpstream(StdioSpec(name="absent", command="/no/such/program")),
        StdioUpstream(StdioSpec(name="silent", command="sleep", args=["600"])),
        StdioUpstream(StdioSpec(name="quits", command="false")),
    ]
    async with Pegboard(sources=[*broken, good.upstream]) as peg:
        assert await peg.ready(PATIENCE, sources=[source for source in peg.sources if source.name != "silent"]) == ()
        assert await peg.ready(0) == ("silent",)
        board = await peg.open()
        result = await board.call("good__hello", {})
        assert isinstance(result, ToolResult)
        assert result.text == "ok"
        told = {source["name"]: source for source in peg.status()["sources"]}
        assert [told[name]["state"] for name in ("absent", "silent", "quits")] == ["failed", "starting", "failed"]
        assert all(told[name]["reason"] for name in ("absent", "silent", "quits"))


async def test_a_call_fails_at_once_when_its_server_dies_and_the_next_one_starts_it_again(tmp_path: Path) -> None:
    script = {
        "pages": [page("crash", "alive", "hang")],
        "calls": {"crash": {"stderr": ["out of memory"], "quit": 3}, "hang": {"hang": True}},
    }
    async with running(tmp_path, script) as server:
        hanging = asyncio.create_task(server.call("hang"))
        await until(lambda: server.received("tools/call"))
        with pytest.raises(UpstreamError) as caught:
            await server.call("crash")
        assert str(caught.value) == (
            "Upstream 'up' broke off during the call of 'crash': it ended with exit code 3. "
            "Its last words: out of memory."
        )
        with pytest.raises(UpstreamError, match="exit code 3"):
            await hanging
        assert server.names() == ["crash", "alive", "hang"]
        assert (await server.call("alive")).text == "ok"
        assert len(server.pids()) == 2


async def test_a_server_that_dies_between_calls_is_started_again_without_a_call(tmp_path: Path) -> None:
    async with running(tmp_path, {"pages": [page("a")]}) as server:
        os.kill(server.pids()[0], signal.SIGKILL)
        await until(lambda: len(server.pids()) == 2 and server.upstream.status().state == "ready")
        assert (await server.call("a")).text == "ok"


async def test_half_an_answer_and_the_end_fail_the_call_with_the_exit_code(tmp_path: Path) -> None:
    async with running(tmp_path, {"pages": [page("a")], "calls": {"a": {"half": 5}}}) as server:
        with pytest.raises(UpstreamError, match="ended with exit code 5"):
            await server.call("a")


async def test_many_calls_after_a_death_start_the_server_once(tmp_path: Path) -> None:
    script = {"pages": [page("crash", "alive")], "calls": {"crash": {"quit": 3}}}
    async with running(tmp_path, script) as server:
        with pytest.raises(UpstreamError):
            await server.call("crash")
        results = await asyncio.gather(*(server.call("alive") for _ in range(10)))
        assert [result.text for result in results] == ["ok"] * 10
        assert len(server.pids()) == 2


async def test_chatter_on_stdout_is_skipped_and_noted_once(tmp_path: Path) -> None:
    before = ["\x1b[1mready\x1b[0m", "", "{not json", "[1,2]", '{"level":"info"}', "\xff\xfe\x00binary"]
    script = {"before": before, "pages": [page("a")], "calls": {"a": {"says": ["working...", "done"]}}}
    async with running(tmp_path, script, name="noisy") as server:
        assert (await server.call("a")).text == "ok"
        [note] = server.upstream.status().notes
        assert note.startswith("noisy: 7 lines on stdout that are not protocol (first: ")
        assert "ready" in note
        assert "\x1b" not in note


@pytest.mark.parametrize("id_last", [False, True])
async def test_a_line_over_the_limit_fails_its_call_at_once_and_the_connection_lives_on(
    tmp_path: Path, id_last: bool
) -> None:
    huge = {"bytes": 60_000_000, "id_last": id_last}
    script = {
        "pages": [page("big", "huge", "small", "wait")],
        "calls": {"big": {"bytes": 400_000}, "huge": huge, "wait": {"delay": "s"}},
    }
    async with running(tmp_path, script) as server:
        waiting = asyncio.create_task(server.call("wait", s=3))
        assert len((await server.call("big")).text) == 400_000
        with pytest.raises(UpstreamError, match=r"could not be read: it has 60,000,\d+ bytes and the limit"):
            await server.call("huge")
        assert (await server.call("small")).text == "ok"
        assert (await waiting).text == "ok"
        assert "over max_line and skipped" in server.notes()
        assert len(server.pids()) == 1


async def test_the_limit_of_a_line_can_be_set_and_the_line_is_not_kept(tmp_path: Path) -> None:
    script = {"pages": [page("huge", "small")], "calls": {"huge": {"bytes": 30_000_000}}}
    async with running(tmp_path, script, max_line=1_000_000) as server:
        await server.call("small")
        tracemalloc.start()
        try:
            with pytest.raises(UpstreamError, match="limit \\(max_line\\) is 1,000,000"):
                await server.call("huge")
            assert tracemalloc.get_traced_memory()[1] < 8_000_000
        finally:
            tracemalloc.stop()


async def test_a_long_line_just_under_the_limit_is_read_whole(tmp_path: Path) -> None:
    script = {"pages": [page("big")], "calls": {"big": {"bytes": 20_000_000, "id_last": True}}}
    async with running(tmp_path, script) as server:
        assert len((await server.call("big")).text) == 20_000_000


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ('{"jsonrpc":"2.0","id":$id,"result":{"content":[}}', "JSON is broken"),
        ('{"jsonrpc":"2.0","id":$id,"result":"text"}', "not an object"),
        ('{"jsonrpc":"2.0","id":$id,"result":{"content":"text"}}', "not a tool result"),
        ('{"jsonrpc":"2.0","id":$id,"error":"broken"}', "error -32603: broken"),
        ('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}', "error -32700: parse error"),
    ],
)
async def test_an_answer_that_cannot_be_used_fails_its_call_at_once(tmp_path: Path, line: str, match: str) -> None:
    script = {"pages": [page("bad", "good")], "calls": {"bad": {"line": line}}}
    async with running(tmp_path, script) as server:
        with pytest.raises(UpstreamError, match=match):
            await server.call("bad")
        assert (await server.call("good")).text == "ok"


async def test_an_answer_with_bytes_that_are_no_utf8_is_read_and_noted(tmp_path: Path) -> None:
    line = '{"jsonrpc":"2.0","id":$id,"result":{"content":[{"type":"text","text":"caf\xe9 \\ud83d"}]}}\r'
    async with running(tmp_path, {"pages": [page("a")], "calls": {"a": {"line": line}}}) as server:
        assert (await server.call("a")).text == "caf\ufffd \ufffd"
        assert "not UTF-8" in server.notes()


async def test_an_answer_that_comes_too_late_or_for_nobody_is_dropped(tmp_path: Path) -> None:
    script = {
        "pages": [page("late", "stray")],
        "calls": {"late": {"delay": 0.4}, "stray": {"says": ['{"jsonrpc":"2.0","id":9999,"result":{}}']}},
    }
    async with running(tmp_path, script) as server:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await server.call("late")
        await asyncio.sleep(0.5)
        assert (await server.call("stray")).text == "ok"
        assert server.notes() == ""


async def test_a_changed_list_that_cannot_be_read_leaves_the_tools_as_they_were(tmp_path: Path) -> None:
    script = {"pages": [page("a")], "calls": {"a": {"then": {"pages": [{"tools": None}], "notify": 1}}}}
    async with running(tmp_path, script) as server:
        await server.call("a")
        await until(lambda: len(server.received("tools/list")) == 2)
        await asyncio.sleep(0.1)
        assert server.names() == ["a"]
        assert (await server.call("a")).text == "ok"
        assert "could not be read" in server.notes()


async def test_a_flood_of_messages_makes_the_server_wait_and_loses_nothing(tmp_path: Path) -> None:
    line = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"' + "x" * 1_000 + '"}}'
    script = {"pages": [page("flood")], "calls": {"flood": {"says": [line] * 8_000}}}
    async with running(tmp_path, script) as server:
        assert (await server.call("flood")).text == "ok"


async def test_a_server_that_reads_no_more_does_not_hold_up_a_caller_that_gives_up(tmp_path: Path) -> None:
    code = (
        "import json, sys, time\n"
        "def answer(result): print(json.dumps({'jsonrpc': '2.0', 'id': read['id'], 'result': result}), flush=True)\n"
        "for line in sys.stdin:\n"
        "    read = json.loads(line)\n"
        "    if read['method'] == 'initialize':\n"
        "        about = {'name': 'deaf', 'version': '0'}\n"
        "        answer({'protocolVersion': '2025-06-18', 'capabilities': {}, 'serverInfo': about})\n"
        "    if read['method'] == 'tools/list':\n"
        "        answer({'tools': [{'name': 'a', 'inputSchema': {'type': 'object'}}]})\n"
        "        time.sleep(600)\n"
    )
    upstream = StdioUpstream(StdioSpec(name="deaf", command=sys.executable, args=["-c", code]))
    async with Pegboard(sources=[upstream]) as peg:
        await peg.ready(PATIENCE)
        board = await peg.open()
        calls = [asyncio.create_task(board.call("deaf__a", {"text": "x" * 1_000_000})) for _ in range(20)]
        await asyncio.sleep(0.3)
        for call in calls:
            call.cancel()
        done, _ = await asyncio.wait(calls, timeout=PATIENCE)
        assert len(done) == 20
        connection = await upstream._keeper.connection()
        assert connection.link.process._pipe(0).get_write_buffer_size() < 3_000_000  # type: ignore[attr-defined]


async def test_what_a_tool_started_ends_with_the_upstream(tmp_path: Path) -> None:
    script = {"pages": [page("spawn")], "calls": {"spawn": {"spawn": 600}}}
    async with running(tmp_path, script) as server:
        child = int((await server.call("spawn")).text)
        assert Path(f"/proc/{child}").exists()
    await until(lambda: not Path(f"/proc/{child}").exists())


async def test_stopping_while_starting_leaves_no_process(tmp_path: Path) -> None:
    server = scripted(tmp_path, {"silent_at": "start"})
    await server.upstream.start()
    await until(server.pids)
    waiting = asyncio.create_task(server.upstream.ready())
    await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE):
        await server.upstream.stop()
        await waiting
    assert not Path(f"/proc/{server.pids()[0]}").exists()


async def test_a_server_that_has_said_nothing_yet_is_soon_asked_to_end(tmp_path: Path) -> None:
    told = tmp_path / "told"
    code = f"""
import os, pathlib, signal, sys, time
told = pathlib.Path({str(told)!r})
def asked(*_):
    told.write_text("asked")
    os._exit(0)
signal.signal(signal.SIGTERM, asked)
told.write_text("up")
sys.stdin.read()
time.sleep(1.5)
told.write_text("left by itself")
"""
    upstream = StdioUpstream(StdioSpec(name="up", command=sys.executable, args=["-c", code]))
    await upstream.start()
    await until(lambda: told.exists() and told.read_text() == "up")
    await upstream.stop()
    assert told.read_text() == "asked"


async def test_two_tools_of_one_name_are_told_apart_in_the_status(tmp_path: Path) -> None:
    pages = [{"tools": [tool("a"), tool("a", description="another")]}]
    async with running(tmp_path, {"pages": pages}) as server:
        [problem] = server.upstream.status().problems
        assert "came before it" in problem.reason
