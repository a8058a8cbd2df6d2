"""A ``SKILL.md`` as it is published: as it was written where every reader understands it alike, else mended. Pure.

Programs that read a skill over MCP parse its front matter as YAML and compare it with what the list said of it, field
by field. A file that is no YAML, or whose name or description are not as the format wants them, would be refused there
though it was understood here. Its front matter is then written anew from what was understood; the body stays as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pegboard.documents import yaml
from pegboard.frozen import thawed
from pegboard.skill_prompt import MAX_DESCRIPTION, bounded
from pegboard.skills.names import is_format_name
from pegboard.skills.skill import Skill
from pegboard.tools import JsonObject

_FRONT: Final = re.compile(r"\ufeff?---\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_HIDDEN: Final = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


class NotPublishedError(Exception):
    """A skill cannot be published. The text says why, for the end of a sentence that begins with the skill's name."""


@dataclass(frozen=True)
class Document:
    """The published file of a skill. Immutable. ``front`` is what any reader of YAML 1.2 finds in its front matter."""

    front: JsonObject
    data: bytes = field(repr=False)


def document_of(skill: Skill) -> Document:
    """The file of a skill as it is published. Raises NotPublishedError for a name that the format does not have."""
    if not is_format_name(skill.name):
        raise NotPublishedError("has a name that the format does not have: write a to z, digits and single hyphens")
    data = skill.head + skill.body.encode("utf-8")
    front = front_of(data)
    if front is not None and has_fields(front, skill.name):
        return Document(front, data)
    mended = _mended(skill)
    front = front_of(mended)
    if front is None or not has_fields(front, skill.name):
        raise NotPublishedError("has front matter that cannot be told as YAML: write it as YAML")
    return Document(front, mended)


def front_of(data: bytes) -> JsonObject | None:
    """The front matter of a file, as plain YAML 1.2 with its types; None where others would read something else."""
    try:
        found = _FRONT.match(data.decode("utf-8"))
        front = yaml.parse(found[1]).value if found else None
    except (UnicodeDecodeError, yaml.YamlSyntaxError):
        return None
    return front if isinstance(front, dict) else None


def has_fields(front: Mapping[str, Any], name: str) -> bool:
    """Whether front matter has this name, and a description of the format's length."""
    description = front.get("description")
    described = isinstance(description, str) and bool(description.strip()) and len(description) <= MAX_DESCRIPTION
    return front.get("name") == name and described


def _mended(skill: Skill) -> bytes:
    others = {key: value for key, value in skill.fields.items() if key not in ("name", "description")}
    fields = {"name": skill.name, "description": bounded(skill.description), **thawed(others)}
    lines = [f"{_json(key)}: {_json(value)}\n" for key, value in fields.items()]
    return f"---\n{''.join(lines)}---\n{skill.body}".encode()


def _json(value: Any) -> str:
    """A value as JSON that is YAML too."""
    text = json.dumps(value, ensure_ascii=False)
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
