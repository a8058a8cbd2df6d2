"""``python -m benchmarks.meaning DIR [SAMPLE]``: what meaning adds to the default ranker, and what it costs.

DIR is that of ``benchmarks.retrieval``. The vectors of all tools take MiniLM minutes. Constants are chosen on all sets
but the one that is measured.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from benchmarks.encoders import PATIENCE, Remembering
from benchmarks.held_out import others
from benchmarks.report import Table
from benchmarks.retrieval import by_ranker, figures, printed, thinned
from pegboard.encoders import MiniLmEncoder, StaticEncoder
from pegboard.errors import ConfigError
from pegboard.evaluation.datasets import DataSet, sets_of
from pegboard.evaluation.figures import percentile
from pegboard.search import LexicalRanker, meaning
from pegboard.search.encoder import SCALE, Encoder
from pegboard.search.hybrid import HybridRanker
from pegboard.search.vectors import Held, Vectors

ENCODERS: Final[Mapping[str, Callable[[], Encoder]]] = {
    "hybrid, static embedding alone": StaticEncoder,
    "hybrid, all-MiniLM-L6-v2": MiniLmEncoder,
}
"""The encoders by the names of their rows."""
GRID: Final[Sequence[Mapping[str, Any]]] = [
    {"MEANING": worth, "WORDS": words} for worth, words in product((1.0, 1.4, 1.8, 2.4), (4, 6, 8))
]
SIZES: Final = (4_000, 100_000)
WIDTH: Final = MiniLmEncoder.dimension
SEED: Final = 7


def encoders(*, remembering: bool = True) -> Iterator[tuple[str, Encoder]]:
    """Those that are installed; what is missing is told of."""
    for name, make in ENCODERS.items():
        try:
            encoder = make()
            yield name, Remembering(encoder) if remembering else encoder
        except ConfigError as error:
            print(f"left out: {name} ({error})", file=sys.stderr)


def run(root: Path, *, sample: int | None = None) -> list[Table]:
    """Quality, whole asks and content words, and time; with ``sample``, of so many questions of each set."""
    sets = [thinned(data, sample) for data in sets_of(root)]
    words = [data.reduced() for data in sets]
    return [
        quality(sets, "what meaning adds", f"Whole asks. {len(GRID)} choices of {', '.join(GRID[0])}."),
        quality(words, "what meaning adds, content words", "Content words of the asks alone.", choices=()),
        timing(),
    ]


def quality(sets: Sequence[DataSet], title: str, note: str, choices: Sequence[Mapping[str, Any]] = GRID) -> Table:
    """nDCG@10 with and without meaning, and with constants chosen on the other sets where there are choices."""
    rows = [_row("lexical", [figures(by_ranker(LexicalRanker()), data)["nDCG@10"] for data in sets])]
    for name, encoder in encoders():
        ranker = HybridRanker(encoder, patience=PATIENCE)
        rows.append(_row(name, _measured(ranker, sets).values()))
        if choices:
            chosen = [(constants, _measured(ranker, sets, constants)) for constants in choices]
            rows.append(_row(f"{name}, constants chosen on the other sets", _held(sets, chosen)))
    return Table(
        title=f"Ranking: {title}",
        columns=["ranker", *(data.name for data in sets), "macro"],
        rows=rows,
        note=f"nDCG@10. {note}",
    )


def _measured(
    ranker: HybridRanker, sets: Sequence[DataSet], constants: Mapping[str, Any] | None = None
) -> dict[str, float]:
    with patch.multiple(meaning, **{"MEANING": meaning.MEANING, **(constants or {})}):
        return {data.name: figures(by_ranker(ranker), data)["nDCG@10"] for data in sets}


def _held(sets: Sequence[DataSet], chosen: Sequence[tuple[Any, Mapping[str, float]]]) -> Iterator[float]:
    for data in sets:
        names = [one.name for one in others(sets, data)] or [data.name]
        best = max(chosen, key=lambda one: statistics.fmean(one[1][name] for name in names))
        yield best[1][data.name]


def _row(name: str, values: Any) -> list[str]:
    found = list(values)
    return [name, *(f"{value:.3f}" for value in (*found, statistics.fmean(found)))]


def timing() -> Table:
    """What looking through vectors takes, and what encoding an ask and an entry does."""
    rows = []
    for size in SIZES:
        vectors, asks = _drawn(size)
        half = np.flatnonzero(np.arange(size) % 2)
        few = np.arange(0, size, size // 100)
        for who, places in (("all", None), ("half of them", half), ("100 of them", few)):
            rows.append([f"look through {size:,} vectors for {who}", *_spread(vectors, asks, places)])
    for name, encoder in encoders(remembering=False):
        encoder.encode(["once"])
        rows.append([f"encode an ask of 9 words: {name}", *_times(partial(encoder.encode, [_ASK]), 50)])
        rows.append([f"encode 64 entries of 30 words: {name}", *_times(partial(encoder.encode, [_ENTRY] * 64), 5)])
    return Table(
        title="Ranking: what meaning costs",
        columns=["what", "median, ms", "95th percentile, ms"],
        rows=rows,
        note=f"{WIDTH} numbers a vector. A search takes this besides what the default ranker takes.",
    )


_ASK: Final = "send a reminder about the meeting to my team"
_ENTRY: Final = "post message: Posts a message to a channel, a thread or a person. " * 3


def _drawn(size: int) -> tuple[Vectors, Any]:
    draw = np.random.default_rng(SEED)
    found = draw.standard_normal((size + 50, WIDTH), np.float32)
    found = np.rint(found / np.linalg.norm(found, axis=1, keepdims=True) * SCALE).astype(np.int16)
    held = Held(found[:size], found[:0], bytes(16 * size), np.arange(size))
    return Vectors((), held), found[size:]


def _spread(vectors: Vectors, asks: Any, places: Any) -> tuple[str, str]:
    ways = iter(asks)
    return _times(lambda: vectors.alike(next(ways), places), len(asks))


def _times(work: Callable[[], object], count: int) -> tuple[str, str]:
    times = []
    for _ in range(count):
        began = time.perf_counter()
        work()
        times.append((time.perf_counter() - began) * 1000)
    return f"{statistics.median(times):.2f}", f"{percentile(times, 95):.2f}"


def main(arguments: Sequence[str]) -> int:
    """Print the tables; 2 without a folder."""
    return printed(run, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
