"""Waiting for upstreams, and telling on stderr how far they are."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pegboard.cli.output import console
from pegboard.cli.visible import one_line
from pegboard.cli.words import counted
from pegboard.peg import Pegboard
from pegboard.registry import Source, SourceStatus

if TYPE_CHECKING:
    from pegboard.cli.output import Output

_QUIET: Final = 1.0
"""Seconds before anything is said: most waits are over by then."""

_LOOK: Final = 0.1
"""Seconds between two looks at the sources."""

STARTING: Final = frozenset({"idle", "starting"})


async def wait_for_sources(
    peg: Pegboard,
    seconds: float,
    output: Output,
    enough: Callable[[], bool],
    sources: Iterable[Source] | None = None,
) -> None:
    """Wait until every source has brought its first listing or failed; at most ``seconds``, or until ``enough()``.

    ``sources`` are those to wait for, where it is not all of them.
    """
    async with _told(peg, output):
        await peg.ready(seconds, sources=sources, enough=enough)


def state_line(status: SourceStatus) -> str:
    """How a source is doing, in a few words."""
    if status.state == "ready":
        return f"ready, {counted(status.tools, 'tool')}"
    return one_line(f"{status.state}: {status.reason}" if status.reason else status.state)


def how_to_try_again(lacking: Iterable[SourceStatus]) -> str:
    """What to do about sources that were not ready when the waiting ended; "" when there is none.

    A command ends, so nothing is tried again by itself.
    """
    states = {status.state for status in lacking}
    if states & STARTING:
        return "Run this again, with more time to start: --wait SECONDS."
    return "Mend what the reason says, and run this again." if states else ""


@asynccontextmanager
async def _told(peg: Pegboard, output: Output) -> AsyncIterator[None]:
    """Tell how far the sources are while the block runs: as a live display on a terminal, else in lines."""
    lines = _Lines(peg, output)
    task = asyncio.ensure_future(_live(peg) if sys.stderr.isatty() else lines.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        lines.look()


@dataclass
class _Lines:
    """A line when the waiting gets long, and one for each source that it was for. Lives as long as the waiting."""

    peg: Pegboard
    output: Output
    awaited: set[str] = field(default_factory=set)

    async def run(self) -> None:
        await asyncio.sleep(_QUIET)
        self.awaited = {status.name for status in _statuses(self.peg) if status.state in STARTING}
        if self.awaited:
            self.output.progress(f"Waiting for {', '.join(sorted(self.awaited))}")
        while self.awaited:
            await asyncio.sleep(_LOOK)
            self.look()

    def look(self) -> None:
        """Tell of those that have come to something since the last look."""
        for status in _statuses(self.peg):
            if status.name in self.awaited and status.state not in STARTING:
                self.awaited.discard(status.name)
                self.output.progress(f"{status.name}: {state_line(status)}")


async def _live(peg: Pegboard) -> None:
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.table import Table
    from rich.text import Text

    def display() -> Table:
        table = Table.grid(padding=(0, 1))
        for status in _statuses(peg):
            busy = status.state in STARTING
            sign = spinner if busy else Text("-" if status.state == "ready" else "!", style="dim")
            table.add_row(sign, Text(one_line(status.name), style="cyan"), Text(state_line(status), style="dim"))
        return table

    spinner = Spinner("dots")
    await asyncio.sleep(_QUIET / 4)
    with Live(console=console(sys.stderr), transient=True, get_renderable=display, refresh_per_second=10):
        await asyncio.Event().wait()


def _statuses(peg: Pegboard) -> Iterator[SourceStatus]:
    return (source.status() for source in peg.sources)
