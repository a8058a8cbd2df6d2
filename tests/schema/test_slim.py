"""Schemas for display."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.schema.check import check_schema
from pegboard.schema.document import Document
from pegboard.schema.problems import problems
from pegboard.schema.slim import MAX_ENUM, slim
from pegboard.tools import MISSING


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("schema", "shown"),
    [
        ({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}, {"type": "object"}),
        ({"title": "searchArguments"} | obj(), obj()),
        (obj(max_depth={"title": "Max Depth", "type": "integer"}), obj(max_depth={"type": "integer"})),
        (obj(a={"title": "The count", "type": "integer"}), obj(a={"title": "The count", "type": "integer"})),
        (obj(a={"description": " ", "$comment": "x", "type": "string"}), obj(a={"type": "string"})),
        (obj() | {"required": [], "additionalProperties": True}, obj()),
        (obj(a={"additionalProperties": {}}), obj(a={})),
        (obj() | {"additionalProperties": False}, obj() | {"additionalProperties": False}),
        (obj(a={"examples": []}), obj(a={})),
        (
            obj(a={"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}], "default": None}),
            obj(a={"type": ["integer", "null"], "default": None, "minimum": 1}),
        ),
        (
            obj(a={"anyOf": [{"enum": ["x"]}, {"type": "null"}]}),
            obj(a={"anyOf": [{"enum": ["x"]}, {"type": "null"}]}),
        ),
    ],
)
def test_what_says_nothing_is_left_out_and_what_says_something_stays(schema: dict[str, Any], shown: Any) -> None:
    assert slim(schema) == shown


def test_properties_named_like_keywords_stay() -> None:
    names = obj(title={"type": "string"}, description={"type": "string"}, required={"type": "boolean"}, examples={})
    assert slim(names) == names


def test_null_joins_no_type_beside_keywords_that_would_then_mean_something_else() -> None:
    schema = obj(a={"anyOf": [obj(x={"type": "string"}), {"type": "null"}], "additionalProperties": False})
    assert slim(schema) == schema


def test_values_that_look_like_schemas_stay() -> None:
    schema = obj(a={"const": {"title": "a", "description": ""}, "default": {"required": []}})
    assert slim(schema) == schema


def test_long_enums_and_examples_are_shortened_with_their_count() -> None:
    shown = slim(obj(a={"enum": [f"v{n}" for n in range(53)]}, b={"examples": ["x", "y", "z"]}))["properties"]
    assert shown["a"]["enum"] == [*(f"v{n}" for n in range(10)), "... (43 more)"]
    assert shown["b"]["examples"] == ["x", "y", "... (1 more)"]
    whole = obj(a={"enum": list(range(MAX_ENUM))})
    assert slim(whole) == whole


def test_definitions_that_nothing_refers_to_are_left_out() -> None:
    defs = {
        "used": {"$ref": "#/$defs/deeper"},
        "deeper": {"type": "string"},
        "never": {"$ref": "#/$defs/lost"},
        "lost": {},
    }
    shown = slim(obj(a={"$ref": "#/$defs/used"}) | {"$defs": defs})
    assert set(shown["$defs"]) == {"used", "deeper"}


def test_definitions_stay_when_their_use_cannot_be_told() -> None:
    schema = obj(a={"$ref": "#named"}) | {"$defs": {"x": {"$anchor": "named"}, "y": {}}}
    assert slim(schema) == schema


def test_an_open_object_stays_open_where_the_rest_is_closed() -> None:
    schema = obj(a={"allOf": [{"additionalProperties": True}], "unevaluatedProperties": False})
    assert slim(schema) == schema


TEXTS = st.sampled_from(["a", "b", "title", "required"])
LEAVES = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["string", "integer", "object", "array", "null"]) | st.just(["integer", "null"]),
        "title": TEXTS,
        "description": st.sampled_from(["", "text"]),
        "minimum": st.integers(-2, 2),
        "minLength": st.integers(0, 2),
        "enum": st.lists(st.integers(-2, 2) | st.none(), min_size=1, max_size=3, unique=True),
        "required": st.lists(TEXTS, max_size=2, unique=True),
        "additionalProperties": st.booleans(),
    },
)
SCHEMAS = st.recursive(
    LEAVES | st.booleans(),
    lambda inner: st.one_of(
        st.tuples(LEAVES, st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)})).map(
            lambda p: p[0] | p[1]
        ),
        st.tuples(LEAVES, inner).map(lambda pair: pair[0] | {"anyOf": [pair[1], {"type": "null"}]}),
        st.tuples(LEAVES, inner).map(lambda pair: pair[0] | {"oneOf": [{"type": "null"}, pair[1]]}),
        st.tuples(LEAVES, st.dictionaries(TEXTS, inner, max_size=3)).map(
            lambda pair: pair[0] | {"properties": pair[1]}
        ),
        st.tuples(LEAVES, inner).map(lambda pair: pair[0] | {"items": pair[1]}),
        inner.map(lambda sub: {"allOf": [sub], "unevaluatedProperties": False}),
        st.just({"$ref": "#/$defs/a"}),
    ),
    max_leaves=6,
)
VALUES = st.recursive(
    st.none() | st.integers(-3, 3) | st.sampled_from(["", "a", "ab", "abc"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=5,
)


@given(SCHEMAS, VALUES)
def test_a_slim_schema_lets_the_same_values_through_and_has_no_more_bytes(schema: Any, value: Any) -> None:
    whole = obj(a=schema) | {"$defs": {"a": {"title": "a", "type": "integer"}, "unused": {}}}
    before = copy.deepcopy(whole)
    shown = slim(whole)
    assert whole == before
    assert (problems(shown, {"a": value}) == []) is (problems(whole, {"a": value}) == [])
    assert len(json.dumps(shown)) <= len(json.dumps(whole))


def test_published_schemas_become_smaller_stay_valid_and_keep_their_references(shared: Path) -> None:
    before = after = 0
    for file in sorted((shared / "corpora" / "mcp").glob("*.json")):
        listing = json.loads(file.read_text("utf-8"))["tools"]
        for tool in listing if isinstance(listing, list) else listing["tools"]:
            shown = slim(tool["inputSchema"])
            check_schema(shown, what=f"slim schema of {tool['name']!r}")
            document = Document(shown)
            references = (sub for _, sub in document.every if isinstance(sub, dict) and "$ref" in sub)
            assert all(document.resolve(sub, sub["$ref"]) is not MISSING for sub in references)
            before, after = before + len(json.dumps(tool["inputSchema"])), after + len(json.dumps(shown))
    assert after < before * 0.95
    print(f"{before:,} bytes became {after:,}")
