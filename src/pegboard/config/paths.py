"""Paths as people write them. Nothing here raises: what is not there is for whoever opens it to say."""

from __future__ import annotations

import os.path
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path


def path_of(text: str | Path, base: Path | None = None) -> Path:
    """A path with ``~`` filled in, starting at ``base`` where it is relative."""
    return (base or Path()) / from_home(str(text))


def from_home(text: str) -> str:
    """A leading ``~`` or ``~user`` filled in where that is known; anything else exactly as it is, ``./`` too."""
    return os.path.expanduser(text)  # noqa: PTH111  # Path drops "./" and raises for a user that is not known


def home() -> Path:
    """The home folder; ``~`` itself where there is none, as for a user id without a name."""
    return Path(from_home("~"))


def state_folder(environ: Mapping[str, str], *, platform: str = sys.platform) -> Path | None:
    """Where programs keep what they remember for a user; None where there is no home to keep it in.

    That is ``$XDG_STATE_HOME``, else ``~/.local/state``; on macOS ``~/Library/Application Support``, on Windows
    ``%LOCALAPPDATA%``.
    """
    if platform == "win32":
        given, inside = environ.get("LOCALAPPDATA"), Path("AppData", "Local")
    elif platform == "darwin":
        given, inside = environ.get("XDG_STATE_HOME"), Path("Library", "Application Support")
    else:
        given, inside = environ.get("XDG_STATE_HOME"), Path(".local", "state")
    # The standard has a relative one passed over: it would be another folder wherever Pegboard is started.
    folder = Path(given) if given and os.path.isabs(given) else home() / inside  # noqa: PTH117
    return folder / "pegboard" if folder.is_absolute() else None


def real(file: Path) -> Path:
    """What a path comes down to, all links followed; itself where they lead round in a circle."""
    try:
        return file.resolve()
    except (OSError, RuntimeError):
        return file


def file_names(files: Iterable[Path], taken: Iterable[str] = ()) -> dict[Path, str]:
    """A source's name for each file: its own, with as many folders before it as keep it apart from others."""
    names: dict[Path, str] = {}
    used = set(taken)
    for file in files:
        parts = file.parts
        wanted = ("/".join(parts[-count:]) for count in range(1, len(parts) + 1))
        names.setdefault(file, next((name for name in wanted if name not in used), str(file)))
        used.add(names[file])
    return names


def is_absent(path: Path) -> bool:
    """Whether there is nothing at a path. What may not be looked at is there."""
    try:
        path.stat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False
