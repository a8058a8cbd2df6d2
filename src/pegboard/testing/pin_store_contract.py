"""What every store of boards must do, as checks to run against one's own.

    @pytest.mark.parametrize("check", PIN_STORE_CONTRACT, ids=lambda check: check.__name__)
    async def test_the_contract(check, tmp_path):
        await check(lambda: MyStore(tmp_path / "boards"))

Each check is given a function that opens the same empty place again every time it is called, so that two handles on it
can meet; a store that lives in one object gives that object each time. A check that fails raises BrokenContractError,
which says what was promised. ``close`` is awaited of the stores that have it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final

from pegboard.pin_store import PinStore
from pegboard.pins import PinRecord, PinState, Slot
from pegboard.testing.contract import closing, promised

Open = Callable[[], PinStore]
Check = Callable[[Open], Awaitable[None]]


def _slot(name: str, state: PinState = PinState.ACTIVE, **shown: Any) -> Slot:
    return Slot(name=name, state=state, shown={"name": name, **shown}, digest=f"digest of {name}")


def _record(generation: int = 1, *names: str, owner: str | None = None) -> PinRecord:
    return PinRecord(owner=owner, generation=generation, slots=tuple(_slot(name) for name in names))


@closing
async def a_board_that_never_saved_has_no_record(store: Open) -> None:
    """``load`` gives None, whatever a stranger sends as an id; also where other boards are."""
    here = store()
    await here.save("board", _record())
    for board_id in ("unknown", "", "\ud800", "\x00", "board\x00", "board\n"):
        promised(await here.load(board_id) is None, f"load of {board_id!r}, which never saved, gives None")


@closing
async def what_is_saved_comes_back_in_every_handle(store: Open) -> None:
    """Everything of a record: owner, generation, states, and the keys of definitions in their order."""
    odd = {"z": 1, "a": {"2": [1.0, -0.0, 1e300, 10**40, True, None, ""], "1": "\U0001f600 \u0000 \ud800 \u00e9\n"}}
    record = PinRecord(
        owner='issuer "x"\x1falice',
        generation=1,
        always=(_slot("z", inputSchema=odd), _slot("y", PinState.QUARANTINED)),
        slots=(_slot("b", PinState.TOMBSTONED, **odd), _slot("c", PinState.GONE), _slot("a")),
        digests={"z": "another", "d": "e"},
    )
    here, there = store(), store()
    promised(await here.save("board", record), "the first save of a board, of generation 1, is taken")
    for handle, which in ((here, "the same handle"), (there, "another handle")):
        found = await handle.load("board")
        promised(found == record, f"load in {which} gives what was saved")
        promised(repr(found) == repr(record), f"load in {which} keeps the order of keys and the kinds of numbers")


@closing
async def never_saved_is_not_saved_empty(store: Open) -> None:
    """A record without anything in it is a record."""
    here = store()
    await here.save("board", PinRecord(generation=1))
    promised(await here.load("board") == PinRecord(generation=1), "an empty record is told from none")


@closing
async def a_save_that_does_not_follow_is_refused(store: Open) -> None:
    """Only the next generation is stored; what is refused changes nothing."""
    here, there = store(), store()
    promised(not await here.save("board", _record(2)), "a board does not begin with generation 2")
    promised(await here.load("board") is None, "a save that was refused stores nothing")
    promised(await here.save("board", _record(1, "a")), "a board begins with generation 1")
    for generation in (0, 1, 3):
        refused = not await there.save("board", _record(generation, "b"))
        promised(refused, f"generation {generation} does not follow generation 1")
    promised(await here.load("board") == _record(1, "a"), "saves that were refused change nothing")
    promised(await there.save("board", _record(2, "b")), "generation 2 follows generation 1")
    promised(await here.load("board") == _record(2, "b"), "every handle sees the newest record")


@closing
async def of_many_saves_at_once_exactly_one_is_taken(store: Open) -> None:
    """The first save of a board, and a later one."""
    handles = [store() for _ in range(4)]
    for generation in (1, 2):
        saves = [handles[n % 4].save("board", _record(generation, f"by_{n}")) for n in range(12)]
        taken = [n for n, took in enumerate(await asyncio.gather(*saves)) if took]
        promised(len(taken) == 1, f"exactly one of many saves of generation {generation} is taken, not {len(taken)}")
        promised(
            await handles[0].load("board") == _record(generation, f"by_{taken[0]}"),
            "the save that was taken is the one that is stored",
        )


@closing
async def boards_do_not_touch_one_another(store: Open) -> None:
    """Ids are data: nothing in them has a meaning, and letter case counts."""
    here = store()
    ids = ["board", "BOARD", "board ", "board%", "b_ard", "' OR 1=1 --", "../board", "b\u00f6ard", "x" * 500]
    for board_id in ids:
        promised(await here.save(board_id, _record(1, "a", owner=board_id)), f"{board_id!r:.40} is a board of its own")
    await here.delete("board%")
    for board_id in ids:
        wanted = None if board_id == "board%" else _record(1, "a", owner=board_id)
        promised(await here.load(board_id) == wanted, f"{board_id!r:.40} is what it was")


@closing
async def a_deleted_board_is_gone(store: Open) -> None:
    """For every handle; and deleting it again does nothing."""
    here, there = store(), store()
    await here.save("board", _record(1, "a"))
    await there.delete("board")
    await here.delete("board")
    await here.delete("unknown")
    promised(await here.load("board") is None, "a deleted board has no record")
    promised(not await here.save("board", _record(2, "a")), "the next generation of a deleted board is refused")
    promised(await there.save("board", _record(1, "b")), "a deleted board can begin again")


@closing
async def a_record_may_be_large(store: Open) -> None:
    """Two thousand pins of a kilobyte each."""
    here = store()
    slots = tuple(_slot(f"tool_{n}", description="x" * 1_000) for n in range(2_000))
    large = replace(_record(1), slots=slots)
    await here.save("board", large)
    promised(await store().load("board") == large, "a record of two megabytes comes back")


PIN_STORE_CONTRACT: Final[tuple[Check, ...]] = (
    a_board_that_never_saved_has_no_record,
    what_is_saved_comes_back_in_every_handle,
    never_saved_is_not_saved_empty,
    a_save_that_does_not_follow_is_refused,
    of_many_saves_at_once_exactly_one_is_taken,
    boards_do_not_touch_one_another,
    a_deleted_board_is_gone,
    a_record_may_be_large,
)
"""Every check."""
