"""What a ranker makes of a catalog is begun when the Pegboard starts, and anew after changes, beside calls."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest

from pegboard import HybridRanker, Pegboard, preparing
from tests.search.encoders import Broken, Hashed
from tests.support import make, registry_of

pytestmark = pytest.mark.anyio

TOOLS = (make("send_mail", "Sends a mail"), make("read_file", "Reads a file"))
TEXTS = ["send mail: Sends a mail", "read file: Reads a file"]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "SETTLE", 0.0)


async def until(happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not happened():
            await asyncio.sleep(0.01)


async def test_the_first_search_finds_every_vector_made() -> None:
    encoder = Hashed()
    async with Pegboard([registry_of(*TOOLS)], ranker=HybridRanker(encoder)) as peg:
        await until(lambda: encoder.given[-2:] == TEXTS)
        encoder.given.clear()
        assert (await (await peg.open()).find("mail")).matches
        assert encoder.given == ["mail"]


async def test_what_is_new_is_made_beside_calls_as_it_comes() -> None:
    encoder, tools = Hashed(), registry_of(*TOOLS)
    async with Pegboard([tools], ranker=HybridRanker(encoder)) as peg:
        await until(lambda: encoder.given[-2:] == TEXTS)
        encoder.given.clear()
        tools.register(make("clock", "Tells the time"))
        await until(lambda: encoder.given == ["clock: Tells the time"])
        assert len(peg.catalog) == 3


async def test_the_one_that_stands_in_is_ready_before_the_others_are() -> None:
    go, quick = threading.Event(), Hashed("quick")

    def waits(texts: Sequence[str]) -> Any:
        assert go.wait(30)
        return Hashed().encode(texts)

    slow = Broken(waits)
    async with Pegboard([registry_of(*TOOLS)], ranker=HybridRanker(slow, quick, patience=0.05)) as peg:
        await until(lambda: slow.times > 0)
        assert quick.given[-2:] == TEXTS
        assert [one["state"] for one in peg.status()["encoders"]] == ["working", "ready"]
        board = await peg.open()
        found = await board.find("mail")
        assert "simpler encoder" in found.degraded
        go.set()
        async with asyncio.timeout(30):
            while (await board.find("mail")).degraded:
                await asyncio.sleep(0.01)


async def test_a_change_is_not_kept_waiting_by_what_is_made_for_the_catalog_before() -> None:
    tools = registry_of(*(make(f"tool_{number}", f"Is number {number}") for number in range(200)))
    go, hashed = threading.Event(), Hashed()

    def waits(texts: Sequence[str]) -> Any:
        if texts[0].startswith("tool"):
            assert go.wait(30)
        return hashed.encode(texts)

    encoder = Broken(waits)
    async with Pegboard([tools], ranker=HybridRanker(encoder)):
        await until(lambda: encoder.times == 2)
        tools.register(make("clock", "Tells the time"))
        go.set()
        await until(lambda: "clock: Tells the time" in hashed.given)
        made = [text for text in hashed.given if text.startswith("tool")]
        assert len(made) == len(set(made)) == 200, "what was made for the catalog before is used for the new one"


async def test_an_encoder_that_fails_is_told_in_the_log_and_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    broken = Broken(lambda texts: 1 / 0)
    async with Pegboard([registry_of(*TOOLS)], ranker=HybridRanker(broken)) as peg:
        await until(lambda: "ZeroDivisionError" in caplog.text)
        found = await (await peg.open()).find("mail")
        assert found.matches[0].entry.name == "send_mail"
        assert peg.status()["encoders"] == [
            {
                "name": "broken",
                "state": "failed",
                "reason": "it failed with ZeroDivisionError",
                "mend": "What the error said is in the log; the option --debug shows it.",
            }
        ]
    assert broken.times == 1


async def test_a_ranker_that_cannot_prepare_is_told_in_the_log_and_tried_for_the_next_catalog(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Wrong(HybridRanker):
        times = 0

        def prepare(self, candidates: Sequence[Any], until: Callable[[], bool]) -> None:
            self.times += 1
            raise SystemExit(3)

    ranker, tools = Wrong(Hashed()), registry_of(*TOOLS)
    async with Pegboard([tools], ranker=ranker):
        await until(lambda: "could not be prepared" in caplog.text)
        tools.register(make("clock", "Tells the time"))
        await until(lambda: ranker.times == 2)


async def test_the_end_waits_for_no_encoder_and_has_it_begin_nothing_more() -> None:
    go, hashed, ended = threading.Event(), Hashed(), threading.Event()
    tools = [make(f"tool_{number}", f"Is number {number}") for number in range(200)]

    def waits(texts: Sequence[str]) -> Any:
        if texts[0].startswith("tool"):
            assert go.wait(30)
        return hashed.encode(texts)

    class Told(HybridRanker):
        def prepare(self, candidates: Sequence[Any], until: Callable[[], bool]) -> None:
            super().prepare(candidates, until)
            ended.set()

    encoder = Broken(waits)
    async with Pegboard([registry_of(*tools)], ranker=Told(encoder)):
        await until(lambda: encoder.times == 2)
    go.set()
    await asyncio.to_thread(ended.wait, 30)
    assert encoder.times == 2


async def test_a_pegboard_starts_again_after_its_end() -> None:
    encoder, tools = Hashed(), registry_of(*TOOLS)
    peg = Pegboard([tools], ranker=HybridRanker(encoder))
    async with peg:
        await until(lambda: encoder.given[-2:] == TEXTS)
    tools.register(make("clock", "Tells the time"))
    async with peg:
        await until(lambda: encoder.given[-1] == "clock: Tells the time")


@pytest.mark.parametrize("prepare", [True, False])
async def test_nothing_is_made_where_it_is_not_wanted_or_where_there_is_nothing(prepare: bool) -> None:
    encoder = Hashed()
    tools = TOOLS if not prepare else ()
    async with Pegboard([registry_of(*tools)], ranker=HybridRanker(encoder), prepare=prepare):
        for _ in range(20):
            await asyncio.sleep(0.005)
    assert not encoder.given


async def test_no_log_is_written_of_what_works(caplog: pytest.LogCaptureFixture) -> None:
    encoder = Hashed()
    with caplog.at_level(logging.INFO):
        async with Pegboard([registry_of(*TOOLS)], ranker=HybridRanker(encoder)):
            await until(lambda: encoder.given[-2:] == TEXTS)
    assert not caplog.messages


def of_two_loops(peg: Pegboard, second: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Start it in an event loop that ends without an end of it, and do something in another."""
    first = asyncio.new_event_loop()
    first.run_until_complete(peg.start())
    first.run_until_complete(asyncio.sleep(0.01))
    for task in asyncio.all_tasks(first):
        task.cancel()
    first.run_until_complete(asyncio.sleep(0))
    first.close()
    asyncio.run(second())


