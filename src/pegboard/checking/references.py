"""The files that a skill's body names. Pure, linear.

A link of Markdown names a file wherever it leads; a path that stands in the text does when it begins with one of the
format's folders, or leads up to a text beside the skill's folder. Addresses, anchors, samples with placeholders and
paths from the top are none.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final
from urllib.parse import unquote

MOST: Final = 500
"""Files of one body that are looked for."""

_LINK: Final = re.compile(
    r"\]\([ \t]{0,10}<?([^()<>\s]{1,300})>?(?:[ \t]{1,10}[\"'][^\"'\n]{0,200}[\"'])?[ \t]{0,10}\)"
)
_PATH: Final = re.compile(
    r"(?<![\w/.~$}>*:@\\-])(?:\./|\$\{CLAUDE_SKILL_DIR\}/)?"
    r"((?:references|scripts|assets)/(?:[\w.-]{1,100}/){0,8}[\w.-]{0,100}\w\.[A-Za-z]\w{0,7})(?![\w/*<{$-])"
)
_UP: Final = re.compile(
    r"(?<![\w/.~$}>*:@\\-])(?:\./)?((?:\.\./){1,8}(?:[\w.-]{1,100}/){0,8}[\w.-]{0,100}\w\.(?:md|markdown|txt))(?![\w/*<{$-])"
)
_FENCE: Final = re.compile(r"^[ \t]{0,3}(`{3,20}|~{3,20})", re.MULTILINE)
_PLACEHOLDER: Final = re.compile(r"[<>{}$*|\[\]]|\.\.\.|xxx|YYYY|your[-_]|example\.", re.IGNORECASE)
_FILE: Final = re.compile(r"[^/]\.[A-Za-z]\w{0,7}$")


@dataclass(frozen=True)
class Reference:
    """A file that a body names. Immutable.

    ``path`` is normal, from the skill's folder on; it begins with ``..`` when it leads out. ``linked`` says that it is
    a link of Markdown. ``at`` and ``length`` are its place in the body.
    """

    path: str
    at: int
    length: int
    linked: bool


def references(body: str) -> Iterator[Reference]:
    """The files that a body names, each once: links first. Samples in fenced blocks are left out."""
    seen: set[str] = set()
    fenced = _fenced(body)
    for pattern, linked in ((_LINK, True), (_PATH, False), (_UP, False)):
        for match in islice(pattern.finditer(body), MOST):
            path = _path(match[1])
            if path and path not in seen and not any(begin <= match.start() < end for begin, end in fenced):
                seen.add(path)
                yield Reference(path, match.start(1), len(match[1]), linked)


def _path(written: str) -> str:
    """A path as it is looked for; "" for what is no file of the folder, and for samples."""
    bare = unquote(written.split("#", maxsplit=1)[0].split("?", maxsplit=1)[0])
    if not bare or ":" in bare or bare.startswith(("/", "~", "\\")) or "\\" in bare or not bare.isprintable():
        return ""
    if _PLACEHOLDER.search(bare) or not _FILE.search(bare):
        return ""
    return posixpath.normpath(bare)


def _fenced(body: str) -> list[tuple[int, int]]:
    """Where fenced blocks begin and end, the first of them."""
    blocks: list[tuple[int, int]] = []
    begin, mark = -1, ""
    for match in islice(_FENCE.finditer(body), MOST):
        if begin < 0:
            begin, mark = match.start(), match[1]
        elif match[1][0] == mark[0] and len(match[1]) >= len(mark):
            blocks.append((begin, match.end()))
            begin = -1
    return [*blocks, (begin, len(body))] if begin >= 0 else blocks
