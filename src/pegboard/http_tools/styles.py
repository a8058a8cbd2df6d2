"""Values written as parameters: OpenAPI's styles, as RFC 6570 expands them. Pure.

Every text is encoded by itself before texts are joined, so whoever splits first and decodes then gets exactly what was
given. Where a place has no encoding, or encodes the delimiter itself, a text with the delimiter in it is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pegboard.http_tools.scalars import plain

Encode = Callable[[str], str]
Pairs = list[tuple[str, str]]


class StyleError(ValueError):
    """A value cannot be written in its style. The message says why, and repeats nothing of it."""


@dataclass(frozen=True)
class Style:
    """How the texts of one value stand together. Immutable.

    ``joins`` stands between them when it is not exploded; ``between`` when it is, and the style is no pair by itself.
    ``first`` stands before all, and with ``named`` the name does.
    """

    joins: str = ","
    between: str = ","
    first: str = ""
    named: bool = False


STYLES: Final[Mapping[str, Style]] = {
    "simple": Style(),
    "label": Style(first=".", between="."),
    "matrix": Style(first=";", between=";", named=True),
    "form": Style(),
    "spaceDelimited": Style(joins=" ", between=" "),
    "pipeDelimited": Style(joins="|", between="|"),
    "tabDelimited": Style(joins="\t", between="\t"),
}
"""All but ``deepObject``, which gives a pair for each scalar in an object."""

_MARKS: Final = frozenset(",;.")
"""Delimiters that stand on the wire as they are; the others are encoded there like any text."""

_BRACKETS: Final = frozenset("[]")
_WORDS: Final = {" ": "a blank", "%20": "a blank", "+": "a blank", "\t": "a tab", "%09": "a tab", "%7C": "|"}


def pairs_of(name: str, value: Any, style: str, explode: bool, encode: Encode, encode_name: Encode) -> Pairs:
    """A value as pairs of names and texts, encoded; none for null, and for an empty list or object.

    Exploded lists give a pair for each item, exploded objects one for each member, by its own name. Raises StyleError.
    """
    if style == "deepObject":
        return [(encode_name(deep), encode(text)) for deep, text in _deep(name, value)]
    if explode and isinstance(value, dict):
        return [(encode_name(key), encode(text)) for key, text in members_of(value)]
    if explode and isinstance(value, list):
        return [(encode_name(name), encode(text)) for text in _items(value)]
    if isinstance(value, (dict, list)):
        text = _joined(_texts(value), STYLES[style].joins, encode)
        return [] if text is None else [(encode_name(name), text)]
    return [] if value is None else [(encode_name(name), encode(_text(value)))]


def text_of(name: str, value: Any, style: str, explode: bool, encode: Encode) -> str | None:
    """A value as one text, encoded, for a path or a header; None for null, and for an empty list or object.

    ``name`` is encoded already. Raises StyleError.
    """
    kind = STYLES[style]
    if not isinstance(value, (dict, list)):
        return None if value is None else _behind_name(kind, name, encode(_text(value)))
    if not explode:
        text = _joined(_texts(value), kind.joins, encode)
        return None if text is None else _behind_name(kind, name, text)
    mark = _mark(kind.between, encode)
    if isinstance(value, dict):
        members = [(_key(key, mark, encode), _item(text, mark, encode)) for key, text in members_of(value)]
        texts = [_named(*member) if kind.named else "=".join(member) for member in members]
    else:
        items = [_item(text, mark, encode) for text in _items(value)]
        texts = [_named(name, text) for text in items] if kind.named else items
    return kind.first + mark.join(texts) if texts else None


def members_of(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The members of an object as texts; one that is null counts as not there."""
    return ((key, _text(member)) for key, member in value.items() if member is not None)


def _items(value: Iterable[Any]) -> list[str]:
    texts = [None if item is None else _text(item) for item in value]
    if None in texts:
        raise StyleError("has a null in its list, which cannot be written there")
    return [text for text in texts if text is not None]


def _texts(value: Any) -> list[str]:
    """The texts of a list, or the keys and texts of an object in turn."""
    return [text for pair in members_of(value) for text in pair] if isinstance(value, dict) else _items(value)


def _text(value: Any) -> str:
    """A scalar in its text form; a list or an object inside of another as JSON."""
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return plain(value)


def _joined(texts: list[str], delimiter: str, encode: Encode) -> str | None:
    """Texts with the delimiter between them, None for no text."""
    mark = _mark(delimiter, encode)
    return mark.join([_item(text, mark, encode) for text in texts]) if texts else None


def _mark(delimiter: str, encode: Encode) -> str:
    """A delimiter as it stands on the wire."""
    return delimiter if delimiter in _MARKS else encode(delimiter)


def _item(text: str, mark: str, encode: Encode) -> str:
    """One text, encoded so that it ends nowhere before its end."""
    encoded = encode(text)
    if mark == ".":  # encodings leave it as it is
        encoded = encoded.replace(".", "%2E")
    if mark in encoded:
        raise StyleError(f"has an item or a name with {_told(mark)} in it, which stands between items there")
    return encoded


def _key(key: str, mark: str, encode: Encode) -> str:
    encoded = _item(key, mark, encode)
    if "=" in encoded:
        raise StyleError("has a name with = in it, which ends names there")
    return encoded


def _behind_name(kind: Style, name: str, text: str) -> str:
    return kind.first + (_named(name, text) if kind.named else text)


def _named(name: str, text: str) -> str:
    return f"{name}={text}" if text else name


def _deep(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """``a[b][c]`` for each scalar inside, items of lists by their number."""
    if isinstance(value, dict):
        for key, member in value.items():
            if _BRACKETS & set(key) or not key:
                raise StyleError("has a name that is empty, or has a bracket in it, which cannot be written there")
            if member is not None:
                yield from _deep(f"{name}[{key}]", member)
    elif isinstance(value, list):
        for place, item in enumerate(value):
            if item is None:
                raise StyleError("has a null in its list, which cannot be written there")
            yield from _deep(f"{name}[{place}]", item)
    elif value is not None:
        yield name, plain(value)


def _told(mark: str) -> str:
    return _WORDS.get(mark, mark)
