"""A command's Pegboard: configuration loaded, upstreams started, and waited for."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.waiting import state_line, wait_for_sources
from pegboard.errors import ConfigError

if TYPE_CHECKING:
    from pegboard.config import ConfigProblem, Loaded, Settings
    from pegboard.peg import Pegboard
    from pegboard.registry import SourceStatus

SURFACE: Final = "mcp"
"""Commands look at the catalog as the gateway's clients do."""


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A Pegboard whose sources have been waited for. Lives as long as one command."""

    peg: Pegboard
    settings: Settings
    problems: Sequence[ConfigProblem]

    @property
    def lacking(self) -> list[SourceStatus]:
        """The sources that are not ready."""
        states = [source.status() for source in self.peg.sources]
        return [status for status in states if status.state != "ready"]

    @property
    def lacking_json(self) -> list[dict[str, Any]]:
        """``lacking`` as JSON objects."""
        return [{"name": s.name, "state": s.state, "reason": s.reason} for s in self.lacking]

    @property
    def nothing(self) -> Exit:
        """The exit code when nothing was found: it may be that what was wanted is with a source that is away."""
        return Exit.AWAY if self.lacking else Exit.NOTHING

    def tell_lacking(self, common: Common) -> None:
        """Say on stderr which sources are not ready, and why."""
        for status in self.lacking:
            common.output.problem(f"{status.name} is not ready: {state_line(status)}")


@asynccontextmanager
async def opened(common: Common, enough: Callable[[Pegboard], bool] = lambda peg: False) -> AsyncIterator[Opened]:
    """The Pegboard of the files that the options name, for the length of the block.

    Waits until every source is ready or has failed, at most ``common.wait`` seconds, or until ``enough(peg)``. What is
    wrong in the configuration but does not end the command is said on stderr. Raises ConfigError.
    """
    from pegboard.config.wire import build

    loaded = load_named(common)
    wired = build(loaded.settings)
    peg, problems = wired.peg, (*loaded.problems, *wired.problems)
    tell_problems(common, problems)
    async with peg:
        await wait_for_sources(peg, common.wait, common.output, lambda: enough(peg))
        yield Opened(peg=peg, settings=loaded.settings, problems=problems)


def load_named(common: Common) -> Loaded:
    """What the options name: the given files alone, else the configuration that is found. Raises ConfigError."""
    from pegboard.config import config_places, find_config, load

    path = None if common.clients and common.config is None else find_config(common.config)
    if path is None and not common.clients:
        places = ", ".join(str(place) for place in config_places())
        raise ConfigError(
            f"There is no configuration: looked for {places}.",
            hint="Name one with --config FILE, or an MCP client's own file with --from FILE.",
        )
    return load(path, clients=common.clients)


def tell_problems(common: Common, problems: Sequence[ConfigProblem]) -> None:
    """Say on stderr what is wrong in the configuration; notes are for ``pegboard status``."""
    for problem in problems:
        if problem.level != "note":
            common.output.problem(str(problem), str(problem.level).capitalize())
