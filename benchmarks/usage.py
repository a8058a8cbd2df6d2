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
OWN: Final[Sequence[Principal | None]] = [None]
"""Trusted local use: whoever taught asks."""
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
    return statistics.fmean([await _recall_of(data, question, usage, principal) for question in rest])


async def _recall_of(data: DataSet, question: Question, usage: Usage | None, principal: Principal | None) -> float:
    right = {data.known[name].name: grade for name, grade in question.relevant.items()}
    return recall(await searched(data, question, usage, principal), right, 1)


async def gains(sets: Sequence[DataSet]) -> Table:
    """recall@1 of the rest, without and with what different people taught."""
    rows: list[list[str]] = []
    for data in sets:
        history, rest = parted(data)
        before = await recalled(data, rest, None)
        most = await most_recalled(data, history, rest)
        cells = [data.name, f"{len(history):,}", f"{len(rest):,}", f"{before:.3f}"]
        for those, principal in ((OWN, None), (people(PEOPLE), ASKING), (people(len(history)), ASKING)):
            usage = Usage()
            await teach(data, history, usage, those)
            cells.append(_compared(before, await recalled(data, rest, usage, principal)))
        rows.append([*cells, _compared(before, most)])
    return Table(
        title="Usage learning: recall@1",
        columns=[
            "set",
            "history",
            "asked",
            "without",
            "own history",
            f"that of {PEOPLE} others",
            "that of others, one ask each",
            "at most",
        ],
        rows=[*rows, _mean(rows)],
        note=(
            "Whole asks, the default ranker, as find_tools answers. At most: where every ask with a right tool that "
            "the history called had one of them first."
        ),
    )


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


async def harms(sets: Sequence[DataSet]) -> Table:
    """recall@1 where what was learned is of no use, and where one principal floods it."""
    rows = []
    for data in sets:
        cells = [data.name]
        history, rest = parted(data)
        mine, others = halves(data)
        unused = Usage()
        await teach(data, [one for one in history if one.relevant.keys() <= mine], unused, OWN)
        asked = [one for one in rest if one.relevant.keys() <= others]
        cells.append(_compared(await recalled(data, asked, None), await recalled(data, asked, unused)))
        before, foreign = await recalled(data, rest, None), Usage()
        await teach_foreign(data, sets, foreign)
        cells.append(_compared(before, await recalled(data, rest, foreign)))
        calm, flooded = Usage(), Usage()
        for usage in (calm, flooded):
            await teach(data, history, usage, people(PEOPLE))
        flood(data, rest, flooded)
        cells.append(_compared(*[await recalled(data, rest, usage, ASKING) for usage in (calm, flooded)]))
        rows.append(cells)
    return Table(
        title="Usage learning: what it costs, recall@1",
        columns=["set", "asks for tools that nobody has used", "history of other needs", "one principal's flood"],
        rows=rows,
        note=(
            "With history, and in brackets the difference to none; for the flood to the same history without it. Tools "
            "that nobody has used: half of the tools are called in the history, the others are asked for. Other needs: "
            "asks of the other sets, after each of which the first tool that was found is called. Flood: "
            f"{PEOPLE} principals have taught; one more calls one wrong tool {FLOOD:,} times, after the very asks that "
            "another principal then asks."
        ),
    )


def halves(data: DataSet) -> tuple[set[str], set[str]]:
    """The tools that questions are about, in two halves."""
    names = sorted({name for question in data.questions for name in question.relevant})
    random.Random(data.name).shuffle(names)
    return set(names[: len(names) // 2]), set(names[len(names) // 2 :])


async def teach_foreign(data: DataSet, sets: Sequence[DataSet], usage: Usage) -> None:
    """Ask what is meant for other sets, and call the first tool that was found."""
    others = [question for other in sets if other.name != data.name for question in parted(other)[0]]
    for question in random.Random(data.name).sample(others, min(HISTORY, len(others))):
        names = await searched(data, question, usage, None)
        for name in names[:1]:
            usage.learn(None, name, lessons_of(question.text))


def flood(data: DataSet, asked: Sequence[Question], usage: Usage) -> None:
    """One principal calls one tool over and over, after everything that is going to be asked."""
    wrong, tool = Principal(id="mallory"), data.view.tools[0].name
    for number in range(FLOOD):
        usage.learn(wrong, tool, lessons_of(asked[number % len(asked)].text))


def run(root: Path) -> list[Table]:
    """Both tables."""

    async def measured() -> list[Table]:
        sets = [data for data in sets_of(root) if data.name in SETS]
        return [await gains(sets), await harms(sets)]

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
