"""Checking skills of folders: every rule of the format, and every rule about what models would read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from pegboard.checking.finding import Finding, Kind, Text
from pegboard.checking.scanning import scan
from pegboard.checking.skill_rules import Written, check_skill, check_together
from pegboard.opening import read_inside
from pegboard.skills.front_matter import FrontMatter, read
from pegboard.skills.problems import Findings, SetAsideError, SkillProblem
from pegboard.skills.resources import listed
from pegboard.skills.skill import Skill
from pegboard.skills.splitting import decoded, split

MAX_RESOURCES: Final = 200
"""Files beside a skill whose texts are looked at."""

MAX_RESOURCE_BYTES: Final = 1_000_000
"""Bytes of one of them that are looked at."""


def check_skills(skills: Iterable[Skill], problems: Iterable[SkillProblem], most: int) -> list[Finding]:
    """What is to be said of skills that are loaded, and of what was found while loading them.

    ``most`` are the bytes of a ``SKILL.md`` that are read. A file that changed since it was loaded is checked as it is
    now; one that can no longer be read is passed over: the next load tells.
    """
    found = [of_problem(problem) for problem in problems]
    written = [one for skill in skills if (one := _written(skill, most)) is not None]
    for one in written:
        found += [*check_skill(one), *_resources(one.skill)]
    return [*found, *check_together(written)]


def of_problem(problem: SkillProblem) -> Finding:
    """What loading found, as a finding."""
    return Finding(
        code=problem.code,
        level=problem.level,
        message=problem.message,
        hint=problem.hint,
        file=problem.file,
        line=problem.line,
        subject=problem.skill,
    )


def _written(skill: Skill, most: int) -> Written | None:
    file = str(skill.source_path)
    findings = Findings(file)
    try:
        data, _ = read_inside(skill.root, (*skill.inside, skill.source_path.name), most)
        text = decoded(data, findings)
        parts = split(text, findings)
        front: FrontMatter = read(parts.front, findings, parts.line)
    except (OSError, SetAsideError):
        return None
    return Written(
        skill=skill,
        file=file,
        front=parts.front,
        front_line=parts.line,
        body_line=parts.body_line,
        lines=front.lines,
        has=_has(skill),
    )


def _has(skill: Skill) -> Callable[[str], bool]:
    """Whether a skill's folder holds a file, or a folder, that can be reached without a link."""

    def has(path: str) -> bool:
        try:
            read_inside(skill.root, (*skill.inside, *path.split("/")), 0)
        except IsADirectoryError:
            return True
        except (OSError, ValueError):
            return False
        return True

    return has


def _resources(skill: Skill) -> Iterator[Finding]:
    """What is not seen in the texts beside a skill."""
    for path in listed(skill, MAX_RESOURCES).paths:
        try:
            data, _ = read_inside(skill.root, (*skill.inside, *path.split("/")), MAX_RESOURCE_BYTES)
            value = data.decode("utf-8-sig")
        except (OSError, UnicodeDecodeError):
            continue
        if "\x00" not in value:
            file = str(skill.folder / Path(path))
            yield from scan(Text(value=value, kind=Kind.RESOURCE, file=file, line=1, exact=True, subject=skill.name))
