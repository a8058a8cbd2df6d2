"""Our stems are those of the Snowball project's own program."""

from __future__ import annotations

import string
from itertools import product
from pathlib import Path

import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st

from pegboard.search import stemming
from pegboard.search.stemming import english_stem

ORACLE = snowballstemmer.stemmer("english")
ENDINGS = (
    *(
        ending
        for table in (stemming._SECOND, stemming._THIRD, stemming._FOURTH)
        for endings in table.values()
        for ending, _ in endings
    ),
    *(
        "",
        "s",
        "es",
        "ss",
        "us",
        "sses",
        "ies",
        "ied",
        "ed",
        "eed",
        "ing",
        "edly",
        "eedly",
        "ingly",
        "y",
        "e",
        "l",
        "ll",
    ),
)
STARTS = (
    *("", "a", "y", "ay", "dy", "add", "hop", "hopp", "bl", "rat", "troubl", "flow", "snow", "past", "yyy", "ea", "x"),
    *("generat", "univers", "communi", "organ", "interest", "later", "arsen", "emerg", "succ", "proc", "exc", "even"),
    *("cann", "inn", "earr", "herr", "out", "fe", "controll", "geolog", "sensib", "beaut"),
)


def given_by_snowball(word: str) -> str:
    return str(ORACLE.stemWord(word))


@pytest.mark.parametrize("start", STARTS)
def test_beginnings_and_endings_in_every_combination(start: str) -> None:
    words = {start + one + other for one, other in product(ENDINGS, ENDINGS)} - {""}
    assert {word: english_stem(word) for word in words} == {word: given_by_snowball(word) for word in words}


@pytest.mark.parametrize("word", [*stemming._SPECIAL, "a", "by", "yes", "dying", "vying", "agreed", "pasted"])
def test_words_with_rules_of_their_own(word: str) -> None:
    assert english_stem(word) == given_by_snowball(word)


@given(st.text(string.ascii_lowercase, min_size=1, max_size=12) | st.text("aeiouylst", min_size=1, max_size=9))
def test_drawn_words(word: str) -> None:
    assert english_stem(word) == given_by_snowball(word)


def test_every_word_of_the_public_sets(shared: Path) -> None:
    words: set[str] = set()
    for path in sorted(shared.glob("retrieval/*/*.jsonl")):
        for line in path.read_text(encoding="utf-8").lower().split():
            words.update(part for part in line.split('"') if part.isascii() and part.isalpha())
    assert words
    assert {word: english_stem(word) for word in words} == {word: given_by_snowball(word) for word in words}
