"""Boards in a SQLite file, within one process."""

from __future__ import annotations

import asyncio
import gc
import time
from pathlib import Path

import anyio
import pytest

from pegboard import MemoryPinStore, Pegboard
from pegboard.errors import BoardError
from pegboard.pins import PinRecord, PinState
from pegboard.stores import SqlPinStore
from pegboard.stores.records import to_text
from tests.stores.places import board_of, peg_over, record, rows, some_tools
from tests.support import ALICE, make

pytestmark = pytest.mark.anyio

BOB_KEY = "somebody else"
DAY = 86_400


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "boards.sqlite3"


async def test_nothing_is_made_before_a_board_is_saved(file: Path) -> None:
    async with peg_over(file, *some_tools()) as peg:
        board = await board_of(peg)
        board.pin("a")
        await board.close()
        with pytest.raises(BoardError):
            await board_of(peg, "unknown")
        assert isinstance(peg.store, SqlPinStore)
        await peg.store.delete("unknown")
        assert (await peg.store.look()).state == "idle"
        assert not file.parent.exists()
        assert peg.status()["store"] == {"kind": "sqlite", "where": str(file), "state": "idle"}


async def test_a_board_opens_again_with_the_same_bytes_where_a_pinned_tool_is_gone(file: Path) -> None:
    async with peg_over(file, *some_tools()) as peg:
        board = await board_of(peg)
        for name in "bac":
            board.pin(name)
        await board.commit()
        board.unpin("a")
        await board.commit()
        shown = board.listing().bytes
    async with peg_over(file, make("a", "Another."), make("c"), make("z", always=True)) as peg:
        again = await board_of(peg, board.id)
        assert again.listing().bytes == shown
        assert [again.pin_state(name) for name in "bac"] == [PinState.ACTIVE, PinState.TOMBSTONED, PinState.ACTIVE]
        diff = await again.commit()
        assert (diff.tombstoned, again.pin_state("b")) == (("b",), PinState.GONE)
        assert again.listing().bytes == shown


async def test_a_board_belongs_to_its_principal_after_a_restart_too(file: Path) -> None:
    async with peg_over(file, *some_tools()) as peg:
        board = await board_of(peg, principal=ALICE)
        await board.commit()
    async with peg_over(file, *some_tools()) as peg:
        assert (await board_of(peg, board.id, ALICE)).id == board.id
        with pytest.raises(BoardError) as foreign:
            await board_of(peg, board.id)
        with pytest.raises(BoardError) as missing:
            await board_of(peg, "x" * len(board.id))
        assert str(foreign.value).replace(board.id, "x" * len(board.id)) == str(missing.value)


@pytest.mark.parametrize("text", ['{"pins": [', "", '{"version": 999, "pins": "x"}', to_text(record(9, "a")), "\ud800"])
async def test_a_spoilt_record_is_set_aside_and_its_board_opens_empty(file: Path, text: str) -> None:
    async with peg_over(file, *some_tools()) as peg:
        board = await board_of(peg, principal=ALICE)
        board.pin("a")
        await board.commit()
        other = await board_of(peg)
        await other.commit()
    raw = text.encode("utf-8", "surrogatepass")
    rows(file, "UPDATE pegboard_boards SET record = CAST(? AS TEXT) WHERE id = ?", raw, board.id)
    async with peg_over(file, *some_tools()) as peg:
        with pytest.raises(BoardError, match="There is no board"):
            await board_of(peg, board.id)
        again = await board_of(peg, board.id, ALICE)
        assert again.listing().names == ("z",)
        (told,) = peg.status()["store"]["set_aside"]
        assert board.id in told["what"]
        assert str(file) in told["where"]
        again.pin("b")
        assert (await again.commit()).invalidations == ()
        assert (await board_of(peg, other.id)).id == other.id
    assert rows(file, "SELECT board, owner, record FROM pegboard_set_aside") == [(board.id, ALICE.key, raw)]
    async with peg_over(file, *some_tools()) as peg:
        assert (await board_of(peg, board.id, ALICE)).listing().names == ("z", "b")
        assert isinstance(peg.store, SqlPinStore)
        assert len((await peg.store.look()).set_aside) == 1


async def test_a_process_that_holds_the_board_of_before_puts_its_queue_on_the_new_one(file: Path) -> None:
    async with peg_over(file, *some_tools()) as one, peg_over(file, *some_tools()) as two:
        old = await board_of(one)
        old.pin("a")
        await old.commit()
        rows(file, "UPDATE pegboard_boards SET record = ''")
        new = await board_of(two, old.id)
        new.pin("b")
        await new.commit()
        old.pin("c")
        await old.commit()
        assert old.listing().names == ("z", "b", "c")
        assert (await board_of(two, old.id)).listing().bytes == old.listing().bytes


