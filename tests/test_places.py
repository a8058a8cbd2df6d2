"""How many calls run at once: places, lines, and calls inside calls."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from pegboard import AllowAll, Context, Limits, Pegboard, Tool, ToolResult, tool
from pegboard.dispatch import Dispatcher
from pegboard.places import Gate, Places, StuckError, Ticket
from tests.support import Receipts, make, registry_of

pytestmark = pytest.mark.anyio

ALL: Gate = ()
S: Gate = ("s",)
T: Gate = ("s", "t")
U: Gate = ("s", "u")


async def settle() -> None:
    """Let everything run that can."""
    for _ in range(20):
        await asyncio.sleep(0)


class Line:
    """Calls that take places and hold them until told to leave; ``inside`` names those that are in, in order."""

    def __init__(self) -> None:
        self.places = Places()
        self.inside: list[str] = []
        self.tickets: dict[str, Ticket] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def come(self, name: str, limits: Mapping[Gate, int], inside: str | None = None) -> None:
        """Start a call, from inside another one where said, and let everything run."""
        self.tasks[name] = asyncio.create_task(self._take(name, limits, self.tickets[inside] if inside else None))
        await settle()

    async def _take(self, name: str, limits: Mapping[Gate, int], outer: Ticket | None) -> None:
        self.tickets[name] = await self.places.take(limits, outer)
        self.inside.append(name)

    async def go(self, *names: str) -> None:
        """End calls, and let everything run."""
        for name in names:
            self.inside.remove(name)
            self.tickets.pop(name).leave()
        await settle()

    async def give_up(self, name: str) -> None:
        """Cancel a call that waits."""
        self.tasks[name].cancel()
        await settle()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is remembered any more."""
        return not any(gates.open for gates in self.places._of_loop.values())


async def test_those_who_wait_come_in_one_for_one_in_the_order_in_which_they_came() -> None:
    line = Line()
    for name in "abcde":
        await line.come(name, {T: 2})
    assert line.inside == ["a", "b"]
    assert line.places.waiting() == {T: 3}
    await line.go("b")
    assert line.inside == ["a", "c"]
    await line.go("a", "c")
    assert line.inside == ["d", "e"]
    await line.go("d", "e")
    assert line.is_empty


async def test_a_call_that_waits_at_one_gate_holds_up_nobody_at_another() -> None:
    line = Line()
    await line.come("a", {T: 1, S: 2, ALL: 2})
    await line.come("b", {T: 1, S: 2, ALL: 2})
    await line.come("c", {U: 1, S: 2, ALL: 2})
    assert line.inside == ["a", "c"]
    await line.go("a")
    assert line.inside == ["c", "b"]


async def test_whoever_came_first_has_the_place_that_two_want_at_different_gates() -> None:
    line = Line()
    await line.come("a", {T: 1, S: 1})
    await line.come("earlier", {U: 1, S: 1})
    await line.come("later", {T: 1, S: 1})
    await line.go("a")
    assert line.inside == ["earlier"]
    await line.go("earlier")
    assert line.inside == ["later"]


async def test_whoever_finds_the_next_gate_full_keeps_the_turn_that_it_had() -> None:
    line = Line()
    await line.come("t", {T: 1})
    await line.come("s", {S: 1})
    await line.come("first", {T: 1, S: 1})  # waits at T
    await line.come("second", {S: 1})  # waits at S
    await line.go("t")
    assert line.inside == ["s"]
    await line.go("s")
    assert line.inside == ["first"]
    await line.go("first")
    assert line.inside == ["second"]


async def test_a_call_that_gives_up_leaves_its_turn_to_the_next() -> None:
    line = Line()
    for name in "abc":
        await line.come(name, {T: 1})
    await line.give_up("b")
    assert line.places.waiting() == {T: 1}
    await line.go("a")
    assert line.inside == ["c"]
    await line.go("c")
    assert line.is_empty


