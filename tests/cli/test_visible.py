from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.cli.visible import json_text, one_line, visible

DANGEROUS = [
    "\x00",
    "\x07",
    "\x08",
    "\x0b",
    "\r",
    "\x1b",
    "\x7f",
    "\x9b",
    "\u202e",
    "\u200b",
    "\u2066",
    "\ud800",
    "\U000e0041",
]


@pytest.mark.parametrize("character", DANGEROUS, ids=ascii)
def test_a_character_that_steers_a_terminal_is_written_as_its_escape(character: str) -> None:
    assert visible(f"a{character}b") == f"a{ascii(character)[1:-1]}b"


@pytest.mark.parametrize("text", ["Größe", "東京", "🙂", "a\tb\nc", "[bold]x[/bold]"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_line_ends_of_windows_are_line_ends() -> None:
    assert visible("a\r\nb") == "a\nb"


def test_one_line_is_one_line() -> None:
    assert one_line(" a\n\n b\x1b[31m\tc\u2028d ") == r"a b\x1b[31m c d"


@given(st.text(st.characters()))
def test_json_stays_the_same_value_and_holds_nothing_that_steers(text: str) -> None:
    shown = json_text({"text": text})
    assert json.loads(shown)["text"].encode("utf-16", "surrogatepass") == text.encode("utf-16", "surrogatepass")
    assert visible(shown) == shown
