"""Files that tools may send: read from one folder, never through a link."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pegboard.errors import ToolError
from pegboard.http_tools.uploads import MAX_UPLOAD
from pegboard.opening import read_inside

_BETWEEN: Final = re.compile(r"[/\\]" if os.sep == "\\" else "/")
_NO_NAMES: Final = frozenset({"", ".", ".."})


def read_files(folder: Path | None, paths: Iterable[str], limit: int = MAX_UPLOAD) -> dict[str, bytes]:
    """What stands at each path below the folder: ``limit`` bytes at most, all together. Blocks.

    None for no folder: no path is read. Raises ToolError.
    """
    found: dict[str, bytes] = {}
    left = limit
    for path in dict.fromkeys(paths):
        if folder is None:
            raise ToolError("No file can be sent by its path here.", hint="Give its content as base64 in 'data'.")
        try:
            found[path] = _read(folder, path, left)
        except (OSError, ValueError):
            hint = "Give a path below the folder for uploads, without links, or the content as base64 in 'data'."
            raise ToolError("There is no such file in the folder for uploads.", hint=hint) from None
        left -= len(found[path])
        if left < 0:
            raise ToolError(f"The files are larger than {limit:,} bytes.", hint="Send smaller ones.")
    return found


def _read(folder: Path, path: str, limit: int) -> bytes:
    parts = _BETWEEN.split(path)
    if any(part in _NO_NAMES or (":" in part and os.sep == "\\") for part in parts):
        raise ValueError("no path below a folder")
    return read_inside(folder.resolve(), parts, limit + 1)[0]
