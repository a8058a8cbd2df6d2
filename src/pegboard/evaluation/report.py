"""An evaluation as one page of HTML: nothing in it is fetched from anywhere, and nothing runs. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pegboard.evaluation import report_curves, report_tables
from pegboard.evaluation.evaluation import Evaluation
from pegboard.evaluation.figures import FIGURES
from pegboard.evaluation.markup import Markup, joined, tag
from pegboard.evaluation.metrics import DEPTH
from pegboard.evaluation.report_words import ABOUT, STYLE
from pegboard.texts import one_line
from pegboard.version import __version__

_MISSED: Final = 50
"""Questions that are listed of those that found nothing right."""

_NAMED: Final = 3
_PROBLEMS: Final = 50
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"


def page(found: Evaluation) -> str:
    """The whole document. The same evaluation gives the same page."""
    title = "How well tools are found"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", Markup(STYLE)),
    )
    body = tag("body", tag("main", tag("h1", title), *_sections(found)))
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _sections(found: Evaluation) -> Iterator[Markup]:
    yield _asked(found)
    yield _section("Figures", report_tables.figures_table(found), *report_tables.measures_plot(found))
    if found.differences:
        yield _section("Differences", tag("p", ABOUT["differences"]), *report_tables.differences(found))
    yield _section("How far down", report_curves.depths(found))
    if len(found.sets) > 1:
        yield _section("Sets", *report_tables.sets(found))
    slices = [part for kind in found.results[0].slices for part in report_tables.slices(found, kind)]
    if slices:
        yield _section("Kinds of questions", *slices)
    yield _section("Time", report_curves.times(found))
    missed = list(_missed(found))
    if missed:
        yield _section("Not found", tag("p", ABOUT["missed"].format(ranker=found.results[0].ranker)), *missed)
    problems = [str(problem) for data in found.sets for problem in data.problems]
    if problems:
        yield _section("Set aside", tag("ul", *(tag("li", one_line(one)) for one in problems[:_PROBLEMS])))
    terms = (joined(tag("dt", name), tag("dd", ABOUT[name])) for name in FIGURES)
    yield _section("What the figures say", tag("dl", *terms))


def _section(title: str, *parts: str) -> Markup:
    return tag("section", tag("h2", title), *parts)


def _asked(found: Evaluation) -> Markup:
    """What was asked of which tools, and how."""
    options = found.options
    ways = [
        f"at most {options.sample:,} questions of each set, drawn by seed {options.seed}" if options.sample else "",
        "questions cut to their content words" if options.content_words else "",
        "each asked again with its right tools taken away" if options.unanswerable else "",
    ]
    told = "; ".join(way for way in ways if way) or "every question, as it is written"
    rows = [
        [one_line(data.name), f"{len(data.known):,}", f"{len(data.questions):,}", f"{data.aside:,}"]
        for data in found.sets
    ]
    sets = report_tables.table(["set", "tools", "questions", "set aside"], rows)
    return joined(tag("p", f"Pegboard {__version__}: {told}."), sets)


def _missed(found: Evaluation) -> Iterator[Markup]:
    """The questions of which the first ranker found nothing right among the first ten, as they were asked."""
    rows = [
        [
            one_line(answer.question.text),
            one_line(data.name),
            one_line(", ".join(answer.question.relevant)),
            one_line(", ".join(answer.found[:_NAMED])) or "nothing",
        ]
        for data, of_set in zip(found.sets, found.results[0].answers, strict=True)
        for answer in of_set
        if answer.question.answerable and answer.question.relevant.keys().isdisjoint(answer.found[:DEPTH])
    ]
    if rows:
        yield report_tables.table(["question", "set", "right", "found first"], rows[:_MISSED], kind="words")
    if len(rows) > _MISSED:
        yield tag("p", f"And {len(rows) - _MISSED:,} more.")
