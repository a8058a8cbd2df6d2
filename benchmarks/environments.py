"""Environments for what cannot live in the project's own: made once below ``.bench``, kept for later runs."""

from __future__ import annotations

import subprocess
import venv
from pathlib import Path
from typing import Final

_HOME: Final = Path(__file__).resolve().parent.parent / ".bench"


def python_with(name: str, *requirements: str) -> Path:
    """The interpreter of the environment of this name, made with these requirements where there is none.

    Raises subprocess.CalledProcessError when they cannot be installed.
    """
    home = _HOME / name
    python, ready = home / "bin" / "python", home / "ready"
    if not ready.exists():
        venv.create(home, with_pip=True, clear=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *requirements], check=True)
        ready.touch()
    return python
