"""Files that tools may send: read from one folder, never through a link out of it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pegboard.errors import ToolError
from pegboard.http_tools.uploads import MAX_UPLOAD

_STEPWISE: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
"""Whether each part of a path can be opened below the one before: then no swap of a link can lead out."""

_ASIDE: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""A pipe without a writer would else be waited for."""


def read_files(folder: Path | None, paths: Iterable[str], limit: int = MAX_UPLOAD) -> dict[str, bytes]:
    """What stands at each path below the folder: ``limit`` bytes at most, all together. Blocks.

    None for no folder: no path is read. Raises ToolError.
    """
    found: dict[str, bytes] = {}
    for path in dict.fromkeys(paths):
        if folder is None:
            raise ToolError("No file can be sent by its path here.", hint="Give its content as base64 in 'data'.")
        try:
            found[path] = _read(folder, path, limit)
        except (OSError, ValueError):
            hint = "Give a path below the folder for uploads, without links, or the content as base64 in 'data'."
            raise ToolError("There is no such file in the folder for uploads.", hint=hint) from None
        limit -= len(found[path])
        if limit < 0:
            raise ToolError(f"The files are larger than {MAX_UPLOAD:,} bytes.", hint="Send smaller ones.")
    return found


def _read(folder: Path, path: str, limit: int) -> bytes:
    parts = path.replace("\\", "/").split("/") if os.sep == "\\" else path.split("/")
    if any(part in ("", ".", "..") or (":" in part and os.sep == "\\") for part in parts):
        raise ValueError("no path below a folder")
    descriptor = _opened(folder, parts) if _STEPWISE else _opened_whole(folder, parts)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("no regular file")
        return file.read(limit + 1)


def _opened(folder: Path, parts: list[str]) -> int:
    """A descriptor of the file, every part opened below the one before and none of them a link."""
    above = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | _ASIDE)
    for place, part in enumerate(parts):
        flags = os.O_RDONLY | os.O_NOFOLLOW | _ASIDE
        try:
            below = os.open(part, flags | (os.O_DIRECTORY if place < len(parts) - 1 else 0), dir_fd=above)
        finally:
            os.close(above)
        above = below
    return above


def _opened_whole(folder: Path, parts: list[str]) -> int:
    """The same where the system cannot open below a folder: the path is resolved first, and held against it."""
    whole = folder.joinpath(*parts).resolve(strict=True)
    if not whole.is_relative_to(folder.resolve(strict=True)):
        raise ValueError("outside of the folder")
    return os.open(whole, os.O_RDONLY | _ASIDE)
