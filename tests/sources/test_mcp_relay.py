from __future__ import annotations

from typing import Any

import pytest
from mcp import MCPError

from pegboard.errors import UpstreamError
from pegboard.sources.mcp.frames import OVER_LIMIT, UNREAD
from pegboard.sources.mcp.noise import hiding
from pegboard.sources.mcp.relay import error_of, meta_to_upstream, result_of

LINK = {"type": "resource_link", "uri": "box://7", "name": "plan", "size": 12, "vendor": {"a": [1]}}


def test_a_result_is_relayed_whole() -> None:
    raw = {
        "content": [{"type": "text", "text": "first"}, LINK, {"type": "holo", "data": "?"}],
        "structuredContent": {"ids": ["a"], "next": None},
        "isError": False,
        "_meta": {"k": 1},
        "futureMember": {"x": 1},
    }
    assert result_of("up", "t", raw).to_wire() == raw


def test_structured_content_may_be_any_json_value() -> None:
    values: list[Any] = [None, 0, [], "text", False]
    for value in values:
        assert result_of("up", "t", {"content": [], "structuredContent": value}).structured == value


def test_no_content_is_no_error() -> None:
    assert result_of("up", "t", {"content": None, "structuredContent": {}}).to_wire()["content"] == []


def test_keys_of_the_connections_do_not_cross() -> None:
    sent = meta_to_upstream(
        {
            "progressToken": 0,
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {},
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/logLevel": "debug",
            "traceparent": "00-1-2-03",
            "com.example/x": 5,
        }
    )
    assert sent == {"traceparent": "00-1-2-03", "com.example/x": 5}
    raw = {"content": [], "resultType": "complete", "_meta": {"io.modelcontextprotocol/serverInfo": {}, "mine": 1}}
    result = result_of("up", "t", raw)
    assert (result.meta, result.extra) == ({"mine": 1}, {})


@pytest.mark.parametrize(
    "raw",
    [{"content": "text"}, {"content": ["text"]}, {"resultType": "task"}, {"content": [], "_meta": [1]}],
)
def test_what_is_no_tool_result_is_an_error(raw: dict[str, Any]) -> None:
    with pytest.raises(UpstreamError, match="not a tool result"):
        result_of("up", "t", raw)


def test_a_question_that_cannot_be_answered_is_an_error_that_says_what_was_asked() -> None:
    raw = {"resultType": "input_required", "inputRequests": {"a": {"method": "elicitation/create", "params": {}}}}
    with pytest.raises(UpstreamError, match="elicitation/create"):
        result_of("up", "t", raw)


def test_an_upstreams_error_keeps_its_code_message_and_short_data() -> None:
    error = error_of("up", "t", MCPError(code=-32602, message="no such city", data={"city": "Xanadu"}))
    assert error.to_json()["error"] == {
        "code": "upstream_failed",
        "message": "Upstream 'up' answered with error -32602: no such city",
        "source": "up",
        "upstream_code": -32602,
        "upstream_data": {"city": "Xanadu"},
    }


def test_an_upstreams_error_is_kept_short() -> None:
    error = error_of("up", "t", MCPError(code=1, message="m" * 1_000_000, data="d" * 1_000_000))
    assert len(str(error.to_json())) < 10_000


def test_an_answer_that_could_not_be_read_is_told_from_an_error_of_the_upstream() -> None:
    error = error_of("up", "t", MCPError(code=-32603, message="it has 99 bytes", data=UNREAD))
    assert "could not be read: it has 99 bytes" in str(error)
    assert "upstream_code" not in error.data


def test_only_an_answer_that_was_too_long_is_to_be_asked_for_in_parts() -> None:
    too_long = error_of("up", "t", MCPError(code=-32603, message=f"{OVER_LIMIT} 99", data=UNREAD))
    broken = error_of("up", "t", MCPError(code=-32603, message="its JSON is broken", data=UNREAD))
    assert (too_long.hint, broken.hint) == ("Ask it for less at once.", "")


def test_a_secret_that_an_upstream_repeats_in_an_error_is_blotted_out() -> None:
    refused = MCPError(code=1, message="bad key s3cret-value", data={"key": "s3cret-value"})
    error = error_of("up", "t", refused, hiding(["s3cret-value"]))
    assert str(error) == "Upstream 'up' answered with error 1: bad key ***"
    assert "s3cret-value" not in str(error.to_json())
