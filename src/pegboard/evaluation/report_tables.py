"""The figures of an evaluation in tables, each with a plot that shows the same. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pegboard.evaluation.evaluation import Evaluation, Result
from pegboard.evaluation.figures import FIGURES, shown
from pegboard.evaluation.markup import Markup, joined, tag
from pegboard.evaluation.metrics import MEASURES
from pegboard.evaluation.plots import Bar, bars, whiskers
from pegboard.texts import one_line

MAIN: Final = ("recall@5", "ndcg@10")
"""The measures that sets and slices are told by; plots show the last."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, kind: str = "numbers") -> Markup:
    """A table whose first column names its rows; the others are ``numbers`` or ``words``."""
    columns = tag("tr", *(tag("th", title, scope="col") for title in head))
    body = (tag("tr", tag("th", first, scope="row"), *(tag("td", cell) for cell in rest)) for first, *rest in rows)
    whole = tag("table", tag("thead", columns), tag("tbody", *body), class_=kind)
    return tag("div", whole, class_="wide", tabindex="0")


def names(found: Evaluation) -> list[str]:
    """The rankers' names."""
    return [one_line(result.ranker) for result in found.results]


def figures_table(found: Evaluation) -> Markup:
    """Every figure of each ranker."""
    rows = [
        [name, *(_with_interval(result, name) for result in found.results)]
        for name in FIGURES
        if any(result.overall.values[name] is not None for result in found.results)
    ]
    return table(["mean of the sets" if len(found.sets) > 1 else "figure", *names(found)], rows)


def _with_interval(result: Result, name: str) -> str:
    value = shown(name, result.overall.values[name])
    one = result.intervals.get(name)
    return value if one is None else joined(value, tag("small", f" {one.low:.3f} to {one.high:.3f}"))


def measures_plot(found: Evaluation) -> Iterator[Markup]:
    """The measures of each ranker, with their intervals."""
    if not found.results[0].intervals:
        return
    groups = {
        name: [Bar(one.value, one.low, one.high) for one in (result.intervals[name] for result in found.results)]
        for name in MEASURES
    }
    yield bars("Measures by ranker", "Bars from 0 to 1 with 95 % intervals; the table has them.", groups, names(found))


def differences(found: Evaluation) -> Iterator[Markup]:
    """How much more each further ranker has than the first."""
    against = one_line(found.results[0].ranker)
    for ranker, measures in found.differences.items():
        title = f"{one_line(ranker)} against {against}"
        rows = [
            [name, f"{one.value:+.3f}", f"{one.low:+.3f} to {one.high:+.3f}", "sure" if one.sure else "may be chance"]
            for name, one in measures.items()
        ]
        yield tag("h3", title)
        yield table(["measure", "more", "95 % interval", ""], rows)
        drawn = {name: (one.low, one.value, one.high) for name, one in measures.items()}
        yield whiskers(title, "Differences with 95 % intervals about 0; the table has them.", drawn)


def sets(found: Evaluation) -> Iterator[Markup]:
    """How each ranker does on each set."""
    labels = [one_line(data.name) for data in found.sets]
    for measure in MAIN:
        rows = [
            [name, *(shown(measure, result.sets[place].values[measure]) for result in found.results)]
            for place, name in enumerate(labels)
        ]
        yield table([measure, *names(found)], rows)
    groups = {
        name: [Bar(result.sets[place].values[MAIN[-1]]) for result in found.results]
        for place, name in enumerate(labels)
    }
    yield bars(f"{MAIN[-1]} by set", "Bars from 0 to 1; the table has them.", groups, names(found))


def slices(found: Evaluation, kind: str) -> Iterator[Markup]:
    """One kind of slice, where there is more than one."""
    labels = [label for label, one in found.results[0].slices[kind].items() if one.answerable]
    if len(labels) < 2:
        return
    first = found.results[0].slices[kind]
    rows = [
        [
            one_line(label),
            f"{first[label].answerable:,}",
            *(
                shown(measure, result.slices[kind][label].values[measure])
                for result in found.results
                for measure in MAIN
            ),
        ]
        for label in labels
    ]
    yield tag("h3", f"By {kind}")
    yield table([kind, "questions", *(f"{name}: {measure}" for name in names(found) for measure in MAIN)], rows)
    groups = {
        one_line(label): [Bar(result.slices[kind][label].values[MAIN[-1]]) for result in found.results]
        for label in labels
    }
    yield bars(f"{MAIN[-1]} by {kind}", "Bars from 0 to 1; the table has them.", groups, names(found))
