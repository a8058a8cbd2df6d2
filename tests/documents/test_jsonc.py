"""JSON as editors write it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.documents.jsonc import MAX_DEPTH, JsonSyntaxError, parse


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(json_values, st.sampled_from([None, 2]), st.booleans())
def test_whatever_json_writes_is_read_as_json_reads_it(value: Any, indent: int | None, ascii: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii)
    assert parse(text).value == json.loads(text)


@given(st.text(alphabet='{}[]",:/*\\ \n01truefalsn', max_size=40))
def test_text_without_comments_and_trailing_commas_is_json_here_exactly_when_it_is_json(text: str) -> None:
    try:
        ours = parse(text).value
    except JsonSyntaxError:
        assert not is_json(text)
    else:
        if "/" not in text and ",}" not in (bare := "".join(text.split())) and ",]" not in bare:
            assert ours == json.loads(text)


def test_comments_and_trailing_commas_are_left_out() -> None:
    text = """
    // first
    {
      "a": 1, // behind a value
      /* over
         lines */
      "b": [1, 2, /* inside */ ], // "c": 3
    }
    /* last */"""
    assert parse(text).value == {"a": 1, "b": [1, 2]}


def test_what_looks_like_a_comment_inside_text_stays() -> None:
    assert parse('{"url": "https://x.example/*a*/", "p": "a//b"}').value == {
        "url": "https://x.example/*a*/",
        "p": "a//b",
    }


@pytest.mark.parametrize("text", ['{"a": {"b": [10, 20], "c": {}}}', '{"a": {"b": [10, 20], "c": {}}} // commented'])
def test_every_key_has_its_place(text: str) -> None:
    at = parse(text).at
    keys = {path: text[offset:][:3] for path, offset in at.items() if isinstance(path[-1], str)}
    assert keys == {("a",): '"a"', ("a", "b"): '"b"', ("a", "c"): '"c"'}


@given(st.dictionaries(st.text(), json_values, max_size=4), st.sampled_from([None, 2]))
def test_keys_have_the_same_places_however_they_are_looked_for(value: dict[str, Any], indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    plain, commented = parse(text).at, parse(f"{text} // commented").at
    inside_lists = {path for path in commented if any(isinstance(part, int) for part in path)}
    assert plain == {path: offset for path, offset in commented.items() if path not in inside_lists}


def test_a_key_given_twice_is_reported_and_the_later_counts() -> None:
    parsed = parse('{"a": {"x": 1, "x": 2}, "a": 3}')
    assert parsed.value == {"a": 3}
    assert [path for path, _, _ in parsed.twice] == [("a", "x"), ("a",)]


@pytest.mark.parametrize(
    ("text", "offset", "says", "hint"),
    [
        ("{'a': 1}", 1, "wanted a key in double quotes", "double quotes"),
        ("{\"a\": 'x'}", 6, "wanted a value", "double quotes"),
        ('{"a" 1}', 5, "wanted : after the key", ""),
        ('{"a": 1 "b": 2}', 8, "wanted , or }", "comma"),
        ('{"a": [1, 2', 11, "the end of the file", "Close it with ]"),
        ('{"a": True}', 6, "got True", "Write true."),
        ('{"a": NaN}', 6, "got NaN", ""),
        ('{"a": 01}', 7, "wanted , or }", ""),
        ('{"a": "x\ny"}', 6, "does not end on its line", "backslash"),
        ('{"path": "C:\\Users"}', 9, "wrong escape", "backslash"),
        ('{"a": 1} x', 9, "wanted the end of the file", ""),
        ('{"a": 1 /* never', 8, "never ends", "*/"),
        ("", 0, "the end of the file", ""),
        ("{,}", 1, "wanted a key", ""),
        ("[,]", 1, "wanted a value", ""),
    ],
)
def test_a_mistake_is_told_with_its_place_and_the_fix(text: str, offset: int, says: str, hint: str) -> None:
    with pytest.raises(JsonSyntaxError) as caught:
        parse(text)
    assert caught.value.offset == offset
    assert says in str(caught.value)
    assert hint in caught.value.hint


def test_nesting_without_end_is_a_mistake_not_a_crash() -> None:
    parse("[" * MAX_DEPTH + "]" * MAX_DEPTH + " // x")
    deep = parse('{"a":' * 900 + "1" + "}" * 900)
    assert deep.at[("a", "a")] == 6
    with pytest.raises(JsonSyntaxError, match="nests deeper"):
        parse("[" * 100_000)


def test_a_number_of_many_thousand_digits_is_a_mistake_not_a_crash() -> None:
    with pytest.raises(JsonSyntaxError, match="too many digits"):
        parse("1" * 10_000)
