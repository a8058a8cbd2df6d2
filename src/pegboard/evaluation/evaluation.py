"""Rankers side by side on sets of questions: everything that a report tells."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pegboard.evaluation.comparing import Comparison, Interval, compared
from pegboard.evaluation.datasets import DataSet
from pegboard.evaluation.figures import Figures, figures
from pegboard.evaluation.runner import Answer, run
from pegboard.evaluation.slices import KINDS, in_order
from pegboard.limits import Limits

if TYPE_CHECKING:
    from pegboard.search.rankers import Ranker

Told = Callable[[str, str, int, int], None]
"""Told how far it is: the ranker, the set, questions asked, questions there are."""

_PLACES: Final = 6
"""Digits behind the point of figures in JSON: enough for every question of a million to count."""
_PROBLEMS: Final = 100
"""Problems of one set that are listed."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """How questions were chosen and asked. Immutable; belongs to one evaluation.

    ``sample`` is the most questions of a set, None for all; ``content_words`` says that they were cut to their content
    words, ``unanswerable`` that each was asked again with its right tools taken away. ``seed`` decides what is drawn.
    """

    sample: int | None = None
    seed: int = 0
    content_words: bool = False
    unanswerable: bool = False

    def of(self, data: DataSet) -> DataSet:
        """A set as it is asked."""
        data = data.sampled(self.sample, self.seed)
        data = data.reduced() if self.content_words else data
        return data.with_unanswerable() if self.unanswerable else data


@dataclass(frozen=True, kw_only=True)
class Result:
    """What one ranker came to. Immutable.

    ``answers`` and ``sets`` are in the order of the evaluation's sets; ``slices`` has figures by kind of slice and
    label, over all sets together; ``intervals`` has those of its measures.
    """

    ranker: str
    answers: tuple[tuple[Answer, ...], ...]
    overall: Figures
    sets: tuple[Figures, ...]
    slices: Mapping[str, Mapping[str, Figures]]
    intervals: Mapping[str, Interval]


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """Rankers on sets of questions. Immutable.

    ``differences`` has for each ranker but the first how much more it has than that one, by measure.
    """

    sets: tuple[DataSet, ...]
    results: tuple[Result, ...]
    differences: Mapping[str, Mapping[str, Interval]]
    options: Options

    def to_json(self) -> dict[str, Any]:
        """The evaluation as one JSON object: the figures of each ranker under ``rankers`` and its name."""
        return {
            "rankers": {result.ranker: _result(result, self.sets) for result in self.results},
            "differences": [
                {"ranker": ranker, "against": self.results[0].ranker, "measure": measure} | _interval(found)
                for ranker, by_measure in self.differences.items()
                for measure, found in by_measure.items()
            ],
            "sets": [
                {
                    "name": data.name,
                    "tools": len(data.known),
                    "questions": len(data.questions),
                    "set_aside": data.aside,
                    "problems": [problem.to_json() for problem in data.problems[:_PROBLEMS]],
                }
                for data in self.sets
            ],
            "options": vars(self.options),
        }


def evaluate(
    sets: Sequence[DataSet],
    rankers: Mapping[str, Ranker],
    options: Options | None = None,
    *,
    limits: Limits | None = None,
    told: Told = lambda ranker, data, asked, count: None,
) -> Evaluation:
    """Ask every question of every set with every ranker. Raises EvaluationError when a ranker fails."""
    options = options or Options()
    asked = tuple(map(options.of, sets))
    answers = {
        name: tuple(_answers(data, name, ranker, limits, told) for data in asked) for name, ranker in rankers.items()
    }
    comparison = compared(list(answers.values()), options.seed)
    return Evaluation(
        sets=asked,
        results=_results(asked, answers, comparison),
        differences=dict(zip(list(answers)[1:], comparison.differences, strict=True)),
        options=options,
    )


def _answers(data: DataSet, name: str, ranker: Ranker, limits: Limits | None, told: Told) -> tuple[Answer, ...]:
    found = []
    for answer in run(data, ranker, limits):
        found.append(answer)
        told(name, data.name, len(found), len(data.questions))
    return tuple(found)


def _results(
    sets: Sequence[DataSet], answers: Mapping[str, tuple[tuple[Answer, ...], ...]], comparison: Comparison
) -> tuple[Result, ...]:
    return tuple(
        Result(
            ranker=name,
            answers=found,
            overall=figures(found),
            sets=tuple(figures([of_set]) for of_set in found),
            slices=_slices(sets, found),
            intervals=own,
        )
        for (name, found), own in zip(answers.items(), comparison.own, strict=True)
    )


def _slices(sets: Sequence[DataSet], answers: Sequence[Sequence[Answer]]) -> dict[str, dict[str, Figures]]:
    told: dict[str, dict[str, Figures]] = {}
    for kind, label_of in KINDS.items():
        parts: defaultdict[str, list[Answer]] = defaultdict(list)
        for data, of_set in zip(sets, answers, strict=True):
            for answer in of_set:
                parts[label_of(answer.question, data)].append(answer)
        told[kind] = {label: figures([parts[label]]) for label in in_order(kind, parts)}
    return told


def _result(result: Result, sets: Sequence[DataSet]) -> dict[str, Any]:
    of_sets = zip(sets, result.sets, strict=True)
    return _figures(result.overall) | {
        "intervals": {measure: _interval(found) for measure, found in result.intervals.items()},
        "sets": {data.name: _figures(found) for data, found in of_sets},
        "slices": {
            kind: {label: _figures(found) for label, found in parts.items()} for kind, parts in result.slices.items()
        },
    }


def _figures(found: Figures) -> dict[str, Any]:
    values = {name: None if value is None else round(value, _PLACES) for name, value in found.values.items()}
    return values | {"answerable": found.answerable, "unanswerable": found.unanswerable}


def _interval(found: Interval) -> dict[str, float]:
    return {name: round(value, _PLACES) for name, value in vars(found).items()}
