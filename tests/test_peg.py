"""The Pegboard: sources that come, go and are replaced while it serves."""

from __future__ import annotations

import asyncio

import pytest

from pegboard import Pegboard, SourceStatus, Tool, ToolRegistry
from pegboard.errors import CollisionError, DefinitionError
from tests.support import make

pytestmark = pytest.mark.anyio


class Bringer:
    """A source that brings its tool when it is let."""

    def __init__(self, name: str, description: str = "", *, at_once: bool = True) -> None:
        self.name = name
        self.registry = ToolRegistry(name)
        self.go = asyncio.Event()
        self.life: list[str] = []
        self._tool = make(f"{name}__t", description, source=name)
        if at_once:
            self.go.set()

    async def start(self) -> None:
        """Begin."""
        self.life.append("started")

    async def ready(self) -> None:
        """Bring the tool, once it is let."""
        await self.go.wait()
        self.registry.replace_source(self.name, [self._tool])

    async def stop(self) -> None:
        """End."""
        self.life.append("stopped")

    def status(self) -> SourceStatus:
        """How it is."""
        tools = len(self.registry.tools())
        return SourceStatus(name=self.name, kind="test", state="ready" if tools else "starting", tools=tools)


def told(peg: Pegboard) -> list[str]:
    return [tool.description for tool in peg.catalog.all()]


async def test_sources_start_with_the_pegboard_and_stop_with_it() -> None:
    source = Bringer("s")
    async with Pegboard(sources=[source]) as peg:
        assert await peg.ready(60) == ()
        assert len(peg.catalog) == 1
        assert peg.status()["sources"] == [{"name": "s", "kind": "test", "state": "ready", "tools": 1}]
    assert source.life == ["started", "stopped"]


async def test_waiting_names_the_sources_that_are_not_ready() -> None:
    async with Pegboard(sources=[Bringer("slow", at_once=False), Bringer("quick")]) as peg:
        assert await peg.ready(0.05) == ("slow",)
        assert [source.name for source in peg.missing()] == ["slow"]


async def test_waiting_ends_when_the_catalog_has_enough() -> None:
    slow, quick = Bringer("slow", at_once=False), Bringer("quick")
    async with Pegboard(sources=[slow, quick]) as peg:
        assert await peg.ready(enough=lambda: len(peg.catalog) > 0) == ()
        assert told(peg) == [""]


async def test_waiting_may_be_for_some_sources_only() -> None:
    slow, quick = Bringer("slow", at_once=False), Bringer("quick")
    async with Pegboard(sources=[slow, quick]) as peg:
        assert await peg.ready(sources=[quick]) == ()
        assert await peg.ready(0, sources=[quick, slow]) == ("slow",)


async def test_a_source_that_cannot_be_waited_for_is_logged_and_holds_up_nobody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Broken(Bringer):
        async def ready(self) -> None:
            raise OSError("no such process")

    async with Pegboard(sources=[Broken("broken"), Bringer("quick")]) as peg:
        assert await peg.ready() == ()
    assert "broken" in caplog.text


async def test_a_profile_with_a_misspelt_meta_tool_is_refused_with_the_nearest() -> None:
    with pytest.raises(DefinitionError, match=r"'find_tool'.*'find_tools'"):
        Pegboard(profiles={"python": ["find_tool", "call_tool"]})


async def test_two_sources_of_one_name_are_refused() -> None:
    with pytest.raises(CollisionError, match="'s'"):
        Pegboard(sources=[Bringer("s"), Bringer("s")])


async def test_a_source_that_is_added_while_running_is_started_and_a_removed_one_stopped() -> None:
    source = Bringer("s")
    async with Pegboard() as peg:
        await peg.add_source(source)
        await peg.ready(60)
        assert len(peg.catalog) == 1
        await peg.remove_source("s")
        assert source.life == ["started", "stopped"]
        assert len(peg.catalog) == 0


async def test_a_replaced_source_serves_until_the_new_one_is_ready() -> None:
    old, new = Bringer("s", "old"), Bringer("s", "new", at_once=False)
    async with Pegboard(sources=[Bringer("before", "before"), old, Bringer("after", "after")]) as peg:
        await peg.ready(60)
        seen: list[list[str]] = []
        peg.on_change(lambda: seen.append(told(peg)))
        replacing = asyncio.create_task(peg.replace_source(new))
        await asyncio.sleep(0)
        assert told(peg) == ["before", "old", "after"]
        assert "stopped" not in old.life
        new.go.set()
        await replacing
        assert told(peg) == ["before", "new", "after"]
        assert old.life[-1] == "stopped"
        assert all(len(tools) == 3 for tools in seen)