async def test_a_call_that_is_cancelled_as_it_is_let_in_passes_its_place_on() -> None:
    line = Line()
    for name in "abc":
        await line.come(name, {T: 1})
    line.inside.remove("a")
    line.tickets.pop("a").leave()  # b has been told, and has not run yet
    await line.give_up("b")
    assert line.inside == ["c"]
    await line.go("c")
    assert line.is_empty


async def test_a_limit_that_is_raised_lets_in_those_who_wait() -> None:
    line = Line()
    await line.come("a", {T: 1})
    await line.come("b", {T: 1})
    await line.come("c", {T: 3})
    assert line.inside == ["a", "b", "c"] or line.inside == ["a", "c", "b"]


async def test_a_call_inside_another_stands_in_for_it_where_no_place_is_free() -> None:
    line = Line()
    await line.come("outer", {T: 1, S: 1})
    await line.come("stranger", {U: 1, S: 1})
    await line.come("inner", {U: 1, S: 1}, inside="outer")
    assert line.inside == ["outer", "inner"]
    await line.go("inner", "outer")
    assert line.inside == ["stranger"]
    await line.go("stranger")
    assert line.is_empty


async def test_of_several_calls_inside_another_one_at_a_time_stands_in_for_it() -> None:
    line = Line()
    await line.come("outer", {S: 1})
    for name in ("one", "two", "three"):
        await line.come(name, {S: 1}, inside="outer")
    assert line.inside == ["outer", "one"]
    await line.come("deeper", {S: 1}, inside="one")
    assert line.inside == ["outer", "one", "deeper"]
    await line.go("deeper", "one")
    assert line.inside == ["outer", "two"]
    await line.go("two")
    await line.go("three", "outer")
    assert line.is_empty


async def test_calls_inside_another_take_places_of_their_own_where_some_are_free() -> None:
    line = Line()
    await line.come("outer", {S: 3})
    for name in ("one", "two", "three", "four"):
        await line.come(name, {S: 3}, inside="outer")
    assert line.inside == ["outer", "one", "two", "three"]
    await line.come("stranger", {S: 3})
    await line.go("outer", "three")  # it kept the place that it stood in for
    assert line.inside == ["one", "two", "four"]


async def test_a_call_that_outlives_the_one_around_it_keeps_the_place() -> None:
    line = Line()
    await line.come("outer", {S: 1})
    await line.come("inner", {S: 1}, inside="outer")
    await line.come("stranger", {S: 1})
    await line.go("outer")
    assert line.inside == ["inner"]
    await line.go("inner")
    assert line.inside == ["stranger"]
    await line.go("stranger")
    assert line.is_empty


async def test_calls_that_would_wait_for_one_another_are_refused() -> None:
    line = Line()
    await line.come("t", {T: 1})
    await line.come("u", {U: 1})
    await line.come("u in t", {U: 1}, inside="t")
    await line.come("t in u", {T: 1}, inside="u")
    assert isinstance(line.tasks["t in u"].exception(), StuckError)
    await line.go("u")
    assert line.inside == ["t", "u in t"]
    await line.go("u in t", "t")
    assert line.is_empty


async def test_a_call_inside_another_waits_while_somebody_can_still_end() -> None:
    line = Line()
    await line.come("t", {T: 1})
    await line.come("u", {U: 2})
    await line.come("other u", {U: 2})
    await line.come("u in t", {U: 2}, inside="t")
    await line.come("t in u", {T: 1}, inside="u")
    assert not line.tasks["t in u"].done()  # "other u" can end, then "u in t", then "t"
    await line.go("other u")
    await line.go("u in t", "t")
    assert line.inside == ["u", "t in u"]


async def test_a_circle_of_many_calls_is_found() -> None:
    line, count = Line(), 20
    for at in range(count):
        await line.come(f"{at}", {("s", f"{at}"): 1})
    for at in range(count):
        await line.come(f"in {at}", {("s", f"{(at + 1) % count}"): 1}, inside=f"{at}")
    last = line.tasks.pop(f"in {count - 1}")
    assert isinstance(last.exception(), StuckError)
    assert sum(task.done() for name, task in line.tasks.items() if name.startswith("in ")) == 0
    for at in reversed(range(count)):
        await line.go(*(name for name in (f"in {at}", f"{at}") if name in line.inside))
    assert line.is_empty


