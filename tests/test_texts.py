"""Texts that strangers wrote."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.texts import is_encodable, one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("  Sends \t a\n\nmail. ", "Sends a mail."),
        ("a\x00b\x1b[2Jc\x7f", "ab[2Jc"),
        ("\u202eevil\u202c", "evil"),
        ("x\U000e0041\U000e007f\U000e0100y", "xy"),
        ("half \ud83d done", "half done"),
        ("\u200b", ""),
        ("", ""),
    ],
)
def test_one_line_leaves_out_what_nobody_sees(text: str, shown: str) -> None:
    assert one_line(text) == shown


@given(st.text(st.characters()))
def test_one_line_is_one_line_that_can_be_sent_and_stays_as_it_is(text: str) -> None:
    line = one_line(text)
    assert is_encodable(line)
    assert len(line.splitlines()) <= 1
    assert not any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in line)
    assert one_line(line) == line


def test_letters_of_every_script_and_emoji_stay() -> None:
    text = "Preço 价格 🚀 می\u200cخواهم 👩\u200d💻 e\u0301 Straße"
    assert one_line(text) == text
