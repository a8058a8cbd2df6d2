"""Calls through the gateway: results, progress, cancellation."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.pipe import Pipe, piped

pytestmark = pytest.mark.anyio

ERAS = pytest.mark.parametrize("era", ["handshake", "modern"])

PICTURE = {"type": "image", "data": "aGk=", "mimeType": "image/png", "annotations": {"audience": ["user"], "x-a": 1}}
LINK = {"type": "resource_link", "uri": "file:///a b", "name": "a", "x-vendor": [None]}


async def begun(pipe: Pipe, era: str) -> None:
    if era == "modern":
        pipe.modern()
    else:
        await pipe.handshake()


@ERAS
async def test_a_result_is_relayed_whole(tmp_path: Path, era: str) -> None:
    async with piped(tmp_path) as pipe:
        await begun(pipe, era)
        told = {
            "content": [PICTURE, LINK],
            "structuredContent": {"a": None, "deep": [None, {"b": None}]},
            "_meta": {"com.example/trace": {"x": None}},
            "vendor": {"y": 1},
        }
        result = await pipe.call("result", told)
        for key, value in told.items():
            if key == "_meta":
                assert result["_meta"]["com.example/trace"] == {"x": None}
            else:
                assert result[key] == value
        assert result["isError"] is False


async def test_structured_content_that_is_no_object_is_kept_where_the_revision_can(tmp_path: Path) -> None:
    async with piped(tmp_path) as pipe:
        pipe.modern()
        assert (await pipe.call("result", {"structuredContent": [1, 2]}))["structuredContent"] == [1, 2]
    async with piped(tmp_path) as pipe:
        await pipe.handshake()
        result = await pipe.call("result", {"structuredContent": [1, 2], "_meta": {"com.example/x": 1}})
        assert result["content"] == [{"type": "text", "text": "[1, 2]"}]
        assert result["_meta"] == {"com.example/x": 1}
        assert "structuredContent" not in result


@ERAS
async def test_a_block_that_the_revision_does_not_know_becomes_text(tmp_path: Path, era: str) -> None:
    async with piped(tmp_path) as pipe:
        await begun(pipe, era)
        result = await pipe.call("result", {"content": [PICTURE, {"type": "hologram", "light": 1}]})
        assert result["content"][0] == PICTURE
        assert result["content"][1]["type"] == "text"
        assert '{"type": "hologram", "light": 1}' in result["content"][1]["text"]


@ERAS
async def test_what_is_not_json_is_replaced(tmp_path: Path, era: str) -> None:
    async with piped(tmp_path) as pipe:
        await begun(pipe, era)
        result = await pipe.call("strange")
        assert result["content"][0]["text"] == "half �"
        assert result["structuredContent"] == {"n": None, "�": 1}


@ERAS
async def test_a_halt_is_said_in_the_meta_of_the_result(tmp_path: Path, era: str) -> None:
    async with piped(tmp_path) as pipe:
        await begun(pipe, era)
        result = await pipe.call("stop_here")
        assert result["structuredContent"] == {"sent": True}
        assert result["_meta"]["dev.pegboard/halt"] == {"say": "Sent."}


@ERAS
async def test_a_failed_call_is_a_result_that_tells_no_secret(tmp_path: Path, era: str) -> None:
    async with piped(tmp_path) as pipe:
        await begun(pipe, era)
        result = await pipe.call("fail")
        assert result["isError"]
        assert "hunter2" not in str(pipe.seen)
        missing = await pipe.call("no_such_tool")
        assert missing["isError"]
        assert missing["structuredContent"]["error"]["code"] == "not_found"


@ERAS
async def test_a_handler_knows_the_vendors_meta_and_what_the_client_can_do(tmp_path: Path, era: str) -> None:
    async with piped(tmp_path) as pipe:
        if era == "modern":
            pipe.modern()
            pipe.envelope["io.modelcontextprotocol/clientCapabilities"] = {"elicitation": {}}
        else:
            await pipe.handshake(capabilities={"elicitation": {}})
        result = await pipe.call("echo", None, **{"progressToken": "t", "com.example/x": 5, "traceparent": "00-1"})
        seen = result["structuredContent"]
        assert seen["meta"] == {"com.example/x": 5, "traceparent": "00-1"}
        assert seen["client"]["revision"] == ("2026-07-28" if era == "modern" else "2025-11-25")
        assert "elicitation" in seen["client"]["capabilities"]


@ERAS
@pytest.mark.parametrize("token", ["tok-1", 0, 7])
async def test_progress_comes_under_the_clients_token_before_the_answer(tmp_path: Path, era: str, token: Any) -> None:
    async with piped(tmp_path) as pipe:
        await begun(pipe, era)
        before = len(pipe.seen)
        await pipe.call("steps", None, progressToken=token)
        notes, answer = pipe.seen[before:-1], pipe.seen[-1]
        assert [note["params"] for note in notes] == [
            {"progressToken": token, "progress": step, "total": 3, "message": f"step {step}"} for step in (1, 2, 3)
        ]
        assert answer["result"]["content"][0]["text"] == "done"


@ERAS
async def test_a_client_without_a_token_gets_no_progress(tmp_path: Path, era: str) -> None:
    async with piped(tmp_path) as pipe:
        await begun(pipe, era)
        await pipe.call("steps")
        assert not pipe.heard("notifications/progress")


@ERAS
async def test_progress_of_a_tool_that_is_called_through_call_tool_comes_too(tmp_path: Path, era: str) -> None:
    async with piped(tmp_path) as pipe:
        await begun(pipe, era)
        await pipe.call("call_tool", {"name": "steps"}, progressToken="t")
        assert pipe.heard("notifications/progress") == 3


@ERAS
async def test_a_cancel_stops_the_call_that_it_names_and_no_other(tmp_path: Path, era: str) -> None:
    async with piped(tmp_path) as pipe:
        await begun(pipe, era)
        hang, other = pipe.calling("hang"), pipe.calling("echo", {"text": "x"})
        pipe.send(hang)
        await pipe.marked("hanging")
        cancels = [
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": rid}}
            for rid in (999, hang["id"])
        ]
        pipe.send(cancels[0])
        pipe.send(other, cancels[1])
        assert (await pipe.answer(other))["result"]["structuredContent"]["arguments"] == {"text": "x"}
        await pipe.marked("cancelled")
        await pipe.call("echo")
        assert hang["id"] not in [message.get("id") for message in pipe.seen]


@ERAS
async def test_many_calls_at_once_get_their_own_answers(tmp_path: Path, era: str) -> None:
    async with piped(tmp_path) as pipe:
        await begun(pipe, era)
        calls = [pipe.calling("echo", {"text": str(number)}) for number in range(100)]
        pipe.send(*calls)
        waiting = {call["id"]: call["params"]["arguments"] for call in calls}
        while waiting:
            answer = await pipe.hear()
            assert answer["result"]["structuredContent"]["arguments"] == waiting.pop(answer["id"])


async def test_a_slow_call_does_not_hold_up_the_others(tmp_path: Path) -> None:
    async with piped(tmp_path) as pipe:
        await pipe.handshake()
        pipe.send(pipe.calling("hang"))
        await pipe.marked("hanging")
        assert await asyncio.wait_for(pipe.names(), 20)
        assert (await pipe.call("load_tool", {"name": "echo"}))["structuredContent"]["queued"] == "echo"
        assert (await pipe.names())[-1] == "echo"
