"""What is remembered has bounds, and what is used is what stays."""

from __future__ import annotations

import numpy as np

from pegboard.search.arrays import Array
from pegboard.search.memo import Memo


class Counting:
    """Makes arrays of ten bytes, and notes for which keys."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def get(self, memo: Memo[str], key: str, size: int = 10) -> Array:
        def computed() -> Array:
            self.made.append(key)
            return np.full(size, ord(key), np.uint8)

        return memo.get(key, computed)


def test_an_array_is_computed_once_while_there_is_room() -> None:
    memo, counting = Memo[str](20), Counting()
    for key in "abba":
        assert counting.get(memo, key).tolist() == [ord(key)] * 10
    assert counting.made == ["a", "b"]


def test_what_was_longest_of_no_use_is_forgotten() -> None:
    memo, counting = Memo[str](20), Counting()
    for key in "abacab":
        counting.get(memo, key)
    assert counting.made == ["a", "b", "c", "b"]


def test_an_array_that_is_too_large_is_given_all_the_same_and_is_the_first_to_go() -> None:
    memo, counting = Memo[str](20), Counting()
    assert counting.get(memo, "a", 30).size == 30
    counting.get(memo, "b")
    counting.get(memo, "a", 30)
    assert counting.made == ["a", "b", "a"]
