"""From every older schema to the newest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, inspect

from pegboard.errors import StoreError
from pegboard.stores import SqlPinStore, schema
from pegboard.stores.schema import REVISIONS, VERSION_TABLE, bring_up_to_date, revision_of, upgrade
from pegboard.stores.sqlite_file import SqliteFile
from pegboard.stores.tables import METADATA
from tests.stores.places import record, rows, sql

pytestmark = pytest.mark.anyio


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "boards.sqlite3"


def opening(file: Path) -> SqliteFile:
    place = SqliteFile(file, 5)
    place.make()
    return place


def test_the_revisions_are_those_of_the_migrations_in_one_line() -> None:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(Path(schema.__file__).parent / "migrations"))
    scripts = list(ScriptDirectory.from_config(config).walk_revisions())
    assert tuple(script.revision for script in reversed(scripts)) == REVISIONS
    assert [script.down_revision for script in reversed(scripts)] == [None, *REVISIONS[:-1]]


def shape(connection: Connection) -> dict[str, object]:
    """Tables with their columns, keys and indexes."""
    seen = inspect(connection)
    return {
        table: (
            [(c["name"], str(c["type"]), c["nullable"]) for c in seen.get_columns(table)],
            seen.get_pk_constraint(table)["constrained_columns"],
            [(index["name"], index["column_names"]) for index in seen.get_indexes(table)],
        )
        for table in seen.get_table_names()
        if table != VERSION_TABLE
    }


def test_the_migrations_make_the_tables_that_the_code_uses(tmp_path: Path) -> None:
    with opening(tmp_path / "a.sqlite3").opening() as engine, engine.begin() as connection:
        upgrade(connection)
        migrated = shape(connection)
    with opening(tmp_path / "b.sqlite3").opening() as engine, engine.begin() as connection:
        METADATA.create_all(connection)
        assert shape(connection) == migrated


def at(engine: Engine, revision: str) -> None:
    with engine.begin() as connection:
        upgrade(connection, revision)


@pytest.mark.parametrize("revision", REVISIONS)
async def test_a_file_of_any_revision_is_brought_up_to_date_with_its_boards(file: Path, revision: str) -> None:
    with opening(file).opening() as engine:
        at(engine, revision)
    old = SqlPinStore(file.with_name("old.sqlite3"))
    await old.save("board", record(1, "a", owner="alice"))
    await old.close()
    with sql(file) as connection:
        connection.execute("ATTACH ? AS old", (str(old.path),))
        connection.execute("INSERT INTO pegboard_boards SELECT * FROM old.pegboard_boards")
    store = SqlPinStore(file)
    assert await store.load("board") == record(1, "a", owner="alice")
    await store.close()
    assert rows(file, f"SELECT version_num FROM {VERSION_TABLE}") == [(REVISIONS[-1],)]


async def test_a_newer_schema_is_left_alone(file: Path) -> None:
    store = SqlPinStore(file)
    await store.save("board", record(1))
    await store.close()
    rows(file, f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    with pytest.raises(StoreError, match=r"of a newer Pegboard: its schema is '9999'.*newer one") as caught:
        await store.load("board")
    assert str(file) in str(caught.value)
    assert rows(file, "SELECT generation FROM pegboard_boards") == [(1,)]


def test_a_migration_that_fails_leaves_the_schema_as_it_was(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = opening(file)
    with place.opening() as engine:
        at(engine, REVISIONS[0])

        def break_off(connection: Connection) -> None:
            upgrade(connection)
            raise RuntimeError("the power is gone")

        monkeypatch.setattr(schema, "upgrade", break_off)
        with pytest.raises(RuntimeError):
            bring_up_to_date(engine, "here")
        with engine.connect() as connection:
            assert revision_of(connection) == REVISIONS[0]
            assert "pegboard_set_aside" not in inspect(connection).get_table_names()


LOADED = """
import asyncio, json, sys
from pegboard.stores import SqlPinStore

async def main():
    store = SqlPinStore(sys.argv[1])
    before = set(sys.modules)
    found = await store.load("board")
    await store.close()
    print(json.dumps([found is not None, "alembic" in before | set(sys.modules), "sqlalchemy" in before]))

asyncio.run(main())
"""


async def test_alembic_is_loaded_only_where_something_is_to_be_migrated(file: Path) -> None:
    store = SqlPinStore(file)
    await store.save("board", record(1))
    await store.close()
    ran = subprocess.run([sys.executable, "-c", LOADED, str(file)], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[true, false, false]"
