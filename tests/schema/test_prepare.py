"""What is done to arguments before they are checked."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.schema.prepare import prepared


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


INTEGER, NUMBER, STRING = {"type": "integer"}, {"type": "number"}, {"type": "string"}


@pytest.mark.parametrize(
    "schema", [STRING, INTEGER, {"enum": ["a"]}, {"const": 1}, {"anyOf": [STRING, INTEGER]}, False]
)
def test_null_for_an_optional_argument_that_is_not_nullable_means_not_given(schema: Any) -> None:
    assert prepared(obj(a=schema), {"a": None, "b": 1}) == {"b": 1}


@pytest.mark.parametrize(
    "schema",
    [
        {},
        True,
        {"type": "null"},
        {"type": ["string", "null"]},
        {"anyOf": [STRING, {"type": "null"}]},
        {"enum": ["a", None]},
        {"$ref": "#/$defs/maybe"},
        {"allOf": [{"type": ["string", "null"]}, {"description": "x"}]},
    ],
)
def test_null_for_a_nullable_argument_is_a_value(schema: Any) -> None:
    assert prepared(obj(a=schema) | {"$defs": {"maybe": {"type": ["string", "null"]}}}, {"a": None}) == {"a": None}


def test_null_for_a_required_argument_stays_to_be_refused() -> None:
    assert prepared(obj(a=STRING) | {"required": ["a"]}, {"a": None}) == {"a": None}


def test_null_for_an_argument_the_schema_does_not_name_stays() -> None:
    assert prepared(obj(), {"a": None}) == {"a": None}


def test_null_inside_an_argument_stays() -> None:
    schema = obj(a=obj(b=STRING))
    assert prepared(schema, {"a": {"b": None}}) == {"a": {"b": None}}


@pytest.mark.parametrize("value", [False, 0, "", [], {}])
def test_false_zero_and_empty_are_values(value: Any) -> None:
    assert prepared(obj(a=STRING), {"a": value}) == {"a": value}


@pytest.mark.parametrize(
    ("schema", "given_", "ready"),
    [
        (INTEGER, 3.0, 3),
        (INTEGER, 1e22, 10**22),
        ({"type": ["integer", "null"]}, 3.0, 3),
        ({"anyOf": [INTEGER, {"type": "null"}]}, 3.0, 3),
        ({"$ref": "#/$defs/count"}, 3.0, 3),
        ({"allOf": [NUMBER, INTEGER]}, 3.0, 3),
        ({"type": "array", "items": INTEGER}, [1.0, 2.0], [1, 2]),
        ({"type": "array", "prefixItems": [INTEGER], "items": NUMBER}, [1.0, 2.0], [1, 2.0]),
        ({"type": "object", "additionalProperties": INTEGER}, {"x": 1.0}, {"x": 1}),
        ({"anyOf": [{"type": "array", "items": INTEGER}, {"type": "null"}]}, [1.0], [1]),
        (obj(inner=obj(n=INTEGER, f=NUMBER)), {"inner": {"n": 2.0, "f": 2.0}}, {"inner": {"n": 2, "f": 2.0}}),
        (NUMBER, 3.0, 3.0),
        ({"type": ["integer", "number"]}, 3.0, 3.0),
        ({"anyOf": [INTEGER, NUMBER]}, 3.0, 3.0),
        ({}, 3.0, 3.0),
        (INTEGER, 3.5, 3.5),
        (INTEGER, "3.0", "3.0"),
    ],
)
def test_a_whole_number_written_with_a_point_becomes_an_int_only_where_an_integer_is_wanted(
    schema: dict[str, Any], given_: Any, ready: Any
) -> None:
    result = prepared(obj(a=schema) | {"$defs": {"count": INTEGER}}, {"a": given_})["a"]
    assert repr(result) == repr(ready)


def test_a_tree_is_followed_all_the_way_down() -> None:
    node = obj(n=INTEGER, kids={"type": "array", "items": {"$ref": "#/$defs/node"}})
    schema = obj(root={"$ref": "#/$defs/node"}) | {"$defs": {"node": node}}
    result = prepared(schema, {"root": {"n": 1.0, "kids": [{"n": 2.0, "kids": []}]}})
    assert repr(result["root"]) == "{'n': 1, 'kids': [{'n': 2, 'kids': []}]}"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "$ref": "#"},
        obj(a={"$ref": "#/$defs/a"}) | {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        obj(a={"anyOf": [{"$ref": "#/properties/a"}, INTEGER]}),
        obj(a={"allOf": [{"$ref": "#/properties/a"}] * 3}),
    ],
)
def test_a_schema_in_a_ring_ends(schema: dict[str, Any]) -> None:
    assert prepared(schema, {"a": 3.0, "b": None})["a"] in (3, 3.0)


def test_the_given_arguments_are_not_changed() -> None:
    given_ = {"a": [1.0], "b": None}
    prepared(obj(a={"items": INTEGER}, b=STRING), given_)
    assert repr(given_) == "{'a': [1.0], 'b': None}"


ARGUMENTS = st.dictionaries(
    st.sampled_from(["a", "b", "c"]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=8,
    ),
)


@given(ARGUMENTS)
def test_preparing_never_changes_what_a_value_says(arguments: dict[str, Any]) -> None:
    schema = obj(a={"items": INTEGER}, b={"additionalProperties": INTEGER}, c=STRING)
    ready = prepared(schema, arguments)
    assert ready == {name: value for name, value in arguments.items() if name != "c" or value is not None}
    assert repr(prepared(schema, ready)) == repr(ready)
