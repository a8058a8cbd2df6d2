"""``skill://`` addresses: the path of a skill, and of a file in it. Pure.

``skill://refunds/references/limits.md`` is the file ``references/limits.md`` of the skill whose path is ``refunds``. A
path has one segment or more; the last is the skill's name. What stands in the place of a host is a segment like any
other: it is never looked up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import quote, unquote

from pegboard.skills.discovery import FILE, is_plain

SCHEME: Final = "skill"
_START: Final = f"{SCHEME}://"

MAX_LENGTH: Final = 4_096
"""Characters of an address that is read."""

AS_THEY_ARE: Final = "!$&'()*+,;=:@"
"""What a segment may hold besides letters, digits and ``-._~`` (RFC 3986)."""


def address_of(path: Sequence[str], file: str = "") -> str:
    """The address of a skill's folder, or of a file in it, whose path has forward slashes."""
    steps = (*path, *file.split("/")) if file else path
    return _START + "/".join(quote(step, safe=AS_THEY_ARE) for step in steps)


def document_address(path: Sequence[str]) -> str:
    """The address of a skill's ``SKILL.md``, which is that of the skill."""
    return address_of(path, FILE)


def steps_of(address: str) -> tuple[str, ...] | None:
    """The segments of an address, decoded; None for what is none, or leads elsewhere than it says."""
    return steps_below(_START, address)


def steps_below(start: str, address: str) -> tuple[str, ...] | None:
    """The segments of an address that stand behind its beginning, likewise."""
    if not address.startswith(start) or len(address) > MAX_LENGTH or any(mark in address for mark in "?#\\"):
        return None
    try:
        steps = tuple(unquote(step, errors="strict") for step in address.removeprefix(start).split("/"))
    except UnicodeDecodeError:
        return None
    return steps if all(map(is_step, steps)) else None


def is_step(step: str) -> bool:
    """Whether a decoded segment is the name of a file or folder, and no way by itself."""
    return step not in ("", ".", "..") and "/" not in step and "\\" not in step and is_plain(step)


def splits(steps: Sequence[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each way to read segments as the path of a skill and of something in it, the longest skill's path first.

    What is in it is "" for the skill's own folder.
    """
    for at in range(len(steps), 0, -1):
        yield tuple(steps[:at]), "/".join(steps[at:])
