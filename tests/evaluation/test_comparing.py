"""Differences between rankers, and how sure they are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pegboard.evaluation.comparing import compared
from pegboard.evaluation.metrics import MEASURES
from pegboard.evaluation.runner import Answer
from tests.evaluation.things import answered

HIT, MISS = answered("a", right="a"), answered("x", right="a")


def answers(hits: int, misses: int) -> list[Answer]:
    return [HIT] * hits + [MISS] * misses


def test_a_difference_on_every_question_is_sure() -> None:
    found = compared([[answers(0, 50)], [answers(50, 0)]], 0)
    one = found.differences[0]["recall@1"]
    assert (one.value, one.low, one.high, one.sure) == (1.0, 1.0, 1.0, True)


def test_a_difference_on_one_question_of_many_may_be_chance() -> None:
    one = compared([[answers(25, 25)], [answers(26, 24)]], 0).differences[0]["recall@1"]
    assert one.value == pytest.approx(0.02)
    assert one.low == 0
    assert not one.sure


def test_what_is_paired_is_surer_than_either_alone() -> None:
    # Both miss the same half of the questions: only where they differ makes the difference unsure.
    found = compared([[answers(50, 50)], [answers(60, 40)]], 0)
    own, difference = found.own[0]["recall@1"], found.differences[0]["recall@1"]
    assert difference.high - difference.low < own.high - own.low


def test_an_interval_is_about_as_wide_as_theory_has_it() -> None:
    own = compared([[answers(200, 200)]], 0).own[0]["recall@1"]
    half = 1.96 * 0.5 / 400**0.5
    assert (own.low, own.high) == pytest.approx((0.5 - half, 0.5 + half), abs=0.004)


def test_sets_count_alike_however_many_questions_they_have() -> None:
    own = compared([[answers(1, 0), answers(0, 99)]], 0).own[0]["recall@1"]
    assert own.value == 0.5


def test_the_same_seed_gives_the_same_and_another_one_hardly_differs() -> None:
    contenders = [[answers(20, 30)], [answers(30, 20)]]
    assert compared(contenders, 7) == compared(contenders, 7)
    assert compared(contenders, 7) != compared(contenders, 8)


def test_questions_that_nothing_can_be_right_for_say_nothing() -> None:
    found = compared([[[answered("x")]], [[answered("y")]]], 0)
    assert (found.own, found.differences) == (({}, {}), ({},))


@settings(max_examples=30)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_a_value_lies_between_its_bounds_and_a_difference_is_one_of_values(pairs: list[tuple[bool, bool]]) -> None:
    contenders = [[[HIT if pair[side] else MISS for pair in pairs]] for side in (0, 1)]
    found = compared(contenders, 1)
    for measure in MEASURES:
        first, second = (own[measure] for own in found.own)
        difference = found.differences[0][measure]
        assert difference.value == pytest.approx(second.value - first.value)
        for one in (first, second, difference):
            assert one.low - 1e-9 <= one.value <= one.high + 1e-9 or len(pairs) < 30
            assert -1 <= one.low <= one.high <= 1
