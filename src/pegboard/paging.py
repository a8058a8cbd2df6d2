"""Long lists, page by page. Pure."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pegboard.errors import InvalidArgumentsError

_MARK: Final = "after:"


@dataclass(frozen=True, kw_only=True)
class Page:
    """One page of a list. Immutable. ``cursor`` continues it, None at the end; ``total`` counts all pages."""

    names: tuple[str, ...]
    total: int
    cursor: str | None = None


def page(names: Iterable[str], cursor: str | None, size: int, *, asked_of: str) -> Page:
    """One page of ``names`` in order. A cursor holds the last name seen: pages stay right when tools come and go.

    Raises InvalidArgumentsError of the meta-tool ``asked_of`` for a cursor that was not given out here.
    """
    ordered = sorted(names)
    after = _name_in(cursor) if cursor else ""
    if after is None:
        raise InvalidArgumentsError(asked_of, ["cursor: wanted one that an earlier answer gave, or none"])
    rest = [name for name in ordered if name > after]
    shown = tuple(rest[:size])
    following = _cursor(shown[-1]) if len(rest) > size else None
    return Page(names=shown, total=len(ordered), cursor=following)


def _cursor(name: str) -> str:
    return base64.urlsafe_b64encode(f"{_MARK}{name}".encode()).decode().rstrip("=")


def _name_in(cursor: str) -> str | None:
    """The name that a cursor holds; None for what is no cursor."""
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return None
    return text.removeprefix(_MARK) if text.startswith(_MARK) else None
