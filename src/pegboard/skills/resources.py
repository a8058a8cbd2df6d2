"""What lies beside a ``SKILL.md``: a bounded list, and reading one file of it."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from pegboard.errors import ToolError
from pegboard.opening import LinkError, NoFileError, entries_inside, read_inside
from pegboard.skills.discovery import is_plain
from pegboard.skills.skill import Skill

FOLDERS: Final = ("assets", "references", "scripts")
"""The folders of a skill that are listed."""

MAX_DEPTH: Final = 3
"""Folders on the way to a listed file, the first of FOLDERS counted."""

MAX_LOOKED_AT: Final = 10_000
"""Files and folders that are looked at for one list."""

MAX_TEXT_BYTES: Final = 60_000
"""Bytes of a text in one answer; what is longer goes on in the next."""

MAX_IMAGE_BYTES: Final = 5_000_000
"""Bytes of an image. It cannot go on in the next answer."""

IMAGES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
"""The first bytes of what models can look at; WebP besides."""

_HEAD: Final = 16
_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_LIST: Final = "Read a path that the skill names or lists."


@dataclass(frozen=True)
class Listed:
    """Resources of a skill by their paths inside it, sorted. Immutable. ``more`` says that there are others."""

    paths: tuple[str, ...]
    more: bool


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A part of a resource, or an image. Immutable; belongs to one call.

    ``size`` is in bytes; ``next_offset`` is where the text goes on, None at its end.
    """

    data: bytes
    media_type: str
    size: int
    next_offset: int | None = None

    @property
    def text(self) -> str:
        """The text."""
        return self.data.decode("utf-8")


def listed(skill: Skill, most: int) -> Listed:
    """At most ``most`` files of a skill's ``scripts``, ``references`` and ``assets``, as they are now.

    Links, hidden files, pipes and names that break lines are left out, and what lies deeper than MAX_DEPTH folders.
    """
    found: list[str] = []
    budget = _Budget(MAX_LOOKED_AT)
    for folder in FOLDERS:
        for path in _files(skill, (folder,), budget):
            if len(found) == most:
                return Listed(tuple(found), more=True)
            found.append(path)
    return Listed(tuple(found), more=budget.left < 0)


class _Budget:
    """How many entries may still be looked at. Lives as long as one list."""

    def __init__(self, left: int) -> None:
        self.left = left


def _files(skill: Skill, steps: tuple[str, ...], budget: _Budget) -> Iterator[str]:
    """The files below a folder of a skill in the order of their paths."""
    found = _entries(skill, steps, budget)
    for name in sorted(found):
        if not found[name]:
            yield "/".join((*steps, name))
        elif len(steps) < MAX_DEPTH:
            yield from _files(skill, (*steps, name), budget)


def _entries(skill: Skill, steps: tuple[str, ...], budget: _Budget) -> dict[str, bool]:
    """The names in a folder that may be listed, and whether each is a folder; none for a link or what is no folder."""
    found: dict[str, bool] = {}
    try:
        with entries_inside(skill.root, (*skill.inside, *steps)) as entries:
            for entry in entries:
                budget.left -= 1
                if budget.left < 0:
                    break
                is_folder = entry.is_dir(follow_symlinks=False)
                shown = is_plain(entry.name) and not entry.name.startswith(".")
                if shown and (is_folder or entry.is_file(follow_symlinks=False)):
                    found[entry.name] = is_folder
    except OSError:
        return {}
    return found


def read_resource(skill: Skill, path: str, offset: int = 0) -> Piece:
    """A part of a text, from a byte on, or a whole image, of a file in a skill's folder, ``SKILL.md`` too.

    ``path`` is relative to the folder, with forward slashes; no step of it may be a link. A letter with an accent may
    be one character or two, whichever the disk has. Raises ToolError with a message for the model: it tells nothing of
    what is outside.
    """
    parts = _as_spelt(skill, _parts(skill, path))
    try:
        head, size = read_inside(skill.root, (*skill.inside, *parts), _HEAD)
        image = _image(head)
        if image:
            return _whole(skill, parts, path, image, size)
        if offset and offset >= size:
            raise _beyond(skill.name, path, size)
        data, size = read_inside(skill.root, (*skill.inside, *parts), MAX_TEXT_BYTES + 4, offset)
    except LinkError as error:
        raise _no(skill.name, path, "is behind a link, and links are not followed") from error
    except NoFileError as error:
        raise _no(skill.name, path, "is no file") from error
    except (OSError, ValueError) as error:
        raise _no(skill.name, path, _why(error)) from error
    return _text(skill.name, path, data, offset, size)


