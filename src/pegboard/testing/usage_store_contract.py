"""What every store of what was learned from use must do, as checks to run against one's own.

    @pytest.mark.parametrize("check", USAGE_STORE_CONTRACT, ids=lambda check: check.__name__)
    async def test_the_contract(check, tmp_path):
        await check(lambda: MyStore(tmp_path / "learned"))

Each check is given a function that opens the same empty place again every time it is called, with the half-life that
``pegboard.usage.rows`` has; a store that lives in one object gives that object each time. A check that fails raises
BrokenContractError.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from pegboard.testing.contract import closing, promised
from pegboard.usage.rows import HALF_LIFE, MOST, Lesson, Row
from pegboard.usage.store import UsageStore

Open = Callable[[], UsageStore]
Check = Callable[[Open], Awaitable[None]]

_TODAY: Final = 20_000


async def _rows(store: UsageStore, space: str = "") -> dict[tuple[str, str, str], float]:
    return {tuple(row.pair): row.uses for row in (await store.everything()).get(space, ())}  # type: ignore[misc]


@closing
async def a_new_place_has_nothing(store: Open) -> None:
    """Neither rows nor changes, nothing to forget, and nothing that had to be put out of the way."""
    here = store()
    found = await here.changes("", 0)
    promised((tuple(found.rows), found.revision) == ((), 0), "a new place has no rows, and revision 0")
    promised(not await here.everything() and not await here.forget(), "a new place has nothing to tell or forget")
    promised(not list(here.moved()), "a new place has nothing that could not be read")


@closing
async def what_is_learned_comes_back_in_every_handle(store: Open) -> None:
    """Each word of a lesson is a row; the same again counts more, up to a bound."""
    await store().learn("", [Lesson("refund", ("money", "naïve", "お金"), "p1"), Lesson("track", ("order",))], _TODAY)
    found = await _rows(store())
    wanted = {("refund", word, "p1"): 1.0 for word in ("money", "naïve", "お金")} | {("track", "order", ""): 1.0}
    promised(found == wanted, "every word of every lesson is a row with one use")
    for _ in range(10):
        await store().learn("", [Lesson("track", ("order",))], _TODAY)
    promised((await _rows(store()))["track", "order", ""] == MOST, f"one principal's uses count {MOST} at most")
    half = [Lesson("cancel", ("order",), uses=0.5)]
    await store().learn("", [*half, *half, *half], _TODAY)
    promised((await _rows(store()))["cancel", "order", ""] == 1.5, "a lesson counts as much of a use as it says")


@closing
async def uses_fade(store: Open) -> None:
    """After a half-life a use counts half, and what comes then is added to that."""
    here = store()
    await here.learn("", [Lesson("track", ("order",))], _TODAY)
    await here.learn("", [Lesson("track", ("order",))], _TODAY + int(HALF_LIFE))
    (row,) = (await here.everything())[""]
    promised((round(row.uses, 9), row.day) == (1.5, _TODAY + int(HALF_LIFE)), "a use counts half after a half-life")


@closing
async def spaces_are_apart(store: Open) -> None:
    """What one space learns no other has, whatever they are called."""
    here, names = store(), ("", "tenant:", "tenant:a", "tenant:A", "tenant:ä", "tenant:a b")
    for name in names:
        await here.learn(name, [Lesson("track", (f"word{len(name)}",), name)], _TODAY)
    everything = await here.everything()
    promised(sorted(everything) == sorted(names), "every space is told under its name")
    promised(all(len(rows) == 1 and rows[0].by == name for name, rows in everything.items()), "spaces are apart")


@closing
async def a_reader_learns_what_is_new(store: Open) -> None:
    """Changes after a revision bring what was learned since; what was forgotten brings everything anew."""
    here, there = store(), store()
    await here.learn("", [Lesson("a", ("one",))], _TODAY)
    first = await there.changes("", 0)
    promised([row.tool for row in first.rows] == ["a"] and first.whole, "a new reader gets everything")
    same = await there.changes("", first.revision)
    promised(not same.rows and same.revision == first.revision and not same.whole, "nothing new is nothing")
    await here.learn("", [Lesson("b", ("two",))], _TODAY)
    second = await there.changes("", first.revision)
    promised("b" in [row.tool for row in second.rows] and second.revision > first.revision, "what is new is told")
    await here.forget("", tool="a")
    third = await there.changes("", second.revision)
    promised(third.whole and [row.tool for row in third.rows] == ["b"], "after forgetting, everything is told anew")


@closing
async def what_is_forgotten_is_gone(store: Open) -> None:
    """By space, tool and principal, together or alone; how many rows it were is told."""
    here = store()
    for space in ("", "tenant:a"):
        for tool in ("x", "y"):
            await here.learn(space, [Lesson(tool, ("one", "two"), by) for by in ("p", "q")], _TODAY)
    promised(await here.forget("tenant:a", tool="x", by="p") == 2, "rows of a tool and a principal are forgotten")
    promised(await here.forget(by="q") == 8, "rows of a principal are forgotten in every space")
    promised(await here.forget(tool="y") == 4, "rows of a tool are forgotten in every space")
    promised(await here.forget("") == 2, "rows of a space are forgotten")
    promised(await here.forget() == 0 and not await store().everything(), "nothing is left")


@closing
async def what_is_put_in_comes_back_and_twice_is_once(store: Open) -> None:
    """Rows of elsewhere are taken in beside those that are there; the stronger of two alike stays."""
    here = store()
    await here.learn("", [Lesson("x", ("one",), "p"), Lesson("x", ("two",), "p")], _TODAY)
    given = {"": [Row("x", "one", "p", 2.5, _TODAY), Row("x", "two", "p", 0.5, _TODAY), Row("y", "new", "", 1.0, 3)]}
    for _ in range(2):
        await here.put(given)
        found = await _rows(store())
        wanted = {("x", "one", "p"): 2.5, ("x", "two", "p"): 1.0, ("y", "new", ""): 1.0}
        promised(found == wanted, "of two alike the stronger stays, and what is put in twice is there once")
    await here.put({})


USAGE_STORE_CONTRACT: Final[tuple[Check, ...]] = (
    a_new_place_has_nothing,
    what_is_learned_comes_back_in_every_handle,
    uses_fade,
    spaces_are_apart,
    a_reader_learns_what_is_new,
    what_is_forgotten_is_gone,
    what_is_put_in_comes_back_and_twice_is_once,
)
"""Every check."""
