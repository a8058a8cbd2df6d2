"""What a rule is. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from pegboard.checking.finding import Kind
from pegboard.documents.problems import Level


@dataclass(frozen=True)
class Rule:
    """One rule. Immutable.

    ``level`` is that in names and descriptions, and everywhere unless ``later`` is set: the level in bodies and in
    files beside a skill, which a model reads only once it chose the skill.
    """

    code: str
    level: Level
    title: str
    reason: str
    fix: str
    later: Level | None = None

    def level_in(self, kind: Kind) -> Level:
        """How heavy it is in a text of this kind."""
        return self.level if kind.early or self.later is None else self.later
