"""Bodies of several parts, as RFC 7578 and browsers write them. Pure but for its boundaries, which nobody can guess."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

SET_HERE: Final = frozenset({"content-disposition", "content-type", "content-transfer-encoding"})
"""Headers of a part, in small letters, that say what it is: no others may say it."""

_ESCAPES: Final = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})


@dataclass(frozen=True)
class Part:
    """One part. Immutable; belongs to one call. ``filename`` and ``content_type`` are "" for none.

    ``headers`` are those beside them: names and texts that headers can hold.
    """

    name: str
    data: bytes = field(repr=False)
    filename: str = ""
    content_type: str = ""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)


def written(parts: Sequence[Part]) -> tuple[bytes, str]:
    """The parts as one body, and its boundary, which stands in none of them."""
    boundary = secrets.token_hex(20)
    while any(boundary.encode() in part.data for part in parts):
        boundary = secrets.token_hex(20)
    line = f"--{boundary}".encode()
    told = b"".join(line + b"\r\n" + _head(part) + part.data + b"\r\n" for part in parts)
    return told + line + b"--\r\n", boundary


def _head(part: Part) -> bytes:
    lines = [f'Content-Disposition: form-data; name="{_quoted(part.name)}"']
    if part.filename:
        lines[0] += f'; filename="{_quoted(part.filename)}"'
    if part.content_type:
        lines.append(f"Content-Type: {part.content_type}")
    lines += [f"{name}: {text}" for name, text in part.headers]
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "replace")


def _quoted(text: str) -> str:
    """A text within quotes, without any and without a line break: escaped as browsers do."""
    return text.translate(_ESCAPES)
