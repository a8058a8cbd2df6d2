"""How many rows are kept, and which are forgotten."""

from __future__ import annotations

import random
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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


class Watched(Row):
    """A row that tells who was asked what it comes to. Lives as long as a test."""

    looked: ClassVar[set[str]] = set()

    def on(self, day: int, half_life: float) -> float:
        """What the uses come to on a day."""
        self.looked.add(f"{self.tool} {self.by}")
        return super().on(day, half_life)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("tools", "by", "looked"),
    [(["one"] * 51, [f"p{n}" for n in range(51)], {"one"}), ([f"t{n % 7}" for n in range(41)], ["eve"] * 41, {"eve"})],
)
def test_where_one_tool_or_principal_has_too_much_no_other_is_looked_at(
    tools: list[str], by: list[str], looked: set[str]
) -> None:
    space = Learned()
    for number in range(40):
        space.put(Watched("other", f"word{number}", f"q{number}", 1.0, DAY))
    rows = [Watched(tool, f"word{n}", one, 1.0, DAY) for n, (tool, one) in enumerate(zip(tools, by, strict=True))]
    for row in rows:
        space.put(row)
    Watched.looked.clear()
    space.bound(tools[-1], by[-1], DAY)
    assert len(space) < 40 + len(rows)
    assert all(not looked.isdisjoint(one.split()) for one in Watched.looked)
    assert Watched.looked


@pytest.mark.usefixtures("small")
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.randoms(use_true_random=False), st.sampled_from(["tool", "principal"]))
def test_looking_at_the_rows_of_one_alone_forgets_what_looking_at_all_would(order: random.Random, part: str) -> None:
    tool, by = ("t0", "") if part == "tool" else ("", "p0")
    rows = {
        row.pair: row
        for _ in range(70)
        for row in [
            Row(
                tool or f"t{order.randrange(3)}",
                f"w{order.randrange(60 if tool else 25)}",
                by if by and order.random() < 0.8 else f"p{order.randrange(9)}",
                order.choice([0.5, 1.0, 3.0]),
                DAY - order.choice([0, 3, 60, 1_000]),
            )
        ]
    }
    space = Learned()
    for row in rows.values():
        space.put(row)
    gone = {row.pair for row in surplus(rows.values(), DAY, HALF_LIFE)}
    concerned = {pair for pair in rows if pair.tool == tool or pair.by == by}
    space.bound(tool, by, DAY)
    left = {row.pair for row in space}
    full = len(concerned) > (50 if tool else 40)
    assert concerned - left == (concerned & gone if full else set())


@pytest.mark.usefixtures("small")
def test_what_a_principal_did_with_others_stays_where_its_own_bound_is_met() -> None:
    space = Learned()
    for number in range(10):
        for by in ("ann", "bob"):
            space.put(Row("refund", f"word{number}", by, 0.1, DAY))
    for number in range(31):
        space.put(Row("track", f"own{number}", "ann", 2.0, DAY))
    space.bound("track", "ann", DAY)
    assert len(space.uses([f"word{number}" for number in range(10)], "carl", DAY)) == 10
    assert sum(row.by == "ann" for row in space) == 36
