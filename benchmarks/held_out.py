"""``python -m benchmarks.held_out DIR``: what the default ranker's parts are worth.

DIR is that of ``benchmarks.retrieval``. Whatever is chosen here is chosen on all sets but the one that it is measured
on; sets of the same tools are left out together.
"""

from __future__ import annotations

import random
import re
import statistics
import string
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from benchmarks.report import Table
from benchmarks.retrieval import by_ranker, figures, printed, thinned
from pegboard.evaluation.datasets import DataSet, Question, sets_of
from pegboard.search import LexicalRanker, asked, lexical, spelling

Constants = Mapping[str, float]

MODULES: Final = {"RELATED": asked, "KIN": asked, "LIGHT": asked, "MEANT": spelling, "NAMED": lexical}
SHIPPED: Final[Constants] = {name: getattr(module, name) for name, module in MODULES.items()}
PARTS: Final[Mapping[str, Constants]] = {
    "as shipped": {},
    "without related words": {"RELATED": 0.0},
    "without words of one family": {"KIN": 0.0},
    "without reading unknown words": {"MEANT": 0.0},
    "without light words": {"LIGHT": 1.0},
    "without the worth of names": {"NAMED": 0.0},
}
GRID: Final[Sequence[Constants]] = [
    {"RELATED": related, "LIGHT": light, "NAMED": named}
    for related, light, named in product((0.3, 0.5, 0.7), (0.4, 0.5, 0.7), (0.2, 1 / 3, 0.5))
]
LEAST: Final = 6
LONG: Final = re.compile(f"[a-z]{{{LEAST},}}")


@contextmanager
def constants(chosen: Constants) -> Iterator[None]:
    """Other constants in the ranker, for as long as the block."""
    with ExitStack() as stack:
        for name, value in chosen.items():
            stack.enter_context(patch.object(MODULES[name], name, value))
        asked.said.cache_clear()
        yield
    asked.said.cache_clear()


def others(sets: Sequence[DataSet], held: DataSet) -> list[DataSet]:
    """The sets of other tools."""
    return [data for data in sets if data.known.keys() != held.known.keys()]


def parts(sets: Sequence[DataSet]) -> Table:
    """nDCG@10 without each part, and with constants chosen on the other sets."""
    rows = [_row(name, _ndcg(sets, chosen).values()) for name, chosen in PARTS.items()]
    measured = [(chosen, _ndcg(sets, chosen)) for chosen in GRID]
    held = []
    for data in sets:
        names = [one.name for one in others(sets, data)] or [data.name]
        best = max(measured, key=lambda one: statistics.fmean(one[1][name] for name in names))
        held.append(best[1][data.name])
    rows.append(_row("constants chosen on the other sets", held))
    return Table(
        title="Ranking: the parts, and what choosing constants gains",
        columns=["constants", *(data.name for data in sets), "macro"],
        rows=rows,
        note=f"nDCG@10, whole asks. {len(GRID)} choices of {', '.join(GRID[0])}; the shipped one is among them.",
    )


def slips(sets: Sequence[DataSet]) -> Table:
    """nDCG@10 of asks with one letter of one word wrong, with and without what unknown words are read as."""
    wrong = [replace(data, questions=tuple(map(misspelled, data.questions))) for data in sets]
    rows = [
        _row("as written", _ndcg(sets, {}).values()),
        _row("one letter wrong", _ndcg(wrong, {}).values()),
        _row("one letter wrong, unknown words left as they are", _ndcg(wrong, {"MEANT": 0.0}).values()),
    ]
    return Table(
        title="Ranking: asks with a slip",
        columns=["asks", *(data.name for data in sets), "macro"],
        rows=rows,
        note=f"nDCG@10, whole asks. A letter of one word of {LEAST} letters or more is missing, moved, another or new.",
    )


def misspelled(question: Question) -> Question:
    """The question with one slip in one of its longer words, drawn by its id; as it is where it has none."""
    draw = random.Random(question.id)
    text, long = question.text, [found.span() for found in LONG.finditer(question.text)]
    if not long:
        return question
    begin, end = draw.choice(long)
    place, letter = draw.randrange(begin + 2, end), draw.choice(string.ascii_lowercase)
    before, here, after = text[:place], text[place], text[place + 1 :]
    slips = (after, before[-1] + after, letter + after, letter + here + after)
    kind = draw.randrange(len(slips))
    return replace(question, text=(f"{before[:-1]}{here}" if kind == 1 else before) + slips[kind])


def _ndcg(sets: Sequence[DataSet], chosen: Constants) -> dict[str, float]:
    with constants(chosen):
        return {data.name: figures(by_ranker(LexicalRanker()), data)["nDCG@10"] for data in sets}


def _row(name: str, values: Any) -> list[str]:
    found = list(values)
    return [name, *(f"{value:.3f}" for value in (*found, statistics.fmean(found)))]


def run(root: Path, *, sample: int | None = None) -> list[Table]:
    """All tables; with ``sample``, of at most so many questions of each set."""
    sets = [thinned(data, sample) for data in sets_of(root)]
    return [parts(sets), slips(sets)]


def main(arguments: Sequence[str]) -> int:
    """Print the tables; 2 without a folder."""
    return printed(run, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
