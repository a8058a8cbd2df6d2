"""The file that boards are kept in: whose it is, what is wrong with it, and what becomes of a broken one."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from sqlalchemy import event

from pegboard.errors import StoreError
from pegboard.stores import SqlPinStore
from pegboard.stores.sqlite_file import SqliteFile
from tests.stores.places import board_of, peg_over, record, rows, some_tools, sql

pytestmark = pytest.mark.anyio

posix = pytest.mark.skipif(os.name != "posix", reason="the rights of files are those of POSIX here")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "boards.sqlite3"


@posix
async def test_the_file_its_logs_and_its_folder_are_for_this_user_alone(file: Path) -> None:
    old = os.umask(0)
    try:
        store = SqlPinStore(file)
        await store.save("board", record(1))
        modes = {path.name: path.stat().st_mode & 0o777 for path in file.parent.iterdir()}
        await store.close()
    finally:
        os.umask(old)
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert modes == dict.fromkeys(("boards.sqlite3", "boards.sqlite3-wal", "boards.sqlite3-shm"), 0o600)


async def test_a_commit_is_on_the_disk_before_it_is_acknowledged(file: Path) -> None:
    store = SqlPinStore(file)
    await store.save("board", record(1))
    assert store._database._opened is not None
    async with store._database._opened._engine.connect() as connection:
        assert (await connection.exec_driver_sql("PRAGMA synchronous")).scalar() == 2
        assert (await connection.exec_driver_sql("PRAGMA journal_mode")).scalar() == "wal"
    await store.close()


@pytest.mark.parametrize("content", [b'{"pins": [', b"{", b"SQLite format 3\x00" + b"\xff" * 5_000, b"x" * 100_000])
async def test_a_file_that_is_no_database_is_kept_under_another_name(file: Path, content: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(content)
    async with peg_over(file, *some_tools()) as peg:
        board = await board_of(peg)
        board.pin("a")
        await board.commit()
        (told,) = peg.status()["store"]["set_aside"]
    [aside] = file.parent.glob("*.unreadable-*")
    assert aside.read_bytes() == content
    assert told["where"] == str(aside)
    assert rows(file, "SELECT id FROM pegboard_boards") == [(board.id,)]


async def test_a_file_that_becomes_broken_while_it_is_used_is_kept_and_made_anew(file: Path) -> None:
    store = SqlPinStore(file)
    await store.save("board", record(1))
    await store.close()
    await store.load("board")
    file.write_bytes(b"not a database" * 1_000)
    for name in ("-wal", "-shm"):
        file.with_name(file.name + name).unlink(missing_ok=True)
    await store.close()
    assert await store.save("another", record(1))
    [aside] = store.status().set_aside
    assert Path(aside.where).read_bytes().startswith(b"not a database")
    await store.close()


async def test_an_empty_file_is_an_empty_database(file: Path) -> None:
    file.parent.mkdir()
    file.touch()
    store = SqlPinStore(file)
    assert await store.load("board") is None
    assert store.status().set_aside == ()
    await store.close()


@pytest.mark.parametrize("name", ["pegboard.toml", "notes", "boards.json"])
async def test_a_file_that_was_meant_for_something_else_is_left_alone(file: Path, name: str) -> None:
    other = file.with_name(name)
    other.parent.mkdir()
    other.write_text("[gateway]\n", "utf-8")
    store = SqlPinStore(other)
    with pytest.raises(StoreError, match="by its name it was none of Pegboard's") as caught:
        await store.save("board", record(1))
    assert str(other) in str(caught.value)
    assert [path.name for path in file.parent.iterdir()] == [name]
    assert other.read_text("utf-8") == "[gateway]\n"
    assert store.status().state == "failed"


async def test_the_database_of_another_program_is_left_alone(file: Path) -> None:
    file.parent.mkdir()
    with sql(file) as connection:
        connection.execute("CREATE TABLE cookies (name TEXT)")
    store = SqlPinStore(file)
    with pytest.raises(StoreError, match="of another program: it has the table 'cookies'"):
        await store.save("board", record(1))
    assert rows(file, "SELECT name FROM sqlite_master") == [("cookies",)]


async def test_a_file_that_somebody_holds_is_told_as_locked_and_the_queue_is_kept(file: Path) -> None:
    async with peg_over(file, *some_tools(), patience=0.2) as peg:
        board = await board_of(peg)
        await board.commit()
        board.pin("a")
        with sql(file) as holding:
            holding.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match="is locked by another program") as caught:
                await board.commit()
            assert str(file) in str(caught.value)
            assert board.pending == (("a",), ())
            assert (await board_of(peg, board.id)).listing().bytes == board.listing().bytes
        assert (await board.commit()).added == ("a",)


async def test_a_disk_that_is_full_is_told_and_the_queue_is_kept(file: Path) -> None:
    async with peg_over(file, *some_tools()) as peg:
        board = await board_of(peg)
        await board.commit()
        assert isinstance(peg.store, SqlPinStore)
        assert peg.store._database._opened is not None
        engine = peg.store._database._opened._engine.sync_engine
        # SQLite then says just what it says where the disk has no room left.
        full = "PRAGMA max_page_count = 1"
        room = "PRAGMA max_page_count = 1000000"
        limit = [full]
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(limit[0]), insert=True)
        board.pin("a")
        peg.catalog.all()[0].shown["description"] += "x" * 100_000  # type: ignore[index]
        with pytest.raises(StoreError, match="no room left on its disk") as caught:
            await board.commit()
        assert "Make room" in caught.value.hint
        assert board.pending == (("a",), ())
        assert peg.status()["store"]["state"] == "failed"
        limit[0] = room
        assert (await board.commit()).added == ("a",)
        assert peg.status()["store"]["state"] == "ready"


WITHOUT_RIGHTS = """
import asyncio, os, sys, tempfile
from pathlib import Path
from pegboard.errors import StoreError
from pegboard.stores import SqlPinStore
from tests.stores.places import record

