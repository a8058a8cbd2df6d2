"""What whole processes cost: the least of several runs, in turn, for others may use the machine at the same time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

BARE: Final = "python -c pass"
PYDANTIC: Final = "from pydantic import BaseModel"
PEERS: Final = {BARE: ["-c", "pass"], PYDANTIC: ["-c", PYDANTIC]}
"""What every process is held against."""

COLUMNS: Final = ("process", "CPU ms", "wall ms", "CPU / bare Python's", "CPU beyond bare Python, / pydantic's")


class Cost(NamedTuple):
    """What a process takes, in seconds: of the processor (user and system, its own children too), and of the clock."""

    cpu: float
    wall: float


def rows(
    contenders: Mapping[str, Sequence[str]],
    runs: int,
    folder: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> list[list[str]]:
    """The peers and the contenders, by what ``python`` is called with: the least of ``runs`` each, as ``COLUMNS``."""
    all_of_them = {**PEERS, **contenders}
    found: dict[str, list[Cost]] = {label: [] for label in all_of_them}
    for _ in range(runs + 1):
        for label, arguments in all_of_them.items():
            found[label].append(_process(arguments, folder, environ))
    # The first run compiles, and keeps what is kept.
    least = {label: Cost(*map(min, zip(*costs[1:], strict=True))) for label, costs in found.items()}
    bare, peer = least[BARE].cpu, least[PYDANTIC].cpu
    return [
        [
            f"`{label}`",
            f"{cost.cpu * 1000:.0f}",
            f"{cost.wall * 1000:.0f}",
            f"{cost.cpu / bare:.1f}",
            f"{(cost.cpu - bare) / (peer - bare):.2f}",
        ]
        for label, cost in least.items()
    ]


def _process(arguments: Sequence[str], folder: Path | None, environ: Mapping[str, str] | None) -> Cost:
    nowhere = subprocess.DEVNULL
    began = time.perf_counter()
    running = subprocess.Popen([sys.executable, *arguments], cwd=folder, env=environ, stdout=nowhere, stderr=nowhere)
    _, status, used = os.wait4(running.pid, 0)
    wall = time.perf_counter() - began
    running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode:
        raise subprocess.CalledProcessError(running.returncode, running.args)
    return Cost(used.ru_utime + used.ru_stime, wall)
