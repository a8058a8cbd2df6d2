"""What a source of skills is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pegboard.skills.options import Options
from pegboard.skills.roots import SkillRoot

if TYPE_CHECKING:
    from pegboard.skills.catalog import SkillCatalog


@dataclass(frozen=True, kw_only=True)
class SkillSpec:
    """Which skills a source brings, and how they are read. Immutable; two are equal when the same would come of them.

    ``roots`` are in their order of precedence; ``line`` is that of the entry in the configuration.
    """

    name: str
    roots: tuple[SkillRoot, ...]
    options: Options = field(default_factory=Options)
    line: int | None = field(default=None, compare=False)

    def catalog(self) -> SkillCatalog:
        """Its skills, of which nothing has been read."""
        from pegboard.skills.catalog import SkillCatalog

        return SkillCatalog(self.roots, name=self.name, read=False, **vars(self.options))
