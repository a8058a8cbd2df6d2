"""Files that are there whole or not at all, for their user alone."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

_UNFINISHED: Final = ".unfinished"
_ABANDONED: Final = 3600.0  # seconds after which a file that somebody began to write is taken for nobody's


@contextmanager
def put(path: Path) -> Iterator[BinaryIO]:
    """A new file that stands at ``path`` once it is complete and on the disk; not at all when writing fails."""
    _clear(path)
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(8)}{_UNFINISHED}")
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with open(descriptor, "wb") as file:  # noqa: PTH123  # a descriptor, no path
            yield file
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        with suppress(OSError):
            fresh.unlink()
        raise
    _sync_folder(path.parent)


def opened(path: Path, flags: int = 0) -> BinaryIO:
    """A file to read from. A pipe that stands in its place is opened too, but never waited for.

    What it is has to be looked at before it is read. Raises OSError.
    """
    flags |= getattr(os, "O_NONBLOCK", 0)
    return open(path, "rb", opener=lambda name, own: os.open(name, own | flags))


def _clear(path: Path) -> None:
    """Remove what processes that were killed had begun to write."""
    for left in path.parent.glob(f"{path.name}.*{_UNFINISHED}"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _ABANDONED:
                left.unlink()


def _sync_folder(folder: Path) -> None:
    """Bring the new name to the disk, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