@pytest.mark.parametrize("seed", range(20))
async def test_no_limit_is_ever_passed_nobody_is_forgotten_and_nothing_remains(seed: int) -> None:
    rolls, places = random.Random(seed), Places()
    limits: dict[Gate, int] = {ALL: 6, ("s",): 3, ("r",): 2, ("s", "a"): 1, ("s", "b"): 2, ("r", "c"): 1}
    running: Counter[Gate] = Counter()
    ended: Counter[str] = Counter()

    async def call(depth: int, outer: Ticket | None) -> None:
        source, name = rolls.choice([("s", "a"), ("s", "b"), ("r", "c")])
        mine = {gate: limits[gate] for gate in ((source, name), (source,), ALL)}
        try:
            ticket = await places.take(mine, outer)
        except StuckError:
            ended["stuck"] += 1
            return
        borrowed = {gate for gate, place in ticket.places.items() if place.lender is not None}
        running.update(gate for gate in mine if gate not in borrowed)
        assert all(running[gate] <= limits[gate] for gate in limits)
        try:
            for _ in range(rolls.randrange(4)):
                await asyncio.sleep(0)
            if depth < 3 and rolls.random() < 0.6:
                await asyncio.gather(*(call(depth + 1, ticket) for _ in range(rolls.randrange(1, 4))))
        finally:
            running.subtract(gate for gate in mine if gate not in borrowed)
            ticket.leave()
        ended["done"] += 1

    tasks = [asyncio.create_task(call(0, None)) for _ in range(60)]
    await settle()
    for task in rolls.sample(tasks, 15):
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert ended["done"] >= 45
    assert not any(gates.open for gates in places._of_loop.values())


def test_a_loop_that_was_closed_over_its_calls_takes_their_places_with_it() -> None:
    places = Places()

    async def take() -> None:
        await places.take({T: 1})

    for _ in range(3):
        loop = asyncio.new_event_loop()
        loop.run_until_complete(take())
        loop.close()
        del loop


# Through dispatch.


def gated(name: str, running: Counter[str], most: Counter[str], **fields: Any) -> Tool:
    """A tool that notes how many of its calls, and of its source's, run at once."""
    source = fields.get("source", "python")

    async def handler(arguments: dict[str, Any], context: Context) -> str:
        for key in (name, source, "all"):
            running[key] += 1
            most[key] = max(most[key], running[key])
        for _ in range(5):
            await asyncio.sleep(0)
        for key in (name, source, "all"):
            running[key] -= 1
        return "done"

    return make(name, handler=handler, **fields)


async def test_limits_hold_for_tools_sources_and_all_calls() -> None:
    running: Counter[str] = Counter()
    most: Counter[str] = Counter()
    tools = [
        gated("a", running, most, source="s", concurrency=1, source_concurrency=3),
        gated("b", running, most, source="s", source_concurrency=3),
        gated("c", running, most, source="r"),
    ]
    board = await Pegboard([registry_of(*tools)], limits=Limits(concurrency=5)).open()
    results = await asyncio.gather(*(board.call(name) for name in "abc" * 10))
    assert all(isinstance(result, ToolResult) and result.text == "done" for result in results)
    assert (most["a"], most["s"], most["all"]) == (1, 3, 5)


async def test_who_waits_too_long_is_told_that_nothing_was_run() -> None:
    release = asyncio.Event()

    async def handler(arguments: dict[str, Any], context: Context) -> str:
        await release.wait()
        return "done"

    slow = make("slow", handler=handler, concurrency=1, timeout=60)
    quick = slow.with_(name="quick", timeout=0.05, concurrency=None, source_concurrency=1)
    slow = slow.with_(source_concurrency=1)
    receipts = Receipts()
    peg = Pegboard([registry_of(slow, quick)], receipts=receipts)
    board = await peg.open()
    first = asyncio.create_task(board.call("slow"))
    await settle()
    waiting = asyncio.create_task(board.call("quick"))
    await settle()
    assert peg.status()["waiting"] == [{"at": "python", "calls": 1}]
    late = await waiting
    assert isinstance(late, ToolResult)
    assert late.structured["error"]["code"] == "timeout"
    assert late.text == "'quick' was not run: other calls held every free place for 0.05 s. Try again later."
    release.set()
    assert (await first).to_wire()["content"][0]["text"] == "done"
    assert "waiting" not in peg.status()
    assert [receipt.outcome for receipt in receipts.all] == ["timeout", "ok"]