async def test_a_replacement_shows_what_is_always_visible_until_its_first_commit(file: Path) -> None:
    async with peg_over(file, *some_tools()) as peg:
        board = await board_of(peg)
        await board.commit()
        rows(file, "UPDATE pegboard_boards SET record = '{'")
        for _ in range(2):
            assert (await board_of(peg, board.id)).listing().names == ("z",)


async def test_a_board_that_was_closed_elsewhere_cannot_come_back(file: Path) -> None:
    async with peg_over(file, *some_tools()) as one, peg_over(file, *some_tools()) as two:
        board = await board_of(one)
        await board.commit()
        await (await board_of(two, board.id)).close()
        board.pin("a")
        with pytest.raises(BoardError):
            await board.commit()
        assert board.pending == (("a",), ())
        assert rows(file, "SELECT count(*) FROM pegboard_boards") == [(0,)]


async def test_boards_that_are_not_used_are_forgotten_and_those_that_are_read_are_not(file: Path) -> None:
    async with peg_over(file, *some_tools(), keep_days=30) as peg:
        boards = [await board_of(peg) for _ in range(3)]
        for board in boards:
            await board.commit()
    past = int(time.time()) - 31 * DAY
    rows(file, "UPDATE pegboard_boards SET used = ? WHERE id != ?", past, boards[0].id)
    async with peg_over(file, *some_tools(), keep_days=30) as peg:
        await board_of(peg, boards[1].id)
        await (await board_of(peg)).commit()
        left = {row[0] for row in rows(file, "SELECT id FROM pegboard_boards")}
        assert {boards[0].id, boards[1].id} <= left
        assert boards[2].id not in left
        assert isinstance(peg.store, SqlPinStore)
        assert await peg.store.prune(1) == 0
        assert await peg.store.prune(-1) == 3


async def test_a_store_is_usable_again_after_it_was_closed_and_in_another_event_loop(file: Path) -> None:
    store = SqlPinStore(file)
    assert await store.save("board", record(1, "a"))
    await store.close()
    await store.close()
    assert await store.load("board") == record(1, "a")

    def elsewhere() -> PinRecord | None:
        async def use() -> PinRecord | None:
            try:
                return await store.load("board")
            finally:
                await store.close()

        return asyncio.run(use())

    assert await asyncio.to_thread(elsewhere) == record(1, "a")
    assert await store.save("board", record(2, "b"))
    await store.close()


async def test_a_call_that_is_given_up_leaves_the_store_usable(file: Path) -> None:
    store = SqlPinStore(file)
    assert await store.save("board", record(1))
    for delay in range(20):
        task = asyncio.create_task(store.save("board", record(2 + delay)))
        await asyncio.sleep(delay / 4_000)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        found = await store.load("board")
        assert found is not None
        if found.generation < 2 + delay:
            assert await store.save("board", record(2 + delay))
    await store.close()


async def test_nothing_stays_half_closed_when_its_user_is_cancelled_again_and_again(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = SqlPinStore(file)
    assert await store.save("board", record(1))
    for steps in range(60):
        async with anyio.create_task_group() as users:
            for _ in range(3):
                users.start_soon(store.load, "board")
            await asyncio.sleep(steps / 20_000)
            users.cancel_scope.cancel()
    assert await store.load("board") == record(1)
    await store.close()
    gc.collect()  # what was left open is warned of here, and a warning is an error
    await asyncio.sleep(0)
    assert not caplog.records


async def test_closing_waits_for_what_is_under_way_and_leaves_nothing_open(file: Path) -> None:
    store = SqlPinStore(file)
    assert await store.save("board", record(1))
    for _ in range(5):
        loading = [asyncio.create_task(store.load("board")) for _ in range(4)]
        await asyncio.sleep(0.002)
        await store.close()
        assert await asyncio.gather(*loading) == [record(1)] * 4
    await store.close()
    gc.collect()  # what was left open is warned of here, and a warning is an error
    await asyncio.sleep(0)


async def test_a_file_that_is_taken_away_is_made_anew_and_not_written_into_the_void(file: Path) -> None:
    store = SqlPinStore(file)
    assert await store.save("board", record(1))
    for path in file.parent.iterdir():
        path.rename(path.with_suffix(".gone"))
    assert await store.save("another", record(1))
    await store.close()
    assert rows(file, "SELECT id FROM pegboard_boards") == [("another",)]


async def test_status_says_how_many_boards_there_are(file: Path) -> None:
    store = SqlPinStore(file)
    await store.save("one", record(1))
    await store.save("two", record(1))
    status = await store.look()
    assert (status.kind, status.where, status.state, status.boards) == ("sqlite", str(file), "ready", 2)
    await store.close()


async def test_status_tells_what_little_is_known_of_somebody_elses_store() -> None:
    class Theirs(MemoryPinStore):
        pass

    assert Pegboard(store=Theirs()).status()["store"] == {"kind": "Theirs", "state": "ready"}
    assert Pegboard().status()["store"] == {"kind": "memory", "state": "ready"}
