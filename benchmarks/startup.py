"""What ``import pegboard``, its names and the shortest commands cost."""

from __future__ import annotations

from typing import Final

from benchmarks.processes import COLUMNS, rows
from benchmarks.report import Table

RUNS: Final = 15
NAMES: Final = "from pegboard import Pegboard, ToolRegistry, tool"
CONTENDERS: Final = {
    "import pegboard": ["-c", "import pegboard"],
    NAMES: ["-c", NAMES],
    "pegboard --version": ["-m", "pegboard", "--version"],
    "pegboard --help": ["-m", "pegboard", "--help"],
}


def run() -> list[Table]:
    """Whole processes, in turn."""
    note = (
        f"Whole processes in turn, the least of {RUNS} runs each. A name of Pegboard is loaded when it is first used."
    )
    return [Table("Import", COLUMNS, rows(CONTENDERS, RUNS), note)]
