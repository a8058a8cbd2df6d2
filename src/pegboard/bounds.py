"""Keeping a result within a number of characters by leaving out whole items, and saying so. Pure functions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from pegboard.tools import MISSING, JsonObject, ToolResult, text_block

_NOTE_CHARS: Final = 200


def bounded(result: ToolResult, limit: int) -> ToolResult:
    """``result`` itself when its text and structured content have at most ``limit`` characters together.

    Otherwise: structured content is left out when it alone does not fit (its text form usually stands in the content),
    content blocks are kept from the first on while they fit, a text block that does not is cut at a line break, and a
    last text block says what is missing. Binary blocks count by their encoded length.
    """
    if size(result, limit) <= limit:
        return result
    room = max(limit - _NOTE_CHARS, 0)
    kept, cut = _fitting(result.content, room)
    used = sum(_block_chars(block) for block in kept)
    structured = result.structured if _json_chars(result.structured, room - used) <= room - used else MISSING
    notes = [*cut]
    if len(kept) < len(result.content):
        notes.append(f"{len(result.content) - len(kept)} of {len(result.content)} content blocks left out")
    if structured is MISSING and result.structured is not MISSING:
        notes.append("the structured content left out")
    note = f"[Shortened to {limit} characters: {', '.join(notes)}. Ask for less, or for a part.]"
    return replace(result, content=(*kept, text_block(note)), structured=structured)


def size(result: ToolResult, enough: int) -> int:
    """Characters of all content and of the structured content as JSON; counting may stop beyond ``enough``."""
    total = 0
    for block in result.content:
        total += _block_chars(block)
        if total > enough:
            return total
    return total + _json_chars(result.structured, enough - total)


def _fitting(blocks: tuple[JsonObject, ...], room: int) -> tuple[list[JsonObject], list[str]]:
    kept: list[JsonObject] = []
    notes: list[str] = []
    for block in blocks:
        chars = _block_chars(block)
        if chars > room and block.get("type") == "text":
            whole = str(block.get("text", ""))
            shorter = _cut(whole, room)
            if shorter:
                kept.append({**block, "text": shorter})
                notes.append(f"a text of {len(whole)} characters cut to {len(shorter)}")
            break
        if chars > room:
            break
        kept.append(block)
        room -= chars
    return kept, notes


def _cut(text: str, room: int) -> str:
    """The start of ``text`` that fits, up to its last line break where that loses less than half."""
    head = text[:room]
    line = head.rfind("\n")
    return head[:line] if line > room // 2 else head


def _block_chars(block: JsonObject) -> int:
    text = block.get("text")
    if block.get("type") == "text" and isinstance(text, str):
        return len(text)
    return _json_chars(block, -1)


def _json_chars(value: Any, enough: int) -> int:
    """Characters of a value as JSON, without building the whole text; stops beyond ``enough`` unless it is negative."""
    if value is MISSING:
        return 0
    total = 0
    for piece in _pieces(value):
        total += len(piece)
        if 0 <= enough < total:
            break
    return total


def _pieces(value: Any) -> Iterator[str]:
    return json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).iterencode(value)
