"""What is wrong with a definition, and where. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pegboard.documents.problems import KeyPath, Level


@dataclass(frozen=True)
class Mistake:
    """One thing that is wrong. Immutable. ``path`` is where it stands in the value that was read.

    A mistake of the level ``warning`` keeps nothing from being used.
    """

    path: KeyPath
    message: str
    hint: str = ""
    level: Level = Level.ERROR

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()


@dataclass
class Mistakes:
    """Those of one definition, as they are found. Lives as long as one reading."""

    all: list[Mistake] = field(default_factory=list)

    def wrong(self, path: KeyPath, message: str, hint: str = "") -> None:
        """Something because of which the definition cannot be used."""
        self.all.append(Mistake(path, message, hint))

    def odd(self, path: KeyPath, message: str, hint: str = "") -> None:
        """Something that is left out, or that one may not expect."""
        self.all.append(Mistake(path, message, hint, Level.WARNING))

    @property
    def fatal(self) -> bool:
        """Whether one of them keeps the definition from being used."""
        return any(mistake.level is Level.ERROR for mistake in self.all)

    def fatal_in(self, field: str) -> bool:
        """Whether such a mistake stands in a field."""
        return any(mistake.level is Level.ERROR and mistake.path[:1] == (field,) for mistake in self.all)

    def wanted(self, path: KeyPath, what: str, got: Any) -> None:
        """A value of another kind than was wanted."""
        from pegboard.documents.problems import shown

        self.wrong(path, f"wanted {what}, got {shown(got)}.")
