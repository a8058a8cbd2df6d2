"""``python -m benchmarks.usage DIR``: what usage learning gains, and what a flood of calls does.

DIR is that of ``benchmarks.retrieval``. Some questions of a set are history: each is searched for, with what was
learned until then, and where its right tools are among the twenty found, they are called. The rest are asked after
that.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.report import Table
from benchmarks.retrieval import folder_of
from pegboard.auth import Principal
from pegboard.evaluation.datasets import DataSet, Question, sets_of
from pegboard.evaluation.metrics import recall
from pegboard.finding import find
from pegboard.limits import Limits
from pegboard.search import LexicalRanker
from pegboard.search.lessons import lessons_of
from pegboard.usage import Usage
from pegboard.usage.leads import Leads

SETS: Final = ("bfcl", "metatool", "sealtools")
"""Those with enough questions."""
HISTORY: Final = 1_000
PEOPLE: Final = 20
FLOOD: Final = 10_000
ASKED: Final = 400
"""Questions of each set that are asked."""

LIMITS: Final = Limits()
RANKER: Final = LexicalRanker()
ASKING: Final = Principal(id="asking")
"""Who asks the rest, where many have taught: one who has taught nothing."""


def parted(data: DataSet, seed: int = 0) -> tuple[Sequence[Question], Sequence[Question]]:
    """(the history, what is asked after it) of a set: drawn by a seed."""
    order = list(data.questions)
    random.Random(f"{seed}/{data.name}").shuffle(order)
    count = min(HISTORY, max(len(order) // 2, len(order) - ASKED))
    return order[:count], order[count : count + ASKED]


def people(count: int) -> list[Principal]:
    """So many principals."""
    return [Principal(id=f"person {number}") for number in range(count)]


async def teach(data: DataSet, history: Sequence[Question], usage: Usage, those: Sequence[Principal | None]) -> None:
    """Search for each question of the history and call its right tools, those taking turns."""
    for number, question in enumerate(history):
        principal = those[number % len(those)]
        leads = Leads()
        names = await searched(data, question, usage, principal)
        leads.found(names[: LIMITS.search], lessons_of(question.text))
        for name in question.relevant:
            tool = data.known[name].name
            usage.learn(principal, tool, *leads.followed(tool))


async def searched(data: DataSet, question: Question, usage: Usage | None, principal: Principal | None) -> list[str]:
    """The names that a search answers with."""
    ranker = RANKER if usage is None else await usage.ranker(RANKER, principal)
    return [match.entry.name for match in find(data.view, ranker, question.text, None, LIMITS).matches]


async def recalled(
    data: DataSet, rest: Sequence[Question], usage: Usage | None, principal: Principal | None = None
) -> float:
    """recall@1 over questions."""
    return statistics.fmean([await _recall_of(data, question, usage, principal) for question in rest])


async def _recall_of(data: DataSet, question: Question, usage: Usage | None, principal: Principal | None) -> float:
    right = {data.known[name].name: grade for name, grade in question.relevant.items()}
    return recall(await searched(data, question, usage, principal), right, 1)


class Rows(NamedTuple):
    """What one set comes to, a row a table. Immutable."""

    gains: Sequence[str]
    costs: Sequence[str]


async def measured(data: DataSet) -> Rows:
    """recall@1 of the rest of a set, without history and with several."""
    history, rest = parted(data)
    before = await recalled(data, rest, None)
    own, many = Usage(), Usage()
    await teach(data, history, own, [None])
    await teach(data, history, many, people(PEOPLE))
    calm = await recalled(data, rest, many, ASKING)
    flood(data, rest, many)
    gains = [
        _compared(before, await recalled(data, rest, own)),
        _compared(before, calm),
        _compared(before, await most_recalled(data, history, rest)),
    ]
    costs = [
        await other_needs(data, history, rest),
        _compared(calm, await recalled(data, rest, many, ASKING)),
    ]
    counts = [f"{len(history):,}", f"{len(rest):,}", f"{before:.3f}"]
    return Rows([data.name, *counts, *gains], [data.name, *costs])


async def tables(sets: Sequence[DataSet]) -> list[Table]:
    """What it gains, and what it costs."""
    rows = [await measured(data) for data in sets]
    gains = Table(
        title="Usage learning: recall@1",
        columns=[
            "set",
            "history",
            "asked",
            "without",
            "own history",
            f"that of {PEOPLE} others",
            "at most",
        ],
        rows=[*(row.gains for row in rows), _mean([row.gains for row in rows])],
        note=(
            "Whole asks, the default ranker, as find_tools answers. At most: where every ask with a right tool that "
            "the history called had one of them first."
        ),
    )
    costs = Table(
        title="Usage learning: what it costs, recall@1",
        columns=["set", "history of other needs", "one principal's flood"],
        rows=[row.costs for row in rows],
        note=(
            "With history, and in brackets the difference to none; for the flood to the same history without it. Other "
            "needs: half of the tools are called in the history, and the others are asked for. Flood: "
            f"{PEOPLE} principals have taught; one more calls one wrong tool {FLOOD:,} times, after the very asks that "
            "another principal then asks."
        ),
    )
    return [gains, costs]


def _compared(before: float, after: float) -> str:
    return f"{after:.3f} ({after - before:+.3f})"


def _mean(rows: Sequence[Sequence[str]]) -> list[str]:
    columns = list(zip(*rows, strict=True))[3:]
    before, *after = [statistics.fmean(float(cell.split()[0]) for cell in column) for column in columns]
    return ["mean", "", "", f"{before:.3f}", *(_compared(before, one) for one in after)]


async def most_recalled(data: DataSet, history: Sequence[Question], rest: Sequence[Question]) -> float:
    """What recall@1 would come to if every tool that was called were known for every ask that it is right for."""
    called = {name for question in history for name in question.relevant}
    found = []
    for question in rest:
        known = any(name in called for name in question.relevant)
        found.append(1 / len(question.relevant) if known else await _recall_of(data, question, None, None))
    return statistics.fmean(found)


async def other_needs(data: DataSet, history: Sequence[Question], rest: Sequence[Question]) -> str:
    """Without and with a history of half of the tools, asked for the others."""
    mine, others = halves(data)
    usage = Usage()
    await teach(data, [one for one in history if one.relevant.keys() <= mine], usage, [None])
    asked = [one for one in rest if one.relevant.keys() <= others]
    return _compared(await recalled(data, asked, None), await recalled(data, asked, usage))


def halves(data: DataSet) -> tuple[set[str], set[str]]:
    """The tools that questions are about, in two halves."""
    names = sorted({name for question in data.questions for name in question.relevant})
    random.Random(data.name).shuffle(names)
    return set(names[: len(names) // 2]), set(names[len(names) // 2 :])


def flood(data: DataSet, asked: Sequence[Question], usage: Usage) -> None:
    """One principal calls one tool over and over, after everything that is going to be asked."""
    wrong, tool = Principal(id="mallory"), data.view.tools[0].name
    for number in range(FLOOD):
        usage.learn(wrong, tool, lessons_of(asked[number % len(asked)].text))


def run(root: Path) -> list[Table]:
    """Both tables."""
    return asyncio.run(tables([data for data in sets_of(root) if data.name in SETS]))


def main(arguments: Sequence[str]) -> int:
    """Print the tables; 2 without a folder."""
    folder = folder_of(arguments)
    if folder is None:
        return 2
    for table in run(folder):
        print(table.markdown())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
