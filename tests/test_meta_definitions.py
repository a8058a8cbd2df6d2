"""What models are shown of the meta-tools: the first bytes of every prompt, paid for by every client."""

from __future__ import annotations

import json
from math import inf
from typing import Any

import pytest

from pegboard import metatools
from pegboard.context import Context
from pegboard.metatools import META_TOOLS
from pegboard.tools import Approval, Visibility

TEXT = {"type": "string"}
NAME = {"type": "object", "properties": {"name": TEXT}, "required": ["name"], "additionalProperties": False}
SHOWN: dict[str, dict[str, Any]] = {
    "list_tools": {
        "type": "object",
        "properties": {
            "category": TEXT,
            "tag": TEXT,
            "visibility": {"enum": ["always", "on-demand"]},
            "cursor": TEXT,
        },
        "additionalProperties": False,
    },
    "find_tools": {
        "type": "object",
        "properties": {
            "query": TEXT,
            "limit": {"type": "integer"},
            "detail": {"enum": ["brief", "detailed", "full"]},
            "cursor": TEXT,
        },
        "required": ["query"],
        "additionalProperties": False,
    },
    "get_tool": NAME,
    "load_tool": NAME,
    "unload_tool": NAME,
    "explain_tool": NAME,
    "call_tool": {
        "type": "object",
        "properties": {"name": TEXT, "arguments": {"type": "object"}},
        "required": ["name"],
    },
    "tool_search": {
        "type": "object",
        "properties": {"query": TEXT},
        "required": ["query"],
        "additionalProperties": False,
    },
}
READS = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}
PINS = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}


def without_descriptions(schema: dict[str, Any]) -> dict[str, Any]:
    parameters = {
        name: {key: value for key, value in parameter.items() if key != "description"}
        for name, parameter in schema["properties"].items()
    }
    return {**schema, "properties": parameters}


def test_the_meta_tools_are_these() -> None:
    assert list(META_TOOLS) == list(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_models_are_shown_these_parameters_and_no_others(name: str) -> None:
    shown = META_TOOLS[name].shown
    assert json.dumps(without_descriptions(shown["inputSchema"])) == json.dumps(SHOWN[name])


@pytest.mark.parametrize("name", SHOWN)
def test_every_definition_says_in_a_sentence_what_it_does(name: str) -> None:
    described = META_TOOLS[name].shown["description"]
    assert described == getattr(metatools, name).__doc__
    assert described.endswith(".")
    assert len(described) < 150


def test_every_parameter_tells_what_it_is_for() -> None:
    for tool in META_TOOLS.values():
        for name, parameter in tool.input_schema["properties"].items():
            explained = "description" in parameter or "enum" in parameter
            assert explained or (tool.name, name) == ("call_tool", "arguments")


@pytest.mark.parametrize(
    ("name", "approval", "annotations"),
    [
        ("list_tools", Approval.READ, READS),
        ("find_tools", Approval.READ, READS),
        ("get_tool", Approval.READ, READS),
        ("explain_tool", Approval.READ, READS),
        ("load_tool", Approval.WRITE, PINS),
        ("unload_tool", Approval.WRITE, PINS),
        ("tool_search", Approval.WRITE, PINS),
        ("call_tool", Approval.READ, None),
    ],
)
def test_what_changes_pins_says_so_and_the_rest_only_reads(
    name: str, approval: Approval, annotations: dict[str, bool] | None
) -> None:
    tool = META_TOOLS[name]
    assert (tool.approval, tool.annotations) == (approval, annotations)
    assert tool.shown.get("annotations") == annotations


def test_meta_tools_are_always_visible_and_tell_where_they_come_from() -> None:
    for name, tool in META_TOOLS.items():
        assert (tool.name, tool.source, tool.category) == (name, "pegboard", "meta")
        assert tool.visibility is Visibility.ALWAYS


def test_call_tool_takes_text_for_the_object_that_it_asks_for_and_waits_as_long_as_the_tool_may() -> None:
    tool = META_TOOLS["call_tool"]
    assert tool.input_schema["properties"]["arguments"] == {"type": ["object", "string", "null"]}
    assert tool.timeout == inf
    assert {name for name, other in META_TOOLS.items() if other.timeout} == {"call_tool"}


@pytest.mark.anyio
async def test_a_meta_tool_needs_a_board() -> None:
    with pytest.raises(RuntimeError, match="meta-tools are called through a board"):
        await META_TOOLS["get_tool"].handler({"name": "x"}, Context(tool="get_tool", call_id="1"))
