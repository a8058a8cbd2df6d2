from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from pegboard import Context, Pegboard, ToolResult
from pegboard.errors import InvalidArgumentsError, UpstreamError
from pegboard.sources.mcp import StdioSpec, StdioUpstream
from tests.sources.servers import PATIENCE, page, running, scripted, tool, until

pytestmark = pytest.mark.anyio


async def test_start_returns_at_once_and_ready_when_the_tools_are_there(tmp_path: Path) -> None:
    server = scripted(tmp_path, {"pages": [page("a", "b")]})
    assert server.upstream.status().state == "idle"
    await server.upstream.start()
    try:
        assert server.upstream.status().state == "starting"
        assert "to start" in server.upstream.status().reason
        await server.upstream.ready()
        status = server.upstream.status()
        assert (status.name, status.kind, status.state, status.reason) == ("up", "mcp", "ready", "")
        assert (status.tools, status.starts, status.notes, status.problems) == (2, 1, (), ())
        assert [known.name for known in server.upstream.registry.tools()] == ["up__a", "up__b"]
    finally:
        await server.upstream.stop()
    assert server.upstream.status().state == "stopped"


async def test_all_pages_are_read_in_order_an_empty_one_is_not_the_end(tmp_path: Path) -> None:
    pages = [page("t2", "t1", nextCursor="1"), page(nextCursor="2"), page("t5", "t4", "t3", nextCursor="")]
    async with running(tmp_path, {"pages": pages}) as server:
        assert server.names() == ["t2", "t1", "t5", "t4", "t3"]
        assert server.notes() == ""


async def test_a_list_that_goes_round_in_circles_is_cut_with_a_note(tmp_path: Path) -> None:
    async with running(tmp_path, {"pages": [page("a", nextCursor="1"), page("b", nextCursor="1")]}) as server:
        assert server.names() == ["a", "b"]
        assert "repeats the page '1'" in server.notes()


