"""What front matter says as the fields of a skill, by the rules of the format. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from pegboard.documents.problems import kind_of, shown
from pegboard.frozen import frozen
from pegboard.skill_prompt import MAX_DESCRIPTION
from pegboard.skills.allowed_tools import allowed_tools
from pegboard.skills.front_matter import FrontMatter
from pegboard.skills.names import name_of
from pegboard.skills.problems import Findings
from pegboard.texts import one_line

MAX_COMPATIBILITY: Final = 500
"""Characters of the compatibility by the format."""

_MARK: Final = re.compile(r"[>|][-+0-9]{0,2}")
_REQUIRED: Final = ("name", "description")


@dataclass(frozen=True, kw_only=True)
class Fields:
    """The fields of one skill. Immutable; belongs to one reading."""

    name: str
    description: str
    allowed_tools: tuple[str, ...] | None
    compatibility: str | None
    license: str | None
    metadata: Mapping[str, Any]
    all: Mapping[str, Any]


def fields_of(front: FrontMatter, findings: Findings, *, ascii_names: bool = False) -> Fields:
    """The fields that front matter gives. Raises SetAsideError where the name or the description is missing or wrong.

    Keys that the format does not have are kept in ``all`` and mean nothing here.
    """
    values, lines = front.values, front.lines
    _refuse_misspelt(front, findings)
    tools_key = "allowed-tools" if "allowed-tools" in values else "allowed_tools"
    return Fields(
        name=name_of(values.get("name"), lines.get("name"), findings, ascii_names=ascii_names),
        description=_description(values.get("description"), lines.get("description"), findings),
        allowed_tools=allowed_tools(values.get(tools_key), lines.get(tools_key), findings),
        compatibility=_compatibility(values.get("compatibility"), lines.get("compatibility"), findings),
        license=_one_line("license", values.get("license"), lines.get("license"), findings),
        metadata=_metadata(values.get("metadata"), lines.get("metadata"), findings),
        all=frozen(values, depth=200),
    )


def _refuse_misspelt(front: FrontMatter, findings: Findings) -> None:
    """Name the key that was probably meant to be a required one which is missing."""
    for key in _REQUIRED:
        others = [] if key in front.values else [str(one) for one in front.values if one not in _REQUIRED]
        for meant in get_close_matches(key, others, n=1):
            hint = f"Write {key} instead of {shown(meant)}."
            raise findings.refusal(f"{key}-missing", f"has no {key}.", hint, front.lines.get(meant))


def _description(value: Any, line: int | None, findings: Findings) -> str:
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        findings.add("description-list", "has a list for a description; its items are joined.", line=line)
        value = ", ".join(value)
    if value is not None and not isinstance(value, str):
        what = f"has a description that is {kind_of(value)}, not text."
        raise findings.refusal("description-type", what, line=line)
    text = one_line(value or "")
    if not text or _MARK.fullmatch(text):
        raise findings.refusal("description-missing", "has no description.", line=line)
    if len((value or "").strip().splitlines()) > 1:
        what = "has a description of several lines; they are joined with blanks."
        findings.add("description-lines", what, line=line)
    if len(text) > MAX_DESCRIPTION:
        what = f"has a description of {len(text):,} characters; the format allows {MAX_DESCRIPTION:,}."
        findings.add("description-too-long", what, line=line)
    return text


def _compatibility(value: Any, line: int | None, findings: Findings) -> str | None:
    text = _one_line("compatibility", value, line, findings)
    if text is not None and len(text) > MAX_COMPATIBILITY:
        what = f"has a compatibility of {len(text):,} characters; the format allows {MAX_COMPATIBILITY}."
        findings.add("compatibility-too-long", what, line=line)
    return text


def _one_line(key: str, value: Any, line: int | None, findings: Findings) -> str | None:
    """Text on one line; None for nothing, and for what is neither text nor a list of texts."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = ", ".join(value)
    if value is None or isinstance(value, str):
        return one_line(value or "") or None
    findings.add(f"{key}-type", f"has a {key} that is {kind_of(value)}, not text; left out.", line=line)
    return None


def _metadata(value: Any, line: int | None, findings: Findings) -> Mapping[str, Any]:
    if isinstance(value, dict):
        kept: Mapping[str, Any] = frozen(value, depth=200)
        return kept
    if value is not None:
        what = f"has metadata that is {kind_of(value)}, not a table; left out."
        findings.add("metadata-type", what, line=line)
    return {}
