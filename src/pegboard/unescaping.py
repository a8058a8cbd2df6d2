"""Texts with their escapes undone, and where in the text each byte came from. Pure.

The escapes of JSON, of programming languages, of addresses and of HTML are undone side by side: who looks for a word
does not know which of them, or which mixture, somebody wrote it in.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import accumulate
from typing import Final

_MARKS: Final = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}


def _utf_16(escape: bytes) -> bytes:
    units = bytes.fromhex(escape.replace(b"\\u", b"").decode("ascii"))
    return units.decode("utf-16-be", "surrogatepass").encode("utf-8", "surrogatepass")


def _byte(escape: bytes) -> bytes:
    return bytes((int(escape[-2:], 16),))


def _mark(escape: bytes) -> bytes:
    return _MARKS.get(escape[1:], escape[1:])


def _entity(escape: bytes) -> bytes:
    return html.unescape(escape.decode("ascii")).encode("utf-8", "surrogatepass")


_ESCAPES: Final[Mapping[bytes, tuple[bytes, Callable[[bytes], bytes]]]] = {
    b"\\u": (rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}", _utf_16),
    b"\\x": (rb"\\x[0-9a-fA-F]{2}", _byte),
    b"\\": (rb"\\[\"'\\/bfnrt]", _mark),
    b"%": (rb"%[0-9a-fA-F]{2}", _byte),
    b"&": (rb"&(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]{1,31});", _entity),
}
"""The escapes that are undone, by how they begin: how each is written, and the bytes of UTF-8 that it stands for."""

_ESCAPE: Final = re.compile(b"(%s)" % b"|".join(told for told, _ in _ESCAPES.values()))


class Unescaped:
    """Bytes, and the same with their escapes undone once. Lives as long as one search of a text."""

    def __init__(self, before: bytes) -> None:
        parts = _ESCAPE.split(before)
        self._before = parts.copy()
        parts[1::2] = map(_meaning, parts[1::2])
        self._after = parts
        self._starts: tuple[list[int], list[int]] | None = None
        self.data = b"".join(parts)

    @property
    def is_plain(self) -> bool:
        """Whether there was no escape."""
        return len(self._after) == 1

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Where before stood what is at ``start`` to ``end`` now: whole escapes."""
        return self._came_from(start)[0], self._came_from(end - 1)[1]

    def _came_from(self, place: int) -> tuple[int, int]:
        """Where one byte came from: its place, or that of its escape."""
        if self._starts is None:
            self._starts = _starts(self._before), _starts(self._after)
        before, after = self._starts
        part = bisect_right(after, place) - 1
        if part % 2:
            return before[part], before[part] + len(self._before[part])
        at = before[part] + place - after[part]
        return at, at + 1


def unescaped(data: bytes) -> bytes:
    """The bytes with their escapes undone once."""
    return Unescaped(data).data


def _starts(parts: list[bytes]) -> list[int]:
    return list(accumulate(map(len, parts[:-1]), initial=0))


@lru_cache(4096)
def _meaning(escape: bytes) -> bytes:
    begins = escape[:2] if escape[:2] in _ESCAPES else escape[:1]
    return _ESCAPES[begins][1](escape)