def piece_of(skill: str, path: str, data: bytes, offset: int = 0) -> Piece:
    """The same of a file whose bytes are at hand, of the skill of this name. Raises ToolError."""
    image = _image(data[:_HEAD])
    if image and len(data) > MAX_IMAGE_BYTES:
        raise _too_large(skill, path, len(data))
    if image:
        return Piece(data=data, media_type=image, size=len(data))
    if offset and offset >= len(data):
        raise _beyond(skill, path, len(data))
    return _text(skill, path, data[offset : offset + MAX_TEXT_BYTES + 4], offset, len(data))


def _beyond(skill: str, path: str, size: int) -> ToolError:
    return _no(skill, path, f"ends at byte {size:,}", "Read it from the beginning, without an offset.")


def _too_large(skill: str, path: str, size: int) -> ToolError:
    return _no(skill, path, f"is an image of {size:,} bytes; at most {MAX_IMAGE_BYTES:,} can be shown")


def _why(error: Exception) -> str:
    return "may not be read" if isinstance(error, PermissionError) else "is not there"


def _parts(skill: Skill, path: str) -> list[str]:
    """The steps of a path inside a skill. Raises ToolError for one that leads elsewhere, or is none."""
    parts = path.split("/")
    odd = any(part in ("", ".", "..") or "\\" in part or not is_plain(part) for part in parts)
    # A drive, or a second stream of a file, on Windows.
    if odd or (os.name == "nt" and any(":" in part for part in parts)):
        what = "is no path inside the skill"
        raise _no(skill.name, path, what, "Give it from the skill's folder on, with forward slashes: references/x.md.")
    return parts


def _as_spelt(skill: Skill, parts: list[str]) -> list[str]:
    """The steps as the disk spells them, where one name alone is the same but for how its letters are composed."""
    found: list[str] = []
    for part in parts:
        found.append(part if part.isascii() else _spelt(skill, found, part))
    return found


def _spelt(skill: Skill, steps: list[str], name: str) -> str:
    wanted = unicodedata.normalize("NFC", name)
    try:
        with entries_inside(skill.root, (*skill.inside, *steps)) as entries:
            some = islice((entry.name for entry in entries), MAX_LOOKED_AT)
            same = [other for other in some if unicodedata.normalize("NFC", other) == wanted]
    except OSError:
        return name
    return same[0] if len(same) == 1 else name


def _whole(skill: Skill, parts: list[str], path: str, media_type: str, size: int) -> Piece:
    if size > MAX_IMAGE_BYTES:
        raise _too_large(skill.name, path, size)
    data, size = read_inside(skill.root, (*skill.inside, *parts), MAX_IMAGE_BYTES)
    return Piece(data=data, media_type=media_type, size=size)


def _text(skill: str, path: str, data: bytes, offset: int, size: int) -> Piece:
    """The text of what was read, cut between characters."""
    more = len(data) > MAX_TEXT_BYTES
    end = _boundary(data, MAX_TEXT_BYTES) if more else len(data)
    kept = data[:end]
    try:
        if _CONTROLS.search(kept):
            raise ValueError
        kept.decode("utf-8")
    except ValueError as error:
        what = f"is neither text nor an image ({size:,} bytes)"
        raise _no(skill, path, what, "Use it with a tool that takes its path.") from error
    return Piece(data=kept, media_type="text/plain", size=size, next_offset=offset + end if more else None)


def _boundary(data: bytes, at: int) -> int:
    """The last place up to ``at`` where a character of UTF-8 begins."""
    for back in range(4):
        if data[at - back] & 0xC0 != 0x80:
            return at - back
    return at


def _image(head: bytes) -> str | None:
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in IMAGES if head.startswith(start)), None)


def _no(skill: str, path: str, what: str, hint: str = _LIST) -> ToolError:
    return ToolError(f"{path!r:.200} of the skill {skill} {what}.", hint=hint)
