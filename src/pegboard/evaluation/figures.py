"""The figures of one ranker: what its answers come to in the mean. Pure functions."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pegboard.evaluation.metrics import MEASURES
from pegboard.evaluation.runner import Answer

Values = Mapping[str, float | None]
"""A value for each of ``FIGURES``; None where there is none to tell."""

COSTS: Final = ("latency_median_ms", "latency_p95_ms", "tokens")
"""The figures of which less is better."""

FIGURES: Final[tuple[str, ...]] = (
    *MEASURES,
    "no_match_precision",
    "no_match_recall",
    "false_no_match",
    *COSTS,
)
"""Every figure by name, in the order of reports."""

LESS_IS_BETTER: Final = frozenset({"false_no_match", *COSTS})


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What some answers come to. Immutable. ``answerable`` and ``unanswerable`` say how many questions there were."""

    answerable: int
    unanswerable: int
    values: Values


def figures(groups: Sequence[Sequence[Answer]]) -> Figures:
    """The figures over groups of answers, a group for each set.

    Measures of questions with right tools: the mean over the groups of the mean over each. What says that nothing
    fits, times and tokens are taken over all answers together.
    """
    answers = [answer for group in groups for answer in group]
    right = [answer for answer in answers if answer.question.answerable]
    without = [answer for answer in answers if not answer.question.answerable]
    values = {**_ranking(groups), **_no_match(right, without), **_costs(answers)}
    return Figures(answerable=len(right), unanswerable=len(without), values={name: values[name] for name in FIGURES})


def scores(answers: Iterable[Answer]) -> list[list[float]]:
    """For each answer to a question that has right tools, every measure of ``MEASURES``, in that order."""
    return [
        [measure(answer.found, answer.question.relevant) for measure in MEASURES.values()]
        for answer in answers
        if answer.question.answerable
    ]


def _ranking(groups: Sequence[Sequence[Answer]]) -> dict[str, float | None]:
    rows = [found for group in groups if (found := scores(group))]
    means = [[statistics.fmean(column) for column in zip(*group, strict=True)] for group in rows]
    if not means:
        return dict.fromkeys(MEASURES)
    return dict(zip(MEASURES, map(statistics.fmean, zip(*means, strict=True)), strict=True))


def _no_match(right: Sequence[Answer], without: Sequence[Answer]) -> dict[str, float | None]:
    """Precision: of the answers that nothing fits, how many were right; recall: of those that should be, how many are.

    Neither has a value where no question is without right tools. ``false_no_match`` is the share of questions with
    right tools that got this answer all the same.
    """
    wrongly, rightly = (sum(answer.refused for answer in answers) for answers in (right, without))
    return {
        "no_match_precision": _share(rightly, rightly + wrongly) if without else None,
        "no_match_recall": _share(rightly, len(without)),
        "false_no_match": _share(wrongly, len(right)),
    }


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _costs(answers: Sequence[Answer]) -> dict[str, float | None]:
    times = [answer.seconds * 1000 for answer in answers if answer.seconds is not None]
    tokens = [answer.tokens for answer in answers if answer.tokens is not None]
    return {
        "latency_median_ms": statistics.median(times) if times else None,
        "latency_p95_ms": percentile(times, 95) if times else None,
        "tokens": statistics.fmean(tokens) if tokens else None,
    }


def percentile(values: Sequence[float], percent: int) -> float:
    """A percentile of at least one value, between the two that are nearest to it."""
    if len(values) == 1:
        return values[0]
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def shown(figure: str, value: float | None) -> str:
    """A figure as a reader wants it: ``-`` where there is none."""
    if value is None:
        return "-"
    if figure == "tokens":
        return f"{value:,.0f}"
    return f"{value:.2f}" if figure in COSTS else f"{value:.3f}"
