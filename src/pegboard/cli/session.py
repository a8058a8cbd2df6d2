"""A command's Pegboard: configuration loaded, upstreams started, and waited for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.principals import principal_named
from pegboard.cli.waiting import STARTING, how_to_try_again, state_line, wait_for_sources
from pegboard.cli.words import span
from pegboard.errors import ConfigError
from pegboard.finding import missing_notes
from pegboard.metatools import META_TOOLS
from pegboard.registry import YIELDS, Nature
from pegboard.skill_tools import SKILL_TOOLS

if TYPE_CHECKING:
    from pegboard.approval import Approver
    from pegboard.auth import Principal
    from pegboard.board import Board
    from pegboard.config import ConfigProblem, Loaded, Settings
    from pegboard.config.kept_catalog import KeptCatalog
    from pegboard.peg import Pegboard
    from pegboard.pin_store import SetAside
    from pegboard.registry import Source, SourceStatus
    from pegboard.tools import Tool
    from pegboard.view import View

Fresh = Annotated[bool, typer.Option("--fresh", help="Ask every upstream anew, whatever it listed not long ago.")]

SURFACE: Final = "mcp"
"""Commands look at the catalog as the gateway's clients do."""


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A Pegboard whose sources have been waited for. Lives as long as one command.

    ``kept`` is what earlier commands left of the catalog.
    """

    peg: Pegboard
    settings: Settings
    problems: Sequence[ConfigProblem]
    principal: Principal | None
    wait: Callable[[Iterable[Source] | None], Awaitable[None]]
    kept: KeptCatalog

    async def board(self, profile: str = "python", context: Mapping[str, Any] | None = None) -> Board:
        """A board of the principal whom the command acts for; everything that a command tells comes through one.

        ``context`` holds values for every call of it.
        """
        return await self.peg.open(self.principal, surface=SURFACE, profile=profile, context=context)

    async def visible(self, board: Board, name: str) -> Tool | None:
        """The tool of a name as the board's principal sees it, a meta-tool too; None when it is missing or hidden.

        A hidden one is waited for like a missing one, until every source is ready and none goes by what it listed for
        an earlier command, so that the two cannot be told apart.
        """
        if name in META_TOOLS:
            return META_TOOLS[name]
        tool = _named(await board.view(), name)
        if tool is None:
            await self.ask_anew()
            tool = _named(await board.view(), name)
        return tool

    async def ask_anew(self, source: str | None = None) -> None:
        """Have upstreams that go by what they listed for an earlier command list anew, all or that of a name.

        Without a name, all other sources are waited for too.
        """
        if source is None:
            await self.wait(None)
        doubted = [one for one in self.kept.recalled(self.peg.sources) if source in (None, one.name)]
        for upstream in doubted:
            upstream.doubt()
        await self.wait(doubted)

    async def ask_source_of(self, name: str) -> None:
        """Have the upstream of a tool list anew, where it goes by an earlier listing: what is called must be so now."""
        tool = self.peg.catalog.get(name)
        if tool is not None:
            await self.ask_anew(tool.source)

    @property
    def age_json(self) -> dict[str, Any]:
        """How many seconds ago the oldest listing of an earlier command was made; no member where there is none."""
        ago = self.kept.seconds_ago(self.peg.sources)
        return {} if ago is None else {"listed_seconds_ago": ago}

    def tell_age(self, common: Common) -> None:
        """Say on stderr how old the listings are that an earlier command left."""
        ago = self.kept.seconds_ago(self.peg.sources)
        if ago is not None and not common.json:
            common.output.progress(f"As upstreams listed it {span(ago)} ago; to ask them again: --fresh")

    @property
    def lacking(self) -> list[SourceStatus]:
        """The sources that are not ready."""
        return _lacking(self.peg.sources)

    @property
    def lacking_json(self) -> list[dict[str, Any]]:
        """``lacking`` as JSON objects; for a principal without what may be secret: names and reasons."""
        if self.principal is not None:
            return [{"state": status.state} for status in self.lacking]
        return [{"name": s.name, "state": s.state, "reason": s.reason} for s in self.lacking]

    @property
    def nothing(self) -> Exit:
        """The exit code when nothing was found: it may be that what was wanted is with a source that is away."""
        return Exit.AWAY if self.lacking else Exit.NOTHING

    def tell_amiss(self, common: Common, only: Nature | None = None) -> None:
        """Say on stderr which sources are not ready, and why, and which stores were begun anew.

        For a principal, how many. ``only`` is the nature of those to tell of; unset: of all.
        """
        sources = [one for one in self.peg.sources if only in (None, one.registry.nature)]
        lacking = _lacking(sources)
        if self.principal is not None:
            for note in missing_notes(lacking, named=False):
                common.output.problem(note)
            return
        for status in lacking:
            common.output.problem(f"{status.name} is not ready: {state_line(status)}")
        if lacking:
            common.output.problem(how_to_try_again(lacking), "Note")
        tell_moved(common, self._moved(sources))

    def _moved(self, sources: Sequence[Source]) -> Iterator[SetAside]:
        """What stores of added tools, and of what was learned, could not read and put out of the way."""
        if self.peg.usage is not None:
            yield from self.peg.usage.store.moved()
        if any(source.registry.nature == "overlay" for source in sources):
            from pegboard.sources.overlay import OverlaySource

            for source in sources:
                if isinstance(source, OverlaySource):
                    yield from source.store.moved()


@asynccontextmanager
async def opened(
    common: Common,
    enough: Callable[[Pegboard], bool] = lambda peg: False,
    *,
    who: str | None = None,
    approver: Approver | None = None,
    fresh: bool = True,
) -> AsyncIterator[Opened]:
    """The Pegboard of the files that the options name, for the length of the block.

    Waits until every source is ready or has failed, at most ``common.wait`` seconds, or until ``enough(peg)``. ``who``
    names the principal to act for; ``approver`` is asked about calls that need it. Unless ``fresh``, upstreams that
    listed their tools not long ago are not started for it. What is wrong in the configuration but does not end the
    command is said on stderr. Raises ConfigError, and BadParameter for an unknown principal.
    """
    loaded = load_named(common)
    async with opened_settings(common, loaded, enough, who=who, approver=approver, fresh=fresh) as now:
        yield now


@asynccontextmanager
async def opened_settings(
    common: Common,
    loaded: Loaded,
    enough: Callable[[Pegboard], bool] = lambda peg: False,
    *,
    who: str | None = None,
    approver: Approver | None = None,
    tell: bool = True,
    fresh: bool = True,
) -> AsyncIterator[Opened]:
    """The same for a configuration that has been loaded. Without ``tell`` its problems are left to the caller."""
    from pegboard.config.kept_catalog import KeptCatalog
    from pegboard.config.wire import build

    principal = principal_named(loaded.settings, who)
    # A command has one search, which is its first: without what was learned, its answer would depend on how busy the
    # machine is. A later search of a gateway makes good what the first one missed.
    # Nor is anything made for searches that may never come.
    wired = build(loaded.settings, approver=approver, usage_patience=common.wait, prepare=False)
    peg, problems = wired.peg, (*loaded.problems, *wired.problems)
    if tell:
        tell_problems(common, problems)

    until = asyncio.get_running_loop().time() + common.wait

    async def wait(
        sources: Iterable[Source] | None = None, enough: Callable[[Pegboard], bool] = lambda peg: False
    ) -> None:
        # Who is asked late, because a listing of before was not enough, has as long as the others had.
        seconds = max(0.0, until - asyncio.get_running_loop().time()) if sources is None else common.wait
        await wait_for_sources(peg, seconds, common.output, lambda: enough(peg), sources)

    kept = KeptCatalog(loaded.settings)
    if not fresh:
        await kept.recall(peg.sources)
    async with peg:
        try:
            await wait(enough=enough)
            yield Opened(
                peg=peg, settings=loaded.settings, problems=problems, principal=principal, wait=wait, kept=kept
            )
        finally:
            await kept.keep(peg.sources)


def _lacking(sources: Iterable[Source]) -> list[SourceStatus]:
    """Those of some sources that are not ready."""
    return [status for one in sources if (status := one.status()).state != "ready"]


def _named(view: View, name: str) -> Tool | None:
    """The tool of a name in a view; those that skills are used through are there where a skill is."""
    return SKILL_TOOLS[name] if name in SKILL_TOOLS and view.skills else view.get(name)


def there(name: str) -> Callable[[Pegboard], bool]:
    """Whether a Pegboard has the tool of a name, and no source is still being read whose tool would come before it."""

    def enough(peg: Pegboard) -> bool:
        tool = peg.catalog.get(name)
        if tool is None:
            return False
        nature: Nature = next((one.registry.nature for one in peg.sources if one.name == tool.source), "code")
        before: tuple[Nature, ...] = YIELDS.get(nature, ())
        earlier = (one for one in peg.sources if one.registry.nature in before)
        return not any(one.status().state in STARTING for one in earlier)

    return enough


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


def load_found(common: Common) -> Loaded | None:
    """The same, and None where the options name nothing and there is no configuration. Raises ConfigError."""
    from pegboard.config import find_config

    there = common.config is not None or common.clients or find_config(None) is not None
    return load_named(common) if there else None


def tell_moved(common: Common, moved: Iterable[SetAside]) -> None:
    """Say on stderr what could not be read and was put out of the way."""
    for one in moved:
        common.output.problem(f"{one.where}: {one.what}. {one.mend}")


def tell_problems(common: Common, problems: Sequence[ConfigProblem]) -> None:
    """Say on stderr what is wrong in the configuration or in definitions; notes are for ``pegboard status``."""
    for problem in problems:
        if problem.level != "note":
            common.output.problem(str(problem), str(problem.level).capitalize())
