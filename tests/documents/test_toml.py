"""TOML, and where everything stands in it."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.documents.problems import KeyPath
from pegboard.documents.toml import TomlSyntaxError, parse

EVERYTHING = '''
top = "a # no comment" # a comment
"quoted key" = 1
dotted.inner."more quotes" = 'x = [y]'

[table] # comment
list = [
  "one", # comment with ]
  { a = 1, "b" = [2, 3] },
  """multi
  line = "not a key"
  ]""",
]
date = 2026-01-01T00:00:00Z
literal = \'\'\'
[not.a.table]
\'\'\'

[[many]]
a = 1
[many.sub]
b = 2
[[many]]
c = true
[[many.deep]]
d = 1
[[many.deep]]
e = ""
'''


def paths(value: Any, at: KeyPath = ()) -> set[KeyPath]:
    if isinstance(value, dict):
        pairs: list[tuple[str | int, Any]] = list(value.items())
    elif isinstance(value, list):
        pairs = list(enumerate(value))
    else:
        return set()
    return {path for key, inner in pairs for path in ((*at, key), *paths(inner, (*at, key)))}


def test_every_key_has_a_place_and_no_other_has() -> None:
    parsed = parse(EVERYTHING)
    assert parsed.value == tomllib.loads(EVERYTHING)
    assert set(parsed.at) == paths(parsed.value)


@pytest.mark.parametrize(
    ("path", "begins"),
    [
        (("top",), "top = "),
        (("quoted key",), '"quoted key"'),
        (("dotted", "inner", "more quotes"), "dotted.inner"),
        (("table",), "[table]"),
        (("table", "list", 1, "b", 1), "3]"),
        (("table", "literal"), "literal ="),
        (("many", 0), "[[many]]\na"),
        (("many", 0, "sub", "b"), "b = 2"),
        (("many", 1), "[[many]]\nc"),
        (("many", 1, "deep", 1, "e"), "e ="),
    ],
)
def test_a_place_is_where_the_key_is_written(path: KeyPath, begins: str) -> None:
    assert EVERYTHING[parse(EVERYTHING).at[path] :].startswith(begins)


def test_line_ends_of_windows_move_no_place() -> None:
    text = EVERYTHING.replace("\n", "\r\n")
    assert text[parse(text).at[("many", 1, "c")] :].startswith("c = true")


keys = st.text(alphabet="ab-_ .\"'\\é#=[]", min_size=1, max_size=6)
values = st.recursive(
    st.booleans() | st.integers(-9, 9) | st.text(alphabet="a\"'\\\n#[]{},= ", max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=12,
)


def written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return "[ " + "\n, ".join(written(item) for item in value) + " ]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{written(key)} = {written(item)}" for key, item in value.items()) + "}"
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


@given(st.dictionaries(keys, values, max_size=4))
def test_places_are_found_whatever_stands_in_keys_and_values(document: dict[str, Any]) -> None:
    text = "\n".join(f"{written(key)} = {written(value)} # [x]" for key, value in document.items())
    parsed = parse(text)
    assert parsed.value == document
    assert set(parsed.at) == paths(document)


@pytest.mark.parametrize(
    ("text", "line", "says", "hint"),
    [
        ("a = 1\nb == 2", 2, "invalid value", "quotes"),
        ("a = 1\nb", 2, "expected '='", "key = value"),
        ("[t]\na = 1\n[t]\n", 3, "cannot declare", "join"),
        ("a = 1\na = 2", 2, "cannot overwrite", "remove one"),
        ('p = "C:\\Users\\x"', 1, "hex value", "single quotes"),
        ('p = "C:\\dir"', 1, "unescaped", "single quotes"),
        ("a = [1, 2", 1, "unclosed array", "]"),
        ("a = yes", 1, "invalid value", "quotes"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_the_fix(text: str, line: int, says: str, hint: str) -> None:
    with pytest.raises(TomlSyntaxError) as caught:
        parse(text)
    assert caught.value.line == line
    assert says in str(caught.value).lower()
    assert hint in caught.value.hint


def test_nesting_without_end_is_a_mistake_not_a_crash() -> None:
    with pytest.raises(TomlSyntaxError, match="too deep"):
        parse("a = " + "[" * 100_000)
