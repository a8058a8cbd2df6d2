"""Opening what lies below a folder, and nothing else: the only place where files of skills and uploads are opened.

Where the system can (Linux, macOS), every folder on the way is opened from the one before it and none may be a link,
so that nothing that is swapped between a look and the opening leads out. Windows cannot open from a folder: there each
step is looked at, the file is opened, and then it is looked whether it still is the one that was seen; what was
swapped meanwhile is opened, but never read.

A hard link cannot be told from the file itself: it is one.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

FROM_FOLDERS: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY")
"""Whether the system opens a file from an opened folder, without following links."""

_READ: Final = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
_FILE: Final = _READ | getattr(os, "O_NONBLOCK", 0)
"""A pipe that nobody writes into must not make the opening wait."""

_FOLDER: Final = _READ | getattr(os, "O_DIRECTORY", 0)

_LINKS: Final = (errno.ELOOP, errno.EMLINK, errno.ENOTDIR)


class LinkError(OSError):
    """A link stands on the way, or something that is no folder."""


class NoFileError(OSError):
    """What is there is a folder, a pipe, a socket or a device."""


def read_inside(root: Path, parts: Sequence[str], limit: int, offset: int = 0) -> tuple[bytes, int]:
    """At most ``limit`` bytes, from ``offset`` on, of the file that ``parts`` lead to below a real folder; its size.

    Raises LinkError, NoFileError, and OSError as the system does. ``parts`` are names of folders and the file: the
    caller has looked that none of them is a way by itself.
    """
    descriptor = _open_from_folders(root, parts) if FROM_FOLDERS else _open_and_look(root, parts)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NoFileError(errno.EINVAL, "is no file")
        if offset:
            os.lseek(descriptor, offset, os.SEEK_SET)
        return _all(descriptor, limit), status.st_size
    finally:
        os.close(descriptor)


@contextmanager
def entries_inside(root: Path, parts: Sequence[str]) -> Iterator[Iterator[os.DirEntry[str]]]:
    """What the folder holds that ``parts`` lead to below a real folder. Raises LinkError and OSError likewise."""
    if not FROM_FOLDERS:
        _look(root, parts)
        with os.scandir(root.joinpath(*parts)) as entries:
            yield entries
        return
    descriptor = _open_from_folders(root, parts, _FOLDER)
    try:
        with os.scandir(descriptor) as entries:
            yield entries
    finally:
        os.close(descriptor)


def _all(descriptor: int, limit: int) -> bytes:
    chunks: list[bytes] = []
    while limit > 0 and (chunk := os.read(descriptor, limit)):
        chunks.append(chunk)
        limit -= len(chunk)
    return b"".join(chunks)


def _open_from_folders(root: Path, parts: Sequence[str], last: int = _FILE) -> int:
    folder = os.open(root, _FOLDER)
    try:
        for part in parts[:-1]:
            inner = _step(part, _FOLDER, folder)
            os.close(folder)
            folder = inner
        return _step(parts[-1], last, folder)
    finally:
        os.close(folder)


def _step(part: str, flags: int, folder: int) -> int:
    try:
        return os.open(part, flags, dir_fd=folder)
    except OSError as error:
        if error.errno in _LINKS:
            raise LinkError(error.errno, "a link, or no folder, stands on the way") from error
        if error.errno == errno.ENXIO:
            raise NoFileError(error.errno, "is no file") from error
        raise


def _look(root: Path, parts: Sequence[str]) -> os.stat_result:
    """What stands at the end of the way. Raises LinkError where a link stands on it."""
    path, seen = root, os.lstat(root)
    for number, part in enumerate(parts, start=1):
        path, seen = path / part, os.lstat(path / part)
        if _is_link(seen) or (number < len(parts) and not stat.S_ISDIR(seen.st_mode)):
            raise LinkError(errno.ELOOP, "a link, or no folder, stands on the way")
    return seen


def _open_and_look(root: Path, parts: Sequence[str]) -> int:
    path, seen = root.joinpath(*parts), _look(root, parts)
    if not stat.S_ISREG(seen.st_mode):
        raise NoFileError(errno.EINVAL, "is no file")
    descriptor = os.open(path, _FILE)
    opened = os.fstat(descriptor)
    if (opened.st_dev, opened.st_ino) != (seen.st_dev, seen.st_ino) or Path(os.path.realpath(path)) != path:
        os.close(descriptor)
        raise LinkError(errno.ELOOP, "the file was swapped while it was opened")
    return descriptor


def _is_link(status: os.stat_result) -> bool:
    """A link, or on Windows anything else that leads elsewhere."""
    reparse = getattr(status, "st_file_attributes", 0) & getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0x400)
    return stat.S_ISLNK(status.st_mode) or bool(reparse)
