"""Legal names, prefixes, and shortening that stays the same whatever else is loaded. Pure functions."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from pegboard.errors import InvalidNameError

MAX_NAME: Final = 64
"""Characters in a name: the limit of Anthropic's and OpenAI's APIs."""

SEPARATOR: Final = "__"
"""Between a source's prefix and the name. Joined names are looked up, never parsed."""

_LEGAL: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ILLEGAL_RUN: Final = re.compile(r"[^A-Za-z0-9_-]+")
_HASH_CHARS: Final = 8


def is_legal(name: object) -> bool:
    """Whether ``name`` is text that matches ``^[A-Za-z0-9_-]{1,64}$``."""
    return isinstance(name, str) and _LEGAL.fullmatch(name) is not None


def check_name(name: object) -> str:
    """``name`` itself when it is legal.

    Raises InvalidNameError with what is wrong and a legal name close by.
    """
    if is_legal(name):
        return str(name)
    if not isinstance(name, str):
        raise InvalidNameError(f"A tool's name is text, not {type(name).__name__}.")
    if not name:
        raise InvalidNameError("A tool's name is empty.", hint="Give it 1 to 64 of A-Z a-z 0-9 _ -.")
    what = f"has {len(name)} characters" if len(name) > MAX_NAME else "has characters outside A-Z a-z 0-9 _ -"
    shown = name if len(name) <= 80 else name[:77] + "..."
    raise InvalidNameError(
        f"The tool name {shown!r} {what}; at most {MAX_NAME} of A-Z a-z 0-9 _ - are allowed.",
        hint=f"For example: {legal_name(name)!r}.",
    )


def slug(text: str) -> str:
    """``text`` with every run of other characters made one ``_``, trimmed; ``""`` if nothing is left."""
    return _ILLEGAL_RUN.sub("_", text).strip("_")


def legal_name(name: str, prefix: str = "") -> str:
    """The name shown to models for a source's ``name`` under its ``prefix``.

    A joined name that is legal stays as it is. Any other gets its illegal characters replaced, is cut, and ends in
    ``_`` and eight hex digits of the sha-256 of (prefix, name): a function of these two alone, so that it is the same
    on every start, and two names that become alike after cleaning stay apart.
    """
    joined = f"{prefix}{SEPARATOR}{name}" if prefix else name
    if is_legal(joined):
        return joined
    digest = hashlib.sha256(f"{prefix}\x00{name}".encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_CHARS]
    head = SEPARATOR.join(part for part in (slug(prefix), slug(name)) if part)
    return f"{head[: MAX_NAME - _HASH_CHARS - 1]}_{digest}".lstrip("_")
