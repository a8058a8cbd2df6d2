"""The best of many scores are those that all scores in order begin with, however few are computed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pegboard.search import scores as module
from pegboard.search.arrays import Array
from pegboard.search.scores import Scores

SLACK, WIDE = 2.5, 4.0
values = st.lists(
    st.tuples(st.sampled_from((0.0, 0.01, 0.5, 1.0, 1.5, 3.0, 100.0)), st.sampled_from((1.0, 1.2, 2.0, SLACK, WIDE))),
    min_size=1,
    max_size=60,
)


def of(told: list[tuple[float, float]]) -> tuple[Scores, Array]:
    """Scores that have these least values and factors, and what they are."""
    least, factors = (np.array(column) for column in zip(*told, strict=True))
    wide = np.flatnonzero(factors > SLACK)[::-1], WIDE
    return Scores(least, SLACK, lambda rows: (least * factors)[rows], [wide]), least * factors


def in_order(scores: Array) -> list[int]:
    rows = np.flatnonzero(scores)
    return list(map(int, rows[np.argsort(-scores[rows], kind="stable")]))


@example(told=[(1.5, 1.0), (0.5, WIDE)], share=0.0, folded=1 << 13, many=100)
@given(told=values, share=st.floats(0, 1), folded=st.sampled_from((1, 4, 1 << 13)), many=st.sampled_from((0, 100)))
def test_the_best_are_the_first_of_all(told: list[tuple[float, float]], share: float, folded: int, many: int) -> None:
    found, scores = of(told)
    whole = in_order(scores)
    if not whole:
        return
    count = 1 + int(share * (len(whole) - 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_FOLDED", (4 * folded, folded))
        patch.setattr(module, "_MANY", many)
        rows, best = found.best(count)
    as_good = [row for row in whole if scores[row] >= scores[whole[count - 1]]]
    assert rows.tolist() == whole[: max(len(as_good), len(rows))]
    assert len(rows) >= count
    assert best.tolist() == scores[rows].tolist()


@given(told=values, data=st.data())
def test_scores_are_raised_and_left_out_row_by_row(told: list[tuple[float, float]], data: st.DataObject) -> None:
    found, scores = of(told)
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, len(told) - 1)))), np.intp)
    points = np.array(data.draw(st.lists(st.sampled_from((0.0, 0.5, 7.0)), min_size=rows.size, max_size=rows.size)))
    raised, expected = found.raised(rows, points), scores.copy()
    expected[rows] += points
    assert raised.rows.tolist() == np.flatnonzero(expected).tolist()
    assert raised.of(np.arange(len(told))).tolist() == expected.tolist()
    left = found.without(rows)
    expected = scores.copy()
    expected[rows] = 0.0
    assert left.size == len(left.rows) == np.count_nonzero(expected)
    assert left.of(np.arange(len(told))).tolist() == expected.tolist()
    assert found.of(np.arange(len(told))).tolist() == scores.tolist()
