"""The names of tools: each a function of its own operation, so that it stays when others come and go. Pure."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from pegboard.naming import MAX_NAME, is_legal, legal_name, slug

_SEGMENT: Final = re.compile(r"[A-Za-z0-9-]+")
_PLACEHOLDER: Final = re.compile(r"\{([A-Za-z0-9-]+)\}")
_HASH_CHARS: Final = 8


def names_of(operations: Sequence[tuple[str, str, str]]) -> list[tuple[str, str]]:
    """A name for each (method, path, operationId), and what is to be said of it; "" for nothing.

    The operationId where that is a legal name; else a legal one that is made of it and stays apart from others by a
    hash. Without an id, a name of method and path. Where several operations would have one name, all of them get a
    hash of method and path, so that their order does not count.
    """
    made = [_made(*operation) for operation in operations]
    counts = Counter(name for name, _ in made)
    named = zip(operations, made, strict=True)
    return [
        (_apart(name, method, path), _SHARED) if counts[name] > 1 else (name, note)
        for (method, path, _), (name, note) in named
    ]


_SHARED: Final = "other operations have the same operationId: its name has a part made of method and path"


def _made(method: str, path: str, operation_id: str) -> tuple[str, str]:
    if operation_id:
        name = legal_name(operation_id)
        told = "" if name == operation_id else f"its name is made of its operationId {operation_id[:100]!r}"
        return name, told
    return of_path(method, path), "it has no operationId: its name is made of method and path"


def of_path(method: str, path: str) -> str:
    """A name of method and path, which no other path has.

    ``GET /teams/{team}/members`` is ``get_teams__team_members``: two underscores stand before what is filled in. A path
    with other characters, or one that is too long, gets a hash.
    """
    segments = path.removeprefix("/").split("/") if path != "/" else []
    parts = [method.lower()]
    for segment in segments:
        match = _PLACEHOLDER.fullmatch(segment)
        if match is None and not _SEGMENT.fullmatch(segment):
            return _apart(slug(f"{method.lower()}_{path}"), method, path)
        parts.append(f"_{match[1]}" if match else segment)
    name = "_".join(parts)
    return name if is_legal(name) else _apart(name, method, path)


def _apart(name: str, method: str, path: str) -> str:
    """A name with a hash of method and path, which keeps it apart from others."""
    digest = hashlib.sha256(f"{method} {path}".encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_CHARS]
    return f"{slug(name)[: MAX_NAME - _HASH_CHARS - 1]}_{digest}"
