"""What is to be said about a document that people write: where it stands, what is wrong, how to mend it. Pure."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from pegboard.errors import ConfigError

KeyPath = tuple[str | int, ...]
"""Where a value stands in a document: keys of tables and positions in lists, outermost first."""

SHOWN_CHARS: Final = 60
"""How much of a wrong value a message repeats."""

_KINDS: Final[tuple[tuple[type, str], ...]] = (
    (bool, "true or false"),
    (int, "an integer"),
    (float, "a number"),
    (str, "text"),
    (list, "a list"),
    (tuple, "a list"),
    (dict, "a table"),
    (type(None), "null"),
    (datetime.date, "a date"),
    (datetime.time, "a time"),
)


class Level(StrEnum):
    """How much a problem matters.

    ``error``: what was written does not hold, and was set aside. ``warning``: it holds, or would, but not as one may
    expect. ``note``: left out on purpose.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, kw_only=True)
class ConfigProblem:
    """One thing to know about a document that people write. Immutable; belongs to one load.

    ``line`` and ``column`` count from 1, and are None where the place is not known. ``key`` is the dotted path of the
    value, ``""`` for the file as a whole. ``entry`` names the upstream or tool that is set aside for it, ``""`` for
    none. Values of ``env`` and ``args`` never stand in ``message`` or ``hint``.
    """

    file: Path
    message: str
    hint: str = ""
    key: str = ""
    line: int | None = None
    column: int | None = None
    level: Level = Level.ERROR
    entry: str = ""

    @property
    def place(self) -> str:
        """``file:line:column``, as far as it is known: the form that editors and terminals turn into a link."""
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)

    @property
    def told(self) -> str:
        """Where it is and what is wrong, without the fix."""
        key = f"{self.key}: " if self.key else ""
        return f"{self.place}: {key}{self.message}"

    def __str__(self) -> str:
        return f"{self.told} {self.hint}".rstrip()

    def to_json(self) -> dict[str, Any]:
        """The problem as ``--json`` shows it."""
        return {
            "level": str(self.level),
            "file": str(self.file),
            "line": self.line,
            "column": self.column,
            "key": self.key,
            "message": self.message,
            "hint": self.hint,
            "entry": self.entry,
        }


@dataclass(frozen=True, kw_only=True)
class BrokenRule:
    """One thing to know about a file, by the rule that it breaks. Immutable.

    ``code`` names the rule. ``line`` counts from 1, and is None for the file as a whole. ``message`` says what is
    wrong, ``hint`` how it is mended.
    """

    level: Level = Level.ERROR
    code: str
    file: str = ""
    line: int | None = None
    message: str
    hint: str = ""

    @property
    def place(self) -> str:
        """``file:line``, as far as it is known."""
        return self.file if self.line is None else f"{self.file}:{self.line}"

    @property
    def about(self) -> str:
        """What of the file it is about, for the front of the message; "" where the place says it all."""
        return ""

    def __str__(self) -> str:
        return f"{self.place}: {self.about}{self.message} {self.hint}".rstrip() + f" [{self.code}]"

    def to_json(self) -> dict[str, Any]:
        """The same as ``--json`` shows it."""
        return {**vars(self), "level": str(self.level)}


def config_error(problems: Sequence[ConfigProblem]) -> ConfigError:
    """One error of a configuration that lists every problem, a line each; ``data["problems"]`` has them as JSON."""
    listed = "\n".join(str(problem) for problem in problems)
    many = len(problems) > 1
    message = f"The configuration has {len(problems)} mistakes:\n{listed}" if many else listed
    return ConfigError(message, data={"problems": [problem.to_json() for problem in problems]})


def dotted(path: KeyPath) -> str:
    """``("import", 0, "file")`` as ``import[0].file``; keys with dots or blanks are quoted."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
            continue
        bare = part and all(char.isalnum() or char in "_-" for char in part)
        text += ("." if text else "") + (part if bare else f'"{part}"')
    return text


def kind_of(value: object) -> str:
    """What a value is, in the words of messages: ``an integer``, ``text``, ``a table``."""
    return next((word for kind, word in _KINDS if isinstance(value, kind)), type(value).__name__)


def shown(value: object) -> str:
    """A wrong value for a message: short text and numbers as written, anything else by its kind."""
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= SHOWN_CHARS else f'"{value[: SHOWN_CHARS - 3]}..."'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value}"[:SHOWN_CHARS]
    return kind_of(value)
