"""What all runners do alike: read files that strangers wrote, and tell each outcome on one line."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def bytes_of(path: Path) -> bytes:
    """What a file holds. Raises OSError, also for a pipe or a device: reading one might never end."""
    if not stat.S_ISREG(mode := path.stat().st_mode):
        code = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
        raise OSError(code, os.strerror(code) if stat.S_ISDIR(mode) else "a pipe, a socket or a device", str(path))
    return path.read_bytes()


def not_understood(error: Exception) -> str:
    """What is told of content that a runner was not made for."""
    return f"it is not understood ({type(error).__name__}: {error})"


def one_line(text: str) -> str:
    """A text as one line that every terminal can show."""
    shown = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(one if one.isprintable() else one.encode("unicode-escape").decode("ascii") for one in shown)
