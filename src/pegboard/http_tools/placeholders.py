"""Placeholders in texts: ``{{city}}``, ``{{ctx.tenant_id}}``, ``{{secret.KEY}}``, ``{{env.HOST}}``. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

Kind = Literal["param", "ctx", "secret", "env"]

_PLACEHOLDER: Final = re.compile(r"\{\{[ \t]*([A-Za-z0-9_.-]+)[ \t]*\}\}")
_KINDS: Final[tuple[Kind, ...]] = ("ctx", "secret", "env")


class PlaceholderError(ValueError):
    """A text has two opening braces, and what follows is no placeholder."""


@dataclass(frozen=True, slots=True)
class Placeholder:
    """One placeholder. Immutable. ``key`` is its name behind the kind: ``tenant_id`` of ``ctx.tenant_id``."""

    kind: Kind
    key: str

    def __str__(self) -> str:
        return self.key if self.kind == "param" else f"{self.kind}.{self.key}"


Parts = tuple[str | Placeholder, ...]
"""A text taken apart: what stands there as written, and the placeholders between."""


def parts_of(text: str) -> Parts:
    """A text taken apart; no part is an empty text. Raises PlaceholderError naming what is no placeholder."""
    found: list[str | Placeholder] = []
    end = 0
    for match in _PLACEHOLDER.finditer(text):
        found += [_literal(text[end : match.start()]), _placeholder(match[1])]
        end = match.end()
    found.append(_literal(text[end:]))
    return tuple(part for part in found if part != "")


def placeholders_in(parts: Iterable[str | Placeholder]) -> Iterator[Placeholder]:
    """The placeholders among parts."""
    return (part for part in parts if isinstance(part, Placeholder))


def placeholders_in_text(text: str) -> Iterator[Placeholder]:
    """The placeholders of a text, whatever else stands in it."""
    return (_placeholder(match[1]) for match in _PLACEHOLDER.finditer(text))


def only_placeholder(parts: Parts) -> Placeholder | None:
    """The placeholder that is all of a text; None where there is more, or none."""
    return parts[0] if len(parts) == 1 and isinstance(parts[0], Placeholder) else None


def replaced(text: str, kind: Kind, with_: Callable[[str], str]) -> str:
    """A text with each placeholder of a kind replaced by ``with_(key)``; the others stay as they are."""

    def one(match: re.Match[str]) -> str:
        found = _placeholder(match[1])
        return with_(found.key) if found.kind == kind else match[0]

    return _PLACEHOLDER.sub(one, text)


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a JSON value, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from (str(key), *texts_in(member))
    elif isinstance(value, (list, tuple)):
        for member in value:
            yield from texts_in(member)


def _placeholder(name: str) -> Placeholder:
    kind, dot, key = name.partition(".")
    return next((Placeholder(known, key) for known in _KINDS if dot and kind == known), Placeholder("param", name))


def _literal(text: str) -> str:
    at = text.find("{{")
    if at >= 0:
        end = text.find("}}", at)
        raise PlaceholderError(text[at : end + 2 if end >= 0 else len(text)][:60])
    return text
