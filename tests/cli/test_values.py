from __future__ import annotations

from typing import Any

import pytest

from pegboard.cli.values import ArgumentsError, parse_arguments

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "count": {"type": "integer"},
        "ratio": {"type": "number"},
        "flag": {"type": "boolean"},
        "names": {"type": "array", "items": {"type": "string"}},
        "filter": {"type": "object"},
        "either": {"type": ["integer", "null"]},
        "loose": {"type": ["string", "integer"]},
        "optional": {"anyOf": [{"$ref": "#/$defs/size"}, {"type": "null"}]},
        "level": {"enum": [1, 2]},
        "mode": {"enum": ["fast", "slow"]},
        "untyped": {},
    },
    "$defs": {"size": {"type": "integer"}},
}


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("text=5", "5"),
        ("text=", ""),
        ("text=a=b", "a=b"),
        ("text=x:=1", "x:=1"),
        ("count=5", 5),
        ("ratio=2.5", 2.5),
        ("flag=true", True),
        ('names=["a","b"]', ["a", "b"]),
        ('filter={"a":1}', {"a": 1}),
        ("either=null", None),
        ("either=7", 7),
        ("loose=7", "7"),
        ("optional=7", 7),
        ("level=2", 2),
        ("mode=fast", "fast"),
        ("untyped=7", "7"),
        ("unknown=7", "7"),
        ("text:=5", 5),
        ('text:="5"', "5"),
    ],
)
def test_a_value_is_text_unless_the_schema_or_the_sign_says_otherwise(word: str, value: Any) -> None:
    found = parse_arguments([word], SCHEMA)
    assert list(found.values()) == [value]
    assert type(next(iter(found.values()))) is type(value)


@pytest.mark.parametrize("word", ["count=five", "flag=yes", "ratio=NaN", "ratio=Infinity"])
def test_what_is_no_json_stays_text_for_the_tools_check_to_refuse(word: str) -> None:
    assert list(parse_arguments([word], SCHEMA).values()) == [word.partition("=")[2]]


def test_one_json_object_holds_all_arguments() -> None:
    assert parse_arguments([' {"count": 5, "text": "x"}'], SCHEMA) == {"count": 5, "text": "x"}


def test_no_words_are_no_arguments() -> None:
    assert parse_arguments([], SCHEMA) == {}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["count"], "neither key=value"),
        (["=5"], "neither key=value"),
        (["count:=five"], "count: 'five' is not JSON"),
        (["count:=NaN"], "NaN is not JSON"),
        (["text=a", "text=b"], "text is given twice"),
        (["{broken"], "not JSON"),
        (['{"a": 1}', "count=5"], "neither key=value"),
        ([f"count:={'[' * 100_000}"], "nested too deeply"),
    ],
)
def test_what_cannot_be_understood_is_named(words: list[str], said: str) -> None:
    with pytest.raises(ArgumentsError, match="^.*" + said.replace("(", r"\(")):
        parse_arguments(words, SCHEMA)


def test_a_schema_that_refers_to_itself_ends() -> None:
    node = {"anyOf": [{"type": "array", "items": {"$ref": "#/properties/node"}}, {"type": "integer"}]}
    assert parse_arguments(["node=3"], {"properties": {"node": node}}) == {"node": 3}
    endless = {"anyOf": [{"$ref": "#/properties/node"}, {"$ref": "#/properties/node"}, {"type": "integer"}]}
    assert parse_arguments(["node=3"], {"properties": {"node": endless}})
