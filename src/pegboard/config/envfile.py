"""Files of ``NAME=value`` lines. Pure: text in, variables out.

    # a comment
    export TOKEN="one two"   # double quotes: \\n, \\t, \\" and \\\\ are escapes
    PATTERN='as it stands'
    PLAIN=up to the end of the line, or to a blank and a #

Nothing is expanded in values.
"""

from __future__ import annotations

import re
from typing import Final

_LINE: Final = re.compile(
    r"""^[ \t]*(?:export[ \t]+)?(?P<name>[A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*
    (?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>[^']*)'|(?P<plain>[^\n]*?))
    [ \t]*(?:(?<=[\s"'])\#[^\n]*)?$""",
    re.MULTILINE | re.VERBOSE | re.DOTALL,
)
_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t"}


def variables(text: str) -> tuple[dict[str, str], list[int]]:
    """The variables of a text, the later of two winning, and the numbers of the lines that are none."""
    found: dict[str, str] = {}
    wrong: list[int] = []
    text = text.replace("\r\n", "\n").removesuffix("\n") + "\n"
    position = 0
    while position < len(text):
        end = text.index("\n", position)
        match = _LINE.match(text, position)
        if match:
            found[match["name"]] = _value(match)
            end = match.end()
        elif text[position:end].strip() and not text[position:end].lstrip().startswith("#"):
            wrong.append(text.count("\n", 0, position) + 1)
        position = end + 1
    return found, wrong


def _value(match: re.Match[str]) -> str:
    if match["double"] is not None:
        return re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[1]), match["double"], flags=re.DOTALL)
    return match["single"] if match["single"] is not None else match["plain"]