async def test_a_result_is_relayed_whole_and_arguments_exactly(tmp_path: Path) -> None:
    result = {
        "content": [
            {"type": "resource_link", "uri": "box://7", "name": "plan", "size": 12, "vendor": True},
            {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
            {"type": "text", "text": "last", "annotations": {"audience": ["user"]}},
        ],
        "structuredContent": {"ids": ["a"], "next": None},
        "isError": True,
        "_meta": {"k": 1},
        "future": [1],
    }
    script = {"pages": [page("mix", "echo")], "calls": {"mix": {"result": result}, "echo": {"echo": True}}}
    async with running(tmp_path, script) as server:
        assert (await server.call("mix")).to_wire() == result
        given: dict[str, Any] = {"a": 2**53 + 1, "b": 1.0, "c": 0.1, "d": None, "e": [False, 0], "ü": "\u2028😀"}
        echoed = await server.call("echo", **given)
        assert json.dumps(echoed.structured) == json.dumps(given)
        [_, sent] = server.received("tools/call")
        assert json.dumps(sent["params"]) == json.dumps({"name": "echo", "arguments": given})


async def test_arguments_that_json_cannot_say_are_refused_and_the_connection_lives_on(tmp_path: Path) -> None:
    async with running(tmp_path, {"pages": [page("a")]}) as server:
        for value in (float("nan"), {1, 2}):
            with pytest.raises(InvalidArgumentsError, match="JSON"):
                await server.call("a", x=value)
        assert (await server.call("a")).text == "ok"


async def test_tracing_and_vendor_keys_reach_the_upstream_and_the_callers_own_do_not(tmp_path: Path) -> None:
    meta = {"progressToken": "theirs", "com.example/x": 5, "io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    async with running(tmp_path, {"pages": [page("a")]}) as server:
        await server.call("a", Context(tool="a", call_id="1", meta=meta))
        [sent] = server.received("tools/call")
        assert sent["params"]["_meta"] == {"com.example/x": 5}


async def test_progress_comes_in_order_and_before_the_result(tmp_path: Path) -> None:
    heard: list[Any] = []

    async def sink(progress: float, total: float | None, message: str | None) -> None:
        await asyncio.sleep(0.01 if progress == 1 else 0)
        heard.append((progress, total, message))

    async with running(tmp_path, {"pages": [page("slow")], "calls": {"slow": {"progress": 3}}}) as server:
        await server.call("slow", Context(tool="slow", call_id="1", on_progress=sink))
        assert heard == [(1.0, 3.0, "step 0"), (2.0, 3.0, "step 1"), (3.0, 3.0, "step 2")]
        await server.call("slow")
        assert "progressToken" in server.received("tools/call")[0]["params"]["_meta"]
        assert "_meta" not in server.received("tools/call")[1]["params"]


async def test_calls_run_side_by_side_and_each_gets_its_own_answer(tmp_path: Path) -> None:
    script = {"pages": [page("wait")], "calls": {"wait": {"delay": "s", "echo": True}}}
    async with running(tmp_path, script) as server:
        calls = [server.call("wait", s=(20 - i) * 0.02, i=i) for i in range(20)]
        for i, result in enumerate(await asyncio.gather(*calls)):
            assert result.structured["i"] == i


async def test_a_cancelled_call_is_cancelled_upstream_and_the_others_go_on(tmp_path: Path) -> None:
    script = {"pages": [page("wait")], "calls": {"wait": {"delay": "s", "echo": True}}}
    async with running(tmp_path, script) as server:
        calls = [asyncio.create_task(server.call("wait", s=0.5, i=i)) for i in range(9)]
        await until(lambda: len(server.received("tools/call")) == 9)
        for cancelled in calls[::3]:
            cancelled.cancel()
        results = await asyncio.gather(*calls, return_exceptions=True)
        for i, result in enumerate(results):
            if i % 3 == 0:
                assert isinstance(result, asyncio.CancelledError)
            else:
                assert isinstance(result, ToolResult)
                assert result.structured["i"] == i
        ids = {sent["params"]["arguments"]["i"]: sent["id"] for sent in server.received("tools/call")}
        await until(lambda: len(server.received("notifications/cancelled")) == 3)
        told = [sent["params"]["requestId"] for sent in server.received("notifications/cancelled")]
        assert sorted(told) == sorted(ids[i] for i in (0, 3, 6))


async def test_a_call_that_runs_out_of_time_is_cancelled_upstream(tmp_path: Path) -> None:
    script = {"pages": [page("stuck", "quick")], "calls": {"stuck": {"hang": True}}}
    server = scripted(tmp_path, script, call_timeout=0.3)
    async with Pegboard(sources=[server.upstream]) as peg:
        await peg.ready(PATIENCE)
        board = await peg.open()
        result = await board.call("up__stuck", {})
        assert isinstance(result, ToolResult)
        assert result.is_error
        assert "timeout" in str(result.structured)
        await until(lambda: server.received("notifications/cancelled"))
        fine = await board.call("up__quick", {})
        assert isinstance(fine, ToolResult)
        assert fine.text == "ok"


async def test_an_error_of_the_upstream_is_one_that_the_model_can_read(tmp_path: Path) -> None:
    script = {"pages": [page("a")], "calls": {"a": {"error": {"code": -32000, "message": "quota used up"}}}}
    async with running(tmp_path, script) as server:
        with pytest.raises(UpstreamError, match="'up' answered with error -32000: quota used up"):
            await server.call("a")


async def test_a_changed_list_is_read_again_and_told_once(tmp_path: Path) -> None:
    then = {"pages": [page("grow", "new")], "notify": 30, "every": 0.01}
    script = {"pages": [page("grow")], "calls": {"grow": {"then": then}}}
    async with running(tmp_path, script) as server:
        changes: list[int] = []
        server.upstream.registry.on_change(lambda: changes.append(1))
        await server.call("grow")
        await until(lambda: server.names() == ["grow", "new"])
        await asyncio.sleep(0.3)
        assert len(changes) == 1
        assert len(server.received("tools/list")) <= 10


async def test_a_change_that_is_announced_before_the_first_answer_is_seen(tmp_path: Path) -> None:
    early: list[dict[str, Any]] = [{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}] * 2
    early += [{"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "up"}}]
    early += [{"jsonrpc": "2.0", "id": 1, "method": "roots/list"}]
    async with running(tmp_path, {"early": early, "pages": [page("a")]}) as server:
        assert server.names() == ["a"]
        assert (await server.call("a")).text == "ok"


async def test_a_list_that_is_said_to_have_changed_but_has_not_changes_nothing(tmp_path: Path) -> None:
    script = {"pages": [page("a")], "calls": {"a": {"then": {"pages": [page("a")], "notify": 1}}}}
    async with running(tmp_path, script) as server:
        version = server.upstream.registry.version
        await server.call("a")
        await until(lambda: len(server.received("tools/list")) == 2)
        await asyncio.sleep(0.1)
        assert server.upstream.registry.version == version


async def test_a_server_without_tools_is_ready(tmp_path: Path) -> None:
    async with running(tmp_path, {}) as server:
        assert (server.upstream.status().state, server.names()) == ("ready", [])


async def test_one_bad_tool_is_set_aside_and_named_in_the_status(tmp_path: Path) -> None:
    pages = [{"tools": [tool("good"), tool("bad", inputSchema={"type": "string"}), tool("x" * 70)]}]
    async with running(tmp_path, {"pages": pages}) as server:
        assert server.names() == ["good", "x" * 70]
        [problem] = server.upstream.status().problems
        assert problem.name == "bad"
        assert (await server.call("good")).text == "ok"


async def test_two_upstreams_may_have_a_tool_of_one_name(tmp_path: Path) -> None:
    def says(word: str) -> dict[str, Any]:
        result = {"content": [{"type": "text", "text": f"I am {word}"}]}
        return {"pages": [page("status")], "calls": {"status": {"result": result}}}

    east = scripted(tmp_path, says("east"), name="east")
    west = scripted(tmp_path, says("west"), name="west")
    async with Pegboard(sources=[east.upstream, west.upstream]) as peg:
        assert await peg.ready(PATIENCE) == ()
        board = await peg.open()
        for word in ("east", "west"):
            result = await board.call(f"{word}__status", {})
            assert isinstance(result, ToolResult)
            assert result.text == f"I am {word}"


async def test_each_upstream_has_the_environment_that_was_given_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEG_TEST_SECRET", "top")
    monkeypatch.setenv("PEG_TEST_WANTED", "yes")
    script = {"env": ["PATH", "HOME", "MY_KEY", "PEG_TEST_SECRET", "PEG_TEST_WANTED"]}
    async with (
        running(tmp_path, script, name="u", env={"MY_KEY": "k"}, inherit_env=["PEG_TEST_WANTED"]) as u,
        running(tmp_path, script, name="v") as v,
    ):
        first, second = u.read()[0]["env"], v.read()[0]["env"]
    assert first["PATH"] == second["PATH"] != None  # noqa: E711
    assert (first["MY_KEY"], first["PEG_TEST_WANTED"], first["PEG_TEST_SECRET"]) == ("k", "yes", None)
    assert (second["MY_KEY"], second["PEG_TEST_WANTED"], second["PEG_TEST_SECRET"]) == (None, None, None)


async def test_a_lazy_upstream_is_started_by_the_first_call_when_its_tools_are_known(tmp_path: Path) -> None:
    server = scripted(tmp_path, {"pages": [page("a", "b")]}, lazy=True)
    server.upstream.publish([tool("a")])
    try:
        await server.upstream.start()
        await server.upstream.ready()
        assert (server.upstream.status().state, server.names(), server.read()) == ("idle", ["a"], [])
        assert (await server.call("a")).text == "ok"
        assert server.names() == ["a", "b"]
    finally:
        await server.upstream.stop()


async def test_a_lazy_upstream_whose_tools_are_unknown_is_started_by_whoever_waits_for_them(tmp_path: Path) -> None:
    server = scripted(tmp_path, {"pages": [page("a")]}, lazy=True)
    try:
        await server.upstream.start()
        assert server.upstream.status().state == "idle"
        await server.upstream.ready()
        assert server.names() == ["a"]
    finally:
        await server.upstream.stop()


async def test_a_stopped_upstream_fails_its_open_calls_and_refuses_new_ones(tmp_path: Path) -> None:
    async with running(tmp_path, {"pages": [page("a")], "calls": {"a": {"hang": True}}}) as server:
        open_call = asyncio.create_task(server.call("a"))
        await until(lambda: server.received("tools/call"))
        await server.upstream.stop()
        with pytest.raises(UpstreamError, match="broke off during the call of 'a': it was stopped"):
            await open_call
        with pytest.raises(UpstreamError, match="Upstream 'up' is stopped"):
            await server.call("a")
        await server.upstream.ready()
        assert server.upstream.status().state == "stopped"
        await server.upstream.stop()


async def test_a_stopped_upstream_can_be_started_again(tmp_path: Path) -> None:
    async with running(tmp_path, {"pages": [page("a")]}) as server:
        await server.upstream.stop()
        await server.upstream.start()
        await server.upstream.ready()
        assert server.upstream.status().state == "ready"
        assert (await server.call("a")).text == "ok"
        assert len(server.pids()) == 2


async def test_an_upstream_left_without_stop_ends_its_process(tmp_path: Path, root: Path) -> None:
    code = f"""
import asyncio
from pathlib import Path
from tests.sources.servers import page, scripted
async def main():
    server = scripted(Path({str(tmp_path)!r}), {{"pages": [page("a")]}})
    await server.upstream.start()
    await server.upstream.ready()
    print(server.pids()[0])
asyncio.run(main())
"""
    pipe = asyncio.subprocess.PIPE
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-W", "error", "-c", code, stdout=pipe, stderr=pipe, cwd=root
    )
    out, err = await asyncio.wait_for(program.communicate(), PATIENCE)
    assert err == b""
    await until(lambda: not Path(f"/proc/{int(out)}").exists())


async def test_the_sdk_is_not_loaded_before_an_upstream_starts(root: Path) -> None:
    code = (
        "import sys; from pegboard.sources.mcp import StdioSpec, StdioUpstream;"
        "StdioUpstream(StdioSpec(name='a', command='b')).publish([]); print('mcp' in sys.modules)"
    )
    program = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE, cwd=root)
    out, _ = await asyncio.wait_for(program.communicate(), PATIENCE)
    assert out == b"False\n"


async def test_a_spec_may_name_an_upstream_as_it_pleases(tmp_path: Path) -> None:
    async with running(tmp_path, {"pages": [page("a")]}, name="Notes @ home", prefix=None) as server:
        assert [known.name for known in server.upstream.registry.tools()] == ["Notes_home__a"]
        assert isinstance(server.upstream, StdioUpstream)
        assert isinstance(server.upstream.spec, StdioSpec)
