"""Values of documents that may be of any kind, taken as what is wanted or not at all. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

MAX_LISTED: Final = 1_000
"""Tags, media types or statuses of one operation that are looked at. What is shared by all may be long."""


class Unusable(Exception):
    """Why an operation, or a part of one, cannot be used. Lives inside one import. ``str`` is the reason.

    ``mend`` says how to mend it; "" where nothing but the document can be mended.
    """

    def __init__(self, reason: str, mend: str = "") -> None:
        super().__init__(reason)
        self.mend = mend


class NoServer(Unusable):
    """There is no address to send an operation's requests to."""


def table(value: Any) -> Mapping[str, Any]:
    """``value`` where it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def listed(value: Any) -> list[Any]:
    """``value`` where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def text(value: Any) -> str:
    """``value`` where it is a text, without blanks around it, else an empty one; never what UTF-8 cannot say."""
    return value.strip().encode("utf-8", "ignore").decode("utf-8") if isinstance(value, str) else ""


def texts(value: Any) -> list[str]:
    """The texts of a list, each once, none of them empty."""
    return list(dict.fromkeys(filter(None, map(text, listed(value)[:MAX_LISTED]))))


def members(value: Any) -> Iterator[tuple[str, Any]]:
    """The first members of an object, with texts as keys."""
    return ((str(key), member) for key, member in islice(table(value).items(), MAX_LISTED))


def size(value: Any, most: int) -> int:
    """How many values stand in a JSON value, itself included; counting stops above ``most``."""
    waiting, count = [value], 0
    while waiting and count <= most:
        current = waiting.pop()
        count += 1
        if isinstance(current, Mapping):
            waiting.extend(current.values())
        elif isinstance(current, list):
            waiting.extend(current)
        if len(waiting) > most:
            return most + 1
    return count
