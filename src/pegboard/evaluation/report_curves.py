"""The curves of an evaluation: what is found how far down, and how long searches take. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log10
from typing import Final

from pegboard.evaluation.evaluation import Evaluation, Result
from pegboard.evaluation.markup import Markup
from pegboard.evaluation.metrics import DEPTH, recall
from pegboard.evaluation.plots import curves, logarithmic
from pegboard.texts import one_line

_STEPS: Final = 60
"""Points of the curve of times."""

_LEAST: Final = 1e-3
"""Milliseconds: nothing below can be told on an axis of powers of ten."""


def depths(found: Evaluation) -> Markup:
    """The recall of the first one, two, ... of what was found."""
    reach = range(1, DEPTH + 1)
    lines = {
        one_line(result.ranker): [((depth - 1) / (DEPTH - 1), _recall(result, depth)) for depth in reach]
        for result in found.results
    }
    ticks = {(depth - 1) / (DEPTH - 1): str(depth) for depth in reach}
    about = "The share of the right tools among the first one to ten found, by ranker."
    return curves("Recall by depth", about, ticks, lines, foot="tools looked at")


def _recall(result: Result, depth: int) -> float:
    """As a figure is: the mean over sets of the mean over questions."""
    groups = [[answer for answer in of_set if answer.question.answerable] for of_set in result.answers]
    means = [
        sum(recall(answer.found, answer.question.relevant, depth) for answer in group) / len(group)
        for group in groups
        if group
    ]
    return sum(means) / len(means) if means else 0.0


def times(found: Evaluation) -> Markup:
    """Which share of the searches took how long at most."""
    every = {
        one_line(result.ranker): sorted(
            max(answer.seconds * 1000, _LEAST)
            for of_set in result.answers
            for answer in of_set
            if answer.seconds is not None
        )
        for result in found.results
    }
    ticks, low, high = logarithmic(value for taken in every.values() for value in taken)
    lines = {
        name: [((log10(value) - low) / (high - low), share) for value, share in _shares(taken)]
        for name, taken in every.items()
    }
    about = "The share of searches that took at most so many milliseconds, by ranker."
    return curves("Time of a search", about, ticks, lines, foot="milliseconds")


def _shares(taken: Sequence[float]) -> Iterator[tuple[float, float]]:
    """Times, ascending, with the share of all that took no longer; at most ``_STEPS`` and the last."""
    step = -(-len(taken) // _STEPS)
    places = dict.fromkeys([*range(0, len(taken), step or 1), len(taken) - 1]) if taken else ()
    return ((taken[place], (place + 1) / len(taken)) for place in places)
