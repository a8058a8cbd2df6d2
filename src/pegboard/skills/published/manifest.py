"""The files of a skill's folder with their digests: all of them, within the bounds that every host accepts."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pegboard.opening import entries_inside, read_inside
from pegboard.skills.discovery import FILE, is_plain
from pegboard.skills.published.document import NotPublishedError
from pegboard.skills.skill import Skill

MAX_FILES: Final = 512
"""Files of one skill, its ``SKILL.md`` counted (Skills extension, Limits)."""

MAX_BYTES: Final = 16 * 2**20
"""Bytes of all of them together (Skills extension, Limits)."""

MAX_FOLDERS: Final = 32
"""Folders on the way to a file."""

MAX_LOOKED_AT: Final = 10_000
"""Files and folders that are looked at for one manifest."""

_REMEMBERED: Final = 20_000
_FRESH_NS: Final = 2 * 10**9
"""A file that was changed this short a time ago may change again without any of its times showing it."""


@dataclass(frozen=True)
class FileFacts:
    """A file of a skill: the sha-256 of its bytes (hex), and how many they are. Immutable."""

    digest: str
    size: int


def facts_of(data: bytes) -> FileFacts:
    """The facts of these bytes."""
    return FileFacts(hashlib.sha256(data).hexdigest(), len(data))


class Digests:
    """What files had when they were last read. Process-wide, used from any thread; the oldest are forgotten."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[int, ...], FileFacts] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, skill: Skill, file: str, status: os.stat_result) -> FileFacts:
        """The facts of a file, which is read only where it changed. Raises OSError."""
        seen = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        with self._lock:
            if (known := self._known.get(seen)) is not None:
                self._known.move_to_end(seen)
                return known
        now = time.time_ns()
        data, _ = read_inside(skill.root, (*skill.inside, *file.split("/")), MAX_BYTES + 1)
        facts = facts_of(data)
        if len(data) == status.st_size and now - max(status.st_mtime_ns, status.st_ctime_ns) > _FRESH_NS:
            self._keep(seen, facts)
        return facts

    def _keep(self, seen: tuple[int, ...], facts: FileFacts) -> None:
        with self._lock:
            self._known[seen] = facts
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)


def manifest_of(skill: Skill, document: bytes, digests: Digests) -> dict[str, FileFacts]:
    """The files of a skill by their paths, sorted; its ``SKILL.md`` has ``document`` in it.

    Links, pipes, and names that begin with a dot or break lines are none of it, and neither is what may not be read.
    Raises NotPublishedError where there is more than hosts have to accept.
    """
    files = {FILE: facts_of(document)}
    left = MAX_BYTES - len(document)
    for file, status in _walk(skill, (), [MAX_LOOKED_AT]):
        if file == FILE:
            continue
        if len(files) == MAX_FILES:
            raise NotPublishedError(f"has more than {MAX_FILES} files: move what it does not need elsewhere")
        try:
            facts = digests.of(skill, file, status) if status.st_size <= left else FileFacts("", status.st_size)
        except OSError:
            continue
        left -= facts.size
        if left < 0:
            raise NotPublishedError(f"has more than {MAX_BYTES // 2**20} MiB of files: move large ones elsewhere")
        files[file] = facts
    return dict(sorted(files.items()))


def _walk(skill: Skill, steps: tuple[str, ...], left: list[int]) -> Iterator[tuple[str, os.stat_result]]:
    """The files below a folder of a skill, in the order of their names."""
    folders: list[str] = []
    files: dict[str, os.stat_result] = {}
    try:
        with entries_inside(skill.root, (*skill.inside, *steps)) as entries:
            for entry in entries:
                left[0] -= 1
                if left[0] < 0:
                    raise NotPublishedError(f"has more than {MAX_LOOKED_AT:,} files and folders: move some elsewhere")
                if entry.name.startswith(".") or not is_plain(entry.name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                elif entry.is_file(follow_symlinks=False):
                    files[entry.name] = entry.stat(follow_symlinks=False)
    except OSError:
        return
    for name in sorted(files):
        yield "/".join((*steps, name)), files[name]
    for name in sorted(folders):
        if len(steps) == MAX_FOLDERS:
            raise NotPublishedError(f"has folders nested deeper than {MAX_FOLDERS}: flatten them")
        yield from _walk(skill, (*steps, name), left)
