"""The measures, computed by hand, and what holds of them whatever was found."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.evaluation.metrics import MEASURES, completeness, ndcg, recall, reciprocal_rank

RIGHT = {"a": 1.0, "b": 1.0}
SECOND, FOURTH = 1 / math.log2(3), 1 / math.log2(5)


@pytest.mark.parametrize(
    ("found", "values"),
    [
        (["a", "b"], (0.5, 1.0, 1.0, 1.0, 1.0, 1.0)),
        (["x", "a", "y", "b"], (0.0, 1.0, 1.0, (SECOND + FOURTH) / (1 + SECOND), 0.5, 1.0)),
        (["x"] * 5 + ["a"], (0.0, 0.0, 0.5, (1 / math.log2(7)) / (1 + SECOND), 1 / 6, 0.0)),
        (["x"] * 10 + ["a"], (0.0, 0.0, 0.0, 0.0, 1 / 11, 0.0)),
        ([], (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
    ],
)
def test_the_measures_are_the_usual_ones(found: list[str], values: tuple[float, ...]) -> None:
    assert [measure(found, RIGHT) for measure in MEASURES.values()] == pytest.approx(list(values))


def test_a_tool_of_a_higher_grade_belongs_before_others() -> None:
    grades = {"best": 3.0, "good": 1.0}
    assert ndcg(["best", "good"], grades) == 1.0
    assert ndcg(["good", "best"], grades) == pytest.approx((1 + 3 * SECOND) / (3 + SECOND))


def test_more_right_tools_than_ten_can_still_be_ordered_at_best() -> None:
    grades = {str(number): 1.0 for number in range(12)}
    found = list(grades)[:10]
    assert ndcg(found, grades) == 1.0
    assert recall(found, grades, 10) == pytest.approx(10 / 12)
    assert completeness(found, grades) == 0.0


names = st.sampled_from([f"tool{number}" for number in range(15)])
orders = st.lists(names, unique=True)
some_grades = st.dictionaries(names, st.floats(0.01, 100), min_size=1)


@given(found=orders, grades=some_grades)
def test_every_measure_is_from_0_to_1(found: list[str], grades: dict[str, float]) -> None:
    for measure in MEASURES.values():
        assert 0 <= measure(found, grades) <= 1 + 1e-12


@given(found=orders, grades=some_grades, data=st.data())
def test_the_order_of_wrong_tools_does_not_matter(
    found: list[str], grades: dict[str, float], data: st.DataObject
) -> None:
    wrong = [name for name in found if name not in grades]
    shuffled = iter(data.draw(st.permutations(wrong)))
    other = [name if name in grades else next(shuffled) for name in found]
    for measure in MEASURES.values():
        assert measure(found, grades) == measure(other, grades)


@given(found=orders, grades=some_grades)
def test_the_best_order_is_worth_most(found: list[str], grades: dict[str, float]) -> None:
    best = sorted(grades, key=lambda name: -grades[name])
    assert ndcg(best, grades) == pytest.approx(1.0)
    assert reciprocal_rank(best, grades) == 1.0
    assert ndcg(found, grades) <= 1 + 1e-12


@given(found=orders, grades=some_grades, place=st.integers(0, 14))
def test_a_right_tool_further_up_is_never_worth_less(found: list[str], grades: dict[str, float], place: int) -> None:
    right = next((name for name in found if name in grades), None)
    if right is None:
        return
    rest = [name for name in found if name != right]
    moved = [*rest[: min(place, found.index(right))], right, *rest[min(place, found.index(right)) :]]
    for measure in MEASURES.values():
        assert measure(moved, grades) >= measure(found, grades) - 1e-12 or any(name in grades for name in rest[:place])
