"""Finding the files of skills: each immediate child folder of a root may hold one ``SKILL.md``."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pegboard.errors import ConfigError
from pegboard.skills.problems import SkillProblem, broken
from pegboard.skills.roots import SkillRoot
from pegboard.skills.rules import RULES
from pegboard.texts import has_unseen, is_encodable

FILE: Final = "SKILL.md"

_MOST_LOOKED_AT: Final = 1_000
"""Entries of a folder without the file that are looked at for one that is spelled otherwise."""


@dataclass(frozen=True)
class Found:
    """The file of a skill. Immutable; belongs to one load.

    ``shown`` is where it was found, ``path`` its real place, ``root`` the real folder of the root that holds it.
    ``order`` is the number of the root in which it was found.
    """

    shown: Path
    path: Path
    root: Path
    order: int

    @property
    def parts(self) -> tuple[str, ...]:
        """The way from the root to the file."""
        return self.path.relative_to(self.root).parts


def real_roots(roots: Iterable[SkillRoot]) -> list[Path]:
    """The real folders of the roots that are there.

    Raises ConfigError for a root without a boundary that is missing or no folder, and for one whose real place lies
    outside its boundary.
    """
    found: list[Path] = []
    for root in roots:
        real = Path(os.path.realpath(root.path))
        if root.boundary is not None and not within(real, Path(os.path.realpath(root.boundary))):
            raise ConfigError(
                f"The skill root {root.path} leads out of its boundary {root.boundary}.",
                hint="Move the root into the boundary, or name another boundary.",
            )
        if real.is_dir():
            found.append(real)
        elif root.boundary is None:
            what = "is no folder" if real.exists() else "is not there"
            raise ConfigError(
                f"The skill root {root.path} {what}.",
                hint="Check the path; a root that may be missing needs a boundary.",
            )
    return found


def within(path: Path, folder: Path) -> bool:
    """Whether a real path is a folder, or lies in it."""
    return path == folder or folder in path.parents


def discover(roots: Sequence[Path]) -> Iterator[Found | SkillProblem]:
    """The files of skills below real roots, each real file once: roots in their order, children by name.

    Children that begin with a dot are left out. A link is followed when its target lies in one of the roots. What lies
    a folder too high or too deep is told. Raises ConfigError for a root that may not be read.
    """
    seen: set[Path] = set()
    for order, root in enumerate(roots):
        if os.path.lexists(root / FILE) and root.parent not in roots:
            yield _too_high(root)
        for child in _children(root):
            found = in_folder(child, roots, order)
            if isinstance(found, Found):
                if found.path in seen:
                    continue
                seen.add(found.path)
            if found is not None:
                yield found


def _children(root: Path) -> list[Path]:
    try:
        with os.scandir(root) as entries:
            names = sorted(entry.name for entry in entries if not entry.name.startswith(".") and _may_be_folder(entry))
    except OSError as error:
        raise ConfigError(
            f"The skill root {root} cannot be read: {error.strerror}.",
            hint=RULES["file-unreadable"].fix,
        ) from error
    return [root / name for name in names]


def _may_be_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_symlink() or entry.is_dir(follow_symlinks=False)
    except OSError:
        return True


def in_folder(child: Path, roots: Sequence[Path], order: int = 0) -> Found | SkillProblem | None:
    """The file of the skill in one folder of a root; None where there is none and nobody meant there to be one."""
    file = child / FILE
    if not is_plain(child.name):
        return _odd_name(file)
    try:
        status = os.lstat(file)
    except FileNotFoundError:
        return _without_file(child, roots)
    except NotADirectoryError:
        return None
    except OSError as error:
        return _nowhere(file, error) if error.errno == errno.ELOOP else _unreadable(file, error)
    try:
        real = Path(os.path.realpath(file, strict=True))
    except OSError as error:
        return _nowhere(file, error)
    if stat.S_ISDIR(status.st_mode):
        return broken(str(file), "file-type", "is a folder, not a file.")
    root = next((root for root in roots if within(real.parent, root) and real.parent != root), None)
    if root is None:
        what = "is a link, or lies behind one, that leads out of the roots of skills."
        return broken(str(file), "path-escape", what)
    found = Found(shown=file, path=real, root=root, order=order)
    return found if all(map(is_plain, found.parts)) else _odd_name(real)


def is_plain(name: str) -> bool:
    """Whether the name of a file or folder can stand in a line of text, and says what one sees."""
    return is_encodable(name) and not has_unseen(name) and not any(char in "\t\n\x85" for char in name)


def _odd_name(file: Path) -> SkillProblem:
    what = "stands in a folder whose name has characters that are not seen, or break lines."
    return broken(ascii(str(file))[1:-1], "path-characters", what)


def _without_file(child: Path, roots: Sequence[Path]) -> SkillProblem | None:
    """What is to be said of a folder without the file: nothing, unless somebody meant it to have one."""
    if child.is_symlink():
        real = Path(os.path.realpath(child))
        if not real.exists():
            return broken(str(child), "path-broken", "is a link that leads nowhere.")
        if not any(within(real, root) for root in roots):
            return None
    try:
        with os.scandir(child) as entries:
            names = [entry.name for _, entry in zip(range(_MOST_LOOKED_AT), entries, strict=False)]
    except OSError as error:
        return None if isinstance(error, NotADirectoryError | FileNotFoundError) else _unreadable(child, error)
    other = next((name for name in sorted(names) if name.lower() == FILE.lower()), None)
    if other:
        return broken(str(child / other), "file-name", f"is not called {FILE}.")
    return _too_deep(child, sorted(names)) if Path(os.path.realpath(child)) not in roots else None


def _too_high(root: Path) -> SkillProblem:
    what = "lies in a root itself, and is passed over: skills are the folders in a root."
    return broken(str(root / FILE), "file-in-root", what, f"Name {root.parent} as the root.")


def _too_deep(child: Path, names: Sequence[str]) -> SkillProblem | None:
    """What is to be said of a folder that is no skill, and holds some."""
    skills = [name for name in names if not name.startswith(".") and os.path.lexists(child / name / FILE)]
    if not skills:
        return None
    more = f", and so are {len(skills) - 1:,} more beside it" if len(skills) > 1 else ""
    what = f"lies a folder too deep, and is passed over{more}."
    hint = f"Name {child} as a root of skills, too, or move the folder up."
    return broken(str(child / skills[0] / FILE), "file-too-deep", what, hint)


def _nowhere(file: Path, error: OSError) -> SkillProblem:
    what = f"is a link, or lies behind one, that leads nowhere: {error.strerror}."
    return broken(str(file), "path-broken", what)


def _unreadable(file: Path, error: OSError) -> SkillProblem:
    return broken(str(file), "file-unreadable", f"cannot be read: {error.strerror or type(error).__name__}.")