async def use(file):
    store = SqlPinStore(file, patience=0.2)
    try:
        print("loaded", (await store.load("board")).generation)
    except (AttributeError, StoreError) as error:
        print("load:", error)
    try:
        await store.save("board", record(2))
        print("saved")
    except StoreError as error:
        print("save:", error)
    await store.close()

with tempfile.TemporaryDirectory() as folder:
    asyncio.run(use(Path(folder, "boards.sqlite3")))  # whoever has no rights may not be able to load modules either
if os.getuid() == 0:
    os.setuid(65534)
asyncio.run(use(Path(sys.argv[1])))
"""


@posix
@pytest.mark.parametrize("folder_mode", [0o555, 0o777])
async def test_a_file_without_the_right_to_write_says_so(root: Path, folder_mode: int) -> None:
    # Not below pytest's own folder, which another user may not enter.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "boards.sqlite3"
        store = SqlPinStore(file)
        await store.save("board", record(1))
        await store.close()
        file.chmod(0o444)
        folder.chmod(folder_mode)
        try:
            ran = subprocess.run(
                [sys.executable, "-c", WITHOUT_RIGHTS, str(file)], cwd=root, capture_output=True, text=True, check=False
            )
        finally:
            folder.chmod(0o755)
        assert ran.returncode == 0, ran.stderr
        *_, loading, saving = ran.stdout.splitlines()
        assert loading == "loaded 1" or folder_mode == 0o555
        assert saving.startswith(f"save: {file} ")
        assert "Give this user the right to write" in saving or "this user may read and write" in saving
        assert rows(file, "SELECT generation FROM pegboard_boards") == [(1,)]


async def test_a_folder_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store = SqlPinStore(tmp_path / "file" / "state" / "boards.sqlite3")
    with pytest.raises(StoreError, match="cannot be used: Not a directory"):
        await store.save("board", record(1))
    assert (await store.look()).state == "failed"


async def test_a_folder_in_the_place_of_the_file_says_so(tmp_path: Path) -> None:
    store = SqlPinStore(tmp_path)
    with pytest.raises(StoreError, match=r"is a folder, not a file\. Name a file: path in \[store\]"):
        await store.load("board")


def test_a_broken_file_that_another_process_has_replaced_meanwhile_is_not_moved(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"broken")
    place = SqliteFile(file, 1)
    seen = place.identity
    file.rename(file.with_name("gone"))
    with sql(file) as connection:
        connection.execute("CREATE TABLE healthy (x)")
    assert place.set_aside(seen) is None
    assert rows(file, "SELECT name FROM sqlite_master") == [("healthy",)]
    assert place.set_aside(place.identity) is not None
    assert place.set_aside(place.identity) is None


def test_the_logs_of_a_broken_file_go_with_it(file: Path) -> None:
    file.parent.mkdir()
    for end in ("", "-wal", "-shm"):
        file.with_name(file.name + end).write_text(f"old{end}", "utf-8")
    place = SqliteFile(file, 1)
    target = place.set_aside(place.identity)
    assert target is not None
    assert {path.name: path.read_text("utf-8") for path in file.parent.iterdir()} == {
        f"{target.name}{end}": f"old{end}" for end in ("", "-wal", "-shm")
    }
    assert place.earlier_broken() == [target]


def test_this_sqlite_tells_which_error_it_is() -> None:
    with pytest.raises(sqlite3.OperationalError) as caught:
        sqlite3.connect("/nowhere/at/all")
    assert caught.value.sqlite_errorcode == sqlite3.SQLITE_CANTOPEN