async def test_patience_with_a_new_source_ends() -> None:
    old = Bringer("s", "old")
    async with Pegboard(sources=[old]) as peg:
        await peg.ready(60)
        await peg.replace_source(Bringer("s", "new", at_once=False), patience=0.01)
        assert told(peg) == []
        assert old.life[-1] == "stopped"


async def test_a_new_source_is_stopped_when_its_replacing_is_cancelled() -> None:
    old, new = Bringer("s", "old"), Bringer("s", "new", at_once=False)
    async with Pegboard(sources=[old]) as peg:
        await peg.ready(60)
        replacing = asyncio.create_task(peg.replace_source(new))
        while "started" not in new.life:
            await asyncio.sleep(0)
        replacing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await replacing
        assert new.life == ["started", "stopped"]
        assert told(peg) == ["old"]
        assert "stopped" not in old.life


async def test_a_new_source_is_stopped_when_the_pegboard_is_stopped_meanwhile() -> None:
    old, new = Bringer("s", "old"), Bringer("s", "new", at_once=False)
    async with Pegboard(sources=[old]) as peg:
        replacing = asyncio.create_task(peg.replace_source(new))
        while "started" not in new.life:
            await asyncio.sleep(0)
    new.go.set()
    await replacing
    assert new.life == ["started", "stopped"]


async def test_a_source_that_is_removed_while_it_is_replaced_is_gone_with_the_new_one() -> None:
    old, new = Bringer("s", "old"), Bringer("s", "new", at_once=False)
    async with Pegboard(sources=[old]) as peg:
        replacing = asyncio.create_task(peg.replace_source(new))
        while "started" not in new.life:
            await asyncio.sleep(0)
        removing = asyncio.create_task(peg.remove_source("s"))
        await asyncio.sleep(0)
        new.go.set()
        await asyncio.gather(replacing, removing)
        assert (old.life, new.life) == (["started", "stopped"], ["started", "stopped"])
        assert (peg.sources, told(peg)) == ((), [])


async def test_two_replacements_at_once_leave_the_later_one_and_nothing_else_running() -> None:
    old, one, two = Bringer("s", "old"), Bringer("s", "one"), Bringer("s", "two")
    async with Pegboard(sources=[old]) as peg:
        await asyncio.gather(peg.replace_source(one), peg.replace_source(two))
        assert [source.life[-1] for source in (old, one, two)] == ["stopped", "stopped", "started"]
        assert told(peg) == ["two"]


async def test_a_source_that_fails_to_stop_is_removed_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    class Stubborn(Bringer):
        async def stop(self) -> None:
            raise OSError("no such process")

    async with Pegboard(sources=[Stubborn("stubborn")]) as peg:
        await peg.remove_source("stubborn")
        assert peg.sources == ()
    assert "stubborn" in caplog.text


async def test_a_source_that_does_not_stop_cleanly_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    class Stubborn(Bringer):
        async def stop(self) -> None:
            raise OSError("no such process")

    other = Bringer("other")
    async with Pegboard(sources=[Stubborn("stubborn"), other]):
        pass
    assert "stubborn" in caplog.text
    assert other.life[-1] == "stopped"


async def test_sources_that_have_begun_are_stopped_when_the_start_is_cancelled() -> None:
    class Endless(Bringer):
        async def start(self) -> None:
            await asyncio.Event().wait()

    begun = Bringer("begun")
    starting = asyncio.create_task(Pegboard(sources=[begun, Endless("endless")]).start())
    while "started" not in begun.life:
        await asyncio.sleep(0)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert begun.life == ["started", "stopped"]


async def test_what_a_factory_registers_is_in_the_catalog_that_it_was_made_for() -> None:
    registry = ToolRegistry()

    def first() -> Tool:
        registry.register_factory("second", lambda: make("second"))
        registry.register(make("third"))
        return make("first")

    registry.register_factory("first", first)
    peg = Pegboard([registry])
    assert [tool.name for tool in peg.catalog.all()] == ["first", "second", "third"]
    assert peg.catalog is peg.catalog


async def test_a_factory_that_changes_the_registry_whenever_it_is_made_does_not_go_on_for_ever() -> None:
    registry = ToolRegistry()

    def restless() -> Tool:
        registry.reload()
        return make("restless")

    registry.register_factory("restless", restless)
    assert [tool.name for tool in Pegboard([registry]).catalog.all()] == ["restless"]


def test_an_unknown_way_with_collisions_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="unknown collisions 'last'; there are refuse, prefix, first"):
        Pegboard(collisions="last")  # type: ignore[arg-type]
