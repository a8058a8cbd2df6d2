"""A folder of files that one user keeps for later, each as it was written or not at all.

What is in it can be made again at any time, so nobody repairs it: what is broken, or may be another's, is refused.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Final

from pegboard.errors import StoreError
from pegboard.stores.whole_file import opened, put

MAGIC: Final = b"pegboard kept 1\n"
_DIGEST: Final = 32
_HEAD: Final = len(MAGIC) + _DIGEST

MAX_FILES: Final = 256
MAX_BYTES: Final = 256 * 2**20
"""What may be kept; the files that were written longest ago go first."""

_OWN: Final = re.compile(r"[0-9a-f]{40}(-[0-9a-f]+)?\.(index|intake|listing|vectors)(\.[0-9a-f]+\.unfinished)?")
"""The names of what is kept. What else is in the folder is somebody's: it may be any that they have named."""
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_USERS: Final = hasattr(os, "geteuid")
"""Whether the system tells whose a file is."""


class KeptFiles:
    """The files of one folder. Lives as long as a command or a gateway; any number of processes may use the folder.

    The folder is made when something is written, for its user alone. One that belongs to somebody else, or that others
    may write into, is not used: whoever wrote there could say what tools are.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, name: str) -> bytes | None:
        """What was written under a name; None where nothing was. Raises StoreError for what cannot be trusted."""
        with self._translated(name, "read"):
            self._check_folder()
            with suppress(FileNotFoundError):
                return self._content(name, self._bytes(name))
        return None

    def write(self, name: str, content: bytes) -> None:
        """Write a file whole, in place of one of its name. Raises StoreError; what was there stays then."""
        if len(content) > MAX_BYTES // 4:
            raise self._wrong(name, "written", f"it has {len(content):,} bytes")
        with self._translated(name, "written"):
            self.make()
            with put(self.folder / name) as file:
                file.write(MAGIC + _digest(content))
                file.write(content)
        self.tidy()

    def make(self) -> None:
        """Make the folder where it is missing. Raises OSError, and StoreError for one that is not this user's."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._check_folder()

    def path(self, name: str) -> Path | None:
        """Where a file of another format may be, in a folder that is this user's; None where there is no such folder.

        Nothing but the folder is checked.
        """
        try:
            self._check_folder()
        except (OSError, StoreError):
            return None
        return self.folder / name

    def tidy(self) -> None:
        """Remove what was written longest ago of what is kept, while it has too many files or bytes."""
        found: list[tuple[float, int, Path]] = []
        with suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries:
                if not _OWN.fullmatch(entry.name):
                    continue
                with suppress(OSError):
                    facts = entry.stat(follow_symlinks=False)
                    found.append((facts.st_mtime, facts.st_size, Path(entry.path)))
        total = 0
        for place, (_, size, path) in enumerate(sorted(found, reverse=True)):
            total += size
            if place >= MAX_FILES or total > MAX_BYTES:
                with suppress(OSError):
                    path.unlink()

    def _bytes(self, name: str) -> bytes:
        # A link is not followed: it could lead to what somebody else writes.
        with opened(self.folder / name, getattr(os, "O_NOFOLLOW", 0)) as file:
            facts = os.fstat(file.fileno())
            if not stat.S_ISREG(facts.st_mode) or _is_strange(facts):
                raise self._wrong(name, "used", "it is not a file of this user alone")
            return file.read(min(facts.st_size, MAX_BYTES))

    def _content(self, name: str, data: bytes) -> bytes:
        content = data[_HEAD:]
        if data[: len(MAGIC)] != MAGIC or data[len(MAGIC) : _HEAD] != _digest(content):
            raise self._wrong(name, "used", "its bytes are not the ones that were written")
        return content

    def _check_folder(self) -> None:
        facts = self.folder.stat()
        if not stat.S_ISDIR(facts.st_mode):
            raise StoreError(f"{self.folder} is no folder.", hint="Name another one: path in [cache].")
        if _is_strange(facts):
            raise StoreError(
                f"The folder {self.folder} is not used: it is another user's, or others may write into it.",
                hint="Name one of your own: path in [cache].",
            )

    @contextmanager
    def _translated(self, name: str, done: str) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            if done == "written":
                raise self._wrong(name, done, "its folder is gone") from None
        except OSError as error:
            raise self._wrong(name, done, error.strerror or type(error).__name__) from error

    def _wrong(self, name: str, done: str, why: str) -> StoreError:
        return StoreError(
            f"The kept file {str(self.folder / name)!r} cannot be {done}: {why}.", hint="It can be deleted."
        )


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=_DIGEST).digest()


def _is_strange(facts: os.stat_result) -> bool:
    """Whether somebody else may have written what these are the facts of."""
    return _USERS and (facts.st_uid != os.geteuid() or bool(facts.st_mode & _OTHERS_WRITE))
