"""``eval``: how well tools are found, on questions with their right answers."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.principals import As
from pegboard.cli.progress import steps
from pegboard.cli.session import opened
from pegboard.cli.words import counted
from pegboard.errors import DataSetError, EvaluationError
from pegboard.limits import Limits

if TYPE_CHECKING:
    from pegboard.config import Settings
    from pegboard.evaluation.datasets import DataSet
    from pegboard.evaluation.evaluation import Evaluation
    from pegboard.evaluation.floors import Floor
    from pegboard.search.rankers import Ranker

_TOLD: Final = 10
"""Mistakes of one set that are told line by line."""


def evaluate(
    common: Common,
    places: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH",
            help="A folder with tools.jsonl and queries.jsonl, or with such folders; or a file of questions for the "
            "tools of the configuration.",
        ),
    ],
    ranker: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A ranker to measure, or module:attribute; repeatable. The first is compared with."
        ),
    ] = None,
    content_words: Annotated[
        bool, typer.Option("--content-words", help="Cut each question to its content words, as models ask.")
    ] = False,
    unanswerable: Annotated[
        bool, typer.Option("--unanswerable", help="Ask each question again with its right tools taken away.")
    ] = False,
    sample: Annotated[int | None, typer.Option(metavar="NUMBER", min=1, help="At most this many of each set.")] = None,
    seed: Annotated[int, typer.Option(metavar="NUMBER", min=0, help="What the sample and intervals are drawn by.")] = 0,
    floor: Annotated[
        list[str] | None,
        typer.Option(metavar="[RANKER:]FIGURE=NUMBER", help="Fail where a figure is beyond this; repeatable."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a report with plots; what is there is written over.")
    ] = None,
    who: As = None,
) -> Exit:
    """Measure how well tools are found, on questions with their right answers."""
    from pegboard.evaluation.evaluation import Options, evaluate

    sets, settings = _sets(common, places, who)
    options = Options(sample=sample, seed=seed, content_words=content_words, unanswerable=unanswerable)
    with _own_modules():
        rankers = _rankers(ranker or [settings.ranker if settings else "lexical"], settings)
        floors = _floors(floor or (), list(rankers))
        with steps(common.output) as telling:
            found = evaluate(
                sets,
                rankers,
                options,
                limits=settings.limits if settings else Limits(),
                told=lambda name, data, asked, count: telling.at(f"{name} on {data}", asked, count, "questions"),
            )
    for data in sets:
        _tell_aside(common, data)
    if html is not None:
        _write_report(html, found)
    return _told(common, found, floors)


def _sets(common: Common, places: Sequence[Path], who: str | None) -> tuple[list[DataSet], Settings | None]:
    """(the sets that the paths name, the configuration whose tools are among them)."""
    from pegboard.evaluation.datasets import sets_of

    files = [place for place in places if place.is_file()]
    if who is not None and not files:
        raise typer.BadParameter("only the tools of the configuration are seen by somebody.", param_hint="--as")
    of_catalog: dict[Path, DataSet] = {}
    settings = None
    if files:
        settings, of_catalog = asyncio.run(_of_catalog(common, files, who))
    sets = [one for place in places for one in ([of_catalog[place]] if place in of_catalog else sets_of(place))]
    return _apart(sets), settings


async def _of_catalog(common: Common, files: Sequence[Path], who: str | None) -> tuple[Settings, dict[Path, DataSet]]:
    """The configuration, and its tools with the questions of each file."""
    from pegboard.evaluation.datasets import DataSet, with_questions

    async with opened(common, who=who) as now:
        view = await (await now.board()).view()
        now.tell_amiss(common)
        sets = {file: with_questions(DataSet(name=file.stem, view=view), file) for file in files}
        return now.settings, sets


def _apart(sets: Sequence[DataSet]) -> list[DataSet]:
    """The sets with names that tell them apart."""
    names: dict[str, int] = {}
    told = []
    for data in sets:
        names[data.name] = number = names.get(data.name, 0) + 1
        told.append(data if number == 1 else replace(data, name=f"{data.name} ({number})"))
    return told


@contextmanager
def _own_modules() -> Iterator[None]:
    """Rankers of one's own are looked for in the current folder too."""
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        yield
    finally:
        sys.path.remove(here)


def _rankers(names: Sequence[str], settings: Settings | None) -> dict[str, Ranker]:
    """The rankers of these names; the hybrid one with the encoder that the configuration names."""
    from pegboard.config.ranker import encoder_of
    from pegboard.evaluation.rankers import ranker_named

    try:
        return {name: ranker_named(name, encoder_of(settings.encoder_file if settings else None)) for name in names}
    except EvaluationError as error:
        raise typer.BadParameter(str(error), param_hint="--ranker") from error


def _floors(texts: Sequence[str], rankers: Sequence[str]) -> list[Floor]:
    from pegboard.evaluation.floors import Floor

    try:
        return [Floor.of(text, rankers) for text in texts]
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--floor") from None


def _tell_aside(common: Common, data: DataSet) -> None:
    """Say what of a set could not be used."""
    for problem in data.problems[:_TOLD]:
        common.output.problem(str(problem))
    rest = len(data.problems) - _TOLD
    if rest > 0:
        common.output.problem(f"{data.name}: {counted(rest, 'more mistake')} like these.")
    if data.aside:
        every = data.aside + len(data.questions)
        common.output.problem(f"{data.name}: {data.aside:,} of {every:,} questions were set aside.")


def _write_report(file: Path, found: Evaluation) -> None:
    from pegboard.evaluation.report import page

    try:
        file.write_text(page(found), "utf-8")
    except OSError as error:
        raise DataSetError(
            f"{file}: the report cannot be written: {error.strerror or error}.", hint="Check the path."
        ) from None


def _told(common: Common, found: Evaluation, floors: Sequence[Floor]) -> Exit:
    from pegboard.cli.evaluation_text import print_evaluation
    from pegboard.evaluation.floors import broken

    failed = list(broken(floors, found))
    if common.json:
        told: dict[str, Any] = found.to_json() | {"floors": {"given": len(floors), "broken": failed}}
        common.output.document(told)
    else:
        print_evaluation(common.output, found)
    for line in failed:
        common.output.problem(line, "Error")
    return Exit.FAILED if failed else Exit.OK
