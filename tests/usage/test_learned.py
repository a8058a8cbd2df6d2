"""What was learned: how much counts for whom, and how it fades."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from pegboard.usage.learned import Learned
from pegboard.usage.rows import HALF_LIFE, LEAST, MOST, QUORUM, Lesson, Row

DAY = 20_000


def taught(*lessons: tuple[str, str, str]) -> Learned:
    """A space that each (tool, words, by) has taught, in turn."""
    space = Learned()
    for tool, words, by in lessons:
        space.learn(Lesson(tool, tuple(words.split()), by), DAY)
    return space


def test_what_somebody_did_counts_for_them_at_once() -> None:
    space = taught(("refund", "money", "ann"), ("refund", "money", "ann"))
    assert space.uses(["money", "other"], "ann", DAY) == {"money": {"refund": 2.0}}


def test_what_one_other_did_counts_for_nobody_else_however_often() -> None:
    space = taught(*[("wrong", "money back", "mallory")] * 10_000)
    assert space.uses(["money", "back"], "ann", DAY) == {}
    assert space.uses(["money"], "mallory", DAY) == {"money": {"wrong": MOST}}


def test_what_several_others_did_counts_once_of_each() -> None:
    others = [("refund", "money", by) for by in ("bob", "bob", "bob", "carl")]
    assert QUORUM == 2
    assert taught(*others).uses(["money"], "ann", DAY) == {"money": {"refund": 2.0}}


def test_with_oneself_one_other_is_enough() -> None:
    space = taught(("refund", "money", "ann"), ("refund", "money", "bob"))
    assert space.uses(["money"], "ann", DAY) == {"money": {"refund": 2.0}}


def test_each_word_needs_several_of_its_own() -> None:
    space = taught(("refund", "money", "bob"), ("refund", "money", "carl"), ("refund", "coins", "carl"))
    assert space.uses(["money", "coins"], "ann", DAY) == {"money": {"refund": 2.0}}


def test_a_use_counts_half_after_a_half_life_and_nothing_in_the_end() -> None:
    space = taught(("refund", "money", "ann"))
    later = [space.uses(["money"], "ann", DAY + int(HALF_LIFE * n)) for n in (0, 1, 2)]
    assert later == [{"money": {"refund": uses}} for uses in (1.0, 0.5, 0.25)]
    assert space.uses(["money"], "ann", DAY + int(HALF_LIFE * 5)) == {}


def test_others_who_have_faded_make_no_quorum() -> None:
    space = taught(("refund", "money", "bob"))
    space.put(Row("refund", "money", "carl", LEAST / 2, DAY))
    assert space.uses(["money"], "ann", DAY) == {}


def test_a_tool_is_used_for_who_used_it_and_for_others_once_two_have() -> None:
    space = taught(("refund", "money", "ann"), ("refund", "coins", "bob"), ("track", "parcel", "ann"))
    tools = ["refund", "track", "new"]
    assert space.used(tools, "ann", DAY) == {"refund", "track"}
    assert space.used(tools, "carl", DAY) == {"refund"}
    assert taught(*[("wrong", "money", "mallory")] * 1_000).used(["wrong"], "carl", DAY) == set()


def test_a_tool_whose_uses_have_faded_counts_as_new() -> None:
    space = taught(("refund", "money", "ann"))
    assert space.used(["refund"], "ann", DAY + int(HALF_LIFE * 4)) == {"refund"}
    assert space.used(["refund"], "ann", DAY + int(HALF_LIFE * 5)) == set()


def test_a_lesson_counts_as_much_of_a_use_as_it_says() -> None:
    space = Learned()
    for _ in range(2):
        space.learn(Lesson("refund", ("money",), uses=0.5), DAY)
    assert space.uses(["money"], "", DAY) == {"money": {"refund": 1.0}}


rows = st.builds(
    Row,
    tool=st.sampled_from(["a", "b", "c"]),
    term=st.sampled_from(["x", "y", "z"]),
    by=st.sampled_from(["", "p", "q", "r"]),
    uses=st.floats(0.01, MOST),
    day=st.integers(DAY - 200, DAY),
)


@settings(max_examples=60)
@given(st.lists(rows), st.lists(st.tuples(st.booleans(), rows)), st.randoms(use_true_random=False))
def test_equal_rows_are_an_equal_space_whatever_way_they_came_in(
    kept: list[Row], others: list[tuple[bool, Row]], order: random.Random
) -> None:
    chosen = {row.pair: row for row in kept}
    first, second = Learned(), Learned()
    for row in chosen.values():
        first.put(row)
    for _, row in others:
        second.put(row)
    for _, row in others:
        second.remove(row.pair)
    shuffled = list(chosen.values())
    order.shuffle(shuffled)
    for row in shuffled:
        second.put(row)
    assert list(first) == list(second)
    assert len(first) == len(second) == len(chosen)
    for by in ("", "p", "s"):
        assert first.uses("xyz", by, DAY) == second.uses("xyz", by, DAY)
        assert first.used("abc", by, DAY) == second.used("abc", by, DAY)
