"""From roots to a set of skills: what is found is read, checked and put in order; what is not loaded is told."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pegboard.errors import ConfigError
from pegboard.opening import LinkError, NoFileError, read_inside
from pegboard.skill_source import Skills, folded
from pegboard.skills.discovery import Found, discover, in_folder
from pegboard.skills.fields import fields_of
from pegboard.skills.front_matter import read
from pegboard.skills.options import Options
from pegboard.skills.problems import Findings, SetAsideError, SkillProblem, broken, refused
from pegboard.skills.resource_root import location
from pegboard.skills.rules import RULES, Weight
from pegboard.skills.skill import SOURCE, Skill
from pegboard.skills.splitting import decoded, split


class SkillSet(Skills[Skill]):
    """The skills of one load, in lookup order, and what is to be said about all that was found. Immutable, shared.

    Lookup order is that of the roots, and of the folders' names in each; a skill of a later root is in ``all`` alone
    where an earlier one has its name. ``problems`` has every skill that was left out, with its reason, and every
    warning about one that is loaded.
    """

    def __init__(self, skills: Iterable[Skill] = (), problems: Iterable[SkillProblem] = ()) -> None:
        super().__init__(skills)
        self.problems = tuple(problems)


def load(roots: Sequence[Path], options: Options, source: str = SOURCE) -> SkillSet:
    """All skills below real roots, of a source of this name.

    Raises ConfigError where there are more files than ``max_skills``, and in strict mode for a skill that is too
    large or leads out of the roots.
    """
    found = list(_counted(roots, options.max_skills))
    loader = _Loader(options, source)
    for one in found:
        loader.take(one)
    return loader.done()


def load_folder(folder: Path, options: Options) -> SkillSet:
    """The one skill in a folder, as if its parent were a root with nothing else in it; nothing where there is none."""
    loader = _Loader(options, SOURCE)
    found = in_folder(folder, (Path(os.path.realpath(folder.parent)), Path(os.path.realpath(folder)).parent))
    if found is not None:
        loader.take(found)
    return loader.done()


def _counted(roots: Sequence[Path], most: int) -> Iterator[Found | SkillProblem]:
    count = 0
    for found in discover(roots):
        count += isinstance(found, Found)
        if count > most:
            raise ConfigError(
                f"The skill roots hold more than {most:,} skills (files called SKILL.md).",
                hint="Raise max_skills, or name a root with fewer.",
                data={"max_skills": most},
            )
        yield found


class _Loader:
    """Collects the skills of one load, and lives as long."""

    def __init__(self, options: Options, source: str) -> None:
        self.options = options
        self.source = source
        self.found: list[Skill] = []
        self.skills: dict[str, Skill] = {}
        self.orders: dict[str, int] = {}
        self.cases: dict[str, str] = {}
        self.problems: list[SkillProblem] = []

    def take(self, found: Found | SkillProblem) -> None:
        """Read a file, or keep why there is none to read."""
        if isinstance(found, SkillProblem):
            self.problems.append(found)
            return
        findings = Findings(str(found.shown), self.options.strict)
        try:
            skill = read_skill(found, self.options, findings, self.source)
        except SetAsideError as error:
            self.problems.append(error.problem)
            return
        if self.options.only is not None and skill.name not in self.options.only:
            return
        if skill.name in self.skills:
            self.problems.append(self._taken(found, skill))
            if self.orders[skill.name] != found.order:
                self.found.append(skill)
            return
        self._warn_of_case(found, skill)
        self.found.append(skill)
        self.skills[skill.name] = skill
        self.orders[skill.name] = found.order
        self.problems += [replace(problem, skill=skill.name) for problem in findings.problems]

    def _taken(self, found: Found, skill: Skill) -> SkillProblem:
        """The problem of a skill whose name another one has."""
        winner = self.skills[skill.name].source_path
        shadowed = self.orders[skill.name] != found.order
        whom = " for whoever may discover that one" if shadowed else ""
        message = f"is left out: {winner} has the name {skill.name!r} too and comes first{whom}."
        told = broken(str(found.shown), "name-shadowed" if shadowed else "name-taken", message)
        return replace(told, skill=skill.name)

    def _warn_of_case(self, found: Found, skill: Skill) -> None:
        """Warn of names that differ in letter case alone: people and models mix them up."""
        other = self.cases.setdefault(unicodedata.normalize("NFKC", skill.name.casefold()), skill.name)
        if other != skill.name:
            message = f"has the name {skill.name!r}, which differs from {other!r} in letter case alone."
            self.problems.append(replace(broken(str(found.shown), "name-case", message), skill=skill.name))

    def done(self) -> SkillSet:
        """What was collected. Raises ConfigError for what strict mode does not pass over."""
        fatal = [problem for problem in self.problems if RULES[problem.code].weight is Weight.FATAL]
        if self.options.strict and fatal:
            raise refused(fatal)
        for name in sorted((self.options.only or frozenset()) - self.skills.keys()):
            self.problems.append(broken("only", "name-unknown", f"no skill of this name is loaded: {name!r}."))
        return SkillSet(self.found, self.problems)


def read_skill(found: Found, options: Options, findings: Findings, source: str = SOURCE) -> Skill:
    """The skill of a file. Raises SetAsideError."""
    data = _bytes(found, options.max_file_bytes, findings)
    parts = split(decoded(data, findings), findings)
    fields = fields_of(read(parts.front, findings, parts.line), findings, ascii_names=options.ascii_names)
    folder = found.path.parent.name
    if folded(folder) != fields.name:
        what = f"has the name {fields.name!r}, but its folder is {folder!r}; the name counts."
        findings.add("name-folder", what)
    return Skill(
        name=fields.name,
        description=fields.description,
        body=parts.body,
        head=data[: len(data) - len(parts.body.encode())],
        path=location(options.resource_root, found.root, found.parts),
        source_path=found.path,
        root=found.root,
        allowed_tools=fields.allowed_tools,
        compatibility=fields.compatibility,
        license=fields.license,
        metadata=fields.metadata,
        fields=fields.all,
        digest=hashlib.sha256(data).hexdigest(),
        source=source,
    )


def _bytes(found: Found, most: int, findings: Findings) -> bytes:
    try:
        data, _ = read_inside(found.root, found.parts, most + 1)
    except LinkError as error:
        raise findings.refusal("path-escape", "became a link while it was read.", "Load again.") from error
    except NoFileError as error:
        what = "is a pipe, a socket, a device or a folder, not a file."
        raise findings.refusal("file-type", what) from error
    except OSError as error:
        what = f"cannot be read: {error.strerror or type(error).__name__}."
        raise findings.refusal("file-unreadable", what) from error
    if len(data) > most:
        what = f"has more than {most:,} bytes."
        raise findings.refusal("file-too-large", what)
    return data
