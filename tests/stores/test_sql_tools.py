"""Versions of tools in a SQLite file: several processes, ends without warning, and records that somebody spoilt."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pegboard.errors import NoVersionError, StoreError
from pegboard.http_tools.overlay import Overlay
from pegboard.http_tools.versions import ToolVersion, Unreadable
from pegboard.stores import SqlPinStore, SqlToolStore
from pegboard.stores.schema import upgrade
from pegboard.stores.sqlite_file import SqliteFile
from tests.stores.places import record, rows, sql
from tests.stores.tool_children import EDITS, KILLS, PROCESSES, text

pytestmark = pytest.mark.anyio

TABLE = "pegboard_tool_versions"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "boards.sqlite3"


def run(root: Path, what: str, file: Path) -> dict[str, Any]:
    command = [sys.executable, "-W", "error", "-m", "tests.stores.tool_children", what, str(file)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_processes_that_edit_one_tool_at_once_lose_no_version(root: Path, file: Path) -> None:
    report = run(root, "racing", file)
    assert report["codes"] == [0] * PROCESSES
    stored = [f"{version} {about}" for version, about in report["stored"]]
    assert [version for version, _ in report["stored"]] == list(range(1, PROCESSES * EDITS + 1))
    assert sorted(stored) == sorted(report["said"])


def test_an_edit_that_was_acknowledged_outlives_kill_9_and_no_other_is_half_there(root: Path, file: Path) -> None:
    report = run(root, "killing", file)
    assert report["kills"] == KILLS
    assert report["cut"] > KILLS / 3, "hardly any process was killed while it worked"
    assert report["versions"] > 0
    assert rows(file, "PRAGMA integrity_check") == [("ok",)]


async def test_looking_makes_nothing_and_loads_nothing(root: Path, file: Path) -> None:
    script = (
        "import sys; from pegboard.stores import SqlToolStore; print(SqlToolStore(sys.argv[1]).is_blank(),"
        " 'sqlalchemy' in sys.modules)"
    )
    boards = SqlPinStore(file)

    def told() -> str:
        return subprocess.run(
            [sys.executable, "-c", script, str(file)], cwd=root, capture_output=True, text=True, check=True
        ).stdout.strip()

    assert (told(), file.exists()) == ("True False", False)
    await boards.save("board", record(1))
    await boards.close()
    assert told() == "True False"
    store = SqlToolStore(file)
    assert (await store.revision(), await store.newest(), await store.versions("ping")) == (0, [], [])
    await Overlay(store).add(text("First."))
    assert told() == "False False"
    await store.close()


async def test_a_file_from_before_there_were_tools_is_blank_and_takes_them(file: Path) -> None:
    place = SqliteFile(file, 5)
    place.make()
    with place.opening() as engine, engine.begin() as connection:
        upgrade(connection, "0002")
    store = SqlToolStore(file)
    assert store.is_blank()
    assert rows(file, "SELECT version_num FROM pegboard_schema") == [("0002",)]
    await Overlay(store).add(text("First."))
    assert not store.is_blank()
    await store.close()


async def test_tools_of_two_configurations_are_kept_apart_in_one_file(file: Path) -> None:
    mine, theirs = SqlToolStore(file, "/a/pegboard.toml"), SqlToolStore(file, "/b/pegboard.toml")
    await Overlay(mine).add(text("Mine."))
    assert (mine.is_blank(), theirs.is_blank()) == (False, True)
    await Overlay(theirs).add(text("Theirs."))
    (one,) = await mine.newest()
    assert isinstance(one, ToolVersion)
    assert one.definition is not None
    assert one.definition["description"] == "Mine."
    assert await mine.revision() < await theirs.revision()
    await mine.close()
    await theirs.close()


SPOILT = [
    ("'{'", "it is no JSON"),
    ("'[]'", "no object"),
    ("x'00ff'", "it is bytes, not text"),
    ("json_set(record, '$.form', 2)", "its form is 2"),
    ("json_set(record, '$.more', 1)", "its members are"),
    ("json_set(record, '$.at', 'now')", "its at is no whole number"),
    ("json_set(record, '$.change', 'bend')", "its change is no kind of change"),
    ("json_remove(record, '$.by')", "its members are"),
    ("json_set(record, '$.definition', NULL)", "only a removal is without a definition"),
    ("json_set(record, '$.definition.name', 'other')", "another name"),
]


@pytest.mark.parametrize(("spoilt", "reason"), SPOILT)
async def test_what_cannot_be_read_is_told_stays_where_it_is_and_is_no_removal(
    file: Path, spoilt: str, reason: str
) -> None:
    store = SqlToolStore(file)
    overlay = Overlay(store)
    await overlay.add(text("First."))
    await overlay.edit("ping", text("Second."))
    rows(file, f"UPDATE {TABLE} SET record = {spoilt} WHERE version = 2")
    before = rows(file, f"SELECT * FROM {TABLE}")
    first, second = await store.versions("ping")
    assert isinstance(first, ToolVersion)
    assert isinstance(second, Unreadable)
    assert reason in second.reason
    assert (second.version, second.where) == (2, f"{file}, table {TABLE}, number 2")
    assert await store.newest() == [second]
    with pytest.raises(NoVersionError, match="Version 2 of 'ping' cannot be read"):
        await overlay.current("ping")
    made = await overlay.restore("ping", 1)
    assert made is not None
    assert made.version == 3
    assert rows(file, f"SELECT * FROM {TABLE} WHERE version < 3") == before
    await store.close()


async def test_numbers_never_come_twice_so_that_no_change_is_missed(file: Path) -> None:
    store = SqlToolStore(file)
    overlay = Overlay(store)
    await overlay.add(text("First."))
    seen = await store.revision()
    with sql(file) as connection:
        connection.execute(f"DELETE FROM {TABLE}")
    await overlay.add(text("Other."))
    assert await store.revision() != seen
    await store.close()


async def test_a_store_that_cannot_be_used_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "utf-8")
    store = SqlToolStore(tmp_path / "file" / "boards.sqlite3")
    assert not store.is_blank()  # what keeps tools out of reach is not that there are none
    with pytest.raises(StoreError, match=r"cannot be used: .* a folder of this path is a file"):
        await Overlay(store).edit("ping", text("First."))
    await store.close()


@pytest.mark.skipif(os.name != "posix", reason="there are no pipes in folders here")
@pytest.mark.parametrize("make", [lambda path: os.mkfifo(path), Path.mkdir], ids=["pipe", "folder"])
async def test_what_is_no_file_is_told_and_never_waited_for(file: Path, make: Callable[[Path], None]) -> None:
    file.parent.mkdir(exist_ok=True)
    make(file)
    store = SqlToolStore(file)
    assert not store.is_blank()
    for use in (store.revision, store.newest):
        with pytest.raises(StoreError, match="not a file"):
            await use()
    await store.close()
