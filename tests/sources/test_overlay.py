"""Added tools as a source: how it follows its store, what wins over what, and turns that began before a change."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from pegboard import Pegboard, ToolRegistry, Visibility
from pegboard.composition import Collisions
from pegboard.http_tools.overlay import Overlay
from pegboard.http_tools.secrets import GivenSecrets
from pegboard.http_tools.tool import Client, HttpRuntime
from pegboard.net.egress import EgressPolicy
from pegboard.sources.data_tools import DataToolSpec
from pegboard.sources.http import HttpToolFile
from pegboard.sources.overlay import OverlaySource
from pegboard.stores import SqlToolStore
from pegboard.tools import Approval
from tests.net.loopback import Exchange, Server, serving
from tests.support import make, registry_of

pytestmark = pytest.mark.anyio

PATIENCE = 30.0
"""Seconds until something that does not happen fails a test. No measure of speed."""

POLL = 0.02


def tool(name: str = "ping", about: str = "Added.", url: str = "https://api.example.com/added") -> str:
    return f'name = "{name}"\ndescription = "{about}"\nurl = "{url}"\n'


def runtime_for(origin: str | None = None) -> Callable[[Client], HttpRuntime]:
    policy = EgressPolicy.allowing(origins=[origin] if origin else [])
    return lambda client: HttpRuntime(client=client, policy=policy, secrets=GivenSecrets({}))


def source_of(file: Path, **options: Any) -> OverlaySource:
    options = {"poll": POLL, "environ": {}, **options}
    return OverlaySource("overlay", SqlToolStore(file), runtime_for(options.pop("origin", None)), **options)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "boards.sqlite3"


@pytest.fixture
async def elsewhere(file: Path) -> AsyncIterator[Overlay]:
    """The same tools, for somebody else: another store on the same file."""
    overlay = Overlay(SqlToolStore(file), environ={"HOST": "a.example"})
    yield overlay
    await overlay.store.close()


async def until(peg: Pegboard, name: str, about: str | None) -> None:
    """Wait until the catalog has a tool of this description, or none of the name."""
    news = asyncio.Event()
    stop = peg.on_change(news.set)

    def now() -> str | None:
        found = peg.catalog.get(name)
        return None if found is None else found.description

    try:
        async with asyncio.timeout(PATIENCE):
            while now() != about:
                await news.wait()
                news.clear()
    finally:
        stop()


async def test_changes_of_others_are_taken_up_while_it_runs(file: Path, elsewhere: Overlay) -> None:
    async with Pegboard(sources=[source_of(file)]) as peg:
        await peg.ready()
        assert len(peg.catalog) == 0
        await elsewhere.add(tool())
        await until(peg, "ping", "Added.")
        await elsewhere.edit("ping", tool(about="Changed."))
        await until(peg, "ping", "Changed.")
        await elsewhere.remove("ping")
        await until(peg, "ping", None)
        await elsewhere.restore("ping", 1)
        await until(peg, "ping", "Added.")


async def test_a_version_that_cannot_be_used_here_leaves_the_tool_as_it_was_and_is_told(
    file: Path, elsewhere: Overlay
) -> None:
    await elsewhere.add(tool())
    source = source_of(file)
    async with Pegboard(sources=[source]) as peg:
        await peg.ready()
        # The variable is set where the edit was made, and not here.
        await elsewhere.edit("ping", tool(about="Changed.", url="https://{{env.HOST}}/x"))
        await elsewhere.add(tool("pong"))
        await until(peg, "pong", "Added.")
        assert peg.catalog.get("ping").description == "Added."  # type: ignore[union-attr]
        assert any(note.startswith("ping stays as it was: ping version 2:") for note in source.status().notes)
    again = source_of(file)
    async with Pegboard(sources=[again]) as peg:
        await peg.ready()
        assert peg.catalog.get("ping") is None
        (problem,) = peg.catalog.problems
        assert (problem.name, "names a variable that is not set" in problem.reason) == ("ping", True)


async def test_a_store_that_fails_for_a_while_takes_no_tool_away(file: Path, elsewhere: Overlay) -> None:
    await elsewhere.add(tool())
    source = source_of(file)
    async with Pegboard(sources=[source]) as peg:
        await peg.ready()
        os.rename(file, f"{file}.away")  # noqa: PTH104
        file.mkdir()
        async with asyncio.timeout(PATIENCE):
            while not source.status().notes:
                await asyncio.sleep(POLL)
        assert peg.catalog.get("ping") is not None
        file.rmdir()
        os.rename(f"{file}.away", file)  # noqa: PTH104
        await elsewhere.edit("ping", tool(about="Changed."))
        await until(peg, "ping", "Changed.")
        assert source.status().notes == ()


def shop(path: Path, about: str = "Of a file.") -> HttpToolFile:
    path.write_text(tool("ping", about), "utf-8")
    spec = DataToolSpec(approval="exec", visibility="always")
    return HttpToolFile("shop.toml", path, runtime_for(), spec=spec, environ={})


@pytest.mark.parametrize("code_first", [True, False])
@pytest.mark.parametrize("collisions", ["refuse", "prefix", "first"])
async def test_code_wins_over_data_in_any_order_and_the_loser_is_named(
    file: Path, elsewhere: Overlay, tmp_path: Path, code_first: bool, collisions: Collisions
) -> None:
    await elsewhere.add(tool())
    code = registry_of(make("ping", "Of code.", source="tools.py"), name="tools.py")
    sources = [source_of(file), shop(tmp_path / "shop.toml")]
    peg = Pegboard([code] if code_first else [], sources=sources, collisions=collisions)
    async with peg:
        await peg.ready()
        if not code_first:
            await peg.add_source(_Code(code))
        assert [(one.name, one.description) for one in peg.catalog.all()] == [("ping", "Of code.")]
        reason = "Source 'tools.py' has a tool of this name too, and code comes before data. Rename one of the two."
        told = {(one.source, one.name, one.reason) for one in peg.catalog.problems}
        assert told == {("overlay", "ping", reason), ("shop.toml", "ping", reason)}


class _Code:
    """A source of functions. Lives as long as a test."""

    name = "code"

    def __init__(self, registry: ToolRegistry) -> None:
        self.registry = registry

    async def start(self) -> None:
        return

    async def ready(self) -> None:
        return

    async def stop(self) -> None:
        return

    def status(self) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize("collisions", ["refuse", "prefix", "first"])
async def test_an_added_tool_takes_the_place_of_a_file_s_and_no_lower_tier(
    file: Path, elsewhere: Overlay, tmp_path: Path, collisions: Collisions
) -> None:
    await elsewhere.add(tool())
    async with Pegboard(sources=[shop(tmp_path / "shop.toml"), source_of(file)], collisions=collisions) as peg:
        await peg.ready()
        (found,) = peg.catalog.all()
        assert (found.description, found.source) == ("Added.", "overlay")
        assert (found.approval, found.visibility) == (Approval.EXEC, Visibility.ALWAYS)
        (problem,) = peg.catalog.problems
        assert problem.source == "shop.toml"
        assert "pegboard tools remove ping" in problem.reason
        await elsewhere.remove("ping")
        await until(peg, "ping", "Of a file.")
        assert peg.catalog.problems == ()


class Held:
    """A service whose first request waits. Lives as long as a test."""

    def __init__(self) -> None:
        self.came, self.go = asyncio.Event(), asyncio.Event()

    async def answer(self, exchange: Exchange) -> None:
        if not self.came.is_set():
            self.came.set()
            await self.go.wait()
        await exchange.reply(exchange.path.encode())


async def test_a_turn_that_began_before_a_change_keeps_the_definition_that_it_began_with(
    file: Path, elsewhere: Overlay
) -> None:
    held = Held()
    async with serving(held.answer) as server:
        await elsewhere.add(tool(url=server.url("/first")))
        async with Pegboard(sources=[source_of(file, origin=server.url())]) as peg:
            await peg.ready()
            board = await peg.open()
            turn = asyncio.create_task(board.call_all([("ping", {}), ("ping", {})], sequential=True))
            await held.came.wait()
            await elsewhere.edit("ping", tool(about="Changed.", url=server.url("/second")))
            await until(peg, "ping", "Changed.")
            other = await board.call("ping")
            held.go.set()
            both = [result.text for result in (await turn).results]  # type: ignore[union-attr]
            assert both == ["/first", "/first"], "the second call began after the edit, in the turn from before it"
            assert other.text == "/second"  # type: ignore[union-attr]
            assert _paths(server) == ["/first", "/second", "/first"]


async def test_calls_from_inside_a_call_belong_to_its_turn_and_a_removed_tool_is_gone_for_the_next(
    file: Path, elsewhere: Overlay
) -> None:
    inside, go = asyncio.Event(), asyncio.Event()

    async def outer(arguments: dict[str, Any], context: Any) -> Any:
        inside.set()
        await go.wait()
        return await context.call("ping")

    async def answer(exchange: Exchange) -> None:
        await exchange.reply(exchange.path.encode())

    async with serving(answer) as server:
        await elsewhere.add(tool(url=server.url("/first")))
        code = registry_of(make("outer", handler=outer))
        async with Pegboard([code], sources=[source_of(file, origin=server.url())]) as peg:
            await peg.ready()
            board = await peg.open()
            call = asyncio.create_task(board.call("outer"))
            await inside.wait()
            await elsewhere.remove("ping")
            await until(peg, "ping", None)
            go.set()
            assert (await call).text == "/first"  # type: ignore[union-attr]
            gone = await board.call("ping")
            assert gone.is_error  # type: ignore[union-attr]


def _paths(server: Server) -> list[str]:
    return [exchange.path for exchange in server.exchanges]
