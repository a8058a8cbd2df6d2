"""What is to be said about a skill: which rule, where, what is wrong, and how to mend it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pegboard.documents.problems import BrokenRule, Level
from pegboard.errors import ConfigError
from pegboard.skills.rules import RULES, Weight


@dataclass(frozen=True, kw_only=True)
class SkillProblem(BrokenRule):
    """One thing to know about a skill. Immutable; belongs to one load.

    ``code`` names the rule, one of RULES. ``level`` is ``error`` for a skill that was left out, ``warning`` for one
    that is loaded, ``note`` for one that was left out on purpose. ``skill`` is its name, as far as it is known.
    """

    skill: str = ""


def broken(
    file: str, code: str, message: str, hint: str = "", line: int | None = None, level: Level | None = None
) -> SkillProblem:
    """A rule that a file breaks, with the rule's own fix and level unless others are given."""
    rule = RULES[code]
    return SkillProblem(
        file=file, code=code, message=message, hint=hint or rule.fix, line=line, level=level or rule.level
    )


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
        """Keep what breaks a rule. Raises SetAsideError where the skill cannot be loaded for it.

        ``hint`` says how to mend it where that is more than the rule says.
        """
        rule = RULES[code]
        level = Level.ERROR if self.strict and rule.weight is Weight.STRICT else rule.level
        found = broken(self.file, code, message, hint, line, level)
        if level is Level.ERROR:
            raise SetAsideError(found)
        self.problems.append(found)

    def refusal(self, code: str, message: str, hint: str = "", line: int | None = None) -> SetAsideError:
        """The same for what no mode can read: an error to raise."""
        return SetAsideError(broken(self.file, code, message, hint, line, Level.ERROR))


def refused(problems: Sequence[SkillProblem]) -> ConfigError:
    """One error for what keeps a catalog from loading; ``data["problems"]`` has each as JSON."""
    listed = "\n".join(str(problem) for problem in problems)
    message = listed if len(problems) == 1 else f"{len(problems)} skills keep the catalog from loading:\n{listed}"
    return ConfigError(message, data={"problems": [problem.to_json() for problem in problems]})
