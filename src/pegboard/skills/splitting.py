"""The bytes of a ``SKILL.md`` as text, front matter and body. Pure, and linear in the length of the file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pegboard.skills.problems import Findings

MAX_FRONT_MATTER: Final = 65_536
"""Characters between the dashes. Those that people write have a few hundred, the longest seen some thousands."""

_BREAK: Final = re.compile(r"\r\n|\r|\n")
_FENCE: Final = re.compile(r"---[ \t]*")
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, kw_only=True)
class Parts:
    """A file in its two parts. Immutable; belongs to one reading.

    ``front`` has line feeds alone; ``line`` is where it begins, from 1. ``body`` is as it was written; ``body_line`` is
    where it begins, for an empty one the line of the dashes before it.
    """

    front: str
    line: int
    body: str
    body_line: int


def decoded(data: bytes, findings: Findings) -> str:
    """The text of a file: UTF-8, with or without a byte order mark. Raises SetAsideError."""
    if data.startswith(_UTF16):
        raise findings.refusal("file-encoding", "is UTF-16, not UTF-8.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise findings.refusal("file-encoding", "is not UTF-8.", line=line) from error


def split(text: str, findings: Findings) -> Parts:
    """Front matter and body. Raises SetAsideError where there is none, or it has no end.

    The front matter stands between two lines of three dashes, blanks behind them allowed; blank lines before the first
    are passed over. A line of dashes inside a value or in the body ends nothing.
    """
    start, line = _first_line(text)
    fence = _FENCE.match(text, start)
    if fence is None or not _ends(text, fence.end()):
        raise findings.refusal("front-matter-missing", "has no front matter.")
    at = _after_break(text, fence.end())
    front: list[str] = []
    length, here = 0, at
    while here < len(text):
        end = _end_of_line(text, here)
        if _FENCE.fullmatch(text, here, end):
            body = text[_after_break(text, end) :]
            return Parts(front="\n".join(front), line=line + 1, body=body, body_line=line + 1 + len(front) + bool(body))
        length += end - here + 1
        if length > MAX_FRONT_MATTER:
            break
        front.append(text[here:end])
        here = _after_break(text, end)
    if length > MAX_FRONT_MATTER:
        what = f"has front matter of more than {MAX_FRONT_MATTER:,} characters, or its end is missing."
        raise findings.refusal("front-matter-too-long", what, line=line)
    what = "has front matter that does not end."
    raise findings.refusal("front-matter-unclosed", what, line=line)


def _first_line(text: str) -> tuple[int, int]:
    """Where the first line that is not blank begins, and its number from 1."""
    here, line = 0, 1
    while here < len(text):
        end = _end_of_line(text, here)
        if text[here:end].strip():
            break
        here, line = _after_break(text, end), line + 1
    return here, line


def _ends(text: str, at: int) -> bool:
    return at == len(text) or text[at] in "\r\n"


def _end_of_line(text: str, start: int) -> int:
    found = _BREAK.search(text, start)
    return found.start() if found else len(text)


def _after_break(text: str, at: int) -> int:
    found = _BREAK.match(text, at)
    return found.end() if found else at
