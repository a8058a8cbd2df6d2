"""``python -m benchmarks.search_index SHARED [SIZE ...]``: the search index at size, beside the engines there are.

Catalogs are grown from the real definitions below SHARED (see ``benchmarks.growth``), needs are the real ones of nine
words. Peers are asked for the same needs over the same texts: FastMCP's ranker, SQLite's FTS5 with trigrams, tantivy.
What is not installed is left out.
"""

from __future__ import annotations

import json
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.gateway import fastmcp_python
from benchmarks.growth import grown
from benchmarks.report import Table
from pegboard import Tool
from pegboard.search import Candidates, LexicalRanker
from pegboard.search.candidates import NAMES
from pegboard.search.differences import Moves
from pegboard.search.fields import field_texts
from pegboard.search.index import Index
from pegboard.search.lexical import SCHEME
from pegboard.search.reading import stamps_of
from pegboard.stores.index_file import load, save

SIZES: Final = (2_000, 20_000, 100_000)
PEERS_AT: Final = 100_000
WORDS: Final = 9
NEEDS: Final = 150
LIMIT: Final = 20
CHANGES: Final = 100
PROCESSES: Final = 16
_WORK: Final = Path(__file__).resolve().parent

Search = Callable[[str], Any]


@dataclass(frozen=True)
class Spread:
    """Times in milliseconds. Immutable."""

    median: float
    late: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Spread:
        return cls(statistics.median(seconds) * 1000, statistics.quantiles(seconds, n=20)[-1] * 1000)


@dataclass(frozen=True)
class Measured:
    """What one size came to. Immutable. Times in seconds, sizes in bytes."""

    size: int
    definitions: int
    build: float
    arrays: int
    file: int
    load: float
    whole: Spread
    masked: Spread
    first_under_a_mask: float
    change: Spread


def run(shared: Path, sizes: Sequence[int] = SIZES) -> list[Table]:
    """Ours at every size, the peers at one, and what processes share."""
    needs = list(islice(_needs(shared), NEEDS))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tools.index"
        measured, peers, shares = [], [], []
        for size in sizes:
            tools = grown(shared, size)
            measured.append(_measured(tools, needs, path))
            if size == PEERS_AT:
                shares = [_processes(tools, path, folder)] if Path("/proc/self/smaps_rollup").exists() else []
                peers = [_peers(tools, needs, measured[-1].whole)]
    return [_table(measured), *peers, *shares]


