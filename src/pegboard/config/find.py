"""Where ``pegboard.toml`` is looked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pegboard.config.paths import home, path_of

FILE_NAME: Final = "pegboard.toml"


def config_places(
    folder: Path | None = None, *, environ: Mapping[str, str] | None = None, platform: str = sys.platform
) -> tuple[Path, ...]:
    """Where the configuration may be, the first place first: ``folder`` (default: the current one), then the user's.

    The user's is ``$XDG_CONFIG_HOME/pegboard`` where that is set, else ``~/.config/pegboard``; on macOS also
    ``~/Library/Application Support/pegboard``, on Windows ``%APPDATA%\\pegboard`` instead.
    """
    environ = os.environ if environ is None else environ
    users: list[Path]
    if platform == "win32":
        users = [Path(environ.get("APPDATA") or home() / "AppData" / "Roaming")]
    else:
        users = [Path(environ.get("XDG_CONFIG_HOME") or home() / ".config")]
        if platform == "darwin":
            users.append(home() / "Library" / "Application Support")
    return ((folder or Path.cwd()) / FILE_NAME, *(user / "pegboard" / FILE_NAME for user in users))


def find_config(
    given: str | Path | None = None, folder: Path | None = None, *, environ: Mapping[str, str] | None = None
) -> Path | None:
    """The configuration to load: ``given`` if it is given, else the first of ``config_places`` that is there, or None.

    Whether a file that was given exists is for ``load`` to say.
    """
    if given is not None:
        return path_of(given)
    return next((place for place in config_places(folder, environ=environ) if place.is_file()), None)
