"""The names of skills: letters and digits of any script, hyphens and underscores. Pure."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, Final

from pegboard.documents.problems import kind_of, shown
from pegboard.skills.problems import Findings

MAX_NAME: Final = 64
"""Characters of a name by the format."""

_MOST_READ: Final = 256
"""Characters of a name that is still read; a longer one is no name."""

FORM: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
"""A name by the format, but for its length."""

_ASCII: Final = re.compile(r"[A-Za-z0-9_-]+")
_BLANKS: Final = re.compile(r"[ \t]+")


def name_of(value: Any, line: int | None, findings: Findings, *, ascii_names: bool) -> str:
    """The name of a skill. Raises SetAsideError where there is none, or it has other characters.

    Blanks inside are read as hyphens, with a warning: that is what the author of ``PDF Tools`` would have written.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        raise findings.refusal("name-missing", "has no name.", line=line)
    if not isinstance(value, str):
        raise findings.refusal("name-type", f"has a name that is {kind_of(value)}, not text.", line=line)
    name = unicodedata.normalize("NFKC", value).strip()
    if not is_name(_BLANKS.sub("-", name), ascii_names=ascii_names):
        told = f"has the name {shown(ascii(name)[1:-1])}, which cannot be one."
        hint = "Use the letters a to z and A to Z, digits, - and _." if ascii_names else ""
        raise findings.refusal("name-characters", told, hint, line)
    if _BLANKS.search(name):
        joined = _BLANKS.sub("-", name)
        findings.add("name-blanks", f"has the name {shown(name)}; understood as {shown(joined)}.", line=line)
        name = joined
    if len(name) > MAX_NAME:
        what = f"has a name of {len(name)} characters; the format allows {MAX_NAME}."
        findings.add("name-too-long", what, line=line)
    return name


def is_name(name: str, *, ascii_names: bool = False) -> bool:
    """Whether a folded text may be a name."""
    if not 0 < len(name) <= _MOST_READ:
        return False
    if name.isascii() or ascii_names:
        return _ASCII.fullmatch(name) is not None
    # A vowel sign or an accent belongs to the letter before it: many scripts cannot be written without.
    return not _is_mark(name[0]) and all(char in "-_" or char.isalnum() or _is_mark(char) for char in name)


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in ("Mn", "Mc")


def is_format_name(name: str) -> bool:
    """Whether a name is one by the format's rules: a to z, digits and single hyphens between them, at most 64."""
    return len(name) <= MAX_NAME and FORM.fullmatch(name) is not None
