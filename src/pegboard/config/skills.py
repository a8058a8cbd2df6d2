"""The folders of skills that a configuration names, as what their sources are told."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pegboard.config.check import CheckedFile
from pegboard.config.paths import file_names
from pegboard.documents.problems import ConfigProblem
from pegboard.documents.read import Document

if TYPE_CHECKING:
    from pegboard.sources.skill_spec import SkillSpec


def skills_of(
    main: Document, file: CheckedFile, taken: Collection[str], base: Path
) -> tuple[dict[str, SkillSpec], list[ConfigProblem]]:
    """Each entry by its source's name, and what is wrong with those that are set aside or find nothing.

    ``taken`` are the names that other sources have; relative folders lie in ``base``.
    """
    found: dict[str, SkillSpec] = {}
    problems: list[ConfigProblem] = []
    given = [keys.name for keys in file.skills.values() if keys.name is not None]
    first = (keys.roots(base)[0].path for keys in file.skills.values() if keys.name is None)
    names = file_names(first, (*taken, *given))
    for place, keys in file.skills.items():
        roots = keys.roots(base)
        name = keys.name or names[roots[0].path]
        if name in found or name in taken:
            hint = 'Give it one of its own: name = "...".'
            problems.append(main.problem(("skills", place, "name"), f"another source has the name {name!r}.", hint))
            continue
        found[name] = replace(keys.spec(name, base), line=main.line(("skills", place)))
        for number, root in enumerate(roots):
            if root.boundary is None and not root.path.is_dir():
                at = ("skills", place, "paths", number)
                problems.append(main.problem(at, f"{root.path}: there is no such folder.", "Check the path."))
    return found, problems
