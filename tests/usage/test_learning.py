"""Usage learning on boards: searches that led to calls, whose they are, and what they change."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pegboard import Context, Halt, Pegboard, Principal, Tool, ToolError, ToolResult
from pegboard.board import Board
from pegboard.errors import StoreError
from pegboard.usage import Usage
from pegboard.usage.leads import FIRST
from pegboard.usage.rows import Lesson, Row
from pegboard.usage.store import Changes, MemoryUsageStore
from tests.support import ALICE, Rules, make, registry_of

pytestmark = pytest.mark.anyio

BOB, CARL, DORA = (Principal(id=name, issuer="test") for name in ("bob", "carl", "dora"))
ASK = "restituer les sous d'une commande parcel"
"""One word of it stands in the tools; the others are nobody's."""


async def fails(arguments: dict[str, Any], context: Context) -> Any:
    """Fail."""
    raise ToolError("no")


async def halts(arguments: dict[str, Any], context: Context) -> Any:
    """End the turn."""
    return Halt(result=ToolResult.of("done"))


def tools() -> list[Tool]:
    return [
        make("cancel", "Cancel a parcel."),
        make("refund", "Pay back a parcel."),
        make("track", "Tell where a parcel is."),
        make("broken", "Break a parcel.", handler=fails),
        make("halting", "Halt a parcel.", handler=halts),
        make("weather", "Tell the weather of a place."),
        make("always", "Parcel by always.", always=True),
    ]


def peg_of(usage: Usage | None, **options: Any) -> Pegboard:
    return Pegboard([registry_of(*tools())], usage=usage, **options)


async def found(board: Board, query: str) -> list[str]:
    return [match.entry.name for match in (await board.find(query)).matches]


async def teach(peg: Pegboard, tool: str, query: str = ASK, principal: Principal | None = None) -> None:
    """Search, then call, as a model does."""
    board = await peg.open(principal, profile="session")
    answer = await board.call("find_tools", {"query": query})
    assert isinstance(answer, ToolResult)
    assert tool in [one["name"] for one in (answer.structured or {})["tools"]]
    await board.call("call_tool", {"name": tool, "arguments": {}})


async def rows_of(usage: Usage) -> dict[str, set[tuple[str, str]]]:
    """What is in the store: (tool, word) by space."""
    await settled(usage)
    return {space: {(row.tool, row.term) for row in rows} for space, rows in (await usage.store.everything()).items()}


async def settled(usage: Usage) -> None:
    """Wait until every lesson is written."""
    for _ in range(200):
        if not usage.status()["waiting"] and (usage._writing is None or usage._writing.done()):
            return
        await asyncio.sleep(0.01)
    raise AssertionError("lessons are not written")


async def test_a_tool_comes_first_for_words_that_led_to_it() -> None:
    peg = peg_of(Usage())
    before = await found(await peg.open(), ASK)
    await teach(peg, "track")
    assert before[0] != "track"
    assert (await found(await peg.open(), ASK))[0] == "track"


async def test_a_tool_is_found_by_words_that_stand_nowhere_in_it() -> None:
    peg = peg_of(Usage())
    assert await found(await peg.open(), "restituer les sous") == []
    await teach(peg, "refund")
    assert await found(await peg.open(), "restituer les sous") == ["refund"]


async def test_nothing_is_learned_unless_asked_for() -> None:
    peg = peg_of(None)
    await teach(peg, "track")
    assert await found(await peg.open(), "restituer les sous") == []
    assert "usage" not in peg.status()


@pytest.mark.parametrize("through", ["call_tool", "its own name"])
@pytest.mark.parametrize("searched", ["find_tools", "tool_search", "find"])
async def test_every_way_to_search_and_to_call_teaches(searched: str, through: str) -> None:
    usage = Usage()
    board = await peg_of(usage, profiles={"python": ("find_tools", "tool_search", "call_tool")}).open()
    if searched == "find":
        await board.find("parcel")
    else:
        await board.call(searched, {"query": "parcel"})
    await (board.call("call_tool", {"name": "track"}) if through == "call_tool" else board.call("track"))
    assert await rows_of(usage) == {"": {("track", "parcel")}}


async def test_a_halt_is_a_success_and_a_failure_is_none() -> None:
    usage = Usage()
    peg = peg_of(usage)
    await teach(peg, "halting", "parcel")
    await teach(peg, "broken", "parcel")
    assert await rows_of(usage) == {"": {("halting", "parcel")}}


