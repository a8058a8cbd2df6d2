"""Reading tables of a definition: known keys, words, lists of texts. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from pegboard.documents.problems import KeyPath, shown
from pegboard.http_tools.mistakes import Mistakes
from pegboard.http_tools.scalars import text_of
from pegboard.schema.names import nearest


def object_of(value: Any, at: KeyPath, mistakes: Mistakes) -> Mapping[str, Any]:
    """An object; empty for null."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        mistakes.wanted(at, "an object", value)
        return {}
    return {str(key): member for key, member in value.items()}


def table_of(value: Any, keys: Collection[str], at: KeyPath, mistakes: Mistakes) -> Mapping[str, Any]:
    """An object of which only some keys are known."""
    table = object_of(value, at, mistakes)
    unknown_keys(table, keys, at, mistakes)
    return table


def unknown_keys(table: Mapping[str, Any], keys: Collection[str], at: KeyPath, mistakes: Mistakes) -> None:
    """Warn of every key that is not known."""
    for key in table:
        if key not in keys:
            close = nearest(str(key), keys)
            hint = f"Did you mean {close!r}?" if close else ""
            mistakes.odd((*at, key), f"{str(key)[:60]!r} is not known here, and is left out.", hint)


def word_of(value: Any, words: Collection[str], at: KeyPath, mistakes: Mistakes) -> Any:
    """One of some words."""
    if value not in words:
        close = nearest(value, words) if isinstance(value, str) else None
        hint = f"Did you mean {close!r}?" if close else f"Use one of: {', '.join(words)}."
        mistakes.wrong(at, f"{shown(value)} is not known here.", hint)
    return value


def texts_of(value: Any, at: KeyPath, mistakes: Mistakes) -> list[str]:
    """Texts without blanks around them, each once, none of them empty; one alone may stand without a list."""
    items = value if isinstance(value, list) else [] if value is None else [value]
    texts = (text_of(item, (*at, place), mistakes).strip() for place, item in enumerate(items))
    return list(dict.fromkeys(text for text in texts if text))
