"""What an index is made of, told by digests: the way that texts are read, and what each entry gives to read."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import blake2b
from typing import Any, Final

from pegboard.search.scheme import Scheme
from pegboard.tools import Entry

STAMP: Final = 16
"""Bytes of a stamp."""


def stamps_of(entries: Iterable[Entry]) -> list[bytes]:
    """``STAMP`` bytes for each entry: equal ones for entries of which the same is searched."""
    return [getattr(entry, "stamp", None) or blake2b(_told(entry), digest_size=STAMP).digest() for entry in entries]


def _told(entry: Entry) -> bytes:
    facts = (entry.name, entry.bare_name, entry.source, entry.description, entry.category)
    told = [*facts, entry.tags, entry.keywords, entry.input_schema]
    return _JSON.encode(told).encode("ascii")


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else repr(value)


_JSON: Final = json.JSONEncoder(default=_plain)


class _Probe:
    """An entry to try the reading on. Lives as long as the trial."""

    kind = "tool"
    category = "Mail & calendars"
    tags = ("HTTPServer2",)
    keywords = ("naïve", "Straße")
    input_schema: Mapping[str, Any] = {
        "properties": {"maxResults": {"description": "how many", "enum": ["a_b", "c.d"]}}
    }

    def __init__(self, name: str, description: str) -> None:
        self.name = name
        self.bare_name = name.partition("__")[2] or name
        self.source = name.partition("__")[0]
        self.description = description


_PROBES: Final = (
    _Probe(
        "github__create_issue_v2", "Opens issues; generalizations of users' relational happiness, sensibly hopping."
    ),
    _Probe("getURLs", "天気を調べる ไทย Ωmega e\u0301 mp3-player v2.0 don't “quoted” I'd rather_not"),
)


@cache
def reading_of(schemes: tuple[Scheme, ...]) -> str:
    """What this program, with its Python, makes of a few texts: indexes of another reading are none for it."""
    from pegboard.search.building import build

    digest = blake2b(unicodedata.unidata_version.encode(), digest_size=16)
    for scheme in schemes:
        digest.update(f"{scheme.name} {scheme.fields} {scheme.unit}".encode())
        for array in build(scheme, _PROBES).arrays().values():
            digest.update(array.tobytes())
    return digest.hexdigest()