def _needs(shared: Path) -> Iterator[str]:
    for path in sorted((shared / "retrieval").glob("*/queries.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            need = str(json.loads(line)["query"])
            if len(need.split()) == WORDS:
                yield need


def _measured(tools: list[Tool], needs: Sequence[str], path: Path) -> Measured:
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
    ranker = LexicalRanker()
    ranker.rank(needs[0], pool)[:LIMIT]
    with _timed() as first:
        ranker.rank(needs[0], half)[:LIMIT]
    index = pool.indexed_by(SCHEME)
    return Measured(
        size=len(tools),
        definitions=sum(len(json.dumps(tool.shown)) for tool in tools),
        build=build[0],
        arrays=sum(pool.indexed_by(scheme).base.nbytes for scheme in (SCHEME, NAMES)),
        file=path.stat().st_size,
        load=loading[0],
        whole=_spread(lambda need: ranker.rank(need, pool)[:LIMIT], needs),
        masked=_spread(lambda need: ranker.rank(need, half)[:LIMIT], needs),
        first_under_a_mask=first[0],
        change=_changes(index, tools),
    )


def _changes(index: Index, tools: Sequence[Tool]) -> Spread:
    """One tool after another in a new wording."""
    seconds = []
    for number in range(CHANGES):
        place = number * 7919 % len(tools)
        fresh: list[Any] = [tools[place].with_(description=f"{tools[-1 - place].description} {number}")]
        moves = Moves(place, len(tools) - place - 1, np.array([-1]), fresh)
        with _timed() as taken:
            index = index.after(moves)
        seconds.append(taken[0])
    return Spread.of(seconds)


def _spread(search: Search, needs: Sequence[str]) -> Spread:
    """Every need once to warm up, and once that counts."""
    for need in needs:
        search(need)
    seconds = []
    for need in needs:
        with _timed() as taken:
            search(need)
        seconds.append(taken[0])
    return Spread.of(seconds)


@contextmanager
def _timed() -> Iterator[list[float]]:
    """A list that has the seconds of the block after it."""
    taken: list[float] = []
    began = time.perf_counter()
    yield taken
    taken.append(time.perf_counter() - began)


def _table(measured: Sequence[Measured]) -> Table:
    rows = [
        [
            f"{one.size:,}",
            f"{one.build:.2f}",
            f"{one.load:.3f}",
            f"{one.whole.median:.2f} / {one.whole.late:.2f}",
            f"{one.masked.median:.2f} / {one.masked.late:.2f}",
            f"{one.first_under_a_mask * 1000:.0f}",
            f"{one.change.median:.2f} / {one.change.late:.2f}",
            f"{one.arrays / 1e6:.1f}",
            f"{one.arrays / one.definitions:.2f}",
        ]
        for one in measured
    ]
    return Table(
        title="Search index",
        columns=[
            "tools",
            "build, s",
            "load from file, s",
            "search, ms",
            "search under a mask, ms",
            "first one under it, ms",
            "change of one tool, ms",
            "arrays, MB",
            "/ definitions' JSON",
        ],
        rows=rows,
        note=f"Median / 95th percentile. {NEEDS} needs of {WORDS} words, the best {LIMIT} with their reasons; the mask"
        f" lets half of the tools through, and statistics are taken over them alone. {CHANGES} changes.",
    )


def _peers(tools: Sequence[Tool], needs: Sequence[str], ours: Spread) -> Table:
    texts = [" ".join(field_texts(tool)) for tool in tools]
    found = {"Pegboard": ours, "SQLite FTS5, trigrams": _fts5(texts, needs)}
    for name, measure in (("tantivy", _tantivy), ("FastMCP's ranker", _fastmcp)):
        try:
            found[name] = measure(texts, needs)
        except (ImportError, OSError, subprocess.SubprocessError) as error:
            print(f"left out: {name} ({error})", file=sys.stderr)
    rows = [
        [name, f"{one.median:.2f}", f"{one.late:.2f}", f"{one.median / ours.median:.1f}"] for name, one in found.items()
    ]
    return Table(
        title=f"Search index: peers at {len(tools):,} tools",
        columns=["engine", "median, ms", "95th percentile, ms", "median / Pegboard's"],
        rows=rows,
        note=f"The same texts and needs, the best {LIMIT}; words joined by OR. No peer takes statistics under a mask.",
    )


def _fts5(texts: Sequence[str], needs: Sequence[str]) -> Spread:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE tools USING fts5(body, tokenize='trigram')")
    database.executemany("INSERT INTO tools (body) VALUES (?)", ((text,) for text in texts))
    asked = f"SELECT rowid FROM tools WHERE tools MATCH ? ORDER BY bm25(tools) LIMIT {LIMIT}"
    try:
        return _spread(lambda need: database.execute(asked, (_any_of(need, 3),)).fetchall(), needs)
    finally:
        database.close()


def _tantivy(texts: Sequence[str], needs: Sequence[str]) -> Spread:
    import tantivy

    schema = tantivy.SchemaBuilder().add_text_field("body", tokenizer_name="en_stem").build()
    index = tantivy.Index(schema)
    writer = index.writer(num_threads=1)
    for text in texts:
        writer.add_document(tantivy.Document(body=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    return _spread(lambda need: searcher.search(index.parse_query(_any_of(need, 1), ["body"]), LIMIT), needs)


def _fastmcp(texts: Sequence[str], needs: Sequence[str]) -> Spread:
    told = json.dumps({"texts": list(texts), "queries": list(needs[:20])})
    program = [str(fastmcp_python()), str(_WORK / "peers" / "fastmcp_search.py")]
    done = subprocess.run(program, input=told, capture_output=True, text=True, check=True)
    return Spread.of(json.loads(done.stdout)["searches"])


def _any_of(need: str, least: int) -> str:
    words = ("".join(filter(str.isalnum, word)) for word in need.split())
    return " OR ".join(f'"{word}"' for word in words if len(word) >= least)


_MAPPER: Final = """
import sys
from pathlib import Path
from pegboard.stores.index_file import _mapped
from pegboard.stores.index_format import decoded
parts, told = decoded(_mapped(Path(sys.argv[1])))
print(sum(int(array.sum(dtype="u8")) for part in parts.values() for array in part.values()), flush=True)
sys.stdin.read()
"""


def _processes(tools: Sequence[Tool], path: Path, folder: str) -> Table:
    """What each of many processes has of its own, once with the file mapped and searched, once without it."""
    program = Path(folder) / "mapper.py"
    program.write_text(_MAPPER, encoding="utf-8")
    children = [
        subprocess.Popen(
            [sys.executable, str(program), str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(PROCESSES)
    ]
    try:
        for child in children:
            assert child.stdout is not None
            child.stdout.readline()
        told = [_memory(child.pid) for child in children]
    finally:
        for child in children:
            child.communicate("")
    file = path.stat().st_size
    unique, everything = sum(own for own, _ in told), sum(resident for _, resident in told)
    rows = [
        [
            str(PROCESSES),
            f"{file / 1e6:.0f}",
            f"{everything / 1e6:.0f}",
            f"{unique / 1e6:.0f}",
            f"{unique / PROCESSES / 1e6:.1f}",
        ]
    ]
    return Table(
        title=f"Search index: processes that map one file of {len(tools):,} tools",
        columns=["processes", "file, MB", "resident, sum, MB", "unique, sum, MB", "unique each, MB"],
        rows=rows,
        note="After a look at every byte of it. Unique: private pages (Linux), those of Python and numpy among them.",
    )


def _memory(pid: int) -> tuple[int, int]:
    """(bytes of private pages, bytes resident) of a process."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]
    sizes = {line.partition(":")[0]: int(line.split()[1]) * 1024 for line in lines}
    return sizes["Private_Clean"] + sizes["Private_Dirty"], sizes["Rss"]


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
