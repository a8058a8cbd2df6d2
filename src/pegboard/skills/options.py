"""How the skills of some folders are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pegboard.errors import ConfigError
from pegboard.skills.resource_root import normalized

MAX_SKILLS: Final = 1_000
MAX_FILE_BYTES: Final = 1_000_000
MAX_RESOURCE_FILES: Final = 20


@dataclass(frozen=True, kw_only=True)
class Options:
    """How skills are read: see ``SkillCatalog``. Immutable; two are equal when the same would come of the same folders.

    Raises ConfigError for a limit that is no whole number from 1, and for a ``resource_root`` that cannot be one.
    """

    max_skills: int = MAX_SKILLS
    max_file_bytes: int = MAX_FILE_BYTES
    max_resource_files: int = MAX_RESOURCE_FILES
    only: frozenset[str] | None = None
    resource_root: str | None = None
    strict: bool = False
    ascii_names: bool = False

    def __post_init__(self) -> None:
        for name in ("max_skills", "max_file_bytes", "max_resource_files"):
            value: object = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ConfigError(f"{name} is {value!r:.100}.", hint="Set a whole number from 1.")
        object.__setattr__(self, "resource_root", normalized(self.resource_root))
