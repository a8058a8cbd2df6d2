"""Files that wheels of the extra ``semantic`` carry: found without importing anything, and mapped."""

from __future__ import annotations

import mmap
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pegboard.errors import ConfigError

INSTALL: Final = "pip install 'pegboard[semantic]'"


def carried(package: str, file: str) -> Path:
    """The place of a file in a package. Raises ConfigError where the package is not installed, or has no such file."""
    spec = find_spec(package)
    folders = (spec.submodule_search_locations if spec else None) or []
    found = next((place for folder in folders if (place := Path(folder, file)).is_file()), None)
    if found is None:
        raise _missing(f"{file} of the package {package}" if folders else f"the package {package}")
    return found


def needed(*packages: str) -> None:
    """Raises ConfigError where one of the packages is not installed."""
    for package in packages:
        if find_spec(package) is None:
            raise _missing(f"the package {package}")


def mapped(file: Path) -> memoryview:
    """The bytes of a file, mapped: processes share them, and what is not looked at is not read."""
    with file.open("rb") as opened:
        return memoryview(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))


def _missing(what: str) -> ConfigError:
    return ConfigError(f"The hybrid ranker needs what is not installed: {what}.", hint=f"Install it: {INSTALL}")
