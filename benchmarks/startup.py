"""What ``import pegboard`` and the shortest command cost."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from benchmarks.report import Table

RUNS = 15

CONTENDERS = {
    "python -c pass": ["-c", "pass"],
    "from pydantic import BaseModel": ["-c", "from pydantic import BaseModel"],
    "import pegboard": ["-c", "import pegboard"],
    "pegboard --version": ["-m", "pegboard", "--version"],
}


def run() -> list[Table]:
    """Whole processes, in turn."""
    times: dict[str, list[float]] = {label: [] for label in CONTENDERS}
    for number in range(RUNS + 1):
        for label, arguments in CONTENDERS.items():
            seconds = process(arguments)
            if number:  # the first round fills the caches
                times[label].append(seconds)
    medians = {label: statistics.median(values) for label, values in times.items()}
    bare, pydantic = medians["python -c pass"], medians["from pydantic import BaseModel"]
    rows = [
        [f"`{label}`", f"{seconds * 1000:.0f}", f"{(seconds - bare) / (pydantic - bare):.2f}"]
        for label, seconds in medians.items()
    ]
    return [
        Table(
            title="Import",
            columns=["process", "median ms", "beyond bare Python, / pydantic's"],
            rows=rows,
            note=f"Whole processes, {RUNS} runs each, in turn.",
        )
    ]


def process(arguments: list[str]) -> float:
    """Seconds that one process takes."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began
