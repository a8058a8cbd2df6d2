"""Arguments that models write for call_tool."""

from __future__ import annotations

from typing import Any

import pytest

from pegboard.errors import InvalidArgumentsError
from pegboard.unwrapping import unwrap

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}}
WITH_ARGUMENTS = {"type": "object", "properties": {"arguments": {"type": "object"}}}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ({"arguments": {"q": "x"}}, {"q": "x"}),
        ({"arguments": '{"q": "x"}'}, {"q": "x"}),
        ({"arguments": {"arguments": {"q": "x"}}}, {"q": "x"}),
        ({"arguments": {"arguments": '{"q": "x"}'}}, {"q": "x"}),
        ({"q": "x"}, {"q": "x"}),
        ({"arguments": {}, "q": "x"}, {"q": "x"}),
        ({"arguments": None, "q": "x"}, {"q": "x"}),
        ({}, {}),
        ({"arguments": None}, {}),
        ({"arguments": " "}, {}),
    ],
)
def test_the_arguments_are_understood(written: dict[str, Any], meant: dict[str, Any]) -> None:
    assert unwrap({"name": "t", **written}, SCHEMA) == meant


def test_a_tool_that_has_a_parameter_named_arguments_gets_it() -> None:
    assert unwrap({"name": "t", "arguments": {"arguments": {"q": "x"}}}, WITH_ARGUMENTS) == {"arguments": {"q": "x"}}


@pytest.mark.parametrize("written", ["not json", "[1]", 7, ["q"]])
def test_what_cannot_be_understood_is_passed_on_for_the_check_to_refuse(written: object) -> None:
    assert unwrap({"name": "t", "arguments": written}, SCHEMA) == written


def test_arguments_inside_and_beside_are_refused() -> None:
    with pytest.raises(InvalidArgumentsError, match="limit"):
        unwrap({"name": "t", "arguments": {"q": "x"}, "limit": 3}, SCHEMA)
