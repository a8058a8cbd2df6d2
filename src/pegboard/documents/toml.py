"""TOML and where everything stands. Pure: text in, values and offsets out.

``tomllib`` decides what is TOML; it keeps no positions. The scanner below runs over text that is known to be valid,
so it only has to find the keys.
"""

from __future__ import annotations

import re
import tomllib
from typing import Final

from pegboard.documents.jsonc import ParsedText
from pegboard.documents.problems import KeyPath

_SPACE: Final = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_BLANK: Final = re.compile(r"[ \t]*")
_KEY: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|[A-Za-z0-9_-]+')
_STRING: Final = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}(?!")|\'\'\'.*?\'{3,5}(?!\')|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'', re.DOTALL
)
_SCALAR: Final = re.compile(r"[^,\]}#\r\n]*")
_PLACE: Final = re.compile(
    r"(?P<what>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)", re.DOTALL
)

_HINTS: Final = (
    ("Unescaped '\\'", "Write a Windows path in single quotes, or each backslash twice."),
    ("Invalid hex value", "Write a Windows path in single quotes, or each backslash twice."),
    ("Cannot overwrite", "A key may be given once: remove one of the two."),
    ("Cannot declare", "A table may be opened once: join the two."),
    ("Invalid value", 'Text stands in quotes: "text"; true and false are written small.'),
    ("Unclosed array", "Close the list with ]."),
    ("Expected '='", "Write key = value, or [table]."),
)


class TomlSyntaxError(ValueError):
    """The text is not TOML. ``line`` and ``column`` count from 1, None where unknown; ``hint`` is the fix."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.line = line
        self.column = column
        self.hint = hint


def parse(text: str) -> ParsedText:
    """The value of a TOML text, with the offset of each key.

    Raises TomlSyntaxError.
    """
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _translated(str(error), text) from error
    except RecursionError as error:
        raise TomlSyntaxError("lists and tables nest too deep") from error
    except ValueError as error:  # the bound that Python sets to digits
        raise TomlSyntaxError("a number has too many digits") from error
    return ParsedText(value, lambda: _Scanner(text.replace("\r\n", "\n ")).run())


def _translated(message: str, text: str) -> TomlSyntaxError:
    match = _PLACE.fullmatch(message)
    what = match["what"] if match else message
    at_end = (text.count("\n") + 1, len(text) - text.rfind("\n"))
    line, column = (int(match["line"]), int(match["column"])) if match and match["line"] else at_end
    hint = next((hint for start, hint in _HINTS if what.startswith(start)), "")
    return TomlSyntaxError(f"{what[:1].lower()}{what[1:]}", line, column, hint)


class _Scanner:
    """One pass over one valid text. Lives as long as one ``parse``."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at: dict[KeyPath, int] = {}
        self.lengths: dict[KeyPath, int] = {}

    def run(self) -> dict[KeyPath, int]:
        table: KeyPath = ()
        end = self.skip(0)
        while end < len(self.text):
            if self.text[end] == "[":
                table, end = self.header(end)
            else:
                end = self.pair(end, table)
            end = self.skip(end)
        return self.at

    def skip(self, start: int) -> int:
        match = _SPACE.match(self.text, start)
        return match.end() if match else start

    def blank(self, start: int) -> int:
        match = _BLANK.match(self.text, start)
        return match.end() if match else start

    def keys(self, start: int) -> tuple[list[str], int]:
        """A dotted key, and the offset behind it."""
        keys: list[str] = []
        end = start
        while True:
            match = _KEY.match(self.text, self.blank(end))
            if match is None:
                return keys, end
            keys.append(_plain(match.group()))
            end = self.blank(match.end())
            if self.text[end : end + 1] != ".":
                return keys, end
            end += 1

    def header(self, start: int) -> tuple[KeyPath, int]:
        """``[table]`` or ``[[list of tables]]``: the path of what follows, and the offset behind it."""
        many = self.text.startswith("[[", start)
        keys, end = self.keys(start + (2 if many else 1))
        path: KeyPath = ()
        for position, key in enumerate(keys, start=1):
            path = (*path, key)
            self.at.setdefault(path, start)
            if many and position == len(keys):
                self.lengths[path] = self.lengths.get(path, 0) + 1
            if path in self.lengths:
                path = (*path, self.lengths[path] - 1)
                self.at.setdefault(path, start)
        return path, end + (2 if many else 1)

    def pair(self, start: int, table: KeyPath) -> int:
        """``key = value``; the offset behind it."""
        keys, end = self.keys(start)
        path = table
        for key in keys:
            path = (*path, key)
            self.at.setdefault(path, start)
        return self.value(self.blank(end + 1), path)

    def value(self, start: int, path: KeyPath) -> int:
        char = self.text[start : start + 1]
        if char == "[":
            return self.items(start, path)
        if char == "{":
            return self.inline(start, path)
        pattern = _STRING if char in ("'", '"') else _SCALAR
        match = pattern.match(self.text, start)
        return match.end() if match else len(self.text)

    def items(self, start: int, path: KeyPath) -> int:
        count = 0
        end = self.skip(start + 1)
        while end < len(self.text) and self.text[end] != "]":
            here = (*path, count)
            self.at[here] = end
            count += 1
            end = self.comma(self.value(end, here))
        return end + 1

    def inline(self, start: int, path: KeyPath) -> int:
        end = self.skip(start + 1)
        while end < len(self.text) and self.text[end] != "}":
            end = self.comma(self.pair(end, path))
        return end + 1

    def comma(self, start: int) -> int:
        end = self.skip(start)
        return self.skip(end + 1) if self.text[end : end + 1] == "," else end


def _plain(key: str) -> str:
    """A key without its quotes."""
    return str(tomllib.loads(f"key = {key}")["key"]) if key[0] in "\"'" else key
