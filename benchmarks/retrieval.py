"""``python -m benchmarks.retrieval DIR [RANKER ...]``: how well each ranker finds the right tools, and how fast.

DIR holds one folder a set: ``tools.jsonl`` (name, description, category?, tags?, input_schema?) and ``queries.jsonl``
(id, query, relevant: the names of the right tools). A set's figure is the mean over its queries, the macro figure the
mean over the sets. Names that are not legal are mapped to legal ones; scores are taken on the originals.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.report import Table
from pegboard import Context, Tool
from pegboard.naming import legal_name
from pegboard.search import RANKERS, Bm25Ranker, Candidates, LexicalRanker, Ranker, exact_first

DEPTH: Final = 10
RECALL_DEPTH: Final = 5

Search = Callable[[str, Candidates], Sequence[str]]
"""The names of the tools found, as their authors wrote them, best first."""


@dataclass(frozen=True)
class Query:
    """A need and the names of the tools that meet it. Immutable."""

    text: str
    relevant: frozenset[str]


@dataclass(frozen=True)
class DataSet:
    """One folder's tools and queries. Immutable."""

    name: str
    tools: tuple[Tool, ...]
    queries: tuple[Query, ...]

    def thinned(self, most: int | None) -> DataSet:
        """The same with at most ``most`` queries, evenly taken."""
        step = -(-len(self.queries) // most) if most else 1
        return DataSet(self.name, self.tools, self.queries[::step])


async def _no_handler(arguments: dict[str, Any], context: Context) -> None:
    return None


def load(folder: Path) -> DataSet:
    """Read one set."""
    tools = tuple(map(_tool, _lines(folder / "tools.jsonl")))
    queries = (Query(line["query"], frozenset(line["relevant"])) for line in _lines(folder / "queries.jsonl"))
    return DataSet(folder.name, tools, tuple(queries))


def load_all(root: Path) -> list[DataSet]:
    """Read every set below ``root``, by name."""
    return [load(file.parent) for file in sorted(root.glob("*/queries.jsonl"))]


def _lines(path: Path) -> Iterable[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def _tool(line: Mapping[str, Any]) -> Tool:
    return Tool(
        name=legal_name(line["name"]),
        bare_name=line["name"],
        description=line.get("description") or "",
        category=line.get("category"),
        tags=tuple(line.get("tags") or ()),
        input_schema=line.get("input_schema") or {},
        handler=_no_handler,
    )


def ndcg(found: Sequence[str], relevant: frozenset[str]) -> float:
    """Normalised discounted cumulative gain of the first ten, gains 0 or 1."""
    gained = sum(1 / math.log2(place + 2) for place, name in enumerate(found[:DEPTH]) if name in relevant)
    return gained / sum(1 / math.log2(place + 2) for place in range(min(DEPTH, len(relevant))))


def recall(found: Sequence[str], relevant: frozenset[str]) -> float:
    """The share of the right tools among the first five."""
    return len(relevant.intersection(found[:RECALL_DEPTH])) / len(relevant)


def reciprocal_rank(found: Sequence[str], relevant: frozenset[str]) -> float:
    """One over the place of the first right tool, 0 when none was found."""
    return next((1 / place for place, name in enumerate(found, 1) if name in relevant), 0.0)


METRICS: Final[Mapping[str, Callable[[Sequence[str], frozenset[str]], float]]] = {
    "nDCG@10": ndcg,
    "recall@5": recall,
    "MRR": reciprocal_rank,
}


def figures(search: Search, data: DataSet) -> dict[str, float]:
    """Metric to its mean over the queries of a set."""
    pool = Candidates.of(data.tools)
    answers = [(search(query.text, pool), query.relevant) for query in data.queries]
    return {word: statistics.fmean(metric(*answer) for answer in answers) for word, metric in METRICS.items()}


def by_ranker(ranker: Ranker) -> Search:
    """What the ranker alone gives."""
    return lambda query, pool: [_original(ranked.entry) for ranked in ranker.rank(query, pool)]


def as_searched(ranker: Ranker) -> Search:
    """What a search gives: names that stand in the query come first."""
    return lambda query, pool: [
        _original(ranked.entry) for ranked in exact_first(query, ranker.rank(query, pool), pool)
    ]


def _original(entry: Any) -> str:
    return str(entry.bare_name)


SEARCHES: Final[Mapping[str, Search]] = {
    "bm25, plain analyzer": by_ranker(Bm25Ranker("plain")),
    **{name: by_ranker(make()) for name, make in RANKERS.items()},
    "lexical, exact names first": as_searched(LexicalRanker()),
}


def run(root: Path, wanted: Sequence[str] = (), *, sample: int | None = None) -> list[Table]:
    """A table a metric, rankers by sets, and the time that the default ranker takes on the largest set.

    With ``sample``, at most so many queries of each set: every second, third, ... as it comes to.
    """
    sets = [data.thinned(sample) for data in load_all(root)]
    searches = {name: search for name, search in SEARCHES.items() if not wanted or name in wanted}
    measured = {name: [figures(search, data) for data in sets] for name, search in searches.items()}
    return [_table(metric, sets, measured) for metric in METRICS] + [
        timing(max(sets, key=lambda data: len(data.tools)))
    ]


def _table(metric: str, sets: Sequence[DataSet], measured: Mapping[str, Sequence[Mapping[str, float]]]) -> Table:
    rows = []
    for name, results in measured.items():
        values = [result[metric] for result in results]
        rows.append([name, *(f"{value:.3f}" for value in (*values, statistics.fmean(values)))])
    sizes = "; ".join(f"{data.name} {len(data.tools):,} tools, {len(data.queries):,} queries" for data in sets)
    return Table(
        title=f"Ranking: {metric}",
        columns=["ranker", *(data.name for data in sets), "macro"],
        rows=rows,
        note=f"Whole asks. {sizes}.",
    )


def timing(data: DataSet) -> Table:
    """Milliseconds of the default ranker on one set: the first search, which builds the index, and those after it."""
    ranker, pool = LexicalRanker(), Candidates.of(data.tools)
    texts = [query.text for query in data.queries[:500]]
    half = pool.only([place % 2 == 0 for place in range(len(pool))])
    rows = [
        ["index and first search", f"{_milliseconds(ranker, texts[0], pool):.1f}", ""],
        ["first search in a slice of half of it", f"{_milliseconds(ranker, texts[0], half):.1f}", ""],
        ["search", *_spread([_milliseconds(ranker, text, pool) for text in texts])],
        ["search in the slice", *_spread([_milliseconds(ranker, text, half) for text in texts])],
    ]
    words = statistics.fmean(len(text.split()) for text in texts)
    return Table(
        title=f"Ranking: time on {data.name}",
        columns=["what", "median, ms", "95th percentile, ms"],
        rows=rows,
        note=f"{len(data.tools):,} tools, {len(texts)} asks of {words:.0f} words in the mean, the default ranker.",
    )


def _milliseconds(ranker: Ranker, text: str, pool: Candidates) -> float:
    began = time.perf_counter()
    ranker.rank(text, pool)
    return (time.perf_counter() - began) * 1000


def _spread(times: list[float]) -> tuple[str, str]:
    last = statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
    return f"{statistics.median(times):.2f}", f"{last:.2f}"


def main(arguments: Sequence[str]) -> int:
    """Print the tables; 2 without a folder, or for a ranker that is none."""
    if not arguments or not list(Path(arguments[0]).glob("*/queries.jsonl")):
        print(
            "give the folder that holds the sets, one folder each with tools.jsonl and queries.jsonl", file=sys.stderr
        )
        return 2
    unknown = [name for name in arguments[1:] if name not in SEARCHES]
    if unknown:
        print(f"unknown ranker {unknown[0]!r}; there are {', '.join(SEARCHES)}", file=sys.stderr)
        return 2
    for table in run(Path(arguments[0]), arguments[1:]):
        print(table.markdown())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