async def test_a_call_without_a_search_and_a_tool_that_was_not_found_teach_nothing() -> None:
    usage = Usage()
    peg = peg_of(usage)
    await (await peg.open()).call("track")
    board = await peg.open()
    await board.find("weather")
    await board.call("track")
    assert await rows_of(usage) == {}


async def test_what_a_tool_calls_itself_teaches_nothing() -> None:
    async def nest(arguments: dict[str, Any], context: Context) -> Any:
        """Call another tool."""
        await context.call("track")
        return "done"

    usage = Usage()
    peg = Pegboard([registry_of(*tools(), make("nest", "Nest.", handler=nest))], usage=usage)
    board = await peg.open()
    await board.find("parcel")
    await board.call("nest")
    assert await rows_of(usage) == {}


async def test_a_search_teaches_a_tool_once_however_often_it_is_called() -> None:
    usage = Usage()
    board = await peg_of(usage).open()
    await board.find("parcel")
    for _ in range(5):
        await board.call("track")
    await settled(usage)
    ((row,),) = (await usage.store.everything()).values()
    assert row.uses == 1.0


async def test_what_was_found_first_already_teaches_half() -> None:
    usage = Usage()
    peg = peg_of(usage)
    assert (await found(await peg.open(), "parcel refund"))[0] == "refund"
    await teach(peg, "refund", "parcel refund")
    await settled(usage)
    ((one, other),) = (await usage.store.everything()).values()
    assert [one.uses, other.uses] == [FIRST, FIRST]


async def test_the_listing_and_its_bytes_are_the_same_with_and_without() -> None:
    listings = []
    for usage in (None, Usage()):
        peg = peg_of(usage)
        board = await peg.open(profile="session")
        shown = [board.listing()]
        await teach(peg, "track")
        await board.find(ASK)
        await board.call("load_tool", {"name": "track"})
        await board.commit()
        shown += [board.listing(), await board.standing_listing()]
        listings.append([(one.bytes, one.fingerprint) for one in shown])
    assert listings[0] == listings[1]


async def test_what_others_did_counts_once_two_of_them_have_done_it() -> None:
    peg = peg_of(Usage())
    await teach(peg, "track", principal=BOB)
    carl = await peg.open(CARL)
    assert (await found(carl, ASK))[0] != "track"
    assert (await found(await peg.open(BOB), ASK))[0] == "track"
    await teach(peg, "track", principal=DORA)
    assert (await found(carl, ASK))[0] == "track"


async def test_what_is_learned_in_one_tenant_no_other_sees() -> None:
    usage = Usage()
    peg = peg_of(usage)
    people = {
        tenant: [Principal(id=name, issuer="test", tenant=tenant) for name in ("ann", "ben", "eve")]
        for tenant in ("one", "two")
    }
    for principal in people["one"][:2]:
        await teach(peg, "track", principal=principal)
    orders = {tenant: await found(await peg.open(those[2]), ASK) for tenant, those in people.items()}
    assert orders["one"][0] == "track"
    assert orders["two"] == await found(await peg_of(None).open(), ASK)
    assert list(await rows_of(usage)) == ["tenant:one"]


async def test_who_may_not_see_a_tool_is_answered_as_if_nothing_had_been_learned_of_it() -> None:
    """Byte for byte what a catalog without the tool answers, whoever has taught what."""
    answers = []
    for hidden in (False, True):
        usage, rules = Usage(), Rules(hidden=["track"] if hidden else [])
        names = [tool for tool in tools() if hidden or tool.name != "track"]
        peg = Pegboard([registry_of(*names)], usage=usage, policy=rules)
        for principal in (BOB, CARL):
            if hidden:
                rules.hidden.clear()
                await teach(peg, "track", principal=principal)
                rules.hidden.add("track")
            await teach(peg, "refund", "parcel money", principal=principal)
        board = await peg.open(ALICE, profile="session")
        asked = [ASK, "parcel money", "restituer les sous", "commande"]
        answers.append([str(await board.call("find_tools", {"query": query})) for query in asked])
    assert answers[0] == answers[1]


