"""HTML and SVG, built so that text cannot become markup. Pure."""

from __future__ import annotations

from html import escape
from typing import Final

_VOID: Final = frozenset({"meta"})
"""Elements that have no end."""


class Markup(str):
    """Text that is markup already. Immutable."""

    __slots__ = ()


def tag(element: str, /, *children: str, **attributes: object) -> Markup:
    """An element. What is no Markup among ``children`` is text, and escaped.

    Of the names of attributes a ``_`` at the end is left out (``class_``), any other is a hyphen. An attribute that is
    None is left out.
    """
    marks = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{element}{marks}>" if element in _VOID else f"<{element}{marks}>{joined(*children)}</{element}>")


def joined(*children: str) -> Markup:
    """Elements and texts one behind the other."""
    return Markup("".join(child if isinstance(child, Markup) else escape(child) for child in children))
