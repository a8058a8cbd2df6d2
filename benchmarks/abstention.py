"""``python -m benchmarks.abstention DIR [SAMPLE]``: how often it is said rightly, and wrongly, that nothing fits.

DIR is that of ``benchmarks.retrieval``. Each question is asked with its right tools and without them, and questions of
other sets are asked too. Curve and gate are chosen on all sets but the one that is measured; sets of the same tools are
left out together.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest.mock import patch

import numpy as np

from benchmarks.encoders import PATIENCE, Remembering
from benchmarks.held_out import others
from benchmarks.report import Table
from benchmarks.retrieval import printed, thinned
from pegboard.encoders import MiniLmEncoder
from pegboard.errors import ConfigError
from pegboard.evaluation.datasets import DataSet, Question, sets_of
from pegboard.evaluation.metrics import MEASURES
from pegboard.limits import Limits
from pegboard.search import Candidates, LexicalRanker, Ranker, confidence, lexical_scores
from pegboard.search.confidence import WHOLE
from pegboard.search.evidence import Evidence
from pegboard.search.hybrid import HybridRanker

LOST: Final = 0.015
"""Of the right tools among the first five that a gate may lose on the sets that it is chosen on."""
PRECISE: Final = 0.8
"""Of the answers that nothing fits, so many are right, where it is told how many there can be."""
FOREIGN: Final = 30
"""Questions of each other set that are asked of a set's tools."""
GATES: Final = np.arange(0, 0.7, 0.005)

Curve = Any
"""What the constants named in ``CONSTANTS`` are in ``pegboard.search.confidence``."""
CONSTANTS: Final = ("BASE", "SHARE", "COVERED", "FLAT", "NEEDS")
SHIPPED: Final[Curve] = np.array([getattr(confidence, name) for name in CONSTANTS])
_TIMES: Final = (0.8, 1.0, 1.2)  # from more that lie further apart, five sets choose by chance: the sixth loses 0.041
CURVES: Final[Sequence[Curve]] = [SHIPPED * np.array([1, a, b, 1, c]) for a, b, c in product(_TIMES, repeat=3)]
"""Those that are chosen from: what each figure counts beside ``flat``, a fifth less or more."""


class Judged(NamedTuple):
    """What a search is judged by: its figures, the least that its confidence is, and recall@5. Immutable.

    There are no figures where nothing was found, or where meaning alone found the best.
    """

    figures: tuple[float, ...] | None
    least: float
    recall: float


@dataclass(frozen=True)
class Cases:
    """The questions of a set with their tools, without them, and those of other sets. Immutable."""

    right: Sequence[Judged]
    removed: Sequence[Judged]
    foreign: Sequence[Judged]


def cases(sets: Sequence[DataSet], data: DataSet, ranker: Ranker) -> Cases:
    """Judge every question of a set three ways."""
    twins = data.with_unanswerable().questions[len(data.questions) :]
    strange = chain.from_iterable(thinned(one, FOREIGN).questions for one in others(sets, data))
    pool = data.view.candidates
    return Cases(
        right=[judged(question, pool, ranker) for question in data.questions],
        removed=[judged(question, data.view_for(question).candidates, ranker) for question in twins],
        foreign=[judged(question, pool, ranker) for question in strange],
    )


def judged(question: Question, pool: Candidates, ranker: Ranker) -> Judged:
    """What one search is judged by."""
    seen: list[Evidence] = []

    def note(found: Evidence) -> float:
        seen.append(found)
        return WHOLE if found.whole else 0.0

    with patch.object(lexical_scores, "certainty", note):
        ranked: Any = ranker.rank(question.text, pool)
        least = ranked.confidence or 0.0
    found = [str(one.entry.bare_name) for one in ranked[:5]]
    figures = seen[0][: len(CONSTANTS) - 1] if seen else None
    return Judged(figures, least, MEASURES["recall@5"](found, question.relevant) if question.relevant else 0.0)


class Effect(NamedTuple):
    """What a gate does: shares of what is asked with its tools removed, of what is of other sets, and of what has a
    right tool, that are refused; and the recall@5 that is lost. Immutable."""

    removed: float
    foreign: float
    wrong: float
    lost: float

    @classmethod
    def of(cls, one: Cases, curve: Curve, gate: float) -> Effect:
        """What it does to the cases of one set."""
        return cls(*effects(one, curve, np.array([gate]))[0].tolist())

    @classmethod
    def mean(cls, some: Sequence[Effect], sizes: Sequence[int] | None = None) -> Effect:
        """The mean of sets that weigh alike, or by their sizes."""
        return cls(*np.average(some, axis=0, weights=sizes).tolist())

    def precision(self, *, foreign: bool = False) -> float:
        """How many of the refused have no right tool, where as many are asked with as without."""
        right = (self.removed + self.foreign) / 2 if foreign else self.removed
        return right / (right + self.wrong) if right + self.wrong else 1.0

    def cells(self) -> list[str]:
        """A cell for each column of the table but the first two."""
        return [f"{value:.3f}" for value in (*self, self.precision(), self.precision(foreign=True))]


