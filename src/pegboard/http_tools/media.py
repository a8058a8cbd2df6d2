"""Media types, and what a body of each is written from. Pure."""

from __future__ import annotations

import re
from typing import Final, Literal

BodyKind = Literal["json", "form", "multipart", "text", "bytes"]

JSON_TYPE: Final = "application/json"
FORM_TYPE: Final = "application/x-www-form-urlencoded"
TEXT_TYPE: Final = "text/plain; charset=utf-8"
BYTES_TYPE: Final = "application/octet-stream"

_WORD: Final = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"
_MEDIA_TYPE: Final = re.compile(rf'{_WORD}/{_WORD}(?:[ \t]*;[ \t]*{_WORD}=(?:{_WORD}|"[^"\\\x00-\x1f\x7f]*"))*')
_CHARSET: Final = re.compile(r';[ \t]*charset="?([^";]*)"?', re.IGNORECASE)

_TEXTS: Final = frozenset(
    {"application/xml", "application/yaml", "application/x-yaml", "application/graphql", "application/sql"}
    | {"application/javascript", "application/toml", "application/x-ndjson", "application/ndjson", "application/jsonl"}
    | {"application/json-seq", "application/n-triples", "application/sparql-query", "application/sparql-update"}
)
"""Types below ``application`` that are text in UTF-8."""


def essence_of(media_type: str) -> str:
    """A media type without its parameters, in lower case."""
    return media_type.partition(";")[0].strip().lower()


def is_media_type(text: str) -> bool:
    """Whether a text is a media type that a header may hold; ranges such as ``image/*`` are none."""
    return text.isascii() and bool(_MEDIA_TYPE.fullmatch(text)) and "*" not in essence_of(text)


def is_json(media_type: str) -> bool:
    """Whether values of a media type are JSON."""
    essence = essence_of(media_type)
    return essence in (JSON_TYPE, "text/json") or essence.endswith("+json")


def charset_of(media_type: str) -> str:
    """The charset that a media type names, in lower case; "" for none."""
    match = _CHARSET.search(media_type)
    return match[1].strip().lower() if match else ""


def kind_of(media_type: str) -> BodyKind:
    """What a body of a media type is written from: any JSON value, an object, a text, or a file."""
    essence = essence_of(media_type)
    if is_json(essence):
        return "json"
    if essence == FORM_TYPE:
        return "form"
    if essence.startswith("multipart/"):
        return "multipart"
    is_text = essence.startswith("text/") or essence in _TEXTS or essence.endswith(("+xml", "+yaml"))
    return "text" if is_text else "bytes"


def announced(media_type: str) -> str:
    """A media type of text as it is announced: ``text/*`` says that it is UTF-8, the others are by themselves."""
    if essence_of(media_type).startswith("text/") and not charset_of(media_type):
        return f"{media_type}; charset=utf-8"
    return media_type