def test_a_change_after_the_event_loop_has_ended_is_told_to_whoever_listens() -> None:
    tools, told = registry_of(*TOOLS), [0]
    peg = Pegboard([tools], ranker=HybridRanker(Hashed()))

    async def change() -> None:
        peg.on_change(lambda: told.append(1))
        tools.register(make("clock", "Tells the time"))

    of_two_loops(peg, change)
    assert told[1:]


def test_it_prepares_again_when_it_is_started_in_another_event_loop() -> None:
    encoder, tools = Hashed(), registry_of(*TOOLS)
    peg = Pegboard([tools], ranker=HybridRanker(encoder))

    async def start_again() -> None:
        tools.register(make("clock", "Tells the time"))
        async with peg:
            await until(lambda: encoder.given[-1:] == ["clock: Tells the time"])

    of_two_loops(peg, start_again)


async def test_after_the_end_no_further_encoder_is_loaded() -> None:
    begun, go_on, loaded = threading.Event(), threading.Event(), threading.Event()

    def quick(texts: Sequence[str]) -> Any:
        begun.set()
        assert go_on.wait(30)
        return Hashed().encode(texts)

    def load() -> Hashed:
        loaded.set()
        return Hashed()

    stands_in = Broken(quick)
    async with Pegboard([registry_of(*TOOLS)], ranker=HybridRanker(load, stands_in)):
        await until(begun.is_set)
    go_on.set()
    await until(lambda: not any(one.name == "pegboard-preparing" for one in threading.enumerate()))
    assert not loaded.is_set()
