"""``python -m benchmarks.search_index SHARED [SIZE ...]``: the search index at size, beside the engines there are.

Catalogs are grown from the real definitions below SHARED (see ``benchmarks.growth``), needs are the real ones of nine
words. A search is what a caller has of it: names that stand in the need first, the best with their reasons, and how
many there are. Engines of others are asked for the same needs over the same texts; what is not here is left out.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from benchmarks.engines import SERVED, present
from benchmarks.growth import grown
from benchmarks.mapping import shared_by_processes
from benchmarks.report import Table
from pegboard import Tool
from pegboard.search import Candidates, LexicalRanker, fields, search
from pegboard.search.candidates import NAMES
from pegboard.search.confidence import confidence_of
from pegboard.search.differences import Moves
from pegboard.search.index import Index
from pegboard.search.lexical import SCHEME
from pegboard.search.reading import stamps_of
from pegboard.stores.index_file import load, save

SIZES: Final = (200, 2_000, 20_000, 100_000, 1_000_000)
PEERS_AT: Final = 100_000
WORDS: Final = 9
NEEDS: Final = 150
FEW: Final = 30
"""Needs that engines are asked for: some take a second for one."""
LIMIT: Final = 20
CHANGES: Final = 100

Search = Callable[[str], Any]


@dataclass(frozen=True)
class Spread:
    """Times in milliseconds. Immutable."""

    median: float
    late: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Spread:
        return cls(statistics.median(seconds) * 1000, statistics.quantiles(seconds, n=20)[-1] * 1000)

    def __str__(self) -> str:
        return f"{self.median:.2f} / {self.late:.2f}"


@dataclass(frozen=True)
class Measured:
    """What one size came to. Immutable. Times in seconds, sizes in bytes."""

    size: int
    grow: float
    definitions: int
    build: float
    arrays: int
    load: float
    whole: Spread
    few: Spread
    masked: Spread
    judged: Spread
    first_under_a_mask: float
    change: Spread
    after_a_change: Spread
    peak: int


def run(shared: Path, sizes: Sequence[int] = SIZES) -> list[Table]:
    """Ours at every size, the peers at one, and what processes share."""
    needs = list(islice(_needs(shared), NEEDS))
    measured: list[Measured] = []
    others: list[Table] = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "tools.index"
        for size in sizes:
            with _timed() as growing:
                tools = grown(shared, size)
            measured.append(_measured(tools, needs, path, growing[0]))
            if size == PEERS_AT:
                others = [_peers(tools, needs, measured[-1].few), *shared_by_processes(path, size)]
            del tools
    return [_times(measured), _sizes(measured), *others]


def _needs(shared: Path) -> Iterator[str]:
    for path in sorted((shared / "retrieval").glob("*/queries.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            need = str(json.loads(line)["query"])
            if len(need.split()) == WORDS:
                yield need


def _measured(tools: list[Tool], needs: Sequence[str], path: Path, growing: float) -> Measured:
    stamps = stamps_of(tools)
    with _timed() as build:
        pool = Candidates.of(tools)
        pool.indexed_by(SCHEME)
        pool.indexed_by(NAMES)
    save(path, pool, stamps)
    with _timed() as loading:
        found = load(path, tools, stamps)
    assert found is not None
    pool = found[0]
    half = pool.only(np.random.default_rng(1).random(len(tools)) < 0.5)
    searched(pool, needs[0])
    with _timed() as first:
        searched(half, needs[0])
    return Measured(
        size=len(tools),
        grow=growing,
        definitions=sum(len(json.dumps(tool.shown)) for tool in tools),
        build=build[0],
        arrays=sum(pool.indexed_by(scheme).base.nbytes for scheme in (SCHEME, NAMES)),
        load=loading[0],
        whole=_spread(lambda need: searched(pool, need), needs),
        few=_spread(lambda need: searched(pool, need), needs[:FEW]),
        masked=_spread(lambda need: searched(half, need), needs),
        judged=_spread(lambda need: judged(half, need), needs),
        first_under_a_mask=first[0],
        change=_changes(pool.indexed_by(SCHEME), tools),
        after_a_change=_searches_after_changes(pool, tools, needs[:FEW]),
        peak=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    )


def searched(pool: Candidates, need: str) -> tuple[int, Any]:
    """How many there are, and the best."""
    found = search(need, LexicalRanker(), pool)
    return len(found), found[:LIMIT]


def judged(pool: Candidates, need: str) -> tuple[float | None, Any]:
    """How sure it is that something fits, and the best: as find_tools answers."""
    found = search(need, LexicalRanker(), pool)
    return confidence_of(found), found[:LIMIT]


def _changes(index: Index, tools: Sequence[Tool]) -> Spread:
    """One tool after another in a new wording."""
    seconds = []
    for number in range(CHANGES):
        place, fresh = _reworded(tools, number)
        moves = Moves(place, len(tools) - place - 1, np.array([-1]), [fresh])
        with _timed() as taken:
            index = index.after(moves)
        seconds.append(taken[0])
    return Spread.of(seconds)


def _searches_after_changes(pool: Candidates, tools: list[Tool], needs: Sequence[str]) -> Spread:
    """A new generation with one tool in a new wording, and the first search in it."""
    entries, seconds = list(tools), []
    for number, need in enumerate(needs):
        place, entries[place] = _reworded(tools, number)
        with _timed() as taken:
            pool = pool.after(entries)
            searched(pool, need)
        seconds.append(taken[0])
    return Spread.of(seconds)


def _reworded(tools: Sequence[Tool], number: int) -> tuple[int, Tool]:
    place = number * 7919 % len(tools)
    return place, tools[place].with_(description=f"{tools[-1 - place].description} {number}")


def _spread(asked: Search, needs: Sequence[str]) -> Spread:
    """Every need once to warm up, and once that counts."""
    for need in needs:
        asked(need)
    seconds = []
    for need in needs:
        with _timed() as taken:
            asked(need)
        seconds.append(taken[0])
    return Spread.of(seconds)


@contextmanager
def _timed() -> Iterator[list[float]]:
    """A list that has the seconds of the block after it."""
    taken: list[float] = []
    began = time.perf_counter()
    yield taken
    taken.append(time.perf_counter() - began)


def _times(measured: Sequence[Measured]) -> Table:
    rows = [
        [
            f"{one.size:,}",
            str(one.whole),
            str(one.masked),
            str(one.judged),
            f"{one.first_under_a_mask * 1000:.0f}",
            str(one.change),
            str(one.after_a_change),
        ]
        for one in measured
    ]
    return Table(
        title="Search index: time",
        columns=[
            "tools",
            "search, ms",
            "search under a mask, ms",
            "and how sure it is, ms",
            "first one under it, ms",
            "change of one tool, ms",
            "change and first search, ms",
        ],
        rows=rows,
        note=f"Median / 95th percentile, one thread. {NEEDS} needs of {WORDS} words: names in the need first, the best"
        f" {LIMIT} with their reasons, and how many there are. The mask lets half of the tools through, and statistics"
        f" are taken over them alone; how sure it is, under it too, as find_tools answers. {CHANGES} changes.",
    )


def _sizes(measured: Sequence[Measured]) -> Table:
    rows = [
        [
            f"{one.size:,}",
            f"{one.build:.2f}",
            f"{one.load:.3f}",
            f"{one.arrays / 1e6:.1f}",
            f"{one.arrays / one.definitions:.2f}",
            f"{one.grow:.1f}",
            f"{one.peak / 1e9:.1f}",
        ]
        for one in measured
    ]
    return Table(
        title="Search index: build, load, memory",
        columns=[
            "tools",
            "build, s",
            "load from file, s",
            "arrays, MB",
            "/ definitions' JSON",
            "growing the catalog, s",
            "most memory of the process so far, GB",
        ],
        rows=rows,
        note="The process holds the catalog, two indexes of it and what was measured before.",
    )


def _peers(tools: Sequence[Tool], needs: Sequence[str], ours: Spread) -> Table:
    texts = [" ".join(fields.texts(tool).values()) for tool in tools]
    rows = [["Pegboard", "", f"{ours.median:.2f}", f"{ours.late:.2f}", "1.0"]]
    for name, ask in (*present(), *present(engines=SERVED)):
        found = ask(texts, needs[:FEW], LIMIT)
        one = Spread.of(found.searches)
        ratio = f"{one.median / ours.median:.1f}"
        rows.append([name, f"{found.build:.1f}", f"{one.median:.2f}", f"{one.late:.2f}", ratio])
    return Table(
        title=f"Search index: peers at {len(tools):,} tools",
        columns=["engine", "build, s", "median, ms", "95th percentile, ms", "median / Pegboard's"],
        rows=rows,
        note=f"The same texts, {FEW} of the same needs, the best {LIMIT}. No peer takes statistics under a mask, or"
        " says how many there are. FastMCP's search: its ranker as its search tool calls it, which looks each time"
        " whether the tools are still those of the index.",
    )


def main(arguments: Sequence[str]) -> int:
    """Print the tables; 2 without a folder."""
    if not arguments or not (Path(arguments[0]) / "retrieval").is_dir():
        print("give the folder that holds corpora/ and retrieval/, and the sizes to measure", file=sys.stderr)
        return 2
    for table in run(Path(arguments[0]), [int(size) for size in arguments[1:]] or SIZES):
        print(table.markdown())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
