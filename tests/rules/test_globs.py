"""Globs match as they say, and hostile ones cost nothing."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.rules.globs import Glob


@given(st.text("ab*?", max_size=8), st.text("ab\n", max_size=10))
def test_a_glob_matches_what_the_standard_library_has_it_match(pattern: str, text: str) -> None:
    assert Glob(pattern).matches(text) is fnmatchcase(text, pattern)


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("*a*a*", "a", False),
        ("*b*b*", "ab", False),
        ("*b*b*", "abb", True),
        ("*a?*a?*", "ab", False),
        ("*a?*a?*", "abaa", True),
        ("*a*b*", "aba", True),
        ("*ab*b", "ab", False),
        ("*ab*b", "abb", True),
        ("*a?*b", "ab", False),
        ("a*a", "a", False),
    ],
)
def test_every_piece_of_a_glob_has_a_place_of_its_own_and_the_first_will_do(
    pattern: str, text: str, matches: bool
) -> None:
    assert Glob(pattern).matches(text) is matches is fnmatchcase(text, pattern)


@given(st.text("ab*?", max_size=8), st.text("ab", max_size=10))
def test_what_a_glob_asks_for_stands_in_whatever_it_matches(pattern: str, text: str) -> None:
    glob = Glob(pattern)
    if glob.matches(text):
        assert text.startswith(glob.head)
        assert glob.longest in text


@pytest.mark.parametrize("odd", ["[ab]", "a.c", "(a|b)", "\\a", "^a$", "{a,b}"])
def test_brackets_and_other_signs_mean_themselves(odd: str) -> None:
    assert Glob(odd).matches(odd)
    assert not Glob(odd).matches("a")
    assert not Glob(odd).matches("abc")


def test_letter_case_counts() -> None:
    assert not Glob("Shop__*").matches("shop__refund")


@pytest.mark.parametrize("pattern", ["*", "**", "***"])
def test_stars_alone_match_everything(pattern: str) -> None:
    assert Glob(pattern).everything
    assert Glob(pattern).matches("")
    assert not Glob(f"{pattern}?").everything


@pytest.mark.parametrize("pattern", ["*a" * 500 + "*b", "*?a" * 500 + "*b", "a*" * 1000 + "b", "*" * 5000 + "b"])
def test_a_hostile_pattern_tries_nothing_twice(pattern: str) -> None:
    """Any matcher that tried the stars' lengths one by one would not end before the universe does."""
    assert not Glob(pattern).matches("a" * 5000)
