"""Keeping a result within a number of characters by leaving out whole items, and saying so. Pure functions.

There is no continuation: what was left out is gone, and the answer says to ask for less.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from pegboard.shortening import LeftOut, allotted, cut_text, measured, shortened
from pegboard.tools import MISSING, Halt, JsonObject, ToolResult, text_block
from pegboard.values import NotJsonError, plain_json

SHORTENED_KEY: Final = "dev.pegboard/shortened"
"""The key of a result's ``_meta`` that says what was left out: ``{limit, left_out: [{at, kept, count, unit}]}``, at
most five of them."""

Fits = Callable[[Any], bool]
"""Whether shortened structured content may still be given to those who know its schema."""

Notes = list[str | LeftOut]
"""What is missing, in the order in which it was found."""

_NOTE_CHARS: Final = 200
_TOLD: Final = 5
"""Notes that ``_meta`` tells."""

_STRUCTURED: Final = "structured"
_META: Final = "meta"
_EXTRA: Final = "extra"
"""The keys of pieces that are no content blocks; those have their indexes."""


def outcome_of(value: Any, limit: int, *, fits: Fits | None = None) -> ToolResult | Halt:
    """What a handler gave back as a result within ``limit`` characters: see ``ToolResult.of`` and ``bounded``.

    Of a large value only what is kept is converted and written. Raises NotJsonError naming what has no JSON form.
    """
    try:
        return _outcome_of(value, limit, fits)
    except NotJsonError:
        plain_json(value.structured if isinstance(value, ToolResult) else value)  # says where, unless it lies deeper
        raise


def _outcome_of(value: Any, limit: int, fits: Fits | None) -> ToolResult | Halt:
    if isinstance(value, Halt):
        say = value.say if value.say is None else cut_text(value.say, limit)
        return replace(value, result=bounded(value.result, limit, fits=fits), say=say)
    if isinstance(value, list | tuple | dict):
        copies = 2 if isinstance(value, dict) else 1  # the text, and of an object the structured content
        chars = measured(value, limit)
        if copies * chars > limit:
            short = _shortened(ToolResult(structured=value), limit, fits if copies == 2 else None, write=True)
            return short if copies == 2 else replace(short, structured=MISSING)
        if (copies + 1) * chars <= limit:  # blanks in the text, which are not counted, add less than one more
            return ToolResult.of(value)
    return bounded(ToolResult.of(value), limit, fits=fits)


def bounded(result: ToolResult, limit: int, *, fits: Fits | None = None) -> ToolResult:
    """``result`` itself when all of it has at most ``limit`` characters.

    Otherwise whole items of arrays, large members of objects and the ends of long texts are left out, of structured
    content and of texts that are JSON: both stay valid JSON, and a text that says what the structured content says
    still does. Other texts are cut, at line breaks where there are some; blocks of other kinds, ``_meta`` and unknown
    keys are left out whole. A last text block says what is missing, and ``_meta`` tells it to programs.

    Where ``fits`` says no to the shorter structured content it is left out, and the result is an error.

    Raises NotJsonError for what has no JSON form, and for more than 200 arrays and objects inside one another.
    """
    return result if size(result, limit) <= limit else _shortened(result, limit, fits)


def size(result: ToolResult, enough: int) -> int:
    """Characters of a result, structured content and other members as compact JSON; stops beyond ``enough``."""
    meta = {key: value for key, value in result.meta.items() if key != SHORTENED_KEY}
    total = sum(measured(part, enough) for part in (meta, result.extra) if part)
    for block in result.content:
        total += _block_size(block, enough - total)
        if total > enough:
            return total
    return total if result.structured is MISSING else total + measured(result.structured, enough - total)


def _shortened(result: ToolResult, limit: int, fits: Fits | None, *, write: bool = False) -> ToolResult:
    """The shorter result. ``write`` has the structured content told as a text too."""
    mirror = len(result.content) if write else _mirror(result)
    notes: Notes = []
    kept = _kept(_pieces(result, mirror), max(limit - _NOTE_CHARS, 0), notes)
    structured = kept.get(_STRUCTURED, MISSING)
    if mirror is not None and structured is not MISSING:
        kept[mirror] = {**(text_block("") if write else result.content[mirror]), "text": _written(structured)}
    content = [kept[at] for at in range(len(result.content) + write) if at in kept]
    if (missing := len(result.content) - len(content)) > 0:
        notes.append(f"{missing} of {len(result.content)} content blocks left out")
    lost = result.structured is not MISSING and (structured is MISSING or not (fits is None or fits(structured)))
    if lost:
        notes.append("the structured content left out" + (", as its schema allows no shorter one" if fits else ""))
    told = [one.to_json() for one in notes if isinstance(one, LeftOut)][:_TOLD]
    return replace(
        result,
        content=(*content, text_block(_note(limit, notes))),
        structured=MISSING if lost else structured,
        is_error=result.is_error or (lost and fits is not None),
        meta={**kept.get(_META, {}), SHORTENED_KEY: {"limit": limit, "left_out": told}},
        extra=kept.get(_EXTRA, {}),
    )


class _Piece(Protocol):
    """A part of a result that is kept, shortened or left out by itself. Lives as long as one shortening."""

    def measure(self, enough: int) -> int: ...

    def short(self, room: int, notes: Notes) -> Any:
        """What fits into ``room`` characters, MISSING when nothing does; what is missing goes to ``notes``."""


@dataclass(frozen=True)
class _Whole:
    """What is kept as it is, or not at all. Lives as long as one shortening."""

    value: Any

    def measure(self, enough: int) -> int:
        return measured(self.value, enough)

    def short(self, room: int, notes: Notes) -> Any:
        return self.value if self.measure(room) <= room else MISSING


@dataclass(frozen=True)
class _Value:
    """Structured content, and with ``copies`` of 2 the text that says the same. Lives as long as one shortening."""

    value: Any
    copies: int

    def measure(self, enough: int) -> int:
        return self.copies * measured(self.value, enough // self.copies)

    def short(self, room: int, notes: Notes) -> Any:
        kept, left_out = shortened(self.value, room // self.copies)
        notes.extend(left_out)
        return MISSING if kept is MISSING else plain_json(kept)


@dataclass(frozen=True)
class _Text:
    """A text block. Lives as long as one shortening."""

    block: JsonObject

    def measure(self, enough: int) -> int:
        return _block_size(self.block, enough)

    def short(self, room: int, notes: Notes) -> Any:
        if self.measure(room) <= room:
            return self.block
        whole = str(self.block["text"])
        room -= _frame_size(self.block, room)
        value = _parsed(whole)
        text = self._cut(whole, room, notes) if value is MISSING else self._fewer(value, whole, room, notes)
        return {**self.block, "text": text} if text else MISSING

    def _cut(self, whole: str, room: int, notes: Notes) -> str:
        text = cut_text(whole, room)
        if text:
            notes.append(f"a text of {len(whole)} characters cut to {len(text)}")
        return text

    def _fewer(self, value: Any, whole: str, room: int, notes: Notes) -> str:
        """A text that is JSON, with fewer items and without blanks."""
        try:
            kept, left_out = shortened(value, room)
        except NotJsonError:  # nested so deep that nobody can write it again
            return self._cut(whole, room, notes)
        if kept is MISSING:
            return ""
        notes.extend(left_out or ["the blanks of a text that is JSON"])
        return _written(kept)


def _pieces(result: ToolResult, mirror: int | None) -> dict[Any, _Piece]:
    blocks = ((at, block) for at, block in enumerate(result.content) if at != mirror)
    pieces: dict[Any, _Piece] = {at: _Text(block) if _is_text(block) else _Whole(block) for at, block in blocks}
    pieces |= {key: _Whole(part) for key, part in ((_META, result.meta), (_EXTRA, result.extra)) if part}
    if result.structured is not MISSING:
        pieces[_STRUCTURED] = _Value(result.structured, copies=1 if mirror is None else 2)
    return pieces


def _kept(pieces: Mapping[Any, _Piece], room: int, notes: Notes) -> dict[Any, Any]:
    """What is kept of each piece. Those that cannot be shortened and do not fit leave their room to the others."""
    rooms = _rooms(pieces, room)
    rest = {key: piece for key, piece in pieces.items() if not _is_lost(piece, rooms[key])}
    if len(rest) < len(pieces):
        rooms = _rooms(rest, room)
    kept = {key: piece.short(rooms[key], notes) for key, piece in rest.items() if rooms[key]}
    return {key: value for key, value in kept.items() if value is not MISSING}


def _rooms(pieces: Mapping[Any, _Piece], room: int) -> dict[Any, int]:
    shares = allotted(list(pieces.values()), lambda piece, enough: piece.measure(enough), room)
    return dict(zip(pieces, shares, strict=True))


def _is_lost(piece: _Piece, room: int) -> bool:
    return isinstance(piece, _Whole) and (not room or piece.measure(room) > room)


def _mirror(result: ToolResult) -> int | None:
    """The index of the text block that says what the structured content says."""
    if result.structured is MISSING:
        return None
    texts = ((at, block) for at, block in enumerate(result.content) if _is_text(block))
    return next((at for at, block in texts if _is_same(_parsed(str(block["text"])), result.structured)), None)


def _is_same(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except RecursionError:
        return False


def _parsed(text: str) -> Any:
    """The array or object that a text is as JSON; MISSING when it is none."""
    if text.lstrip()[:1] not in ("[", "{"):
        return MISSING
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return MISSING


def _is_text(block: JsonObject) -> bool:
    return block.get("type") == "text" and isinstance(block.get("text"), str)


def _block_size(block: JsonObject, enough: int) -> int:
    if not _is_text(block):
        return measured(block, enough)
    return len(block["text"]) + _frame_size(block, enough)


def _frame_size(block: JsonObject, enough: int) -> int:
    """What stands beside the text in a text block."""
    beside = {key: value for key, value in block.items() if key not in ("type", "text")}
    return measured(beside, enough) if beside else 0


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _note(limit: int, notes: Notes) -> str:
    """What is missing, in at most 200 characters."""
    start, end = f"[Shortened to {limit} characters: ", ". Ask for less, or for a part.]"
    told, rest = "", len(notes)
    for note in map(str, notes):
        more = f"{told}, {note}" if told else note
        if len(start) + len(more) + len(end) > _NOTE_CHARS - 16:
            break
        told, rest = more, rest - 1
    return f"{start}{told}{f', and {rest} more' if rest else ''}{end}"
