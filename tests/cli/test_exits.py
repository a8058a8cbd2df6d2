from __future__ import annotations

import pytest

from pegboard.cli.exits import Exit, exit_for, exit_for_result
from pegboard.errors import (
    CallTimeoutError,
    ConfigError,
    CycleError,
    DeniedError,
    HandlerError,
    InvalidArgumentsError,
    NotFoundError,
    PegboardError,
    ToolError,
    UpstreamError,
)
from pegboard.tools import ToolResult, text_block

CALLS = [
    (NotFoundError("x"), Exit.NOTHING),
    (InvalidArgumentsError("x", ["a: wanted text, got 1"]), Exit.USAGE),
    (DeniedError("no"), Exit.REFUSED),
    (CallTimeoutError("slow", hint="Ask for less."), Exit.TIMEOUT),
    (UpstreamError("away"), Exit.AWAY),
    (HandlerError("broken", hint="See the log."), Exit.INTERNAL),
    (ToolError("I cannot"), Exit.FAILED),
    (CycleError("round"), Exit.FAILED),
]


@pytest.mark.parametrize(("error", "code"), CALLS, ids=lambda value: type(value).__name__)
def test_a_failed_call_has_the_code_of_what_ended_it(error: ToolError, code: Exit) -> None:
    assert exit_for_result(ToolResult.of_error(error)) == exit_for(error) == code


def test_a_call_that_went_well_is_ok() -> None:
    assert exit_for_result(ToolResult(content=(text_block("fine"),))) == Exit.OK


@pytest.mark.parametrize(
    "structured", [{"error": {"code": "not_found", "message": "other"}}, {"error": "not_found"}, {}, ["error"]]
)
def test_a_tool_whose_own_failure_looks_like_ours_has_failed(structured: object) -> None:
    result = ToolResult(content=(text_block("no such page"),), structured=structured, is_error=True)
    assert exit_for_result(result) == Exit.FAILED


def test_a_wrong_configuration_has_a_code_of_its_own() -> None:
    assert exit_for(ConfigError("wrong")) == Exit.CONFIG
    assert exit_for(PegboardError("?")) == Exit.FAILED
