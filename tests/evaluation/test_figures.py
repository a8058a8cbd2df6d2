"""What answers come to in the mean."""

from __future__ import annotations

import pytest

from pegboard.evaluation.figures import FIGURES, LESS_IS_BETTER, figures, percentile
from tests.evaluation.things import answered


def test_a_figure_over_sets_is_the_mean_of_the_means_of_the_sets() -> None:
    small = [answered("a", right="a")]
    large = [answered("x", right="a"), answered("x", right="a"), answered("x", "a", right="a")]
    found = figures([small, large])
    assert found.values["recall@1"] == pytest.approx((1 + 0) / 2)
    assert found.values["mrr"] == pytest.approx((1 + 0.5 / 3) / 2)
    assert (found.answerable, found.unanswerable) == (4, 0)


def test_questions_without_a_right_tool_count_for_no_measure_of_the_others() -> None:
    found = figures([[answered("a", right="a"), answered("x")]])
    assert found.values["recall@1"] == 1.0
    assert (found.answerable, found.unanswerable) == (1, 1)


def test_precision_and_recall_of_the_answer_that_nothing_fits() -> None:
    right = [answered("a", right="a"), answered(right="a", refused=True), answered(right="b", refused=True)]
    without = [answered(refused=True), answered("x"), answered("x"), answered("x")]
    values = figures([right, without]).values
    assert values["no_match_precision"] == pytest.approx(1 / 3)
    assert values["no_match_recall"] == pytest.approx(1 / 4)
    assert values["false_no_match"] == pytest.approx(2 / 3)


def test_what_cannot_be_said_is_nothing_and_not_0() -> None:
    values = figures([[answered("x")]]).values
    assert values["recall@5"] is None
    assert values["no_match_precision"] is None
    assert values["no_match_recall"] == 0.0
    assert values["false_no_match"] is None
    wrongly = figures([[answered(right="a", refused=True)]]).values
    assert wrongly["no_match_precision"] is wrongly["no_match_recall"] is None
    assert wrongly["false_no_match"] == 1.0
    nothing = figures([[]]).values
    assert list(nothing) == list(FIGURES)
    assert not any(nothing.values())


def test_times_are_told_in_milliseconds_and_tokens_where_they_were_counted() -> None:
    times = [answered("a", right="a", seconds=number / 1000, tokens=None) for number in range(1, 101)]
    values = figures([[*times, answered("a", right="a", seconds=0.05, tokens=7)]]).values
    assert values["latency_median_ms"] == pytest.approx(50)
    assert values["latency_p95_ms"] == pytest.approx(95)
    assert values["tokens"] == 7


def test_a_percentile_is_never_beyond_what_there_is() -> None:
    assert percentile([3.0], 95) == 3.0
    assert percentile([1.0, 3.0], 95) == pytest.approx(2.9)


def test_only_known_figures_are_better_when_they_are_less() -> None:
    assert set(FIGURES) >= LESS_IS_BETTER
