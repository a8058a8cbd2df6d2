"""JSON as editors write it: with ``//`` and ``/* */`` comments and trailing commas, and where everything stands.

Pure: text in, values and offsets out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from pegboard.documents.problems import KeyPath

MAX_DEPTH: Final = 100
"""How deep objects and lists may nest."""

_BLANK: Final = re.compile(r"[ \t\r\n]*")
_SPACE: Final = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"')
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_CONSTANTS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None}


class JsonSyntaxError(ValueError):
    """The text is not JSON. ``offset`` is the character where it stops being so; ``hint`` is the fix."""

    def __init__(self, offset: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.offset = offset
        self.hint = hint


@dataclass(frozen=True)
class ParsedText:
    """A parsed text. Immutable; belongs to one load.

    ``twice`` has every key that an object holds more than once, with the offsets of the earlier and the later; the
    later one counts, as in every JSON parser.
    """

    value: Any
    locate: Callable[[], dict[KeyPath, int]] = field(repr=False)
    twice: tuple[tuple[KeyPath, int, int], ...] = ()
    everywhere: Callable[[], dict[KeyPath, int]] | None = field(default=None, repr=False)
    """Finds what stands in lists too, where ``locate`` passes them over."""

    @cached_property
    def at(self) -> dict[KeyPath, int]:
        """The offset of each key. Found when it is first asked for: most texts have nothing wrong."""
        return self.locate()

    @cached_property
    def at_items(self) -> dict[KeyPath, int]:
        """The same, with the items of lists and what stands in them."""
        return self.everywhere() if self.everywhere else self.at


def parse(text: str) -> ParsedText:
    """The value of a JSON text, comments and trailing commas allowed.

    Raises JsonSyntaxError for anything else that is not JSON, and for nesting beyond MAX_DEPTH.
    """
    try:
        # Clients keep megabytes of history beside their servers, and write the file anew all the time.
        value = json.loads(text, object_pairs_hook=_distinct, parse_constant=_refused)
    except (ValueError, RecursionError):
        return _parse_with_care(text)
    return ParsedText(value, lambda: _places(text), everywhere=lambda: _parse_with_care(text).at)


def nests_deeper(value: Any, levels: int) -> bool:
    """Whether lists and tables stand in one another more than so many levels deep."""
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(levels):
        members = (member for one in level for member in (one.values() if isinstance(one, dict) else one))
        level = [member for member in members if isinstance(member, (dict, list))]
    return bool(level)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is given twice")
    return found


def _refused(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def _places(text: str) -> dict[KeyPath, int]:
    """The offset of each key of each object in a text that is known to be JSON; lists are not looked into."""
    skip = json.JSONDecoder().raw_decode
    at: dict[KeyPath, int] = {}

    def space(start: int) -> int:
        match = _BLANK.match(text, start)
        return match.end() if match else start

    def members(start: int, path: KeyPath) -> int:
        end = space(start + 1)
        while text[end] != "}":
            key, after = skip(text, end)
            at[(*path, key)] = end
            value = space(space(after) + 1)
            inside = text[value] == "{" and len(path) < MAX_DEPTH
            end = space(members(value, (*path, key)) if inside else skip(text, value)[1])
            end = space(end + 1) if text[end] == "," else end
        return end + 1

    start = space(0)
    if text[start] == "{":
        members(start, ())
    return at


def _parse_with_care(text: str) -> ParsedText:
    parser = _Parser(text)
    end = parser.space(0)
    value, end = parser.value(end, ())
    end = parser.space(end)
    if end != len(text):
        raise JsonSyntaxError(end, f"wanted the end of the file, got {parser.found(end)}")
    return ParsedText(value, lambda: parser.at, tuple(parser.twice))


class _Parser:
    """One pass over one text. Lives as long as one ``parse``."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at: dict[KeyPath, int] = {}
        self.twice: list[tuple[KeyPath, int, int]] = []

    def space(self, start: int) -> int:
        match = _SPACE.match(self.text, start)
        end = match.end() if match else start
        if self.text.startswith("/*", end):
            raise JsonSyntaxError(end, "the comment that begins here never ends", "Close it with */.")
        return end

    def found(self, start: int) -> str:
        word = _WORD.match(self.text, start)
        if word:
            return word.group()[:30]
        return repr(self.text[start]) if start < len(self.text) else "the end of the file"

    def value(self, start: int, path: KeyPath) -> tuple[Any, int]:
        char = self.text[start : start + 1]
        if char in ("{", "["):
            if len(path) >= MAX_DEPTH:
                raise JsonSyntaxError(start, f"nests deeper than {MAX_DEPTH} levels")
            return self.members(start, path) if char == "{" else self.items(start, path)
        if char == '"':
            return self.string(start)
        return self.scalar(start)

    def scalar(self, start: int) -> tuple[Any, int]:
        word = _WORD.match(self.text, start)
        if word and word.group() in _CONSTANTS:
            return _CONSTANTS[word.group()], word.end()
        number = _NUMBER.match(self.text, start)
        if not number:
            raise JsonSyntaxError(start, f"wanted a value, got {self.found(start)}", _value_hint(self.found(start)))
        try:
            return json.loads(number.group()), number.end()
        except ValueError as error:
            raise JsonSyntaxError(start, "this number has too many digits") from error

    def string(self, start: int) -> tuple[str, int]:
        match = _STRING.match(self.text, start)
        if match:
            text: str = json.loads(match.group())
            return text, match.end()
        raise JsonSyntaxError(
            start,
            "the text that begins here does not end on its line, or has a wrong escape",
            'Close it with ", and write a backslash as \\\\.',
        )

    def members(self, start: int, path: KeyPath) -> tuple[dict[str, Any], int]:
        table: dict[str, Any] = {}
        end = self.space(start + 1)
        while self.text[end : end + 1] != "}":
            if self.text[end : end + 1] != '"':
                hint = 'Write keys in double quotes: "name".'
                raise JsonSyntaxError(end, f"wanted a key in double quotes or }}, got {self.found(end)}", hint)
            key, after = self.string(end)
            here = (*path, key)
            if key in table:
                self.twice.append((here, self.at[here], end))
            self.at[here] = end
            after = self.space(after)
            if self.text[after : after + 1] != ":":
                raise JsonSyntaxError(after, f"wanted : after the key, got {self.found(after)}")
            table[key], end = self.value(self.space(after + 1), here)
            end = self.comma(end, "}")
        return table, end + 1

    def items(self, start: int, path: KeyPath) -> tuple[list[Any], int]:
        items: list[Any] = []
        end = self.space(start + 1)
        while self.text[end : end + 1] != "]":
            here = (*path, len(items))
            self.at[here] = end
            item, end = self.value(end, here)
            items.append(item)
            end = self.comma(end, "]")
        return items, end + 1

    def comma(self, start: int, closing: str) -> int:
        """The offset after the comma behind a member, or of the closing bracket."""
        end = self.space(start)
        if self.text[end : end + 1] == ",":
            return self.space(end + 1)
        if self.text[end : end + 1] != closing:
            hint = "Put a comma between members." if end < len(self.text) else f"Close it with {closing}."
            raise JsonSyntaxError(end, f"wanted , or {closing}, got {self.found(end)}", hint)
        return end


def _value_hint(found: str) -> str:
    python = {"True": "true", "False": "false", "None": "null"}
    if found in python:
        return f"Write {python[found]}."
    return 'Text stands in double quotes: "text".' if found.isidentifier() or found == '"\'"' else ""
