"""Schemas in fewer bytes: the same values pass."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pegboard.http_tools.openapi.options import ImportOptions
from pegboard.http_tools.openapi.slimming import bounded, slimmed
from tests.http_tools.openapi.things import imported, with_body

SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "ab", "2024-05-01"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)
ANNOTATIONS = {
    "title": st.just("A"),
    "description": st.sampled_from(["Short.", "Long. " * 100]),
    "examples": st.just([1]),
    "default": SCALARS,
    "deprecated": st.booleans(),
    "readOnly": st.booleans(),
    "discriminator": st.just({"propertyName": "a"}),
    "x-own": st.just(1),
}
LEAVES = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(
            ["string", "integer", "number", "boolean", "null", "object", "array", ["string", "null"]]
        ),
        "format": st.sampled_from(["int64", "float", "date", "password"]),
        "enum": st.lists(SCALARS, min_size=1, max_size=3),
        "minLength": st.integers(0, 2),
        "minimum": st.integers(-2, 2),
        "maxItems": st.integers(0, 2),
        **ANNOTATIONS,
    },
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from(["a", "b", "title"]), inner, max_size=2),
            "required": st.just(["a"]),
            "items": inner,
            "additionalProperties": inner | st.booleans(),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "oneOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
            **ANNOTATIONS,
        },
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(SCHEMAS, st.lists(VALUES, min_size=5, max_size=15))
def test_a_slimmed_schema_lets_the_same_values_pass(schema: dict[str, Any], values: list[Any]) -> None:
    before = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
    after = jsonschema_rs.Draft202012Validator(slimmed(schema), validate_formats=True)
    assert [before.is_valid(value) for value in values] == [after.is_valid(value) for value in values]


def test_what_tells_models_little_is_left_out() -> None:
    schema = {
        "type": "object",
        "title": "Thing",
        "properties": {
            "title": {"type": "integer", "format": "int64", "title": "Title", "examples": [1], "deprecated": False},
            "day": {"type": "string", "format": "date", "deprecated": True},
            "one": {"description": "d", "allOf": [{"type": "string"}]},
        },
    }
    assert slimmed(schema) == {
        "type": "object",
        "properties": {
            "title": {"type": "integer"},
            "day": {"type": "string", "format": "date", "deprecated": True},
            "one": {"type": "string", "description": "d"},
        },
    }


def test_a_group_of_one_stays_where_more_is_said_beside_it() -> None:
    schema = {"type": "string", "allOf": [{"type": "integer"}]}
    assert slimmed(schema) == schema


def test_words_that_mean_nothing_are_kept_only_where_nothing_is_slimmed() -> None:
    body = with_body({"type": "object", "properties": {"a": {"type": "string", "title": "T", "examples": ["x"]}}})
    paths = {"/x": {"post": {"operationId": "it", "description": "D. " * 1000, **body}}}
    (whole,) = imported(paths, options=ImportOptions(slim=False)).definitions
    (slim,) = imported(paths).definitions
    assert whole.parameters["properties"]["a"] == {"type": "string", "title": "T", "examples": ["x"]}
    assert slim.parameters["properties"]["a"] == {"type": "string"}
    assert len(whole.description) > 2000 > len(slim.description)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("Short.", "Short."),
        ("One sentence. And another one that is longer.", "One sentence."),
        ("No full stop in this long text at all", "No full stop in this…"),
        ("<p>See <a href='https://x'>the docs</a></p>", "See the docs"),
        ("[The docs](https://example.com/a(b)c) say", "The docs say"),
        ("the <id> of it", "the <id> of it"),
        ("a < b and c > d", "a < b and c > d"),
    ],
)
def test_a_description_is_whole_sentences_without_markup(text: str, short: str) -> None:
    assert bounded(text, 24) == short
