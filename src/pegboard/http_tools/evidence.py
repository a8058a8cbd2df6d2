"""Results that are evidence: a lean list of ids and lines for the model, the rest for the caller. Pure.

The model sees ``{"items": [{"id", "line"}]}`` and nothing else of the reply; which ids it was shown, and what is
attached to them, go with the result's ``_meta``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pegboard.http_tools.definition import Evidence
from pegboard.http_tools.paths import at_path
from pegboard.http_tools.scalars import plain
from pegboard.tools import MISSING

EVIDENCE_KEY: Final = "dev.pegboard/evidence"
"""The key of a result's ``_meta`` with ``{kind, ids, attachments}``."""

MAX_ITEMS: Final = 16
MAX_LINE: Final = 200
"""Characters of a line; longer ones are cut."""
MAX_ID: Final = 300
"""Characters of an id. One that were cut would be another one, so longer ones are refused."""
ATTACHMENT_TYPES: Final = frozenset({"card", "image", ""})


class EvidenceError(ValueError):
    """A result is no evidence; the message says why and repeats nothing of it."""


@dataclass(frozen=True)
class Shown:
    """What a result came to. Immutable. ``items`` are for the model, ``ids`` those that it sees, each once."""

    items: tuple[Mapping[str, str], ...]
    ids: tuple[str, ...]
    attachments: tuple[Mapping[str, str | None], ...]


def shown_of(evidence: Evidence, result: Any) -> Shown:
    """The evidence that a result holds. Raises EvidenceError."""
    flaw = flaw_of(evidence, result)
    if flaw:
        raise EvidenceError(flaw)
    items = [_lean(item) for item in at_path(evidence.items, result)[:MAX_ITEMS]]
    found = at_path(evidence.attachments, result)
    return Shown(tuple(items), tuple(dict.fromkeys(item["id"] for item in items)), attachments_of(found))


def flaw_of(evidence: Evidence, result: Any) -> str:
    """What keeps a result from being evidence; empty when nothing does."""
    if not isinstance(result, dict):
        return "evidence: the result must be an object"
    items = at_path(evidence.items, result)
    if items is MISSING or items is None:
        return f"evidence: {_where(evidence)} is missing"
    if not isinstance(items, list):
        return f"evidence: {_where(evidence)} must be a list"
    return next((flaw for place, item in enumerate(items) if (flaw := _flaw(place, item))), "")


def attachments_of(found: Any) -> tuple[Mapping[str, str | None], ...]:
    """The attachments among values: objects with a url, at most 16; one alone may stand without a list."""
    listed = found if isinstance(found, list) else [found]
    kept = (_attachment(item) for item in listed if isinstance(item, dict) and _words(item.get("url")))
    return tuple(one for one in kept if one["type"] in ATTACHMENT_TYPES)[:MAX_ITEMS]


def _where(evidence: Evidence) -> str:
    return "items" if evidence.items == "items" else f"items ({evidence.items})"


def _flaw(place: int, item: Any) -> str:
    at = f"evidence: items[{place}]"
    if not isinstance(item, dict) or not isinstance(item.get("line"), str):
        return f"{at} must be {{id, line}}"
    if item.get("id") is None or item["id"] is False:
        return f"{at} must be {{id, line}}"
    if isinstance(item["id"], (dict, list)):
        return f"{at}: id must be text or a number"
    return f"{at}: id is longer than {MAX_ID} characters" if len(plain(item["id"])) > MAX_ID else ""


def _lean(item: Mapping[str, Any]) -> Mapping[str, str]:
    return {"id": plain(item["id"]), "line": item["line"][:MAX_LINE]}


def _attachment(item: Mapping[str, Any]) -> dict[str, str | None]:
    return {"type": _words(item.get("type")) or "", "url": _words(item["url"]), "caption": _words(item.get("caption"))}


def _words(value: Any) -> str | None:
    """A text, None for a blank one or none."""
    return value if isinstance(value, str) and value.strip() else None
