"""What was learned from use in a SQLite file: several processes, and rows that somebody spoilt."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from pegboard.errors import StoreError
from pegboard.stores import SqlPinStore, SqlUsageStore
from pegboard.testing import USAGE_STORE_CONTRACT
from pegboard.testing.usage_store_contract import Check
from pegboard.usage import bounds
from pegboard.usage.export import from_text, to_text
from pegboard.usage.rows import HALF_LIFE, MOST, Lesson, Row
from pegboard.usage.store import MemoryUsageStore
from tests.stores.places import rows, sql

pytestmark = pytest.mark.anyio

DAY = 20_000
each_check = pytest.mark.parametrize("check", USAGE_STORE_CONTRACT, ids=lambda check: check.__name__)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "boards.sqlite3"


@each_check
async def test_memory_keeps_the_contract(check: Check) -> None:
    store = MemoryUsageStore()
    await check(lambda: store)


@each_check
async def test_sqlite_keeps_the_contract(check: Check, file: Path) -> None:
    await check(lambda: SqlUsageStore(file))


async def test_looking_makes_no_file(file: Path) -> None:
    store = SqlUsageStore(file)
    assert not (await store.changes("", 0)).rows
    assert not await store.everything()
    assert not await store.forget()
    await store.close()
    assert not file.parent.exists()


async def test_a_file_that_was_taken_away_leaves_nothing_known(file: Path) -> None:
    store = SqlUsageStore(file)
    await store.learn("", [Lesson("track", ("order",))], DAY)
    revision = (await store.changes("", 0)).revision
    await store.close()
    file.unlink()
    found = await store.changes("", revision)
    assert (found.whole, tuple(found.rows), found.revision) == (True, (), 0)


async def test_scopes_of_one_file_are_apart_and_boards_stay_beside(file: Path) -> None:
    one, other, boards = SqlUsageStore(file, "one"), SqlUsageStore(file, "other"), SqlPinStore(file)
    await one.learn("", [Lesson("track", ("order",))], DAY)
    await other.learn("", [Lesson("refund", ("money",))], DAY)
    assert await boards.load("board") is None
    assert [row.tool for row in (await one.everything())[""]] == ["track"]
    assert await one.forget() == 1
    assert [row.tool for row in (await other.everything())[""]] == ["refund"]
    for store in (one, other, boards):
        await store.close()


async def test_stores_that_learn_at_once_lose_no_lesson(file: Path) -> None:
    stores = [SqlUsageStore(file) for _ in range(4)]

    async def teach(number: int, store: SqlUsageStore) -> None:
        for turn in range(10):
            await store.learn("", [Lesson("track", ("order", f"word{turn}"), f"p{number}")], DAY)

    await asyncio.gather(*(teach(number, store) for number, store in enumerate(stores)))
    found = (await stores[0].everything())[""]
    assert len(found) == 4 * 11
    assert all(row.uses == (MOST if row.term == "order" else 1.0) for row in found)
    for store in stores:
        await store.close()


async def test_a_lesson_of_many_words_and_a_batch_of_many_lessons_are_kept(file: Path) -> None:
    store = SqlUsageStore(file)
    words = tuple(f"word{number}" for number in range(1_200))
    await store.learn("", [Lesson("track", words)] * 2, DAY)
    found = (await store.everything())[""]
    assert {row.term: row.uses for row in found} == dict.fromkeys(words, 2.0)
    await store.close()


async def test_rows_that_somebody_spoilt_are_left_out(file: Path) -> None:
    store = SqlUsageStore(file)
    await store.learn("", [Lesson("track", tuple("abcdefghi"))], DAY)
    spoilt = [("a", "uses", "many"), ("b", "day", 1.5), ("c", "uses", 1e999), ("d", "uses", 99)]
    spoilt += [("f", "uses", 0.0), ("g", "uses", -1), ("h", "day", -1), ("i", "day", 10**15)]
    with sql(file) as connection:
        for term, column, value in spoilt:
            connection.execute(f"UPDATE pegboard_usage SET {column} = ? WHERE term = ?", (value, term))
    found = await store.everything()
    assert found == {"": [Row("track", "d", "", MOST, DAY), Row("track", "e", "", 1.0, DAY)]}
    assert from_text(to_text(found), "file", DAY) == found
    await store.learn("", [Lesson("track", ("a", "h"))], DAY)
    assert [row.term for row in (await store.everything())[""]] == ["a", "d", "e", "h"]
    await store.close()


async def test_what_has_faded_is_swept_with_the_first_lesson_of_a_day(file: Path) -> None:
    store = SqlUsageStore(file)
    await store.learn("tenant:old", [Lesson("track", ("order",))], DAY)
    await store.learn("", [Lesson("refund", ("money",))], DAY + int(HALF_LIFE * 7))
    assert list(await store.everything()) == [""]
    await store.close()


async def test_a_space_keeps_within_its_bounds(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "ROWS", 60)
    monkeypatch.setattr(bounds, "ROWS_OF_ONE", 30)
    store = SqlUsageStore(file)
    await store.learn("", [Lesson("refund", ("money",), by) for by in ("ann", "bob")], DAY)
    for number in range(30):
        await store.learn("", [Lesson(f"t{number % 3}", tuple(f"w{number}x{n}" for n in range(5)), "mallory")], DAY)
    found = (await store.everything())[""]
    assert len(found) <= 60
    assert sum(row.by == "mallory" for row in found) <= 30
    assert {(row.tool, row.by) for row in found} >= {("refund", "ann"), ("refund", "bob")}
    await store.close()


async def test_what_a_principal_did_with_others_stays_where_its_own_bound_is_met(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "ROWS_OF_ONE", 40)
    store, shared, own = SqlUsageStore(file), tuple(f"s{n}" for n in range(10)), tuple(f"w{n}" for n in range(31))
    await store.learn("", [Lesson("refund", shared, by, 0.1) for by in ("ann", "bob")], DAY)
    await store.learn("", [Lesson("track", own, "ann")], DAY)
    found = [row for row in (await store.everything())[""] if row.by == "ann"]
    assert {row.term for row in found} > set(shared)
    assert len(found) == 36
    await store.close()


async def test_a_tool_keeps_within_its_bound_and_no_other_loses_anything(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "ROWS_OF_TOOL", 20)
    store = SqlUsageStore(file)
    for tool, count in (("track", 20), ("refund", 21)):
        await store.learn("", [Lesson(tool, tuple(f"w{n}" for n in range(count)))], DAY)
    assert Counter(row.tool for row in (await store.everything())[""]) == {"track": 20, "refund": 18}
    await store.close()


async def test_what_goes_wrong_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    store = SqlUsageStore(tmp_path / "file" / "boards.sqlite3")
    with pytest.raises(StoreError):
        await store.learn("", [Lesson("track", ("order",))], DAY)


async def test_what_is_stored_are_words_and_keys_and_never_an_ask(file: Path) -> None:
    store = SqlUsageStore(file)
    await store.learn("tenant:shop", [Lesson("track", ("order", "late"), "p1_key")], DAY)
    await store.close()
    stored = rows(
        file, "SELECT scope, space, tool, term, principal, uses, day, changed FROM pegboard_usage ORDER BY term"
    )
    assert stored == [
        ("", "tenant:shop", "track", "late", "p1_key", 1.0, DAY, 1),
        ("", "tenant:shop", "track", "order", "p1_key", 1.0, DAY, 1),
    ]
