"""Packages whose names are loaded when they are first used, so that a program loads what it uses alone."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late(package: str, places: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package. ``places`` has, by module below it, the names that stand there.

    No name may be that of a module of the package: whoever imports the module first would get it in place of the name.
    """
    modules = {name: module for module, names in places.items() for name in names}

    def attribute(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{modules[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return attribute
