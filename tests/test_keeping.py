"""Boards over stores that fail, are slow, and have others writing to them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pegboard import MemoryPinStore, Pegboard, PinDiff, ToolRegistry, ToolResult
from pegboard.board import Board
from pegboard.errors import BoardError, StoreError
from pegboard.pins import PinRecord, PinState
from tests.support import make, registry_of

pytestmark = pytest.mark.anyio


def tools() -> ToolRegistry:
    return registry_of(*(make(name, f"Tool {name}.") for name in "abc"), make("z", always=True))


def peg_of(store: Any = None) -> Pegboard:
    return Pegboard([tools()], store=store, profiles={"bare": ()})


async def opened(peg: Pegboard, board_id: str | None = None) -> Board:
    return await peg.open(board_id=board_id, profile="bare")


def names(board: Board) -> list[str]:
    return list(board.listing().names)


class Stranger(MemoryPinStore):
    """A store of somebody else's: ``fault`` is what it does next, before or after it has done its work."""

    def __init__(self) -> None:
        super().__init__()
        self.before: BaseException | None = None
        self.after: BaseException | None = None

    async def load(self, board_id: str) -> PinRecord | None:
        self._strike("before")
        return await super().load(board_id)

    async def save(self, board_id: str, record: PinRecord) -> bool:
        self._strike("before")
        saved = await super().save(board_id, record)
        self._strike("after")
        return saved

    async def delete(self, board_id: str) -> None:
        self._strike("before")
        await super().delete(board_id)

    def _strike(self, when: str) -> None:
        fault = getattr(self, when)
        if fault is not None:
            setattr(self, when, None)
            raise fault


class Gated(MemoryPinStore):
    """A store whose saves wait at a gate, before or after the record is stored."""

    def __init__(self, *, after: bool = False) -> None:
        super().__init__()
        self.reached, self.gate = asyncio.Event(), asyncio.Event()
        self._after = after

    async def save(self, board_id: str, record: PinRecord) -> bool:
        saved = await super().save(board_id, record) if self._after else True
        self.reached.set()
        await self.gate.wait()
        return saved if self._after else await super().save(board_id, record)


