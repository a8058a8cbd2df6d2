"""Parameters as a flat list."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pegboard.schema.flat import flat_parameters


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "string"}, "string"),
        ({"type": "string", "format": "date-time"}, "string (date-time)"),
        ({"type": ["integer", "null"]}, "integer | null"),
        ({"anyOf": [{"type": "null"}, {"type": "integer"}]}, "integer | null"),
        ({"type": "array", "items": {"type": "string"}}, "array of string"),
        (
            {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
            "array of (string | integer)",
        ),
        ({"type": "array"}, "array"),
        ({"type": "array", "items": True}, "array"),
        ({"enum": ["asc", "desc"]}, "'asc' | 'desc'"),
        ({"enum": [1, None]}, "1 | null"),
        ({"const": "x"}, "'x'"),
        ({"$ref": "#/$defs/thing"}, "object"),
        ({"allOf": [{"$ref": "#/$defs/thing"}]}, "object"),
        ({"properties": {"x": {}}}, "object"),
        ({}, "any"),
        (True, "any"),
        (False, "nothing"),
        ({"$ref": "#/$defs/ring"}, "any"),
        ({"$ref": "https://example.com"}, "any"),
    ],
)
def test_a_type_is_told_in_words(schema: Any, text: str) -> None:
    defs = {"thing": obj(), "ring": {"$ref": "#/$defs/ring"}}
    (parameter,) = flat_parameters(obj(a=schema) | {"$defs": defs})
    assert parameter == {"name": "a", "type": text, "required": False, "description": ""}


def test_a_long_enum_is_shortened_with_its_count() -> None:
    (parameter,) = flat_parameters(obj(a={"enum": [f"v{n}" for n in range(53)]}))
    assert parameter["type"] == "one of 'v0', 'v1', 'v2', 'v3', 'v4', 'v5', ... (53)"


def test_the_order_of_the_schema_is_kept_and_required_and_described_are_told() -> None:
    schema = obj(b={"type": "string", "description": "Two\n  lines."}, a={"$ref": "#/$defs/a"}) | {
        "required": ["a"],
        "$defs": {"a": {"type": "integer", "description": "From the definition."}},
    }
    assert flat_parameters(schema) == [
        {"name": "b", "type": "string", "required": False, "description": "Two lines."},
        {"name": "a", "type": "integer", "required": True, "description": "From the definition."},
    ]


def test_arguments_named_in_branches_are_listed_as_optional() -> None:
    schema = obj(a={"type": "string"}) | {
        "allOf": [obj(b={"type": "integer"}) | {"required": ["b"]}],
        "anyOf": [obj(c={"type": "boolean"}) | {"required": ["c"]}, {"required": ["a"]}],
    }
    assert [(each["name"], each["required"]) for each in flat_parameters(schema)] == [
        ("a", False),
        ("b", True),
        ("c", False),
    ]


def test_a_tree_has_an_end() -> None:
    node = {"type": "array", "items": {"$ref": "#/$defs/node"}}
    (parameter,) = flat_parameters(obj(a={"$ref": "#/$defs/node"}) | {"$defs": {"node": node}})
    assert parameter["type"].startswith("array of array of")


@pytest.mark.parametrize("schema", [{}, {"properties": None}, {"properties": []}, {"type": "object", "required": 5}])
def test_a_schema_without_properties_has_none(schema: dict[str, Any]) -> None:
    assert flat_parameters(schema) == []


def test_every_published_tool_can_be_listed(shared: Path) -> None:
    for file in sorted((shared / "corpora" / "mcp").glob("*.json")):
        listing = json.loads(file.read_text("utf-8"))["tools"]
        for tool in listing if isinstance(listing, list) else listing["tools"]:
            parameters = flat_parameters(tool["inputSchema"])
            assert {each["name"] for each in parameters} >= set(tool["inputSchema"].get("properties", {}))
            assert all(each["type"] for each in parameters)
