"""Telling on stderr how far something is that takes longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pegboard.cli.output import console
from pegboard.cli.visible import one_line

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from pegboard.cli.output import Output

_QUIET: Final = 1.0
"""Seconds before anything is said."""


@dataclass
class Steps:
    """What is done step by step, each of a known length. Lives as long as the work.

    On a terminal the step at work is a bar; elsewhere each step that begins after a second is a line.
    """

    output: Output
    bars: Progress | None = None
    _began: float = field(default_factory=time.monotonic)
    _step: str = ""
    _bar: TaskID | None = None

    def at(self, step: str, done: int, count: int, what: str) -> None:
        """Say that ``done`` of ``count`` parts of a step are done; ``what`` is a word for several parts."""
        if time.monotonic() - self._began < _QUIET:
            return
        if self.bars is not None:
            self._draw(self.bars, step, done, count)
        elif step != self._step:
            self.output.progress(f"{one_line(step)}: {count:,} {what}")
        self._step = step

    def _draw(self, bars: Progress, step: str, done: int, count: int) -> None:
        if self._bar is None or step != self._step:
            bars.start()
            if self._bar is not None:
                bars.remove_task(self._bar)
            self._bar = bars.add_task(one_line(step), total=count)
        bars.update(self._bar, completed=done)


@contextmanager
def steps(output: Output) -> Iterator[Steps]:
    """Steps that are told while the block runs."""
    if not sys.stderr.isatty():
        yield Steps(output)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bars = Progress(*columns, console=console(sys.stderr), transient=True)
    try:
        yield Steps(output, bars)
    finally:
        bars.stop()
