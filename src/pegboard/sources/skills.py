"""Folders of skills as a source."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

from pegboard.documents.problems import Level
from pegboard.errors import PegboardError, told
from pegboard.registry import SourceStatus, ToolRegistry
from pegboard.skills.discovery import FILE
from pegboard.skills.options import MAX_SKILLS
from pegboard.skills.roots import SkillRoot
from pegboard.sources.reading import ReadSource
from pegboard.sources.skill_spec import SkillSpec

logger = logging.getLogger(__name__)


class SkillFolders(ReadSource):
    """Folders whose children are skills. Process-wide; used from one event loop.

    They are read in a thread when the source starts, and again with ``reload``. Where that fails as a whole there are
    no skills, or those of before; ``status`` says why.
    """

    _brings = "skills"

    def __init__(self, spec: SkillSpec) -> None:
        super().__init__(spec.name, ToolRegistry(spec.name))
        self.spec = spec
        self.skills = spec.catalog()

    def status(self) -> SourceStatus:
        """How it is doing now."""
        warned = {problem.file for problem in self.skills.problems if problem.level is Level.WARNING}
        notes = (f"{len(warned)} read with a warning; see: pegboard skills list",) if warned else ()
        return SourceStatus(
            name=self.name,
            kind="skills",
            state=self._state,
            reason=self._reason(),
            skills=len(self.skills),
            starts=self._starts,
            notes=(*self._kept(), *notes),
            problems=self.skills.left_out(),
        )

    async def _read(self) -> None:
        try:
            await self.skills.refresh()
        except PegboardError as error:
            self._failed(str(error))
        except Exception as error:
            logger.exception("the skills of %s could not be read", self.name)
            self._failed(told(error))
        else:
            self._succeeded()

    def _has(self) -> bool:
        return len(self.skills) > 0


def watched(roots: tuple[SkillRoot, ...]) -> tuple[Path, ...]:
    """Every folder and file whose change can change which skills the roots hold, and what these say."""
    return tuple(path for root in roots for path in (root.path, *_children(root.path)))


def _children(root: Path) -> Iterator[Path]:
    try:
        with os.scandir(root) as entries:
            names = sorted(entry.name for entry in entries if not entry.name.startswith("."))
    except OSError:
        return
    for name in names[: 10 * MAX_SKILLS]:
        yield root / name
        yield root / name / FILE
