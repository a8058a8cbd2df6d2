"""One SQLite file: made for its user alone, opened for several processes at once, put out of the way when broken.

The journal is a write-ahead log, so that readers and a writer do not wait for one another. With ``synchronous = FULL``
each commit is on the disk before it is acknowledged: it outlives ``kill -9`` and, where the disk tells the truth, a
loss of power. The file must lie on a local disk: a write-ahead log does not work over a network.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pegboard.errors import StoreError
from pegboard.pin_store import SetAside
from pegboard.stores.failures import is_busy, is_read_only

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine
    from sqlalchemy.ext.asyncio import AsyncEngine

Identity = tuple[int, int] | None
"""Device and inode of a file; None where there is none."""

SIDECARS: Final = ("-wal", "-shm", "-journal")
UNREADABLE: Final = ".unreadable-"
"""What stands in the name of a broken file between its old name and the moment."""

WRITING: Final = "pegboard_writing"
"""The execution option of transactions that write: they take the lock at once, or a later upgrade could not wait."""

_DATABASE_NAMES: Final = frozenset({".sqlite3", ".sqlite", ".db"})


class _NoDatabaseError(sqlite3.DatabaseError):
    """What SQLite says of such a file, where it says nothing."""

    sqlite_errorcode = sqlite3.SQLITE_NOTADB


class SqliteFile:
    """A database file. Lives as long as its store. ``patience`` is the seconds to wait for others that write."""

    kind: Final = "sqlite"

    def __init__(self, path: str | Path, patience: float) -> None:
        self.path = Path(os.path.abspath(path))  # noqa: PTH100  # resolve() would follow a link that is renamed later
        self.patience = patience

    @property
    def identity(self) -> Identity:
        """Which file lies there now. Another one than before means that ours was taken away. Raises OSError."""
        try:
            found = self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return found.st_dev, found.st_ino

    @property
    def is_absent(self) -> bool:
        """Whether there is no file, and could be one. One that may not be looked at is there."""
        try:
            self.path.stat()
        except FileNotFoundError:
            return True
        except OSError:  # a folder of its path may be a file
            return False
        return False

    @property
    def is_odd(self) -> bool:
        """Whether a folder, a pipe or a device lies there: opening one of these may wait for ever."""
        try:
            return not stat.S_ISREG(self.path.stat().st_mode)
        except OSError:
            return False

    def make(self) -> None:
        """Make the file and its folder, for this user alone; what is there stays as it is."""
        if self.identity is None:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # It exists when another process was quicker, and where it is a link to nowhere, which SQLite will tell.
            with suppress(FileExistsError):
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))

    def check(self) -> None:
        """Refuse what is no file, and what SQLite would write over: a file of one byte it takes for an empty one."""
        found = self.path.stat()
        if not stat.S_ISREG(found.st_mode):
            kind = "a folder" if stat.S_ISDIR(found.st_mode) else "a pipe, a socket or a device"
            raise StoreError(f"{self.path} is {kind}, not a file.", hint="Name a file: path in [store].")
        if found.st_size == 1:
            raise _NoDatabaseError("file is not a database")

    @contextmanager
    def opening(self) -> Iterator[Engine]:
        """An engine without a pool, for what has to be done once. Not for event loops."""
        from sqlalchemy import URL, create_engine
        from sqlalchemy.pool import NullPool

        engine = create_engine(
            URL.create("sqlite", database=str(self.path)),
            poolclass=NullPool,
            connect_args={"timeout": self.patience},
            hide_parameters=True,
        )
        _configure(engine)
        try:
            yield engine.execution_options(**{WRITING: True})
        finally:
            engine.dispose()

    def engine(self) -> AsyncEngine:
        """The engine for the work."""
        import aiosqlite  # noqa: F401  # the driver, which the engine would load inside the event loop
        from sqlalchemy import URL
        from sqlalchemy.ext.asyncio import create_async_engine

        engine = create_async_engine(
            URL.create("sqlite+aiosqlite", database=str(self.path)),
            connect_args={"timeout": self.patience},
            hide_parameters=True,
        )
        _configure(engine.sync_engine)
        return engine

    def use_write_ahead_log(self, engine: Engine) -> None:
        """Switch the journal, which needs a moment without any other user; the file remembers it."""
        until = time.monotonic() + self.patience
        pause = 0.001
        while True:
            raw = engine.raw_connection()
            try:
                cursor = raw.cursor()
                if cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                    cursor.execute("PRAGMA journal_mode = WAL")
            except Exception as error:
                if is_read_only(error):
                    return
                if not is_busy(error) or time.monotonic() > until:
                    raise
            else:
                return
            finally:
                raw.close()
            # SQLite does not wait for this by itself.
            time.sleep(pause)
            pause = min(pause * 2, 0.1)

    def set_aside(self, seen: Identity) -> Path | None:
        """Give the broken file another name, where it is still the one that was ``seen``; that name.

        What lies beside it goes first: a log of the old file must never be taken for one of the new. Raises StoreError
        for a file whose name says that it is something else.
        """
        if self.path.suffix not in _DATABASE_NAMES:
            raise StoreError(
                f"{self.path} is no database, and by its name it was none of Pegboard's.",
                hint="Set another path in [store], or move the file away.",
            )
        # To the microsecond, so that the names stand in the order in which they were given.
        moment = f"{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}"
        target = self.path.with_name(f"{self.path.name}{UNREADABLE}{moment}-{secrets.token_hex(3)}")
        with _alone_with(self.path):
            if self.identity != seen or seen is None:
                return None
            for end in (*SIDECARS, ""):
                try:
                    os.rename(f"{self.path}{end}", f"{target}{end}")  # noqa: PTH104  # these are names, not paths
                except FileNotFoundError:
                    continue
        return target

    def earlier_broken(self) -> list[Path]:
        """The broken files that were given other names, the oldest first."""
        found = self.path.parent.glob(f"{_literal(self.path.name)}{UNREADABLE}*")
        return sorted(path for path in found if not path.name.endswith(SIDECARS))


def file_aside(path: Path) -> SetAside:
    """What is told of a broken file that was given the name ``path``."""
    return SetAside(
        what="a database file, with boards, added tools and what was learned, could not be read; a new one was made",
        where=str(path),
        mend=f"Try `sqlite3 {path} .recover`, or restore a backup; delete the file when it is of no use.",
    )


def _configure(engine: Engine) -> None:
    """What every connection begins with, and every transaction."""
    from sqlalchemy import event

    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)


def _on_connect(connection: Any, record: object) -> None:
    # The driver would begin transactions on its own, and not for every statement.
    connection.isolation_level = None
    getattr(connection, "driver_connection", connection).text_factory = _text
    cursor = connection.cursor()
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.close()


def _on_begin(connection: Connection) -> None:
    writing = connection.get_execution_options().get(WRITING)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN DEFERRED")


def _text(raw: bytes) -> str:
    """Text as it stands in the file. What is no UTF-8 must reach whoever sets it aside, byte for byte."""
    return raw.decode("utf-8", "surrogateescape")


def _literal(name: str) -> str:
    import glob

    return glob.escape(name)


@contextmanager
def _alone_with(path: Path) -> Iterator[None]:
    """Hold a lock on the file that lies there, so that two processes do not both move it; not on Windows."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    try:
        held = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        yield
        return
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)
