"""Making a JSON value shorter by leaving out whole items, without ever writing all of it. Pure.

Lengths are characters of compact JSON, and counting stops where enough is known: the work is bounded by the room that
there is, not by the value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from json.encoder import encode_basestring
from typing import Any, Final, TypeVar

from pegboard.pointing import Path, place
from pegboard.tools import MISSING
from pegboard.values import MAX_DEPTH, NotJsonError, plain_json

Part = TypeVar("Part")

_MIN_SHARE: Final = 100
"""Characters below which several large parts are not shortened side by side: the first that fit are kept instead."""

_MIN_TEXT: Final = 20
"""Characters of a text that are worth keeping."""

_ROUNDS: Final = 8
_MISSES: Final = 50
"""Bounds on the work of sharing out room."""


@dataclass(frozen=True)
class LeftOut:
    """What was left out at one place: ``kept`` of ``count`` ``unit``. Immutable."""

    path: Path
    kept: int
    count: int
    unit: str

    def __str__(self) -> str:
        where = place(self.path, length=60) or "the result"
        if self.unit == "characters":
            return f"{where} cut to {self.kept} of {self.count} characters"
        return f"{self.count - self.kept} of {self.count} {self.unit} of {where} left out"

    def to_json(self) -> dict[str, Any]:
        """The same for programs."""
        return {"at": place(self.path), "kept": self.kept, "count": self.count, "unit": self.unit}


def measured(value: Any, enough: int) -> int:
    """Characters of ``value`` as compact JSON; counting stops beyond ``enough``. Takes what ``plain_json`` takes.

    Raises NotJsonError for what has no JSON form, and for more than 200 arrays and objects inside one another.
    """
    total = 0
    stack = [iter((value,))]
    while stack and total <= enough:
        for item in stack[-1]:
            kind = type(item)
            if kind is str:
                total += len(encode_basestring(item)) if len(item) <= enough - total else len(item) + 2
            elif kind in _LEAVES:
                total += _LEAVES[kind](item)
            else:
                size, inside = _opened(item, enough - total)
                total += size
                if len(stack) > MAX_DEPTH:
                    raise NotJsonError((), f"nested more than {MAX_DEPTH} deep, or inside itself")
                stack.append(inside)
                break
            if total > enough:
                return total
        else:
            stack.pop()
    return total


def _opened(value: Any, enough: int) -> tuple[int, Iterator[Any]]:
    """The characters of an array or object between its members, and these; of anything else the whole of it."""
    if type(value) is dict or isinstance(value, Mapping):
        return 1 + max(2 * len(value), 1), chain.from_iterable(value.items())
    if isinstance(value, _ARRAYS):
        return 1 + max(len(value), 1), iter(value)
    return measured(plain_json(value), enough), iter(())


_ARRAYS: Final = (list, tuple)


def _digits(number: int) -> int:
    return len(repr(number)) if number.bit_length() < 64 else number.bit_length() * 302 // 1000 + 2


_LEAVES: Final[Mapping[type, Callable[[Any], int]]] = {
    bool: lambda value: 4 if value else 5,
    type(None): lambda value: 4,
    int: _digits,
    float: lambda value: len(repr(value)),
}


def shortened(value: Any, room: int) -> tuple[Any, list[LeftOut]]:
    """``value`` itself where it fits into ``room`` characters; else a shorter one, and what was left out of it.

    Of an array the first items are kept, whole. Small members of an object are kept, large ones share what is left of
    the room and are shortened themselves. Texts are cut, at a line break where there is one. MISSING: nothing fits.
    """
    left_out: list[LeftOut] = []
    return _fitted(value, room, (), left_out), left_out


def cut_text(text: str, room: int) -> str:
    """The start of ``text`` that fits, up to its last line break where that loses less than half."""
    head = text[: max(room, 0)]
    if len(head) == len(text):
        return text
    line = head.rfind("\n")
    return head[:line] if line > room // 2 else head


def allotted(parts: Sequence[Part], measure: Callable[[Part, int], int], room: int) -> list[int]:
    """How much of ``room`` each part gets: small ones what they need, large ones equal shares of the rest.

    Where shares would be too small to be of use, the first that fit get what they need, the others nothing.
    """
    rooms, open_ = [0] * len(parts), list(range(len(parts)))
    for _ in range(_ROUNDS):
        share = room // len(open_) if open_ else 0
        if share < _MIN_SHARE:
            break
        sizes = {at: measure(parts[at], share) for at in open_}
        small = [at for at in open_ if sizes[at] <= share]
        for at in small:
            rooms[at] = sizes[at]
            room -= sizes[at]
        open_ = [at for at in open_ if sizes[at] > share]
        if not small:
            break
    if open_ and room // len(open_) < _MIN_SHARE:
        _first_come(parts, measure, room, rooms, open_)
        return rooms
    for at in open_:
        rooms[at] = room // len(open_)
    return rooms


def _first_come(
    parts: Sequence[Part], measure: Callable[[Part, int], int], room: int, rooms: list[int], open_: list[int]
) -> None:
    misses = 0
    for at in open_:
        size = measure(parts[at], room)
        if size <= room:
            rooms[at] = size
            room -= size
        else:
            misses += 1
        if room <= 0 or misses > _MISSES:
            return


def _fitted(value: Any, room: int, path: Path, left_out: list[LeftOut]) -> Any:
    if len(path) >= MAX_DEPTH:
        return MISSING
    if measured(value, room) <= room:
        return value
    plain = value if isinstance(value, list | tuple | Mapping | str) else plain_json(value)
    if isinstance(plain, str):
        return _text(plain, room, path, left_out)
    if isinstance(plain, Mapping) and room >= 2:
        return _object(plain, room, path, left_out)
    if isinstance(plain, list | tuple) and room >= 2:
        return _array(plain, room, path, left_out)
    return MISSING


def _text(text: str, room: int, path: Path, left_out: list[LeftOut]) -> Any:
    kept = cut_text(text, room - 2)
    while len(kept) >= _MIN_TEXT and (size := len(encode_basestring(kept))) > room:
        kept = cut_text(text, min(len(kept) * room // size, len(kept) - 1))
    if len(kept) < _MIN_TEXT:
        return MISSING
    left_out.append(LeftOut(path, len(kept), len(text), "characters"))
    return kept


def _array(items: Sequence[Any], room: int, path: Path, left_out: list[LeftOut]) -> Any:
    kept: list[Any] = []
    free = room - 2
    for item in items:
        size = measured(item, free) + 1
        if size > free:
            break
        kept.append(item)
        free -= size
    if len(kept) < len(items) and free > room // 2:
        # The item in the way is the large one: a part of it says more than all of it left out.
        part = _fitted(items[len(kept)], free - 1, (*path, len(kept)), left_out)
        if part is not MISSING:
            kept.append(part)
    if len(kept) < len(items):
        left_out.append(LeftOut(path, len(kept), len(items), "items"))
    return kept


def _object(members: Mapping[Any, Any], room: int, path: Path, left_out: list[LeftOut]) -> Any:
    # Of more members than there is room for, the first are looked at.
    looked_at = list(islice(members.items(), room // 4))
    rooms = allotted(looked_at, _member_size, room - 2)
    kept = {}
    for (key, value), free in zip(looked_at, rooms, strict=True):
        part = _fitted(value, free - _key_size(key), (*path, str(key)), left_out) if free else MISSING
        if part is not MISSING:
            kept[key] = part
    if len(kept) < len(members):
        left_out.append(LeftOut(path, len(kept), len(members), "members"))
    return kept


def _member_size(member: tuple[Any, Any], enough: int) -> int:
    key, value = member
    before = _key_size(key)
    return before + measured(value, enough - before)


def _key_size(key: Any) -> int:
    """A key with its colon, and the comma behind the member."""
    return len(str(key)) + 4 if not isinstance(key, str) or len(key) > 10_000 else len(encode_basestring(key)) + 2
