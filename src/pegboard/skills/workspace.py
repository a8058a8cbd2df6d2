"""What of the file system an agent's tools may use, said in values: named folders, and grants on them.

    workspace = Workspace({"skills": "/srv/agent/skills"})
    sandbox = Sandbox(workspace, [FileGrant("/srv/agent/skills"), FileGrant("/srv/agent/work", writable=True)])

Skills are instructions: whoever can write where they are read from can instruct the model. ``check_grants`` therefore
holds a ``workspace://`` resource root to a folder that tools can read and nothing of which they can write, by its
path or by another path to the same folder or file (its device and inode). Nobody inside can see what an outer
container mounts twice: that stays with whoever starts it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pegboard.errors import ConfigError
from pegboard.skills.discovery import within
from pegboard.skills.resource_root import SCHEME
from pegboard.skills.roots import absolute

MAX_ENTRIES: Final = 100_000
"""Files and folders of the skill roots that are compared with writable grants."""

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
    """Refuse a writable grant that is the root, something in it or something around it under another path."""
    ids = {known: path for path in writable if (known := _id(path)) is not None}
    for path in _around_and_inside(real) if ids else ():
        known = _id(path)
        alias = ids.get(known) if known else None
        if alias is not None:
            raise _error(f"holds {path}, which tools can write as {alias}", "Take the writable grant back.")


def _around_and_inside(real: Path) -> Iterator[Path]:
    yield real
    yield from real.parents
    count = 0
    for folder, folders, files in os.walk(real, followlinks=False):
        for name in (*folders, *files):
            count += 1
            if count > MAX_ENTRIES:
                raise _error(f"is {real}, with more than {MAX_ENTRIES:,} files", "Name a folder of skills alone.")
            yield Path(folder, name)


def _real(path: Path, resource_root: str) -> Path:
    try:
        return Path(os.path.realpath(path, strict=True))
    except OSError as error:
        raise ConfigError(
            f"resource_root {resource_root} is not available: {path}: {error.strerror}.", hint="Check the path."
        ) from error


def _id(path: Path) -> Id | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _error(what: str, hint: str) -> ConfigError:
    return ConfigError(f"The workspace:// resource_root {what}.", hint=hint)
