"""What an HTTP tool is, as data. ``reading`` makes definitions and says what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from pegboard.http_tools.request import Request

Extract = Literal["body_raw", "status", "json_path", "evidence_envelope"]
Arguments = Literal["strict", "lossless"]
SchemaForm = Literal["safe", "full"]

EXTRACTS: Final[tuple[str, ...]] = get_args(Extract)
ARGUMENTS: Final[tuple[str, ...]] = get_args(Arguments)
SCHEMA_FORMS: Final[tuple[str, ...]] = get_args(SchemaForm)


@dataclass(frozen=True, kw_only=True)
class HaltWhen:
    """Which replies end the turn. Immutable.

    Those whose ``json_path`` gives one of ``equals``, as texts (``true``, ``2.0``; "" for null). What is then said is
    ``say_text``, or what stands at ``say_path``; at most one of them is set.
    """

    json_path: str
    equals: tuple[str, ...]
    say_text: str | None = None
    say_path: str | None = None

    def to_json(self) -> dict[str, Any]:
        """As a definition has it."""
        told: dict[str, Any] = {"json_path": self.json_path, "equals": list(self.equals)}
        if self.say_text is not None:
            told["say"] = {"text": self.say_text}
        elif self.say_path is not None:
            told["say"] = {"json_path": self.say_path}
        return told


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """That a tool's results are evidence of some kind. Immutable. ``items`` and ``attachments`` are dotted paths."""

    kind: str
    items: str = "items"
    attachments: str = "attachments"

    def to_json(self) -> dict[str, Any]:
        """As a definition has it."""
        return {"kind": self.kind, "items": self.items, "attachments": self.attachments}


@dataclass(frozen=True, kw_only=True)
class HttpDefinition:
    """One HTTP tool as data. Immutable, shared; holds no secret, only their names.

    ``parameters`` is the JSON Schema of its arguments. ``extract`` says what of the reply is the result, ``path`` where
    in it. Headers in ``secret_headers`` are the only ones that secrets may stand in. ``timeout`` is in seconds, for the
    whole request; None for the client's. With ``arguments`` ``lossless`` the exact text forms of numbers and booleans
    pass for them. With ``schema`` ``full``, ``parameters`` may be any JSON Schema, with names of any kind.
    """

    name: str
    description: str
    request: Request
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}, "required": []})
    extract: Extract = "body_raw"
    path: str | None = None
    secret_headers: tuple[str, ...] = ()
    side_effect: bool = False
    timeout: float | None = None
    group: str | None = None
    tags: tuple[str, ...] = ()
    halt_when: HaltWhen | None = None
    evidence: Evidence | None = None
    arguments: Arguments = "strict"
    schema: SchemaForm = "safe"

    def to_json(self) -> dict[str, Any]:
        """The definition as it is written in files, every field named: reading it gives an equal one."""
        told: dict[str, Any] = {
            "name": self.name,
            "description": self.description,
            "parameters": dict(self.parameters),
            "request": self.request.to_json(),
            "response": {"extract": self.extract, "path": self.path},
            "secret_headers": list(self.secret_headers),
            "side_effect": self.side_effect,
            "timeout": self.timeout,
            "group": self.group,
            "tags": list(self.tags),
            "halt_when": self.halt_when.to_json() if self.halt_when else None,
        }
        if self.evidence:
            told["evidence"] = self.evidence.to_json()
        if self.arguments != "strict":
            told["arguments"] = self.arguments
        if self.schema != "safe":
            told["schema"] = self.schema
        return told
