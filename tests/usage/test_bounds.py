"""How many rows are kept, and which are forgotten."""

from __future__ import annotations

import random

import pytest

from pegboard.usage import bounds
from pegboard.usage.bounds import faded_before, surplus
from pegboard.usage.learned import Learned
from pegboard.usage.rows import HALF_LIFE, LEAST, MOST, Lesson, Pair, Row

DAY = 20_000


def test_rows_that_are_swept_have_faded_whatever_they_were() -> None:
    before = faded_before(DAY, HALF_LIFE)
    assert Row("t", "w", "", MOST, before - 1).on(DAY, HALF_LIFE) < LEAST
    assert Row("t", "w", "", MOST, before + 1).on(DAY, HALF_LIFE) >= LEAST


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "ROWS", 100)
    monkeypatch.setattr(bounds, "ROWS_OF_ONE", 40)
    monkeypatch.setattr(bounds, "ROWS_OF_TOOL", 50)


@pytest.mark.usefixtures("small")
def test_a_space_keeps_within_its_bounds_whoever_teaches() -> None:
    space, order = Learned(), random.Random(1)
    for number in range(2_000):
        tool, by = f"tool{order.randrange(5)}", f"p{order.randrange(4)}"
        lesson = Lesson(tool, (f"word{number}", f"word{order.randrange(30)}"), by)
        space.learn(lesson, DAY)
        space.bound(tool, by, DAY)
        assert len(space) <= 100
    found = list(space)
    assert len(found) == len(space) > 60
    assert max(sum(row.by == by for row in found) for by in ("p0", "p1", "p2", "p3")) <= 40


@pytest.mark.usefixtures("small")
def test_what_several_have_taught_is_not_pushed_out_by_one() -> None:
    space = Learned()
    for number in range(10):
        for by in ("ann", "bob"):
            space.learn(Lesson("refund", (f"word{number}",), by), DAY)
    for number in range(500):
        lesson = Lesson(f"wrong{number % 7}", (f"flood{number}",), "mallory")
        space.learn(lesson, DAY)
        space.bound(lesson.tool, "mallory", DAY)
    assert len(space.uses([f"word{number}" for number in range(10)], "carl", DAY)) == 10


@pytest.mark.usefixtures("small")
def test_what_is_over_a_bound_is_the_least() -> None:
    kept = [Row("a", f"w{n}", "p", 2.0, DAY) for n in range(30)]
    least = [Row("a", f"v{n}", "p", 1.0, DAY) for n in range(20)]
    faded = [Row("b", "old", "q", 1.0, DAY - 1_000)]
    gone = {row.pair for row in surplus([*least, *faded, *kept], DAY, HALF_LIFE)}
    assert Pair("b", "old", "q") in gone
    assert gone.isdisjoint(row.pair for row in kept)
    assert len(gone) == 1 + 50 - 36
