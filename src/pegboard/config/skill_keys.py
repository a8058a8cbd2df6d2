"""The table of ``pegboard.toml`` about skills, as written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pegboard.config.keys import COUNT, NAMES, Keys, key
from pegboard.config.kinds import FLAG, NAME, Kind
from pegboard.config.paths import path_of
from pegboard.documents.problems import shown
from pegboard.errors import ConfigError
from pegboard.skill_source import folded_names
from pegboard.skills.options import MAX_FILE_BYTES, MAX_RESOURCE_FILES, MAX_SKILLS, Options
from pegboard.skills.resource_root import is_reference, normalized
from pegboard.skills.roots import SkillRoot

if TYPE_CHECKING:
    from pegboard.sources.skill_spec import SkillSpec

FOLDERS: Final = Kind(
    wanted="a list of one folder or more", fits=lambda value: isinstance(value, list) and value != [], finer=NAMES
)


class SkillKeys(Keys):
    """``[[skills]]``: folders whose children are skills. Immutable; belongs to one load."""

    paths: tuple[str, ...] = key(
        FOLDERS, "Folders whose children are skills, relative to this file.", (), required=True
    )
    name: str | None = key(NAME, "The source's name; unset: that of the first folder.")
    boundary: str | None = key(NAME, "A folder that they have to lie in; with it they may be missing.")
    only: tuple[str, ...] | None = key(NAMES, "Names of skills; only these are taken in.")
    max_skills: int = key(COUNT, "Skills at most; with more none is loaded.", MAX_SKILLS)
    max_file_bytes: int = key(COUNT, "Bytes of one SKILL.md at most.", MAX_FILE_BYTES)
    max_resource_files: int = key(COUNT, "Files that are listed with a skill at most.", MAX_RESOURCE_FILES)
    resource_root: str | None = key(NAME, "Where models find the folders; unset: where they are.")
    strict: bool = key(FLAG, "Leave out what is otherwise read with a warning.", False)
    ascii_names: bool = key(FLAG, "Take names in letters of ASCII alone.", False)

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """A resource root that is none, or one in a workspace, which only Python code can name."""
        if is_reference(self.resource_root):
            yield "resource_root", "wanted an absolute path: what a workspace is can be said from Python alone."
            return
        try:
            normalized(self.resource_root)
        except ConfigError:
            yield "resource_root", f"wanted an absolute path, got {shown(self.resource_root)}."

    def roots(self, base: Path) -> tuple[SkillRoot, ...]:
        """The folders; relative ones lie in ``base``."""
        boundary = None if self.boundary is None else path_of(self.boundary, base)
        return tuple(SkillRoot(path_of(path, base), boundary) for path in self.paths)

    def spec(self, name: str, base: Path) -> SkillSpec:
        """What the source of this name is told."""
        from pegboard.sources.skill_spec import SkillSpec

        given = {one.name: getattr(self, one.name) for one in fields(Options)}
        only = None if self.only is None else folded_names(self.only)
        return SkillSpec(name=name, roots=self.roots(base), options=Options(**{**given, "only": only}))
