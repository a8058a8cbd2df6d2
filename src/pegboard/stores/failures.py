"""What went wrong with a database, as a StoreError that says what, where and how to mend it."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Final

from pegboard.errors import StoreError

_SQLITE: Final[Mapping[int, tuple[str, str]]] = {
    sqlite3.SQLITE_BUSY: ("is locked by another program", "Try again; end the program that holds it for so long."),
    sqlite3.SQLITE_LOCKED: ("is locked by another program", "Try again; end the program that holds it for so long."),
    sqlite3.SQLITE_READONLY: ("cannot be written", "Give this user the right to write it and its folder."),
    sqlite3.SQLITE_PERM: ("cannot be written", "Give this user the right to write it and its folder."),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", "Check that the path is a file that this user may read and write."),
    sqlite3.SQLITE_FULL: ("has no room left on its disk", "Make room, then try again."),
    sqlite3.SQLITE_IOERR: ("cannot be read or written: the disk reports an error", "Check the disk."),
    sqlite3.SQLITE_CORRUPT: (
        "is damaged",
        "Stop Pegboard and save what can be read with `sqlite3 FILE .recover`, or move the file away to start anew.",
    ),
    sqlite3.SQLITE_NOTADB: ("is no database", "Move the file away, or set another path in [store]."),
}
"""By SQLite's primary result code: what is the matter with the file, and what to do."""

_SYSTEM: Final[Mapping[int, str]] = {
    errno.EACCES: "Give this user the right to write the folder, or set another path in [store].",
    errno.EPERM: "Give this user the right to write the folder, or set another path in [store].",
    errno.EROFS: 'Set a path in [store] that can be written, or `path = "memory"`.',
    errno.ENOSPC: "Make room, then try again.",
    errno.EEXIST: "What should be a folder of this path is a file: set another path in [store].",
    errno.ENOTDIR: "What should be a folder of this path is a file: set another path in [store].",
}
"""By the system's error number: what to do."""

_BROKEN: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def translated(error: BaseException, where: str) -> StoreError:
    """What went wrong with the database at ``where``, for whoever runs Pegboard."""
    if isinstance(error, StoreError):
        return error
    for cause in _causes(error):
        if isinstance(cause, OSError) and cause.errno is not None:
            hint = _SYSTEM.get(cause.errno, "Check the path in [store].")
            return StoreError(f"{where} cannot be used: {os.strerror(cause.errno)}.", hint=hint)
        code = _primary_code(cause)
        if code in _SQLITE:
            what, hint = _SQLITE[code]
            return StoreError(f"{where} {what} ({cause}).", hint=hint)
    return StoreError(f"{where} cannot be used: {type(error).__name__}: {error}.", hint="Check the path in [store].")


def is_broken(error: BaseException) -> bool:
    """Whether the file is damaged, or no database at all."""
    return any(_primary_code(cause) in _BROKEN for cause in _causes(error))


def is_busy(error: BaseException) -> bool:
    """Whether another program holds the database just now."""
    return any(_primary_code(cause) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) for cause in _causes(error))


def is_read_only(error: BaseException) -> bool:
    """Whether the database can be read, but not written."""
    return any(_primary_code(cause) == sqlite3.SQLITE_READONLY for cause in _causes(error))


def _primary_code(error: BaseException) -> int:
    """SQLite's result code, its finer part left out; -1 for another error."""
    code = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else -1


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, and what it came from."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        original = getattr(found, "orig", None)
        found = original if isinstance(original, BaseException) else found.__cause__ or found.__context__