class Away(MemoryUsageStore):
    """A store that fails, or is slow, while it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.away = True
        self.slow = False
        self.asked = 0

    async def changes(self, space: str, since: int) -> Changes:
        """Read, unless away."""
        await self._strike()
        return await super().changes(space, since)

    async def learn(self, space: str, lessons: Sequence[Lesson], day: int) -> None:
        """Learn, unless away."""
        await self._strike()
        await super().learn(space, lessons, day)

    async def _strike(self) -> None:
        self.asked += 1
        if self.slow:
            await asyncio.sleep(600)
        if self.away:
            raise StoreError("The store is away.")


async def test_a_store_that_is_away_costs_no_search_and_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    store = Away()
    usage = Usage(store)
    peg = peg_of(usage)
    with caplog.at_level(logging.WARNING):
        for tool in ("track", "halting", "always"):
            await teach(peg, tool)
        for _ in range(100):
            if usage.status()["state"] == "failed" and store.asked >= 2:
                break
            await asyncio.sleep(0.01)
        # What was learned counts here all the same.
        assert await found(await peg.open(), "sous") == ["always", "halting", "track"]
    told = [record for record in caplog.records if record.name == "pegboard.usage.learning"]
    assert len(told) == 1
    assert "The store is away." in told[0].getMessage()
    assert usage.status() == {"where": "memory", "state": "failed", "waiting": 3, "reason": told[0].args[1]}  # type: ignore[index]
    store.away = False
    await peg.stop()
    assert {row.tool for rows in (await store.everything()).values() for row in rows} == {"track", "halting", "always"}
    assert usage.status()["state"] == "ready"


async def test_a_slow_store_is_waited_for_once_and_not_for_long() -> None:
    store = Away()
    store.slow = True
    usage = Usage(store, patience=0.01)
    board = await peg_of(usage).open()
    async with asyncio.timeout(60):
        for _ in range(20):
            assert "track" in await found(board, "parcel")
    assert store.asked == 1
    store.slow = store.away = False
    await usage.close()


async def test_a_store_that_fails_to_close_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    class Stuck(MemoryUsageStore):
        async def close(self) -> None:
            raise OSError("stuck")

    async with peg_of(Usage(Stuck())) as peg:
        await teach(peg, "track")
    assert "stuck" in caplog.text


async def test_what_was_learned_before_is_there_at_the_first_search() -> None:
    store = MemoryUsageStore()
    await store.learn("", [Lesson("track", ("sous",))], _today())
    assert await found(await peg_of(Usage(store)).open(), "sous") == ["track"]


async def test_what_other_processes_learn_arrives_and_what_is_forgotten_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pegboard.usage.learning.REFRESH", 0.0)
    store = MemoryUsageStore()
    here, there = peg_of(Usage(store)), peg_of(Usage(store))
    board = await here.open()
    await board.find("parcel")
    await teach(there, "track")
    assert await eventually(board, "sous", ["track"])
    await store.forget()
    assert await eventually(board, "sous", [])


async def eventually(board: Board, query: str, names: Sequence[str]) -> bool:
    """Whether a search comes to find these."""
    for _ in range(200):
        if await found(board, query) == names:
            return True
        await asyncio.sleep(0.01)
    return False


async def test_old_uses_fade_and_new_ones_take_their_place() -> None:
    now = [1_700_000_000.0]
    peg = peg_of(Usage(clock=lambda: now[0]))
    await teach(peg, "track")
    await teach(peg, "track")
    now[0] += 86_400 * 120
    await teach(peg, "refund")
    assert (await found(await peg.open(), ASK))[0] == "refund"


async def test_equal_lessons_give_equal_answers_in_every_process() -> None:
    store = MemoryUsageStore()
    await store.put(
        {"": [Row(tool, term, "", 1.5, _today()) for tool in ("track", "cancel") for term in ("sous", "e")]}
    )
    answers = [
        await (await peg_of(Usage(store)).open(profile="session")).call("find_tools", {"query": ASK}) for _ in "ab"
    ]
    assert str(answers[0]) == str(answers[1])


async def test_a_pegboard_serves_one_event_loop_after_another() -> None:
    usage = Usage()
    peg = peg_of(usage)
    await teach(peg, "track")

    def elsewhere() -> list[str]:
        async def search() -> list[str]:
            await teach(peg, "refund", "money parcel")
            return await found(await peg.open(), "sous")

        return asyncio.run(search())

    assert await asyncio.to_thread(elsewhere) == ["track"]
    await usage.close()
    tools_learned: Mapping[str, set[tuple[str, str]]] = await rows_of(usage)
    assert {tool for tool, _ in tools_learned[""]} == {"track", "refund"}


def _today() -> int:
    import time

    return int(time.time() // 86_400)
