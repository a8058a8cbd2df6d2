"""What processes have of their own when all of them map one index file."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.report import Table

PROCESSES: Final = 16

_MAPPER: Final = """
import sys
from pegboard.stores.array_file import read
parts, told = read(sys.argv[1], what="index")
print(sum(int(array.sum(dtype="u8")) for part in parts.values() for array in part.values()), flush=True)
sys.stdin.read()
"""


def shared_by_processes(path: Path, tools: int) -> list[Table]:
    """A table of the memory of many processes that have looked at every byte; none where the system tells nothing."""
    if not Path("/proc/self/smaps_rollup").exists():
        return []
    program = [sys.executable, "-c", _MAPPER, str(path)]
    children = [
        subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(PROCESSES)
    ]
    try:
        for child in children:
            assert child.stdout is not None
            child.stdout.readline()
        told = [_memory(child.pid) for child in children]
    finally:
        for child in children:
            child.communicate("")
    return [_table(path.stat().st_size, tools, told)]


def _table(file: int, tools: int, told: Sequence[tuple[int, int]]) -> Table:
    unique, everything = sum(own for own, _ in told), sum(resident for _, resident in told)
    figures = [file / 1e6, everything / 1e6, unique / 1e6, unique / PROCESSES / 1e6, (unique + file) / 1e6]
    return Table(
        title=f"Search index: processes that map one file of {tools:,} tools",
        columns=[
            "processes",
            "file, MB",
            "resident, sum, MB",
            "unique, sum, MB",
            "unique each, MB",
            "file and unique, MB",
        ],
        rows=[[str(PROCESSES), *(f"{figure:.0f}" for figure in figures)]],
        note="After a look at every byte of it. Unique: private pages (Linux), those of Python and numpy among them;"
        " the last column is what all of them take together.",
    )


def _memory(pid: int) -> tuple[int, int]:
    """(bytes of private pages, bytes resident) of a process."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]
    sizes = {line.partition(":")[0]: int(line.split()[1]) * 1024 for line in lines}
    return sizes["Private_Clean"] + sizes["Private_Dirty"], sizes["Rss"]
