"""Making control characters visible, so that texts of strangers cannot steer a terminal. Pure."""

from __future__ import annotations

import json
import re
from typing import Any, Final

_CONTROLS: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and line feed, DEL, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # change the direction of writing
    "\u200b\u2028\u2029\u2060-\u2064\ufeff"  # invisible, or break lines
    "\ud800-\udfff"  # lone surrogates: no terminal can be sent these
    "\U000e0000-\U000e007f"  # invisible twins of ASCII
)
_UNSAFE: Final = re.compile(f"[{_CONTROLS}]")
_BLANKS: Final = re.compile(r"\s+")


def visible(text: str) -> str:
    """``text`` with every control character written as its escape, like ``\\x1b``; tabs and line feeds stay."""
    return _UNSAFE.sub(_escape, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """``text`` on one line: each run of blanks and line breaks is one blank, control characters are visible."""
    return visible(_BLANKS.sub(" ", text)).strip()


def json_text(value: Any) -> str:
    """A JSON document of two blanks' indent, with every control character escaped; any script stays readable."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _UNSAFE.sub(_json_escape, text)


def _escape(found: re.Match[str]) -> str:
    return found.group().encode("unicode_escape", "surrogatepass").decode("ascii")


def _json_escape(found: re.Match[str]) -> str:
    return json.dumps(found.group())[1:-1]
