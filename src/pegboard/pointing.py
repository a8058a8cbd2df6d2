"""How places in JSON values are written for people and models. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

Path = tuple[str | int, ...]
"""Where in a JSON value: keys and indexes from the root."""

MAX_CHARS: Final = 160
"""Characters of one problem, on one line."""

_KEY_CHARS: Final = 40
_BARE_KEY: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")


def place(path: Iterable[str | int], root: str = "", length: int = MAX_CHARS // 2) -> str:
    """A path as people write it: ``items[2].name``, behind ``root`` where there is one; at most ``length`` long."""
    text = root
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _BARE_KEY.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f"[{quoted(step)}]"
        if len(text) > length:
            break
    return cut(text, length)


def quoted(text: str) -> str:
    """A text in quotes, at most 40 characters of it."""
    return repr(text) if len(text) <= _KEY_CHARS else f"{text[:_KEY_CHARS]!r}..."


def cut(text: str, length: int = MAX_CHARS) -> str:
    """The text on one line, shortened with dots."""
    flat = " ".join(text.split())
    return flat if len(flat) <= length else flat[: length - 3] + "..."
