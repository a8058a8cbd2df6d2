"""``python -m benchmarks.retrieval DIR [RANKER ...]``: how well each ranker finds the right tools, and how fast.

DIR holds one folder a set: ``tools.jsonl`` (name, description, category?, tags?, input_schema?) and ``queries.jsonl``
(id, query, relevant: the names of the right tools). A set's figure is the mean over its queries, the macro figure the
mean over the sets. Names that are not legal are mapped to legal ones; scores are taken on the originals.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from benchmarks.engines import Ask, present
from benchmarks.report import Table
from pegboard.errors import EvaluationError
from pegboard.evaluation.datasets import DataSet, sets_of
from pegboard.evaluation.figures import percentile
from pegboard.evaluation.metrics import MEASURES
from pegboard.evaluation.rankers import HYBRID, ranker_named
from pegboard.search import RANKERS, Bm25Ranker, Candidates, LexicalRanker, Ranker, exact_first, fields

Search = Callable[[str, Candidates], Sequence[str]]
"""The names of the tools found, as their authors wrote them, best first."""

METRICS: Final[Mapping[str, str]] = {"nDCG@10": "ndcg@10", "recall@5": "recall@5", "MRR": "mrr"}
"""The measures that have a table, by its title."""

LIMIT: Final = 20
"""Tools that an engine of others is asked for."""


def thinned(data: DataSet, most: int | None) -> DataSet:
    """A set with at most ``most`` of its questions, evenly taken."""
    step = -(-len(data.questions) // most) if most else 1
    return replace(data, questions=data.questions[::step])


def figures(search: Search, data: DataSet) -> dict[str, float]:
    """Metric to its mean over the questions of a set."""
    pool = data.view.candidates
    return _means(data, [search(question.text, pool) for question in data.questions])


def engine_figures(ask: Ask, data: DataSet) -> dict[str, float]:
    """The same for an engine of others, over the texts that Pegboard searches."""
    tools = data.view.tools
    names = list(map(_original, tools))
    texts = [" ".join(fields.texts(tool).values()) for tool in tools]
    found = ask(texts, [question.text for question in data.questions], LIMIT).found
    return _means(data, [[names[place] for place in places] for places in found])


def _means(data: DataSet, found: Sequence[Sequence[str]]) -> dict[str, float]:
    answers = [(names, question.relevant) for names, question in zip(found, data.questions, strict=True)]
    return {
        title: statistics.fmean(MEASURES[measure](*answer) for answer in answers) for title, measure in METRICS.items()
    }


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


def _hybrid() -> dict[str, Search]:
    """The hybrid ranker, where its extra is installed."""
    try:
        return {HYBRID: by_ranker(ranker_named(HYBRID))}
    except EvaluationError:
        return {}


SEARCHES: Final[Mapping[str, Search]] = {
    "bm25, plain analyzer": by_ranker(Bm25Ranker("plain")),
    **{name: by_ranker(make()) for name, make in RANKERS.items()},
    **_hybrid(),
    "lexical, exact names first": as_searched(LexicalRanker()),
}


def run(root: Path, wanted: Sequence[str] = (), *, sample: int | None = None) -> list[Table]:
    """Tables by metric and kind of ask, rankers and other engines by sets; the default ranker's time on the largest.

    With ``sample``, at most so many queries of each set: every second, third, ... as it comes to.
    """
    sets = [thinned(data, sample) for data in sets_of(root)]
    if HYBRID not in SEARCHES:
        print("left out: the hybrid ranker (the extra `semantic` is not installed)", file=sys.stderr)
    searches = {name: search for name, search in SEARCHES.items() if not wanted or name in wanted}
    short = [data.reduced() for data in sets]
    engines = {} if wanted else dict(present())
    whole, reduced = (_measured(some, searches, engines) for some in (sets, short))
    tables = [_table(metric, sets, whole, "Whole asks.") for metric in METRICS]
    tables += [
        _table(metric, short, reduced, "Content words of the asks alone.", ", content words") for metric in METRICS
    ]
    return [*tables, timing(max(sets, key=lambda data: len(data.known)))]


def _measured(
    sets: Sequence[DataSet], searches: Mapping[str, Search], engines: Mapping[str, Ask]
) -> dict[str, list[dict[str, float]]]:
    ours = {name: [figures(search, data) for data in sets] for name, search in searches.items()}
    return ours | {name: [engine_figures(ask, data) for data in sets] for name, ask in engines.items()}


def _table(
    metric: str,
    sets: Sequence[DataSet],
    measured: Mapping[str, Sequence[Mapping[str, float]]],
    asked: str,
    title: str = "",
) -> Table:
    rows = []
    for name, results in measured.items():
        values = [result[metric] for result in results]
        rows.append([name, *(f"{value:.3f}" for value in (*values, statistics.fmean(values)))])
    sizes = "; ".join(f"{data.name} {len(data.known):,} tools, {len(data.questions):,} queries" for data in sets)
    return Table(
        title=f"Ranking: {metric}{title}",
        columns=["ranker", *(data.name for data in sets), "macro"],
        rows=rows,
        note=f"{asked} {sizes}.",
    )


def timing(data: DataSet) -> Table:
    """Milliseconds of the default ranker on one set: the first search, which builds the index, and those after it."""
    ranker, pool = LexicalRanker(), Candidates.of(data.view.tools)
    texts = [question.text for question in data.questions[:500]]
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
        note=f"{len(data.known):,} tools, {len(texts)} asks of {words:.0f} words in the mean, the default ranker.",
    )


def _milliseconds(ranker: Ranker, text: str, pool: Candidates) -> float:
    began = time.perf_counter()
    ranker.rank(text, pool)
    return (time.perf_counter() - began) * 1000


def _spread(times: list[float]) -> tuple[str, str]:
    return f"{statistics.median(times):.2f}", f"{percentile(times, 95):.2f}"


def folder_of(arguments: Sequence[str]) -> Path | None:
    """The folder of sets that the first argument names; None, with a word, where there is none."""
    if arguments and any(Path(arguments[0]).glob("*/queries.jsonl")):
        return Path(arguments[0])
    print("give the folder that holds the sets, one folder each with tools.jsonl and queries.jsonl", file=sys.stderr)
    return None


def printed(run: Callable[..., list[Table]], arguments: Sequence[str]) -> int:
    """Print the tables that ``run(folder, sample=...)`` makes of a folder of sets; 2 without one.

    A number behind the folder is the sample: at most so many questions of each set.
    """
    folder = folder_of(arguments)
    if folder is None:
        return 2
    for table in run(folder, sample=int(arguments[1]) if arguments[1:] else None):
        print(table.markdown())
    return 0


def main(arguments: Sequence[str]) -> int:
    """Print the tables; 2 without a folder, or for a ranker that is none."""
    folder, wanted = folder_of(arguments), arguments[1:]
    if folder is None:
        return 2
    unknown = [name for name in wanted if name not in SEARCHES]
    if unknown:
        print(f"unknown ranker {unknown[0]!r}; there are {', '.join(SEARCHES)}", file=sys.stderr)
        return 2
    for table in run(folder, wanted):
        print(table.markdown())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
