"""Arrays in one file that any number of processes map into memory: written whole or not at all, checked when opened."""

from __future__ import annotations

import mmap
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pegboard.errors import StoreError
from pegboard.stores.array_format import Arrays, FormatError, decoded, encoded
from pegboard.stores.whole_file import opened, put

if TYPE_CHECKING:
    from pegboard.search.arrays import Array


def write(path: str | Path, parts: Arrays, told: Mapping[str, Any], *, what: str) -> None:
    """Write a file. ``told`` is any JSON object; ``what`` is the file's word in messages.

    Raises StoreError when that fails; the file is then as it was.
    """
    with _translated(path, "written", what), put(Path(path)) as file:
        for piece in encoded(parts, told):
            file.write(piece)


def read(path: str | Path, *, what: str) -> tuple[dict[str, dict[str, Array]], dict[str, Any]] | None:
    """(the arrays of each part, mapped; what is told with them); None where there is no file.

    Raises StoreError for a file that cannot be read or is not as it was written.
    """
    with _translated(path, "read", what), understood(path, what):
        data = _mapped(Path(path))
        if data is None:
            return None
        parts, told = decoded(data)
        return parts, dict(told)


@contextmanager
def understood(path: str | Path, what: str) -> Iterator[None]:
    """Say of a file that is whole, but not of what it should be, that it is so, whatever is made of it."""
    try:
        yield
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise StoreError(f"The {what} file {str(path)!r} holds something else.", hint="It can be deleted.") from error


@contextmanager
def _translated(path: str | Path, done: str, what: str) -> Iterator[None]:
    """Say of which file an error is, and what to do."""
    try:
        yield
    except FormatError as error:
        raise StoreError(
            f"The {what} file {str(path)!r} cannot be used: {error}.", hint="It can be deleted."
        ) from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise StoreError(
            f"The {what} file {str(path)!r} cannot be {done}: {reason}.", hint="Look after the folder and its rights."
        ) from error


def _mapped(path: Path) -> memoryview | None:
    """The bytes of the file in memory that all processes share; None when there is no file."""
    try:
        with opened(path) as file:
            facts = os.fstat(file.fileno())
            if not stat.S_ISREG(facts.st_mode):
                raise FormatError("it is no file")
            if not facts.st_size:
                return memoryview(b"")
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except FileNotFoundError:
        return None