@pytest.mark.parametrize("fault", [OSError("no space"), KeyError("row"), TimeoutError(), asyncio.CancelledError()])
async def test_whatever_a_store_raises_is_a_store_error_and_the_queue_is_kept(
    fault: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    store = Stranger()
    board = await opened(peg_of(store))
    before = board.listing().bytes
    board.pin("a")
    store.before = fault
    with pytest.raises(StoreError, match=f"could not save the board: it failed with {type(fault).__name__}") as raised:
        await board.commit()
    assert raised.value.__cause__ is fault
    assert "Nothing that was queued is lost" in raised.value.hint
    assert caplog.messages == ["the store could not save a board"]
    assert board.pending == (("a",), ())
    assert board.listing().bytes == before
    assert (await board.commit()).added == ("a",)


async def test_a_store_that_fails_to_load_or_to_forget_says_so_in_the_same_way() -> None:
    store = Stranger()
    peg = peg_of(store)
    board = await opened(peg)
    await board.commit()
    store.before = OSError("away")
    with pytest.raises(StoreError, match="could not load the board"):
        await opened(peg, board.id)
    store.before = OSError("away")
    with pytest.raises(StoreError, match="could not forget the board"):
        await board.close()
    await board.commit()


async def test_a_store_that_gives_something_else_than_a_record_is_refused() -> None:
    class Odd(MemoryPinStore):
        async def load(self, board_id: str) -> Any:
            return {"slots": []}

    with pytest.raises(StoreError, match="gave dict"):
        await opened(peg_of(Odd()), "some-board")


async def test_a_store_that_is_not_asynchronous_is_a_store_that_fails() -> None:
    class Plain:
        def load(self, board_id: str) -> PinRecord | None:
            raise RuntimeError("not a coroutine")

    with pytest.raises(StoreError, match="RuntimeError"):
        await opened(peg_of(Plain()), "some-board")


async def test_a_save_that_fails_after_it_was_made_is_found_made_by_the_next_boundary() -> None:
    store = Stranger()
    board = await opened(peg_of(store))
    board.pin("a")
    store.after = ConnectionResetError()
    with pytest.raises(StoreError):
        await board.commit()
    assert names(board) == ["z"]
    board.pin("b")
    diff = await board.commit()
    assert diff.added == ("a", "b")
    assert diff.invalidations == ()
    assert names(board) == ["z", "a", "b"]


@pytest.mark.parametrize("after", [False, True], ids=["before it is stored", "after it is stored"])
async def test_a_commit_that_is_cancelled_leaves_board_and_store_fit_for_the_next(after: bool) -> None:
    store = Gated(after=after)
    board = await opened(peg_of(store))
    board.pin("a")
    commit = asyncio.create_task(board.commit())
    await store.reached.wait()
    commit.cancel()
    with pytest.raises(asyncio.CancelledError):
        await commit
    assert names(board) == ["z"]
    assert [*map(len, board.pending)] == [1, 0]
    stored = await store.load(board.id)
    assert (stored is not None) is after
    store.gate.set()
    assert (await board.commit()).added == ("a",)
    assert [*map(len, board.pending)] == [0, 0]
    stored = await store.load(board.id)
    assert stored is not None
    assert [slot.shown for slot in stored.items] == list(board.listing().items)


async def test_what_a_lost_boundary_has_compacted_is_named_by_the_next() -> None:
    store = Stranger()
    board = await opened(peg_of(store))
    board.pin("a")
    board.pin("b")
    await board.commit()
    board.unpin("a")
    await board.commit()
    store.after = ConnectionResetError()
    with pytest.raises(StoreError):
        await board.compact()
    assert names(board) == ["z", "a", "b"]
    assert (await board.commit()).invalidations == ("compact",)
    assert names(board) == ["z", "b"]


async def test_what_another_board_of_the_record_did_is_in_the_diff_of_the_next_boundary() -> None:
    peg = peg_of()
    one = await opened(peg)
    one.pin("a")
    one.pin("b")
    await one.commit()
    two = await opened(peg, one.id)
    one.unpin("a")
    await one.commit()
    await one.compact()
    two.pin("c")
    diff = await two.commit()
    assert (diff.added, diff.tombstoned, diff.unchanged) == (("c",), ("a",), ("b",))
    assert diff.invalidations == ("compact",)
    assert names(two) == ["z", "b", "c"]


async def test_boundaries_of_one_board_take_turns_and_lose_nothing() -> None:
    board = await opened(peg_of())

    async def load(name: str) -> PinDiff:
        board.pin(name)
        return await board.commit()

    diffs = await asyncio.gather(*map(load, "abc"), board.compact(), board.boundary())
    assert [name for diff in diffs for name in diff.added] == ["a", "b", "c"]
    assert names(board) == ["z", "a", "b", "c"]


async def test_many_boards_of_one_record_all_get_their_pins_in() -> None:
    class Slow(MemoryPinStore):
        async def save(self, board_id: str, record: PinRecord) -> bool:
            await asyncio.sleep(0)
            return await super().save(board_id, record)

    registry = registry_of(*(make(f"t{number}") for number in range(8)))
    peg = Pegboard([registry], store=Slow(), profiles={"bare": ()})
    first = await opened(peg)
    await first.commit()
    boards = [await opened(peg, first.id) for _ in range(8)]
    for number, board in enumerate(boards):
        board.pin(f"t{number}")
    await asyncio.gather(*(board.commit() for board in boards))
    last = await opened(peg, first.id)
    assert sorted(last.listing().names) == [f"t{number}" for number in range(8)]


async def test_calls_go_on_while_a_commit_saves_and_see_the_board_as_it_was() -> None:
    store = Gated()
    board = await opened(peg_of(store))
    board.pin("a")
    commit = asyncio.create_task(board.commit())
    await store.reached.wait()
    result = await board.call("a", {"x": 1})
    assert isinstance(result, ToolResult)
    assert result.structured == {"x": 1}
    assert names(board) == ["z"]
    store.gate.set()
    await commit
    assert names(board) == ["z", "a"]


async def test_a_wish_made_anew_while_a_commit_saves_is_a_wish_for_the_next() -> None:
    registry = tools()
    store = Gated()
    board = await opened(Pegboard([registry], store=store, profiles={"bare": ()}))
    board.pin("late")
    commit = asyncio.create_task(board.commit())
    await store.reached.wait()
    registry.register(make("late"))
    board.pin("late")
    store.gate.set()
    assert (await commit).added == ()
    assert (await board.commit()).added == ("late",)


async def test_a_board_that_is_closed_while_it_commits_is_closed_after_that() -> None:
    store = Gated()
    peg = peg_of(store)
    board = await opened(peg)
    board.pin("a")
    commit = asyncio.create_task(board.commit())
    await store.reached.wait()
    closing = asyncio.create_task(board.close())
    await asyncio.sleep(0)
    store.gate.set()
    assert (await commit).added == ("a",)
    await closing
    with pytest.raises(BoardError):
        await opened(peg, board.id)
    with pytest.raises(BoardError):
        await board.commit()


async def test_a_board_that_is_closed_before_its_first_commit_is_never_saved() -> None:
    peg = peg_of()
    board = await opened(peg)
    await board.close()
    board.pin("a")
    with pytest.raises(BoardError, match=f"^There is no board '{board.id}'") as raised:
        await board.commit()
    assert "Open a new one" in raised.value.hint
    with pytest.raises(BoardError):
        await opened(peg, board.id)


async def test_a_board_that_was_closed_elsewhere_is_not_brought_back_by_a_commit() -> None:
    peg = peg_of()
    one = await opened(peg)
    await one.commit()
    two = await opened(peg, one.id)
    await two.close()
    one.pin("a")
    for _ in range(2):
        with pytest.raises(BoardError, match=one.id):
            await one.commit()
    with pytest.raises(BoardError):
        await opened(peg, one.id)
    assert one.pin_state("a") is PinState.QUEUED


async def test_a_record_that_became_somebody_elses_is_not_written_to() -> None:
    store = MemoryPinStore()
    board = await opened(peg_of(store))
    await board.commit()
    await store.save(board.id, PinRecord(owner="somebody else", generation=2))
    with pytest.raises(BoardError, match=board.id):
        await board.commit()
