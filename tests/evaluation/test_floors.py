"""Floors: which hold, and what is said of those that do not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pegboard.evaluation.datasets import read_set
from pegboard.evaluation.evaluation import Evaluation, evaluate
from pegboard.evaluation.floors import Floor, broken
from tests.evaluation.test_runner import Fixed
from tests.evaluation.things import write_set

RANKERS = ("good", "my.module:Ranker")


@pytest.fixture
def found(tmp_path: Path) -> Evaluation:
    """One ranker that finds the tool, and one that does not."""
    data = read_set(write_set(tmp_path, ["a", "b"], [("need", ["a"])]))
    return evaluate([data], {"good": Fixed("a"), "my.module:Ranker": Fixed("b")})


def lines(found: Evaluation, *texts: str) -> list[str]:
    return list(broken([Floor.of(text, RANKERS) for text in texts], found))


def test_a_floor_holds_for_every_ranker_unless_it_names_one(found: Evaluation) -> None:
    assert lines(found, "recall@5=0.7") == ["my.module:Ranker: recall@5 is 0.0000, wanted at least 0.7."]
    assert lines(found, "good:recall@5=0.7") == []
    assert len(lines(found, "my.module:Ranker:recall@5=0.7", "my.module:Ranker:mrr=1")) == 2


def test_a_value_of_exactly_the_floor_holds(found: Evaluation) -> None:
    assert lines(found, "good:recall@5=1", "my.module:Ranker:mrr=0") == []


def test_of_costs_the_number_is_the_most(found: Evaluation) -> None:
    assert lines(found, "latency_p95_ms=1e6") == []
    assert all("wanted at most 0.0001." in line for line in lines(found, "latency_p95_ms=0.0001"))
    assert len(lines(found, "tokens=1")) == 2


def test_a_figure_without_a_value_holds_no_floor(found: Evaluation) -> None:
    line = "good: no_match_recall has no value, wanted at least 0.3."
    assert lines(found, "good:no_match_recall=0.3") == [line]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("recall@5", "wanted FIGURE=NUMBER"),
        ("=0.5", "wanted FIGURE=NUMBER"),
        ("recall@7=0.5", "'recall@7' is no figure; there are recall@1, recall@5"),
        ("other:recall@5=0.5", "'other' is not among the rankers that are compared: good, my.module:Ranker."),
        ("recall@5=much", "wanted a number behind the =, got 'much'."),
        ("recall@5=nan", "wanted a number"),
        ("recall@5=", "wanted a number"),
        ("recall@5=90", "recall@5 is a number from 0 to 1, got '90'."),
        ("false_no_match=5", "false_no_match is a number from 0 to 1, got '5'."),
    ],
)
def test_what_is_no_floor_is_refused_with_what_there_is(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Floor.of(text, RANKERS)
