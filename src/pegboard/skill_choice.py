"""Which skills a board has, and which of them it begins with. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from pegboard.skill_source import SkillEntry, Skills, folded_names

S = TypeVar("S", bound=SkillEntry)


@dataclass(frozen=True, init=False)
class SkillChoice:
    """The skills of one board. Immutable.

    ``allowed`` are the names that it may use, None for all; ``always`` those whose instructions it begins with, True
    for all that are allowed. Names that no skill has mean nothing; ``always`` never widens ``allowed``.
    """

    allowed: frozenset[str] | None
    always: frozenset[str] | bool

    def __init__(self, allowed: str | Iterable[str] | None = None, always: str | Iterable[str] | bool = False) -> None:
        object.__setattr__(self, "allowed", None if allowed is None else folded_names(allowed))
        object.__setattr__(self, "always", always if isinstance(always, bool) else folded_names(always))

    def of(self, skills: Skills[S]) -> Skills[S]:
        """What is allowed, in lookup order."""
        return skills if self.allowed is None else skills.subset(self.allowed)

    def begun_with(self, skills: Skills[S]) -> Skills[S]:
        """What is allowed and always loaded."""
        allowed = self.of(skills)
        return allowed.subset(allowed.names if self.always is True else self.always or ())

    def on_demand(self, skills: Skills[S]) -> Skills[S]:
        """What is allowed and loaded when it is asked for."""
        allowed = self.of(skills)
        return allowed.subset(set(allowed.names) - set(self.begun_with(skills).names))
