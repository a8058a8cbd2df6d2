from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pegboard.documents import yaml
from pegboard.documents.problems import ConfigProblem
from pegboard.documents.read import Document, parse_document


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("False", False),
        ("no", "no"),
        ("on", "on"),
        ("y", "y"),
        ("~", None),
        ("", None),
        ("'true'", "true"),
        ("2026-01-31", "2026-01-31"),
        ("12:30:45", "12:30:45"),
        ("1_000", "1_000"),
        ("0o17", 15),
        ("0x1F", 31),
        ("017", 17),
        ("-3", -3),
        ("1.50", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("'12'", "12"),
        ("1.2.3", "1.2.3"),
        ("=", "="),
    ],
)
def test_plain_words_are_what_yaml_1_2_says(text: str, value: Any) -> None:
    found = yaml.parse(f"key: {text}\n").value["key"]
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "what", "at"),
    [
        ("a: &x 1\nb: *x\n", "&x names a value", 3),
        ("a: *x\n", "*x repeats another value", 3),
        ("a: !!python/object/apply:os.system [ls]\n", "the tag tag:yaml.org,2002:python/object/apply:os.system", 3),
        ("a: !!str 1\n", "the tag", 3),
        ("a: 1\nb: 2\na: 3\n", "'a' is given twice", 10),
        ("é: 1\né: 2\n", "'é' is given twice", 5),
        ("a: 1\n---\nb: 2\n", "a second document", 5),
        ("? [a]\n: 1\n", "a key is text", 2),
        ("<<: {a: 1}\n", "merge keys", 0),
        ("a: .inf\n", "no number that JSON has", 3),
        ("a:\n\tb: 1\n", "cannot start any token", 3),
        ("a: b: c\n", "mapping values are not allowed", 4),
        ("a: 'x\n", "unexpected end of stream", 6),
        ("a: \x01\n", "character", 3),
        ("[" * 200 + "]" * 200, "nests deeper", 101),
    ],
)
def test_what_is_refused_is_told_with_its_place(text: str, what: str, at: int) -> None:
    with pytest.raises(yaml.YamlSyntaxError, match=re.escape(what)) as caught:
        yaml.parse(text)
    assert caught.value.offset == at


def test_a_bomb_of_aliases_is_refused_at_its_first_anchor() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"] + [
        f"{name}: &{name} [{', '.join(['*' + before] * 9)}]"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    with pytest.raises(yaml.YamlSyntaxError, match="&a names a value"):
        yaml.parse("\n".join(lines))


def test_the_place_of_every_key_and_item_is_known() -> None:
    document = parse_document(Path("t.yaml"), "name: é\ntools:\n  - a: 1\n    b:\n      - x\n      - y: 2\n")
    assert isinstance(document, Document)
    assert document.format == "yaml"
    assert document.line(("tools", 0, "b", 1, "y")) == 6
    assert document.line(("tools", 0, "b", 1, "nowhere")) == 6
    assert document.line(("tools",)) == 2


def test_a_file_that_is_no_yaml_is_told_with_line_column_and_fix() -> None:
    problem = parse_document(Path("t.yml"), "a: 1\nb: [1\nc: 2\n")
    assert isinstance(problem, ConfigProblem)
    assert problem.line in (2, 3)
    assert "not YAML" in str(problem)
    assert problem.hint


def test_a_file_without_a_table_says_what_is_wanted() -> None:
    problem = parse_document(Path("t.yaml"), "- 1\n")
    assert isinstance(problem, ConfigProblem)
    assert problem.message == "wanted a table, got a list."


def test_json_knows_the_place_of_items_in_lists_too() -> None:
    document = parse_document(Path("t.json"), '{"tools": [\n {"a": 1},\n {"b": {"c": 2}}\n]}')
    assert isinstance(document, Document)
    assert document.line(("tools", 1, "b", "c")) == 3
