"""What a tool is, and what a call gives back.

Everything here is immutable and shared by the whole process; nothing does I/O.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

from pegboard.errors import CallError, DefinitionError
from pegboard.late_fields import late, with_late_fields
from pegboard.naming import check_name
from pegboard.resource import Touches
from pegboard.tool_fields import check_fields

if TYPE_CHECKING:
    from pegboard.context import Context

JsonObject = Mapping[str, Any]
"""A JSON object. Treat as read-only: definitions are shared."""


class Visibility(StrEnum):
    """Whether a listing shows the tool from the start, or only once it is pinned."""

    ALWAYS = "always"
    ON_DEMAND = "on-demand"


class Approval(StrEnum):
    """How much a call may do, from least to most."""

    READ = "read"
    WRITE = "write"
    EXEC = "exec"

    @property
    def rank(self) -> int:
        """0 for read, 1 for write, 2 for exec."""
        return list(Approval).index(self)


class OutputCheck(StrEnum):
    """What is done with structured content that does not fit the tool's output schema.

    ``off``: nothing. ``warn``: the result is passed on, with its problems in the log and in its ``_meta``. ``strict``:
    the call has failed, and the model is told the problems.
    """

    OFF = "off"
    WARN = "warn"
    STRICT = "strict"


_VISIBILITIES: Final = list(Visibility)
_APPROVALS: Final = list(Approval)


class Entry(Protocol):
    """What search, catalogs and policies see of a tool or a skill."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str:
        """``"tool"`` or ``"skill"``."""

    @property
    def bare_name(self) -> str:
        """The name without its source's prefix, as the source itself calls it."""

    @property
    def source(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def category(self) -> str | None: ...
    @property
    def tags(self) -> tuple[str, ...]: ...
    @property
    def keywords(self) -> tuple[str, ...]: ...
    @property
    def input_schema(self) -> JsonObject: ...


class _Missing:
    """The absence of a value where ``None`` is a value."""

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False


MISSING: Final = _Missing()

ApprovalDeclaration = Approval | JsonObject
"""A tier, or ``{"tier": ..., "override": true, "reason": ...}``: with ``override``, such a call is asked about whatever
the policy lets pass; ``reason`` is told to whoever is asked."""

Handler = Callable[[dict[str, Any], "Context"], Awaitable[Any]]
"""``async handler(arguments, context)``: arguments as checked, never coerced. It returns a ToolResult, a Halt,
or any JSON value."""

HALT_KEY: Final = "dev.pegboard/halt"
"""The key of a result's ``_meta`` that says that the turn ends here: ``{"say": text or null}``."""

EMPTY_SCHEMA: Final[JsonObject] = {"type": "object", "properties": {}}


def canonical_json(value: Any) -> bytes:
    """The one spelling of a JSON value: sorted keys, no blanks, UTF-8. Equal values give equal bytes."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode("utf-8", "surrogatepass")


@with_late_fields("description", "title", "input_schema", "output_schema", "annotations", "definition")
@dataclass(frozen=True, kw_only=True)
class Tool:
    """A callable tool. Immutable, shared by the whole process.

    ``name`` is what models see (``^[A-Za-z0-9_-]{1,64}$``); ``bare_name`` is what its source calls it and may hold any
    characters (default: ``name``). ``visibility`` is on-demand unless said; ``hints["mcp"]["visibility"]``
    overrides it on the surface ``mcp``. ``approval`` is a tier, an object with one (see ``ApprovalDeclaration``), a
    function of the arguments that gives either, or None for undeclared, which counts as ``exec`` where a principal
    is present, as does anything else. ``definition`` is the payload as it came from the source, kept for digests
    and shown unchanged; None for tools that are shown by their fields. ``closed`` says that arguments outside the
    schema are refused with the nearest name (Python functions), whatever the schema says. ``lossless`` lets exact text
    forms pass for numbers and booleans, as they are.

    ``touches`` says how to tell what a call touches, where policies decide by that.

    ``timeout`` is in seconds; None means the limit of the Pegboard. At most ``concurrency`` calls of the tool, and
    ``source_concurrency`` calls of all tools of its source, run at once; None means any number. ``output_check`` says
    what becomes of results that do not fit ``output_schema``.

    ``requires()`` is asked once, when the tool is registered: where it does not hold, the tool is set aside, or shown
    with ``degraded_description`` if it has one; it stays callable then, for what it can still do.

    Raises InvalidNameError for a name outside the pattern, DefinitionError for an unknown visibility, and for any field
    that holds something else than it should.
    """

    name: str
    description: str
    handler: Handler = field(compare=False, repr=False)
    input_schema: JsonObject = field(default_factory=lambda: EMPTY_SCHEMA)
    output_schema: JsonObject | None = None
    title: str | None = None
    bare_name: str = ""
    source: str = "python"
    category: str | None = None
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    related_to: tuple[str, ...] = ()
    visibility: Visibility = Visibility.ON_DEMAND
    hints: JsonObject = field(default_factory=dict)
    annotations: JsonObject | None = None
    approval: ApprovalDeclaration | Callable[[dict[str, Any]], ApprovalDeclaration | None] | None = None
    touches: Touches | None = None
    authorization: JsonObject = field(default_factory=dict)
    capabilities: JsonObject = field(default_factory=dict)
    cost: str | None = None
    latency: str | None = None
    timeout: float | None = None
    concurrency: int | None = None
    source_concurrency: int | None = None
    output_check: OutputCheck = OutputCheck.WARN
    requires: Callable[[], Any] | None = field(default=None, compare=False, repr=False)
    degraded_description: str | None = None
    definition: JsonObject | None = field(default=None, repr=False)
    closed: bool = False
    lossless: bool = False

    kind = "tool"
    stamp: ClassVar[bytes | None] = None
    """What search tells it from others by, for one that was kept with it; a copy has none."""

    def __post_init__(self) -> None:
        check_name(self.name)
        if not self.bare_name:
            object.__setattr__(self, "bare_name", self.name)
        check_fields(self)
        visibility, output_check, approval = self.visibility, self.output_check, self.approval
        if type(visibility) is not Visibility:
            object.__setattr__(self, "visibility", _visibility(visibility, self.name))
        if type(output_check) is not OutputCheck:
            object.__setattr__(self, "output_check", OutputCheck(output_check))
        if isinstance(approval, Mapping):
            object.__setattr__(self, "approval", MappingProxyType(dict(approval)))
        elif approval is not None and approval in _APPROVALS:
            object.__setattr__(self, "approval", Approval(approval))

    @cached_property
    def shown(self) -> JsonObject:
        """The definition as listings show it: MCP's words, the source's own payload under our name.

        Keys: ``name, title?, description, inputSchema, outputSchema?, annotations?`` and whatever the source sent.
        """
        own: dict[str, Any] = {"name": self.name}
        if self.definition is not None:
            return own | {key: value for key, value in self.definition.items() if key != "name"}
        if self.title:
            own["title"] = self.title
        own["description"] = self.description
        own["inputSchema"] = self.input_schema
        if self.output_schema is not None:
            own["outputSchema"] = self.output_schema
        if self.annotations:
            own["annotations"] = self.annotations
        return own

    @cached_property
    def digest(self) -> str:
        """sha-256 (hex) of the canonical bytes of ``shown``: equal digests, equal definitions."""
        return hashlib.sha256(canonical_json(self.shown)).hexdigest()

    def visibility_on(self, surface: str) -> Visibility:
        """The visibility on a surface (``"mcp"``, ``"python"``, ...): its hint if there is one, else ``visibility``."""
        hint = self.hints.get(surface)
        if isinstance(hint, Mapping) and hint.get("visibility") in _VISIBILITIES:
            return Visibility(hint["visibility"])
        return self.visibility

    @classmethod
    def late(cls, whole: Callable[[], Tool], **known: Any) -> Tool:
        """A tool whose definition is read when it is first looked at: ``whole()`` gives it, and has what is ``known``.

        For a source that has taken in, and checked, the very same tool before; nothing is checked here.
        """
        return late(cls, known, whole)

    def with_(self, **changes: Any) -> Tool:
        """A copy with some fields changed."""
        return replace(self, **changes)


@dataclass(frozen=True, kw_only=True)
class ToolResult:
    """What a call gave back. Immutable, belongs to one call.

    ``content`` holds MCP content blocks as JSON objects, kept as they came (unknown keys too). ``structured`` is the
    JSON value of ``structuredContent``, or MISSING. ``is_error`` marks a failure that the model may read. ``meta`` is
    the result's ``_meta``; ``extra`` are further top-level keys that a relayed result had.
    """

    content: tuple[JsonObject, ...] = ()
    structured: Any = MISSING
    is_error: bool = False
    meta: JsonObject = field(default_factory=dict)
    extra: JsonObject = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The text blocks, joined by line breaks."""
        return "\n".join(str(block.get("text", "")) for block in self.content if block.get("type") == "text")

    def to_wire(self) -> dict[str, Any]:
        """The result as an MCP ``CallToolResult`` object."""
        wire: dict[str, Any] = dict(self.extra) | {"content": [dict(block) for block in self.content]}
        if self.structured is not MISSING:
            wire["structuredContent"] = self.structured
        wire["isError"] = self.is_error
        if self.meta:
            wire["_meta"] = dict(self.meta)
        return wire

    @classmethod
    def from_wire(cls, wire: JsonObject) -> ToolResult:
        """The result of an MCP ``CallToolResult`` object; nothing of it is lost."""
        known = {"content", "structuredContent", "isError", "_meta"}
        return cls(
            content=tuple(wire.get("content") or ()),
            structured=wire.get("structuredContent", MISSING),
            is_error=bool(wire.get("isError", False)),
            meta=wire.get("_meta") or {},
            extra={key: value for key, value in wire.items() if key not in known},
        )

    @classmethod
    def of(cls, value: Any) -> ToolResult:
        """A handler's return value as a result: text as it is, None as no content, any other value as JSON.

        Objects are also given as structured content; a ToolResult passes through. Dataclasses, pydantic models, dates,
        sets and their like are told in their JSON form.

        Raises NotJsonError, a ValueError, naming the place of what has none.
        """
        from pegboard.values import plain_json

        if isinstance(value, ToolResult):
            return value
        if value is None:
            return cls()
        plain = plain_json(value)
        if isinstance(plain, str):
            return cls(content=(text_block(plain),))
        text = json.dumps(plain, ensure_ascii=False)
        return cls(content=(text_block(text),), structured=plain if isinstance(plain, dict) else MISSING)

    @classmethod
    def of_error(cls, error: CallError) -> ToolResult:
        """A failed call for the model to read: the message as text, code and facts as structured content.

        Facts that are no JSON are left out.
        """
        from pegboard.values import NotJsonError, plain_json

        try:
            told = plain_json(error.to_json())
        except NotJsonError:
            told = {"error": {"code": error.code, "message": str(error.message)}}
        return cls(content=(text_block(str(error)),), structured=told, is_error=True)


@dataclass(frozen=True, kw_only=True)
class Halt:
    """A result that ends the turn: the model is not asked to comment. Immutable, belongs to one call.

    ``say`` is text to publish when the model wrote none; ``by`` is the tool that gave it, which dispatch fills in. One
    whose result is an error ends nothing: dispatch takes it for that result.
    """

    result: ToolResult
    say: str | None = None
    by: str = ""

    def to_wire(self) -> dict[str, Any]:
        """The result as an MCP ``CallToolResult`` object that says in its ``_meta`` that the turn ends here."""
        wire = self.result.to_wire()
        return wire | {"_meta": {**wire.get("_meta", {}), HALT_KEY: {"say": self.say}}}


def _visibility(given: object, name: str) -> Visibility:
    if given not in _VISIBILITIES:
        raise DefinitionError(
            f"The visibility {given!r} of tool {name!r} is unknown.", hint=f"Use one of: {', '.join(Visibility)}."
        )
    return Visibility(str(given))


def text_block(text: str) -> JsonObject:
    """An MCP text block."""
    return {"type": "text", "text": text}