async def test_a_cancelled_holder_frees_its_place() -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> str:
        if arguments.get("hang"):
            await asyncio.sleep(600)
        return "done"

    board = await Pegboard([registry_of(make("t", handler=handler, concurrency=1))]).open()
    holder = asyncio.create_task(board.call("t", {"hang": True}))
    await settle()
    waiting = asyncio.create_task(board.call("t", {}))
    await settle()
    holder.cancel()
    assert (await waiting).to_wire()["content"][0]["text"] == "done"


async def test_a_tool_may_call_another_of_its_source_when_each_has_one_place() -> None:
    async def outer(arguments: dict[str, Any], context: Context) -> Any:
        results = await asyncio.gather(*(context.call("inner") for _ in range(3)))
        return [result.text for result in results if isinstance(result, ToolResult)]

    async def inner(arguments: dict[str, Any], context: Context) -> str:
        await asyncio.sleep(0)
        return "in"

    one: dict[str, Any] = {"source": "s", "concurrency": 1, "source_concurrency": 1}
    tools = registry_of(make("outer", handler=outer, **one), make("inner", handler=inner, **one))
    board = await Pegboard([tools], limits=Limits(concurrency=1)).open()
    results = await asyncio.gather(board.call("outer"), board.call("inner"), board.call("outer"))
    texts = [result.text for result in results if isinstance(result, ToolResult)]
    assert texts == ['["in", "in", "in"]', "in", '["in", "in", "in"]']


async def test_calls_that_would_wait_for_one_another_are_answered_at_once() -> None:
    met = asyncio.Barrier(2)

    def crossing(other: str) -> Any:
        async def handler(arguments: dict[str, Any], context: Context) -> Any:
            if context.stack:
                return "in"
            await met.wait()
            return await context.call(other)

        return handler

    tools = [make(one, handler=crossing(other), concurrency=1) for one, other in (("a", "b"), ("b", "a"))]
    board = await Pegboard([registry_of(*tools)]).open()
    results = await asyncio.gather(board.call("a"), board.call("b"))
    told = sorted(result.text for result in results if isinstance(result, ToolResult))
    assert told[1] == "in"
    assert told[0] in [
        f"{name!r} would wait without end: its place is held by calls that wait for this one. "
        "Call it by itself, or raise the limit on calls at once."
        for name in ("a", "b")
    ]


async def test_a_call_that_is_never_kept_waiting_was_stopped_when_its_time_is_over() -> None:
    async def handler(arguments: dict[str, Any], context: Context) -> None:
        await asyncio.Event().wait()

    slow = make("t", handler=handler)
    dispatcher = Dispatcher(AllowAll(), Limits(call_timeout=0.01), places=None)
    result = await dispatcher.run("t", {}, Context(tool="t", call_id="c1"), lambda name: slow)
    assert isinstance(result, ToolResult)
    assert result.text.startswith("'t' took longer than 0.01 s and was stopped.")


async def test_meta_tools_never_wait() -> None:
    started = asyncio.Event()

    @tool
    async def hang() -> None:
        started.set()
        await asyncio.sleep(600)

    board = await Pegboard([registry_of(hang)], limits=Limits(concurrency=1)).open()
    hanging = asyncio.create_task(board.call("call_tool", {"name": "hang"}))
    await started.wait()
    found = await board.call("find_tools", {"query": "hang"})
    assert isinstance(found, ToolResult)
    assert found.structured["total"] == 1
    hanging.cancel()
