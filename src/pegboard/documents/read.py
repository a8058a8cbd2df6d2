"""Files to raw documents with positions: bytes, encoding, syntax. What the values mean is not known here."""

from __future__ import annotations

import bisect
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

from pegboard.documents import jsonc, toml, yaml
from pegboard.documents.jsonc import ParsedText
from pegboard.documents.problems import ConfigProblem, KeyPath, Level, dotted, kind_of

MAX_BYTES: Final = 32_000_000
"""Largest file that is read. Clients that keep their history in the same file stay far below."""

YAML_SUFFIXES: Final = frozenset({".yaml", ".yml"})

_READ_ERRORS: Final[tuple[tuple[type[OSError], str, str], ...]] = (
    (FileNotFoundError, "there is no such file", "Check the path."),
    (NotADirectoryError, "there is no such file", "Check the path."),
    (IsADirectoryError, "this is a folder, not a file", "Name the file in it."),
    (PermissionError, "may not be read", "Give the user that runs Pegboard the right to read it."),
)
_LOCATED: Final[Mapping[str, tuple[Callable[[str], ParsedText], str, str]]] = {
    "json": (jsonc.parse, "not JSON", "an object"),
    "yaml": (yaml.parse, "not YAML that can be read", "a table"),
}
"""By format: its parser, what a message says of a text that it refuses, and what has to be at the top."""

_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, kw_only=True)
class Document:
    """One file, parsed. Immutable; belongs to one load.

    What is at the top is a table.
    """

    file: Path
    format: Literal["json", "toml", "yaml"]
    text: str = field(repr=False)
    parsed: ParsedText = field(repr=False)
    problems: tuple[ConfigProblem, ...] = ()

    @property
    def value(self) -> dict[str, Any]:
        """The table at the top."""
        table: dict[str, Any] = self.parsed.value
        return table

    @cached_property
    def _breaks(self) -> list[int]:
        return [match.start() for match in re.finditer("\n", self.text)]

    def line(self, path: KeyPath) -> int | None:
        """The line of a key, or of the closest key around it; None for the file as a whole."""
        at = self.parsed.at_items if any(isinstance(step, int) for step in path) else self.parsed.at
        while path and path not in at:
            path = path[:-1]
        return bisect.bisect_left(self._breaks, at[path]) + 1 if path else None

    def problem(
        self, path: KeyPath, message: str, hint: str = "", *, level: Level = Level.ERROR, entry: str = ""
    ) -> ConfigProblem:
        """A problem at a place of this document."""
        return ConfigProblem(
            file=self.file,
            line=self.line(path),
            key=dotted(path),
            message=message,
            hint=hint,
            level=level,
            entry=entry,
        )


def read_document(file: Path) -> Document | ConfigProblem:
    """A file as a document, or the one problem that keeps it from being one.

    UTF-8, with or without a byte order mark. What is called ``.yaml`` or ``.yml`` is YAML; of any other the content
    decides, never the name: what begins with ``{`` or a ``//`` comment is JSON, anything else TOML.
    """
    text = read_text(file)
    return text if isinstance(text, ConfigProblem) else parse_document(file, text)


def read_text(file: Path, *, most: int = MAX_BYTES) -> str | ConfigProblem:
    """A file's text, or the one problem that keeps it from being read. One of more than ``most`` bytes is refused."""
    data = _bytes_of(file, most)
    return data if isinstance(data, ConfigProblem) else _decoded(file, data)


def parse_document(file: Path, text: str) -> Document | ConfigProblem:
    """The same for a text that was read already; ``file`` is its name in messages."""
    if file.suffix.lower() in YAML_SUFFIXES:
        return _located(file, text, "yaml")
    return _located(file, text, "json") if text.lstrip()[:1] in ("{", "/") else _toml(file, text)


def _bytes_of(file: Path, most: int) -> bytes | ConfigProblem:
    try:
        # Opening a pipe waits for somebody who writes into it, and a device may have no end.
        if not (stat.S_ISREG(mode := file.stat().st_mode) or stat.S_ISDIR(mode)):
            hint = "Name a file; what comes out of a pipe, write to one first."
            return ConfigProblem(file=file, message="this is a pipe, a socket or a device, not a file.", hint=hint)
        with file.open("rb") as stream:
            data = stream.read(most + 1)
    except OSError as error:
        for kind, message, hint in _READ_ERRORS:
            if isinstance(error, kind):
                return ConfigProblem(file=file, message=message + ".", hint=hint)
        return ConfigProblem(file=file, message=f"cannot be read: {error.strerror or type(error).__name__}.")
    except ValueError:
        return ConfigProblem(file=file, message="this is not a path.", hint="Check it for a NUL character.")
    if len(data) > most:
        hint = "Is this the file that was meant?"
        return ConfigProblem(file=file, message=f"has more than {most:,} bytes.", hint=hint)
    return data


def _decoded(file: Path, data: bytes) -> str | ConfigProblem:
    if data.startswith(_UTF16_MARKS) or b"\x00" in data[:4]:
        return ConfigProblem(file=file, message="is UTF-16 or UTF-32, not UTF-8.", hint="Save it as UTF-8.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return ConfigProblem(file=file, line=line, message="is not UTF-8.", hint="Save it as UTF-8.")


def _toml(file: Path, text: str) -> Document | ConfigProblem:
    try:
        parsed = toml.parse(text)
    except toml.TomlSyntaxError as error:
        message = f"not TOML: {error}."
        return ConfigProblem(file=file, line=error.line, column=error.column, message=message, hint=error.hint)
    return Document(file=file, format="toml", text=text, parsed=parsed)


def _located(file: Path, text: str, format: Literal["json", "yaml"]) -> Document | ConfigProblem:
    """A text in a format whose parser says at which offset it is wrong."""
    parse, wrong, wanted = _LOCATED[format]
    try:
        parsed = parse(text)
    except (jsonc.JsonSyntaxError, yaml.YamlSyntaxError) as error:
        line, column = _place(text, error.offset)
        message = f"{wrong}: {error}."
        return ConfigProblem(file=file, line=line, column=column, message=message, hint=error.hint)
    if not isinstance(parsed.value, dict):
        return ConfigProblem(file=file, message=f"wanted {wanted}, got {kind_of(parsed.value)}.")
    twice = tuple(_twice(file, text, *pair) for pair in parsed.twice)
    return Document(file=file, format=format, text=text, parsed=parsed, problems=twice)


def _twice(file: Path, text: str, path: KeyPath, first: int, second: int) -> ConfigProblem:
    line, column = _place(text, second)
    return ConfigProblem(
        file=file,
        line=line,
        column=column,
        key=dotted(path),
        message=f"is given twice, first on line {_place(text, first)[0]}; this one counts.",
        hint="Remove one of the two.",
        level=Level.WARNING,
    )


def _place(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
