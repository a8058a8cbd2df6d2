"""``${VAR}`` in the words of an entry."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.config.expand import MAX_DEPTH, Scope, expand

ENVIRON = {"HOST": "db.example", "EMPTY": "", "NESTED": "${HOST}", "A": "a"}
SCOPE = Scope(environ=ENVIRON, workspace=Path("/home/ada/shop"), inputs={"key": "k-1"}, own=frozenset({"TOKEN", "A"}))


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("plain", "plain"),
        ("${HOST}", "db.example"),
        ("${env:HOST}", "db.example"),
        ("http://${HOST}:${PORT:-5432}/${HOST}", "http://db.example:5432/db.example"),
        ("${EMPTY}", ""),
        ("${EMPTY:-text}", "text"),
        ("${UNSET:-}", ""),
        ("${UNSET:-${HOST}}", "db.example"),
        ("${UNSET:-${ALSO:-deep}}!", "deep!"),
        ("${UNSET:-a:-b}", "a:-b"),
        ("${env:UNSET:-x}", "x"),
        ("${NESTED}", "${HOST}"),
        ("$${HOST}", "${HOST}"),
        ("$$${HOST}", "$${HOST}"),
        ("a$${b} ${A}", "a${b} a"),
        ("$HOST %HOST% {HOST}", "$HOST %HOST% {HOST}"),
        ("${HOST", "${HOST"),
        ("${workspaceFolder}/x", "/home/ada/shop/x"),
        ("${workspaceFolderBasename}", "shop"),
        ("a${/}b${pathSeparator}c", f"a{os.sep}b{os.sep}c"),
        ("${userHome}", str(Path.home())),
        ("${input:key}", "k-1"),
        ("${TOKEN}", "${TOKEN}"),
        ("${TOKEN:-x}", "x"),
        ("${A}", "a"),
        ("${x%.*} ${#list[@]} ${1} ${}", "${x%.*} ${#list[@]} ${1} ${}"),
    ],
)
def test_each_form_becomes_what_the_table_says(text: str, becomes: str) -> None:
    expanded = expand(text, SCOPE)
    assert (expanded.text, expanded.lacks) == (becomes, ())


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("${UNSET}", "UNSET"),
        ("${HOST}/${env:UNSET}", "UNSET"),
        ("${UNSET:-${ALSO}}", "ALSO"),
        ("${input:other}", "other"),
        ("${config:python.path}", "config:python.path"),
        ("${command:pick}", "command:pick"),
        ("${file:/etc/token}", "file:/etc/token"),
    ],
)
def test_what_cannot_be_filled_in_is_named_with_a_fix_and_without_a_value(text: str, names: str) -> None:
    lacks = expand(text, SCOPE).lacks
    assert len(lacks) == 1
    assert names in lacks[0].what
    assert lacks[0].hint
    assert "db.example" not in f"{lacks[0]}"


def test_every_lack_of_a_text_is_told() -> None:
    assert [lack.what.split()[3] for lack in expand("${X1} ${X2}", SCOPE).lacks] == ["X1", "X2"]


def nested(depth: int) -> str:
    return "${UNSET:-" * depth + "end" + "}" * depth


def test_defaults_may_stand_in_defaults_as_deep_as_anybody_writes_them() -> None:
    assert expand(nested(MAX_DEPTH), SCOPE).text == "end"
    (lack,) = expand(nested(50_000), SCOPE).lacks
    assert f"inside more than {MAX_DEPTH} others" in lack.what
    assert lack.hint


@given(st.text(alphabet="${}:-envAHOST input", max_size=30))
def test_any_text_expands_without_a_crash(text: str) -> None:
    expanded = expand(text, SCOPE)
    if "${" not in text:
        assert expanded.text == text


@given(st.text(), st.text())
def test_a_value_is_never_looked_at_again(before: str, value: str) -> None:
    scope = Scope(environ={"V": value}, workspace=Path())
    if "${" not in before and not before.endswith("$"):
        assert expand(before + "${V}", scope).text == before + value


def test_neither_scope_nor_result_shows_values() -> None:
    shown = repr(SCOPE) + repr(expand("${HOST}", SCOPE))
    assert "db.example" not in shown
    assert "k-1" not in shown
