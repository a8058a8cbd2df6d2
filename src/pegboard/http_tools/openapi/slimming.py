"""Schemas in fewer bytes that let the same values through. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from pegboard.schema.walk import Pointer, with_children

MAX_DESCRIPTION: Final = 300
"""Characters of what one argument, or a part of it, is described with."""

MAX_TOOL_DESCRIPTION: Final = 1_000
"""Characters of what a tool is described with."""

_LEFT_OUT: Final = frozenset(("examples", "readOnly", "writeOnly", "discriminator", "title"))
"""Words that let every value through, and tell models little."""

_TOLD_BY_TYPE: Final = frozenset(("int32", "int64", "float", "double", "int", "integer", "number", "string", "boolean"))
"""Formats that say no more than the type beside them."""

_GROUPS: Final = ("allOf", "anyOf", "oneOf")
_ANNOTATIONS: Final = frozenset(("description", "default", "deprecated"))
_SENTENCE: Final = re.compile(r"[.!?。！？](?=\s|$)|\n")  # full stops of other scripts
_PARAGRAPHS: Final = re.compile(r"\n\s*\n\s*")
_LINK: Final = re.compile(r"\[([^\]\n]{1,200})\]\((?:[^()\s]|\([^()\s]*\)){0,500}\)")
_TAG: Final = re.compile(
    r"</?(?:a|b|blockquote|br|code|dd|div|dl|dt|em|h[1-6]|hr|i|img|li|ol|p|pre|small|span|strong|sub|sup|table|tbody"
    r"|td|th|thead|tr|tt|u|ul)(?:\s[^<>]{0,300})?/?>",
    re.IGNORECASE,
)
_LOOKED_AT: Final = 10
"""Times the characters wanted that are read at most: markup may be most of a text."""


def slimmed(schema: Any) -> Any:
    """A schema without what tells models little; it lets through exactly the values that it did.

    Left out: titles, examples, discriminators, formats that repeat the type, ``deprecated: false``. Descriptions are
    bounded. A group of one (``allOf: [X]``) is X.
    """
    return _slim((), schema)


def _slim(_: Pointer, schema: Any) -> Any:
    if not isinstance(schema, Mapping):
        return schema
    kept = {word: value for word, value in schema.items() if not _is_idle(word, value)}
    found = with_children(kept, _slim)
    if "description" in found:
        found["description"] = bounded(found["description"], MAX_DESCRIPTION)
    for word in _GROUPS:
        found = _alone(found, word)
    return found


def _is_idle(word: str, value: Any) -> bool:
    if word in _LEFT_OUT or (word == "deprecated" and value is False):
        return True
    return word == "format" and value in _TOLD_BY_TYPE


def _alone(schema: dict[str, Any], word: str) -> dict[str, Any]:
    """A group of one schema as that schema, where nothing but words of description stands beside it."""
    group = schema.get(word)
    if not isinstance(group, list) or len(group) != 1 or not isinstance(group[0], dict):
        return schema
    beside = {key: value for key, value in schema.items() if key != word}
    return {**group[0], **beside} if beside.keys() <= _ANNOTATIONS else schema


def bounded(text: str, most: int) -> str:
    """A description without markup, of at most ``most`` characters: whole sentences where one of them fits."""
    text = text[: most * _LOOKED_AT]
    plain = " ".join(_TAG.sub(" ", _LINK.sub(r"\1", text)).split()) if "<" in text or "](" in text else text.strip()
    plain = _PARAGRAPHS.sub("\n", plain)
    if len(plain) <= most:
        return plain
    head = plain[: most - 1]
    ends = [match.end() for match in _SENTENCE.finditer(head)]
    if ends and ends[-1] >= most // 3:
        return head[: ends[-1]].rstrip()
    return head.rsplit(" ", 1)[0].rstrip() + "…"
