"""The folders in which skills are looked for. Paths are taken as they are written: links are not resolved here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pegboard.errors import ConfigError


@dataclass(frozen=True)
class SkillRoot:
    """A folder whose children may be skills. Immutable.

    ``path`` and ``boundary`` are made absolute. With a ``boundary`` the root may be missing, and its real place has to
    lie in that of the boundary; without one it has to be there.
    """

    path: Path
    boundary: Path | None = None

    def __init__(self, path: str | os.PathLike[str], boundary: str | os.PathLike[str] | None = None) -> None:
        object.__setattr__(self, "path", absolute(path))
        object.__setattr__(self, "boundary", None if boundary is None else absolute(boundary))


RootLike = str | os.PathLike[str] | SkillRoot


@dataclass(frozen=True, init=False)
class PathSet:
    """Roots in their order of precedence. Immutable; ``+`` gives another one. Doubles are kept."""

    roots: tuple[SkillRoot, ...]

    def __init__(self, paths: RootLike | Iterable[RootLike] | None = ()) -> None:
        object.__setattr__(self, "roots", tuple(_roots(paths)))

    def __add__(self, more: RootLike | Iterable[RootLike] | None) -> PathSet:
        return PathSet((*self.roots, *_roots(more)))

    def __iter__(self) -> Iterator[SkillRoot]:
        return iter(self.roots)

    def __len__(self) -> int:
        return len(self.roots)


def _roots(paths: RootLike | Iterable[RootLike] | None) -> Iterator[SkillRoot]:
    if paths is None:
        return
    listed = [paths] if isinstance(paths, str | os.PathLike | SkillRoot) else paths
    for path in listed:
        yield path if isinstance(path, SkillRoot) else SkillRoot(path)


def absolute(path: str | os.PathLike[str]) -> Path:
    """The path from the top on, without steps up; links in it are not resolved. Raises ConfigError for no path."""
    text = os.fspath(path)
    if not text or "\x00" in text:
        raise ConfigError(f"{text!r} is no path.", hint="Name a folder.")
    return Path(os.path.normpath(Path(text).expanduser().absolute()))