def effects(one: Cases, curve: Curve, gates: Any = GATES) -> Any:
    """What each gate does to the cases of one set: a line each, in the order of ``Effect``."""
    right, removed = _refused(one.right, curve, gates), _refused(one.removed, curve, gates).mean(axis=0)
    foreign = _refused(one.foreign, curve, gates).mean(axis=0) if one.foreign else removed
    lost = (right * np.array([[case.recall] for case in one.right])).mean(axis=0)
    return np.stack([removed, foreign, right.mean(axis=0), lost], axis=1)


def _refused(found: Sequence[Judged], curve: Curve, gates: Any) -> Any:
    """Which cases each gate refuses: a line a case."""
    unknown = [0.0] * (len(CONSTANTS) - 1)
    figures = np.array([[1.0, *(one.figures or unknown)] for one in found])
    likely = np.array([one.figures is not None for one in found]) / (1 + np.exp(-(figures @ curve)))
    return np.maximum(likely, [one.least for one in found])[:, None] < gates


def chosen(known: Sequence[Any]) -> tuple[int, int]:
    """(the number of the curve, that of the gate) that refuse most of what has no right tool, for ``LOST`` at most.

    ``known`` has, for each set that it is chosen on, the effects of all curves; sets weigh alike.
    """
    mean = np.mean(known, axis=0)
    refused = np.where(mean[:, :, 3] <= LOST, mean[:, :, 0], -1.0)
    curve, gate = np.unravel_index(refused.argmax(), refused.shape)
    return int(curve), int(gate)


def no_match(sets: Sequence[DataSet], ranker: Ranker, title: str) -> Table:
    """How often it is said rightly and wrongly that nothing fits."""
    found = {data.name: cases(sets, data, ranker) for data in sets}
    sizes = [len(data.questions) for data in sets]
    tables = {name: np.array([effects(one, curve) for curve in CURVES]) for name, one in found.items()}
    rows, held, curves = [], [], []
    for data in sets:
        curve, gate = chosen([tables[one.name] for one in others(sets, data)] or [tables[data.name]])
        curves.append(tables[data.name][curve])
        held.append(Effect(*curves[-1][gate].tolist()))
        rows.append([data.name, f"{GATES[gate]:.3f}", *held[-1].cells()])
    least = Limits.no_match_below
    shipped = [Effect.of(one, SHIPPED, least) for one in found.values()]
    for name, some, at in (("chosen on other sets", held, ""), ("as shipped", shipped, f"{least:.3f}")):
        rows.append([f"mean of the sets, {name}", at, *Effect.mean(some).cells()])
        rows.append([f"all asks, {name}", at, *Effect.mean(some, sizes).cells()])
    rows += _precise(curves, sizes)
    return Table(
        title=f"Search: answers that nothing fits{title}",
        columns=[
            "set",
            "gate",
            "refused: tools removed",
            "refused: asks of other sets",
            "refused wrongly",
            "recall@5 lost",
            "precision, removed",
            "precision, both",
        ],
        rows=rows,
        note=(
            f"{sum(sizes):,} asks, as many with their tools as without. Curve and gate are chosen on the other sets, "
            f"so that recall@5 there falls by at most {LOST}. Asks of other sets may be met by accident. Last, what "
            f"one gate can refuse where the precision is {PRECISE}, whatever it loses."
        ),
    )


def _precise(curves: Sequence[Any], sizes: Sequence[int]) -> Iterator[list[str]]:
    """What the highest gate does that is as precise as ``PRECISE``; ``curves`` are the effects of each set's."""
    for name, weights in (("mean of the sets", None), ("all asks", sizes)):
        means = [Effect(*mean) for mean in np.average(curves, axis=0, weights=weights).tolist()]
        gate, most = max(
            (one for one in enumerate(means) if one[1].precision() >= PRECISE), key=lambda one: one[1].removed
        )
        yield [f"{name}, at a precision of {PRECISE}", f"{GATES[gate]:.3f}", *most.cells()]


def run(root: Path, *, sample: int | None = None) -> list[Table]:
    """The default ranker and, where its extra is installed, the hybrid one; with ``sample``, this of so many questions
    of each set, for meaning takes its time."""
    sets = list(sets_of(root))
    tables = [no_match(sets, LexicalRanker(), "")]
    try:
        encoder = Remembering(MiniLmEncoder())
    except ConfigError as error:
        print(f"left out: the hybrid ranker ({error})", file=sys.stderr)
        return tables
    some = [thinned(data, sample) for data in sets]
    return [*tables, no_match(some, HybridRanker(encoder, patience=PATIENCE), ", with meaning")]


def main(arguments: Sequence[str]) -> int:
    """Print the tables; 2 without a folder."""
    return printed(run, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
