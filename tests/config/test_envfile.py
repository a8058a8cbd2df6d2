"""Files of NAME=value lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.config.envfile import variables


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("A=b", "b"),
        ("A = b ", "b"),
        ("export A=b", "b"),
        ("  A=b", "b"),
        ("A=", ""),
        ("A=#x", "#x"),
        ("A= # x", ""),
        ("A=b # comment", "b"),
        ("A=b#c", "b#c"),
        ("A=b=c", "b=c"),
        ('A="b # c" # d', "b # c"),
        ("A='b \\n $X'", "b \\n $X"),
        ('A="b\\n\\"c\\" \\\\ \\t|"', 'b\n"c" \\ \t|'),
        ('A="one\ntwo"', "one\ntwo"),
        ("A=${B}", "${B}"),
        ("A=it's", "it's"),
        ("A=first\nA=second", "second"),
        ("A=b\r\n", "b"),
    ],
)
def test_each_way_to_write_a_value(text: str, value: str) -> None:
    found, wrong = variables(text)
    assert found == {"A": value}
    assert not wrong


def test_comments_and_blank_lines_are_nothing_and_other_lines_are_named() -> None:
    found, wrong = variables("# c\n\nA=1\nnot a variable\n  # d\n=x\nB=2\n1C=3")
    assert found == {"A": "1", "B": "2"}
    assert wrong == [4, 6, 8]


@given(st.text(alphabet="AB=\"'#\\ \n$x", max_size=40))
def test_any_text_is_read_without_a_crash(text: str) -> None:
    found, wrong = variables(text)
    assert set(found) <= {"A", "B", *found}
    assert wrong == sorted(set(wrong))
