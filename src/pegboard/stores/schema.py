"""The schema: which revision a database has, and the way from an older one to the newest.

A database that is up to date costs one query. Only where something is to be done is alembic loaded; it runs inside one
transaction that nobody else can write beside, so that a database is of one revision or of the next, never between.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pegboard.errors import StoreError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

VERSION_TABLE: Final = "pegboard_schema"
REVISIONS: Final = ("0001", "0002", "0003", "0004")
"""Every revision there has been, the newest last."""

_ONE_AT_A_TIME: Final = threading.Lock()
"""Alembic keeps what it works on in a global variable."""


def bring_up_to_date(engine: Engine, where: str) -> None:
    """Give a database the newest schema; does nothing where it has that.

    ``engine`` begins transactions that write as such: with a lock that others wait for. Raises StoreError for a
    database of a newer Pegboard, or of another program.
    """
    with engine.connect() as connection:
        if _is_newest(connection, where):
            return
    with _ONE_AT_A_TIME, engine.begin() as connection:
        # Another process may have been quicker.
        if not _is_newest(connection, where):
            upgrade(connection)


def upgrade(connection: Connection, to: str = REVISIONS[-1]) -> None:
    """Run the migrations up to a revision, inside the transaction that has begun."""
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    folder = Path(__file__).parent / "migrations"
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    command.upgrade(config, to)


def _is_newest(connection: Connection, where: str) -> bool:
    from sqlalchemy import inspect

    tables = inspect(connection).get_table_names()
    if tables and VERSION_TABLE not in tables:
        raise StoreError(
            f"{where} is a database of another program: it has the table {tables[0]!r}.",
            hint="Set another path in [store].",
        )
    found = revision_of(connection) if tables else None
    if found is not None and found not in REVISIONS:
        raise StoreError(
            f"{where} is of a newer Pegboard: its schema is {found!r}, and this one knows up to {REVISIONS[-1]!r}.",
            hint="Use that Pegboard or a newer one, or set another path in [store].",
        )
    return found == REVISIONS[-1]


def revision_of(connection: Connection) -> str | None:
    """The revision that a database with our tables has; None when it has been taken back to the beginning."""
    from sqlalchemy import text

    found = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()  # noqa: S608
    return None if found is None else str(found)
