"""What is to be said about a skill: which rule, where, what is wrong, and how to mend it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from pegboard.documents.problems import Level
from pegboard.errors import ConfigError


class Weight(Enum):
    """What a rule does to a skill that breaks it.

    ``left_out``: it is not loaded. ``fatal``: likewise, and in strict mode nothing is. ``strict``: it is loaded with a
    warning, and left out in strict mode. ``warned``: it is loaded with a warning. ``noted``: it was left out on
    purpose.
    """

    LEFT_OUT = "left out"
    FATAL = "fatal"
    STRICT = "strict"
    WARNED = "warned"
    NOTED = "noted"


RULES: Final[Mapping[str, Weight]] = {
    "file-name": Weight.LEFT_OUT,
    "file-unreadable": Weight.LEFT_OUT,
    "file-type": Weight.LEFT_OUT,
    "file-encoding": Weight.LEFT_OUT,
    "file-too-large": Weight.FATAL,
    "file-in-root": Weight.WARNED,
    "file-too-deep": Weight.WARNED,
    "path-escape": Weight.FATAL,
    "path-broken": Weight.LEFT_OUT,
    "path-characters": Weight.LEFT_OUT,
    "front-matter-missing": Weight.LEFT_OUT,
    "front-matter-unclosed": Weight.LEFT_OUT,
    "front-matter-too-long": Weight.LEFT_OUT,
    "front-matter-no-table": Weight.LEFT_OUT,
    "front-matter-indented": Weight.STRICT,
    "yaml-syntax": Weight.STRICT,
    "yaml-duplicate-key": Weight.LEFT_OUT,
    "yaml-reference": Weight.LEFT_OUT,
    "yaml-tag": Weight.LEFT_OUT,
    "yaml-depth": Weight.LEFT_OUT,
    "name-missing": Weight.LEFT_OUT,
    "name-type": Weight.LEFT_OUT,
    "name-characters": Weight.LEFT_OUT,
    "name-blanks": Weight.STRICT,
    "name-too-long": Weight.STRICT,
    "name-folder": Weight.STRICT,
    "name-case": Weight.WARNED,
    "name-taken": Weight.LEFT_OUT,
    "name-shadowed": Weight.NOTED,
    "name-unknown": Weight.WARNED,
    "description-missing": Weight.LEFT_OUT,
    "description-type": Weight.LEFT_OUT,
    "description-list": Weight.STRICT,
    "description-lines": Weight.STRICT,
    "description-too-long": Weight.STRICT,
    "compatibility-type": Weight.STRICT,
    "compatibility-too-long": Weight.STRICT,
    "license-type": Weight.STRICT,
    "metadata-type": Weight.STRICT,
    "allowed-tools-form": Weight.STRICT,
}
"""Every rule by its code: what becomes of a skill that breaks it."""

_LEVELS: Final = {
    Weight.LEFT_OUT: Level.ERROR,
    Weight.FATAL: Level.ERROR,
    Weight.STRICT: Level.WARNING,
    Weight.WARNED: Level.WARNING,
    Weight.NOTED: Level.NOTE,
}


def level_of(code: str) -> Level:
    """How heavy it is where a rule is broken, unless loading is strict."""
    return _LEVELS[RULES[code]]


@dataclass(frozen=True, kw_only=True)
class SkillProblem:
    """One thing to know about a skill. Immutable; belongs to one load.

    ``code`` names the rule, one of RULES. ``level`` is ``error`` for a skill that was left out, ``warning`` for one
    that is loaded, ``note`` for one that was left out on purpose. ``line`` counts from 1, None for the file as a
    whole. ``skill`` is its name, as far as it is known.
    """

    file: str
    code: str
    message: str
    hint: str = ""
    line: int | None = None
    level: Level = Level.ERROR
    skill: str = ""

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.message} {self.hint}".rstrip() + f" [{self.code}]"

    def to_json(self) -> dict[str, Any]:
        """The problem as ``--json`` shows it."""
        return {
            "level": str(self.level),
            "code": self.code,
            "file": self.file,
            "line": self.line,
            "skill": self.skill,
            "message": self.message,
            "hint": self.hint,
        }


class SetAsideError(Exception):
    """A skill cannot be loaded. Never leaves the package: whoever reads a file makes a problem of it."""

    def __init__(self, problem: SkillProblem) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass
class Findings:
    """What was found in one file. Lives as long as its reading."""

    file: str
    strict: bool = False
    problems: list[SkillProblem] = field(default_factory=list)

    def add(self, code: str, message: str, hint: str = "", line: int | None = None) -> None:
        """Keep what breaks a rule. Raises SetAsideError where the skill cannot be loaded for it."""
        weight = RULES[code]
        level = Level.ERROR if self.strict and weight is Weight.STRICT else level_of(code)
        found = SkillProblem(file=self.file, code=code, message=message, hint=hint, line=line, level=level)
        if level is Level.ERROR:
            raise SetAsideError(found)
        self.problems.append(found)

    def refusal(self, code: str, message: str, hint: str = "", line: int | None = None) -> SetAsideError:
        """The same for what no mode can read: an error to raise."""
        return SetAsideError(SkillProblem(file=self.file, code=code, message=message, hint=hint, line=line))


def refused(problems: Sequence[SkillProblem]) -> ConfigError:
    """One error for what keeps a catalog from loading; ``data["problems"]`` has each as JSON."""
    listed = "\n".join(str(problem) for problem in problems)
    message = listed if len(problems) == 1 else f"{len(problems)} skills keep the catalog from loading:\n{listed}"
    return ConfigError(message, data={"problems": [problem.to_json() for problem in problems]})
