"""What of the file system an agent's tools may use, said in values: named folders, and grants on them.

    workspace = Workspace({"skills": "/srv/agent/skills"})
    sandbox = Sandbox(workspace, [FileGrant("/srv/agent/skills"), FileGrant("/srv/agent/work", writable=True)])

Skills are instructions: whoever can write where they are read from can instruct the model. ``check_grants`` therefore
holds a ``workspace://`` resource root to a folder that tools can read and nothing of which they can write, by its
path or by another path to the same folder or file (its device and inode), hard links in writable folders too. Nobody
inside can see what an outer container mounts twice: that stays with whoever starts it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pegboard.errors import ConfigError
from pegboard.skills.discovery import within
from pegboard.skills.resource_root import SCHEME
from pegboard.skills.roots import absolute

MAX_ENTRIES: Final = 100_000
"""Files and folders of a skill root, or of a writable folder, that are compared with each other."""

Id = tuple[int, int]


@dataclass(frozen=True, init=False)
class Workspace:
    """Named folders of one agent. Immutable. Paths are made absolute, links in them are not resolved."""

    folders: Mapping[str, Path]

    def __init__(self, folders: Mapping[str, str | os.PathLike[str]]) -> None:
        object.__setattr__(self, "folders", {name: absolute(path) for name, path in folders.items()})

    def __hash__(self) -> int:
        return hash(tuple(sorted(self.folders.items())))

    def resolve(self, reference: str) -> Path:
        """The path that ``workspace://name/below`` stands for: the longest name that fits, and what is below it.

        Raises ConfigError where no name fits.
        """
        steps = reference.removeprefix(SCHEME).split("/")
        for count in range(len(steps), 0, -1):
            folder = self.folders.get("/".join(steps[:count]))
            if folder is not None:
                return folder.joinpath(*steps[count:])
        known = ", ".join(sorted(self.folders)) or "none"
        raise ConfigError(
            f"resource_root {reference} is not in the workspace.", hint=f"Name one of its folders: {known}."
        )


@dataclass(frozen=True)
class FileGrant:
    """A folder or file that an agent may use. Immutable.

    ``writable`` defaults to false. ``visible`` says whether its tools see it; what they do not see grants nothing.
    """

    path: Path
    writable: bool = False
    visible: bool = True

    def __init__(self, path: str | os.PathLike[str], writable: bool = False, visible: bool = True) -> None:
        object.__setattr__(self, "path", absolute(path))
        object.__setattr__(self, "writable", writable)
        object.__setattr__(self, "visible", visible)


@dataclass(frozen=True, init=False)
class Sandbox:
    """The grants of one agent on the folders of its workspace. Immutable."""

    workspace: Workspace
    grants: tuple[FileGrant, ...]

    def __init__(self, workspace: Workspace, grants: Iterable[FileGrant] = ()) -> None:
        object.__setattr__(self, "workspace", workspace)
        object.__setattr__(self, "grants", tuple(grants))

    def visible(self) -> list[FileGrant]:
        """The grants that tools see."""
        return [grant for grant in self.grants if grant.visible]


def check_grants(
    resource_root: str, roots: Sequence[Path], workspace: Workspace | None, sandbox: Sandbox | None
) -> None:
    """Hold a ``workspace://`` resource root to the real ``roots`` of a catalog.

    It has to be each of them, readable by tools, and nothing of it writable. Raises ConfigError that says which of it
    does not hold.
    """
    if workspace is None or sandbox is None:
        raise _error("needs a workspace and a sandbox", "Give the catalog both.")
    if sandbox.workspace != workspace:
        raise _error("needs the sandbox of its workspace", "Make the sandbox with the workspace that you give.")
    real = _real(workspace.resolve(resource_root), resource_root)
    wrong = next((root for root in roots if root != real), None)
    if wrong is not None:
        raise _error(f"is {real}, and not the skill root {wrong}", "It has to be each root of the catalog.")
    grants = [(grant, _real(grant.path, resource_root)) for grant in sandbox.visible()]
    if not any(within(real, path) for _, path in grants):
        raise _error(f"is {real}, which tools cannot read", "Grant the sandbox to read it.")
    writable = [path for grant, path in grants if grant.writable]
    for path in writable:
        if within(real, path) or within(path, real):
            raise _error(f"is {real}, which has writable grants: {path}", "Skills are read-only: take the grant back.")
    _check_aliases(real, writable)


def _check_aliases(real: Path, writable: Sequence[Path]) -> None:
    """Refuse a writable grant that is, or holds, something of the root or around it under another path."""
    ids = {_id(status): path for path in writable if (status := _status(path)) is not None}
    linked: dict[Id, Path] = {}
    for path in (real, *real.parents, *_inside(real)) if ids else ():
        status = _status(path)
        if status is None:
            continue
        if _id(status) in ids:
            raise _written(path, ids[_id(status)])
        if stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
            linked[_id(status)] = path
    # A file that has another name somewhere may have it where tools can write.
    for path in (path for folder in writable for path in _inside(folder)) if linked else ():
        status = _status(path)
        if status is not None and _id(status) in linked:
            raise _written(linked[_id(status)], path)


def _written(path: Path, alias: Path) -> ConfigError:
    return _error(f"holds {path}, which tools can write as {alias}", "Take the writable grant back.")


def _inside(top: Path) -> Iterator[Path]:
    count = 0
    for folder, folders, files in os.walk(top, followlinks=False):
        for name in (*folders, *files):
            count += 1
            if count > MAX_ENTRIES:
                what = f"cannot be compared with {top}, which has more than {MAX_ENTRIES:,} files"
                raise _error(what, "Name a folder of skills alone, none of whose files has hard links.")
            yield Path(folder, name)


def _real(path: Path, resource_root: str) -> Path:
    try:
        return Path(os.path.realpath(path, strict=True))
    except OSError as error:
        raise ConfigError(
            f"resource_root {resource_root} is not available: {path}: {error.strerror}.", hint="Check the path."
        ) from error


def _status(path: Path) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except OSError:
        return None


def _id(status: os.stat_result) -> Id:
    return status.st_dev, status.st_ino


def _error(what: str, hint: str) -> ConfigError:
    return ConfigError(f"The workspace:// resource_root {what}.", hint=hint)
