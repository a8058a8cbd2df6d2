"""Making control characters visible, so that texts of strangers cannot steer a terminal. Pure."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from pegboard.texts import UNSEEN

_UNSAFE: Final = re.compile(f"[{UNSEEN}]")
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
