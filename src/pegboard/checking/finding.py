"""What a check found, and the texts that it looked at. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

from pegboard.documents.problems import BrokenRule, Level

_ORDER: Final = {Level.ERROR: 0, Level.WARNING: 1, Level.NOTE: 2}


class Kind(StrEnum):
    """What a text is for whoever reads it.

    ``name``: something is called by it. ``description``: a model reads it before anything was chosen. ``body``: it is
    read once its skill was chosen. ``resource``: it lies beside a skill.
    """

    NAME = "name"
    DESCRIPTION = "description"
    BODY = "body"
    RESOURCE = "resource"

    @property
    def early(self) -> bool:
        """Whether a model reads it unasked."""
        return self in (Kind.NAME, Kind.DESCRIPTION)


@dataclass(frozen=True, kw_only=True)
class Finding(BrokenRule):
    """One thing that a check found. Immutable.

    ``subject`` is the skill or tool, ``key`` where in it: ``description``,
    ``input_schema.properties.title.description``, "" for the whole. ``column`` counts from 1, None where it is not
    known.
    """

    column: int | None = None
    subject: str = ""
    key: str = ""

    @property
    def place(self) -> str:
        """``file:line:column`` as far as it is known, else whose the text is."""
        known = (self.file or self.subject, self.line, self.column if self.line else None)
        return ":".join(str(part) for part in known if part not in (None, ""))

    @property
    def about(self) -> str:
        """The skill or tool, and where in it."""
        return "".join(f"{part}: " for part in (self.subject if self.file else "", self.key) if part)


@dataclass(frozen=True, kw_only=True)
class Text:
    """A text that a model may read, and where it stands. Immutable.

    ``line`` and ``column`` are those of its first character where ``exact``; else the text was taken out of its
    notation (YAML, JSON), and ``written`` is how it stands in the file from ``line`` on, "" where that is not known.
    """

    value: str
    kind: Kind
    file: str = ""
    line: int | None = None
    column: int | None = None
    exact: bool = False
    written: str = ""
    subject: str = ""
    key: str = ""

    @cached_property
    def plain(self) -> bool:
        """Whether it holds printable ASCII alone, besides tabs and line ends."""
        return self.value.isascii() and self.value.replace("\n", "").replace("\t", "").replace("\r", "").isprintable()

    def place(self, at: int, length: int = 1) -> tuple[int | None, int | None]:
        """Line and column of the character at ``at``, where they can be known; else those of the text."""
        if self.line is None:
            return None, None
        if self.exact:
            return _place(self.value, at, self.line, self.column or 1)
        found = self.written.find(self.value[at : at + length]) if self.written else -1
        return _place(self.written, found, self.line, 1) if found >= 0 else (self.line, self.column)


def _place(text: str, at: int, line: int, column: int) -> tuple[int, int]:
    lines = text.count("\n", 0, at)
    begun = text.rfind("\n", 0, at) + 1
    return line + lines, at - begun + (column if lines == 0 else 1)


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Findings in the order in which they are told: by file, line and column, then the heavier ones first."""
    return sorted(
        dict.fromkeys(findings),
        key=lambda one: (
            one.file,
            one.line or 0,
            one.column or 0,
            one.subject,
            one.key,
            _ORDER[one.level],
            one.code,
            one.message,
        ),
    )


def kept(findings: Iterable[Finding], ignored: Collection[str]) -> list[Finding]:
    """Findings without those of the rules that somebody chose to ignore, in order."""
    return in_order(one for one in findings if one.code not in ignored)


def fails(findings: Iterable[Finding], floor: Level) -> bool:
    """Whether one is at least as heavy as ``floor``."""
    return any(_ORDER[one.level] <= _ORDER[floor] for one in findings)
