"""The file that boards are kept in, as somebody sees it who does not ask the product."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from pegboard.pins import PinRecord, PinState
from pegboard.stores.records import UnreadableError, from_text


@contextmanager
def opened(file: Path) -> Iterator[sqlite3.Connection]:
    """The database; what is done to it is committed at the end."""
    with closing(sqlite3.connect(file, timeout=10)) as connection:
        yield connection
        connection.commit()


def texts(file: Path) -> dict[str, str]:
    """The text of every record, by the board's id; none where there is no file."""
    if not file.is_file():
        return {}
    with opened(file) as connection:
        return dict(connection.execute("SELECT id, record FROM pegboard_boards"))


def records(file: Path) -> dict[str, PinRecord]:
    """Every record, by the board's id. Raises UnreadableError."""
    return {board: from_text(text) for board, text in texts(file).items()}


def pins(file: Path) -> dict[str, list[str]]:
    """The active pins, by the board's id, in order. Raises UnreadableError."""
    found = records(file).items()
    return {board: [s.name for s in record.slots if s.state is PinState.ACTIVE] for board, record in found}


def wrong(file: Path) -> str:
    """What of the file is not whole; empty when everything is."""
    try:
        with opened(file) as connection:
            found = connection.execute("PRAGMA integrity_check").fetchall()
        records(file)
    except (sqlite3.Error, UnreadableError) as error:
        return f"{type(error).__name__}: {error}"
    return "" if found == [("ok",)] else str(found[:3])


def spoil(file: Path, board: str, text: str) -> None:
    """Write a text in the place of a board's record."""
    with opened(file) as connection:
        changed = connection.execute("UPDATE pegboard_boards SET record = ? WHERE id = ?", (text, board)).rowcount
    if changed != 1:
        raise LookupError(f"no board {board} in {file}")


def set_aside(file: Path) -> list[bytes]:
    """The records that were set aside, the oldest first."""
    with opened(file) as connection:
        return [raw for (raw,) in connection.execute("SELECT record FROM pegboard_set_aside ORDER BY number")]


def broken_files(file: Path) -> list[bytes]:
    """The files that were no database, and were given other names."""
    return [path.read_bytes() for path in sorted(file.parent.glob(f"{file.name}.unreadable-*"))]
