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
from typing import Final

from benchmarks.report import Table
from pegboard.auth import Principal
from pegboard.evaluation.datasets import DataSet, Question, sets_of
from pegboard.evaluation.metrics import recall
from pegboard.finding import find
from pegboard.leads import Leads
from pegboard.limits import Limits
from pegboard.search import LexicalRanker
from pegboard.search.lessons import lessons_of
from pegboard.usage import Usage

SETS: Final = ("bfcl", "metatool", "sealtools")
"""Those with enough questions."""
HISTORY: Final = 1_000
PEOPLE: Final = 20
FLOOD: Final = 10_000

LIMITS: Final = Limits()
RANKER: Final = LexicalRanker()
ASKING: Final = Principal(id="asking")
"""Who asks the rest, where many have taught: one who has taught nothing."""


def parted(data: DataSet, seed: int = 0) -> tuple[Sequence[Question], Sequence[Question]]:
    """(the history, the rest) of a set: questions drawn by a seed, at most half of them."""
    order = list(data.questions)
    random.Random(f"{seed}/{data.name}").shuffle(order)
    count = min(HISTORY, max(len(order) // 2, len(order) - HISTORY))
    return order[:count], order[count:]


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
            usage.learn(principal, tool, leads.followed(tool))


async def searched(data: DataSet, question: Question, usage: Usage | None, principal: Principal | None) -> list[str]:
    """The names that a search answers with."""
    ranker = RANKER if usage is None else await usage.ranker(RANKER, principal)
    return [match.entry.name for match in find(data.view, ranker, question.text, None, LIMITS).matches]


async def recalled(
    data: DataSet, rest: Sequence[Question], usage: Usage | None, principal: Principal | None = None
) -> float:
    """recall@1 over questions."""
    found = []
    for question in rest:
        names = await searched(data, question, usage, principal)
        right = {data.known[name].name: grade for name, grade in question.relevant.items()}
        found.append(recall(names, right, 1))
    return statistics.fmean(found)


async def gains(sets: Sequence[DataSet]) -> Table:
    """recall@1 of the rest, without and with what different histories taught."""
    rows: list[list[str]] = []
    for data in sets:
        history, rest = parted(data)
        before = await recalled(data, rest, None)
        own, many, single, foreign = Usage(), Usage(), Usage(), Usage()
        await teach(data, history, own, [None])
        await teach(data, history, many, people(PEOPLE))
        await teach(data, history, single, people(len(history)))
        await teach_foreign(data, sets, foreign)
        after = [
            await recalled(data, rest, own),
            await recalled(data, rest, many, ASKING),
            await recalled(data, rest, single, ASKING),
            await recalled(data, rest, foreign),
        ]
        counts = [data.name, f"{len(history):,}", f"{len(rest):,}"]
        rows.append([*counts, f"{before:.3f}", *(f"{one:.3f} ({one - before:+.3f})" for one in after)])
    return Table(
        title="Usage learning: recall@1",
        columns=[
            "set",
            "history",
            "asked",
            "without",
            "own history",
            f"history of {PEOPLE} others",
            "history of others, one ask each",
            "history of other needs",
        ],
        rows=[*rows, _mean(rows)],
        note=(
            "Whole asks, the default ranker, as find_tools answers. Other needs: the same tools, called after asks of "
            "the other sets that found them."
        ),
    )


def _mean(rows: Sequence[Sequence[str]]) -> list[str]:
    columns = list(zip(*rows, strict=True))[3:]
    before, *after = [statistics.fmean(float(cell.split()[0]) for cell in column) for column in columns]
    return ["mean", "", "", f"{before:.3f}", *(f"{one:.3f} ({one - before:+.3f})" for one in after)]


async def teach_foreign(data: DataSet, sets: Sequence[DataSet], usage: Usage) -> None:
    """Ask what is meant for other sets, and call the first tool that was found."""
    others = [question for other in sets if other.name != data.name for question in parted(other)[0]]
    for question in random.Random(data.name).sample(others, min(HISTORY, len(others))):
        names = await searched(data, question, usage, None)
        for name in names[:1]:
            usage.learn(None, name, lessons_of(question.text))


async def floods(sets: Sequence[DataSet]) -> Table:
    """recall@1 of somebody who asks where many have taught, and one has called one wrong tool over and over."""
    rows = []
    for data in sets:
        history, rest = parted(data)
        calm, flooded = Usage(), Usage()
        for usage in (calm, flooded):
            await teach(data, history, usage, people(PEOPLE))
        wrong = Principal(id="mallory")
        for number in range(FLOOD):
            flooded.learn(wrong, data.view.tools[0].name, lessons_of(rest[number % len(rest)].text))
        before, after = [await recalled(data, rest, usage, ASKING) for usage in (calm, flooded)]
        rows.append([data.name, f"{before:.3f}", f"{after:.3f}", f"{after - before:+.4f}"])
    return Table(
        title="Usage learning: one principal's flood",
        columns=["set", "without the flood", "with it", "difference"],
        rows=rows,
        note=(
            f"{PEOPLE} principals have taught; one more calls one wrong tool {FLOOD:,} times, after the very asks that "
            "another principal then asks. recall@1."
        ),
    )


def run(root: Path) -> list[Table]:
    """Both tables."""

    async def measured() -> list[Table]:
        sets = [data for data in sets_of(root) if data.name in SETS]
        return [await gains(sets), await floods(sets)]

    return asyncio.run(measured())


def main(arguments: Sequence[str]) -> int:
    """Print the tables; 2 without a folder."""
    if not arguments or not list(Path(arguments[0]).glob("*/queries.jsonl")):
        print("give the folder that holds the sets", file=sys.stderr)
        return 2
    for table in run(Path(arguments[0])):
        print(table.markdown())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
