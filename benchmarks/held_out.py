"""``python -m benchmarks.held_out DIR``: what the default ranker's parts are worth, and how well it knows what fits.

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
from dataclasses import dataclass, replace
from itertools import chain, product
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest.mock import patch

import numpy as np

from benchmarks.report import Table
from benchmarks.retrieval import by_ranker, figures, printed, thinned
from pegboard.evaluation.datasets import DataSet, Question, sets_of
from pegboard.evaluation.metrics import MEASURES
from pegboard.search import Candidates, LexicalRanker, asked, lexical, lexical_scores, spelling

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
LOST: Final = 0.015
"""Of the right tools among the first five that a gate may lose on the sets that it is chosen on."""
LEAST: Final = 6
LONG: Final = re.compile(f"[a-z]{{{LEAST},}}")
FOREIGN: Final = 30
"""Questions of each other set that are asked of a set's tools."""


@contextmanager
def constants(chosen: Constants) -> Iterator[None]:
    """Other constants in the ranker, for as long as the block."""
    with ExitStack() as stack:
        for name, value in chosen.items():
            stack.enter_context(patch.object(MODULES[name], name, value))
        asked.read.cache_clear()
        yield
    asked.read.cache_clear()


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


class Judged(NamedTuple):
    """What a search is judged by: its two figures, whether the best has the whole ask, and recall@5. Immutable."""

    share: float
    flat: float
    whole: bool
    recall: float


@dataclass(frozen=True)
class Cases:
    """The questions of a set with their tools, without them, and those of other sets. Immutable."""

    right: Sequence[Judged]
    removed: Sequence[Judged]
    foreign: Sequence[Judged]


def cases(sets: Sequence[DataSet], data: DataSet) -> Cases:
    """Judge every question of a set three ways."""
    twins = data.with_unanswerable().questions[len(data.questions) :]
    strange = chain.from_iterable(thinned(one, FOREIGN).questions for one in others(sets, data))
    pool = data.view.candidates
    return Cases(
        right=[_judged(question, pool) for question in data.questions],
        removed=[_judged(question, data.view_for(question).candidates) for question in twins],
        foreign=[_judged(question, pool) for question in strange],
    )


def _judged(question: Question, pool: Candidates) -> Judged:
    seen: list[Judged] = []

    def note(scores: Sequence[float], possible: float, *, whole: bool) -> float:
        flat = scores[-1] / scores[0] if len(scores) >= 10 else 0.0
        seen.append(Judged(scores[0] / possible, flat, whole, 0.0))
        return 1.0

    with patch.object(lexical_scores, "certainty", note):
        ranked: Any = LexicalRanker().rank(question.text, pool)
        _ = ranked.confidence
    if not seen:
        return Judged(-100.0, 0.0, False, 0.0)
    found = [str(one.entry.bare_name) for one in ranked[:5]]
    return seen[0]._replace(recall=MEASURES["recall@5"](found, question.relevant) if question.relevant else 0.0)


def no_match(sets: Sequence[DataSet]) -> Table:
    """How often it is said rightly and wrongly that nothing fits, with curve and gate from the other sets."""
    judged = {data.name: cases(sets, data) for data in sets}
    rows = []
    for data in sets:
        known = [judged[one.name] for one in others(sets, data)] or [judged[data.name]]
        curve = fitted(known)
        gates = [
            gate for gate in np.arange(0.05, 0.6, 0.01) if np.mean([_lost(one, curve, gate) for one in known]) <= LOST
        ]
        rows.append([data.name, *told(judged[data.name], curve, max(gates, default=0.0))])
    means = [f"{statistics.fmean(float(row[place]) for row in rows):.3f}" for place in range(1, len(rows[0]))]
    return Table(
        title="Search: answers that nothing fits",
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
        rows=[*rows, ["mean", *means]],
        note=(
            "As many asks with their tools as without. Curve and gate are chosen on the other sets, so that recall@5 "
            f"there falls by at most {LOST}. Asks of other sets may be met by accident."
        ),
    )


def _features(judged: Sequence[Judged]) -> Any:
    return np.array([[1.0, one.share, one.flat] for one in judged])


def fitted(known: Sequence[Cases]) -> Any:
    """The curve: logistic regression by Newton's method; sets weigh alike, half of each has no right tool."""
    groups = [
        (group, answer, share)
        for one in known
        for group, answer, share in ((one.right, 1.0, 0.5), (one.removed, 0.0, 0.25), (one.foreign, 0.0, 0.25))
        if group
    ]
    found = [[one for one in group if one.share > -100] for group, _, _ in groups]
    features = np.concatenate([_features(group) for group in found])
    answers = np.concatenate([np.full(len(group), answer) for group, (_, answer, _) in zip(found, groups, strict=True)])
    weights = np.concatenate(
        [np.full(len(group), share / len(group)) for group, (_, _, share) in zip(found, groups, strict=True)]
    )
    curve = np.zeros(3)
    for _ in range(25):
        likely = 1 / (1 + np.exp(-features @ curve))
        slope = features.T @ (weights * (likely - answers)) + 1e-4 * curve
        bend = (features.T * (weights * likely * (1 - likely))) @ features + 1e-4 * np.eye(3)
        curve -= np.linalg.solve(bend, slope)
    return curve


def _refused(judged: Sequence[Judged], curve: Any, gate: float) -> Any:
    likely = 1 / (1 + np.exp(-np.clip(_features(judged) @ curve, -50, 50)))
    return (likely < gate) & ~np.array([one.whole for one in judged])


def _lost(one: Cases, curve: Any, gate: float) -> float:
    return float(np.mean(_refused(one.right, curve, gate) * np.array([case.recall for case in one.right])))


def told(one: Cases, curve: Any, gate: float) -> list[str]:
    """What a gate does to the cases of one set: a cell a column of the table."""
    wrong, removed = (float(np.mean(_refused(group, curve, gate))) for group in (one.right, one.removed))
    foreign = float(np.mean(_refused(one.foreign, curve, gate))) if one.foreign else removed
    both = (removed + foreign) / 2
    precision = [right / (right + wrong) if right + wrong else 1.0 for right in (removed, both)]
    return [f"{value:.3f}" for value in (gate, removed, foreign, wrong, _lost(one, curve, gate), *precision)]


def run(root: Path, *, sample: int | None = None) -> list[Table]:
    """All tables; with ``sample``, of at most so many questions of each set."""
    sets = [thinned(data, sample) for data in sets_of(root)]
    return [parts(sets), slips(sets), no_match(sets)]


def main(arguments: Sequence[str]) -> int:
    """Print the tables; 2 without a folder."""
    return printed(run, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
