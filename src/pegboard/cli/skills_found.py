"""The skills that the commands of ``pegboard skills`` work on: those of paths, else those of the configuration."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from pegboard.cli.options import Common
from pegboard.cli.session import load_found, tell_problems
from pegboard.errors import ConfigError

if TYPE_CHECKING:
    from pegboard.config import Settings
    from pegboard.skills.catalog import SkillCatalog
    from pegboard.skills.problems import SkillProblem
    from pegboard.skills.skill import Skill

Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="PATH",
        help="A folder of skills, a skill's own folder, or a SKILL.md; unless given, those of the configuration.",
    ),
]

_HOW: Final = "Name a folder, such as skills, or a configuration with --config FILE."
_PLACES: Final = "Name a folder of skills, a skill's own folder, or a SKILL.md."


@dataclass(frozen=True, kw_only=True)
class Group:
    """Skills that were loaded together. Lives as long as one command.

    ``source`` is the configuration's name for them, or the path as it was given. ``most`` are the bytes of a file that
    are read; ``formatted`` gives a skill as models get it.
    """

    source: str
    skills: Sequence[Skill]
    problems: Sequence[SkillProblem]
    most: int
    formatted: Callable[[Skill], str]


def facts_of(group: Group, skill: Skill) -> dict[str, Any]:
    """What ``--json`` tells of a skill, wherever it tells of one."""
    return {
        "name": skill.name,
        "description": skill.description,
        "source": group.source,
        "folder": str(skill.folder),
        "allowed_tools": None if skill.allowed_tools is None else list(skill.allowed_tools),
    }


def tell(common: Common, problems: Iterable[SkillProblem]) -> None:
    """Say on stderr what is to be known of skills, notes too."""
    for problem in problems:
        common.output.problem(str(problem), str(problem.level).capitalize())


def groups_of(common: Common, paths: Sequence[Path] | None) -> list[Group]:
    """The skills of ``paths``, else of the configuration. Raises ConfigError for what is not there."""
    if paths:
        return list(_at(paths))
    loaded = load_found(common)
    if loaded is None:
        raise ConfigError("There is no configuration, and no folder of skills is named.", hint=_HOW)
    tell_problems(common, loaded.problems)
    return list(configured(loaded.settings))


def configured(settings: Settings) -> Iterator[Group]:
    """The skills that a configuration names, a group a source. Raises ConfigError for a root that is not there."""
    for spec in settings.skills.values():
        catalog = spec.catalog()
        catalog.reload()
        yield _group(spec.name, catalog, spec.options.max_file_bytes)


def fetched(groups: Sequence[Group], name: str) -> tuple[Group, Skill]:
    """The first skill of a name, or of a folder's name. Raises NoSkillError, which names the skills that there are."""
    from pegboard.skill_source import Skills

    skill = Skills(skill for group in groups for skill in group.skills).fetch(name)
    return next(group for group in groups if any(one is skill for one in group.skills)), skill


def left_out(groups: Iterable[Group], name: str) -> list[SkillProblem]:
    """Why skills whose folder has this name were left out."""
    problems = (one for group in groups for one in group.problems)
    return [one for one in problems if one.level == "error" and Path(one.file).parent.name == name]


def _group(source: str, catalog: SkillCatalog, most: int) -> Group:
    return Group(source=source, skills=tuple(catalog), problems=catalog.problems, most=most, formatted=catalog.format)


def _at(paths: Sequence[Path]) -> Iterator[Group]:
    """Folders of skills as roots of one catalog, in the order given, and single skills by themselves."""
    from pegboard.skills.catalog import SkillCatalog
    from pegboard.skills.discovery import FILE
    from pegboard.skills.options import MAX_FILE_BYTES

    alone = [path for path in paths if path.name == FILE or os.path.lexists(path / FILE)]
    roots = [path for path in paths if path not in alone]
    for path in roots:
        if not path.is_dir():
            raise ConfigError(f"{path} is {'no folder' if path.exists() else 'not there'}.", hint=_PLACES)
    if roots:
        yield _group(", ".join(map(str, roots)), SkillCatalog(roots), MAX_FILE_BYTES)
    for path in alone:
        yield _alone(path, path.parent if path.name == FILE else path)


def _alone(path: Path, folder: Path) -> Group:
    """The skill in one folder."""
    from pegboard.skills.loading import load_folder
    from pegboard.skills.options import Options
    from pegboard.skills.prompt import formatted
    from pegboard.skills.resources import listed

    options = Options()
    found = load_folder(folder.absolute(), options)
    if not found and not found.problems:
        raise ConfigError(f"{path} is not there.", hint="Check the path.")
    return Group(
        source=str(path),
        skills=tuple(found),
        problems=found.problems,
        most=options.max_file_bytes,
        formatted=lambda skill: formatted(skill, listed(skill, options.max_resource_files)),
    )
