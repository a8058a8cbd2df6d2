"""An evaluation in tables of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from pegboard.cli.words import counted
from pegboard.evaluation.figures import FIGURES, shown

if TYPE_CHECKING:
    from pegboard.cli.output import Output, Row
    from pegboard.evaluation.evaluation import Evaluation

MAIN: Final = "ndcg@10"
"""The measure that sets and slices are told by."""


def print_evaluation(out: Output, found: Evaluation) -> None:
    """What was asked, the figures of each ranker, how they differ, and how they do on each set and slice."""
    for data in found.sets:
        asked = counted(len(data.questions), "question")
        out.say(f"{data.name}: {counted(len(data.known), 'tool')}, {asked}")
    out.say()
    _table(out, "mean of the sets" if len(found.sets) > 1 else "", found, _figure_rows(found))
    if len(found.sets) > 1:
        rows = [
            (data.name, *(shown(MAIN, result.sets[place].values[MAIN]) for result in found.results))
            for place, data in enumerate(found.sets)
        ]
        _table(out, MAIN, found, rows)
    for ranker in found.differences:
        _print_difference(out, found, ranker)
    for kind in found.results[0].slices:
        _print_slices(out, found, kind)


def _figure_rows(found: Evaluation) -> list[Row]:
    """A row a figure, but those that no ranker has a value of."""
    values = [result.overall.values for result in found.results]
    return [
        (figure, *(shown(figure, of_ranker[figure]) for of_ranker in values))
        for figure in FIGURES
        if any(of_ranker[figure] is not None for of_ranker in values)
    ]


def _table(out: Output, title: str, found: Evaluation, rows: Sequence[Row]) -> None:
    names = [result.ranker for result in found.results]
    out.rows(rows, head=(title, *names), numbers=set(range(1, len(names) + 1)))
    out.say()


def _print_difference(out: Output, found: Evaluation, ranker: str) -> None:
    rows = [
        (measure, f"{one.value:+.3f}", f"{one.low:+.3f} to {one.high:+.3f}", "" if one.sure else "may be chance")
        for measure, one in found.differences[ranker].items()
    ]
    if rows:
        out.rows(
            rows, head=(f"{ranker} against {found.results[0].ranker}", "more", "95 % interval", ""), numbers={1, 2}
        )
        out.say()


def _print_slices(out: Output, found: Evaluation, kind: str) -> None:
    """One kind of slice, where there is more than one."""
    parts = found.results[0].slices[kind]
    rows = [
        (
            label,
            f"{of_first.answerable:,}",
            *(shown(MAIN, one.slices[kind][label].values[MAIN]) for one in found.results),
        )
        for label, of_first in parts.items()
        if of_first.answerable
    ]
    if len(rows) < 2:
        return
    names = [result.ranker for result in found.results]
    out.rows(rows, head=(f"{MAIN} by {kind}", "questions", *names), numbers=set(range(1, len(names) + 2)))
    out.say()
