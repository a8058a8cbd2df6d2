"""An upstream's raw listing to tools: each alone, so that a bad one costs only itself. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Any, Final

from pegboard.errors import DefinitionError, InvalidSchemaError
from pegboard.naming import legal_name
from pegboard.registry import Problem
from pegboard.sources.mcp.noise import visible
from pegboard.sources.mcp.spec import UpstreamSpec
from pegboard.tools import Handler, OutputCheck, Tool

REASON_CHARS: Final = 500

NO_FAULTS: Final[Mapping[str, str]] = MappingProxyType({})

HandlerOf = Callable[[str], Handler]
"""The handler that calls the tool of this name, the upstream's own."""


@dataclass(frozen=True, kw_only=True)
class Intake:
    """What became of a listing. Immutable. Every tool is in ``tools``, in ``problems``, or excluded by the spec.

    ``excluded`` are names as the upstream has them, each with what leaves it out. ``places`` are those of ``tools`` in
    the listing, from 0, ``sound`` those of tools whose schemas are good.
    """

    tools: tuple[Tool, ...] = ()
    places: tuple[int, ...] = ()
    problems: tuple[Problem, ...] = ()
    excluded: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    sound: tuple[int, ...] = ()


@dataclass
class _Mending:
    """One definition on its way in. Lives as long as it is read. ``raw`` is changed, ``notes`` say how.

    Its schemas are looked at unless they are known to be ``sound``, and found so or not.
    """

    raw: dict[str, Any]
    sound: bool
    notes: list[str] = field(default_factory=list)
    refused: bool = False

    def check(self, schema: Mapping[str, Any], what: str) -> None:
        """Raise InvalidSchemaError for a schema that nothing could be held against."""
        if self.sound:
            return
        from pegboard.schema.check import check_schema

        try:
            check_schema(schema, what=what)
        except InvalidSchemaError:
            self.refused = True
            raise


def tools_from_payload(
    source: str,
    raw_tools: Iterable[Any],
    spec: UpstreamSpec,
    handler_of: HandlerOf,
    faults: Mapping[str, str] = NO_FAULTS,
    *,
    sound: Collection[int] = (),
) -> Intake:
    """The tools of a raw listing, in its order. ``faults`` say of some, by name, why they are set aside anyway.

    ``sound`` are the places, from 0, of tools whose schemas were looked at before, in this very listing, and were good:
    they are not looked at again, which is what takes the time.

    A tool without a usable name or input schema, or with a name that came before, is set aside. What else is wrong
    with one is mended or left out, and a note says so: the definition that is kept is one that MCP allows on the wire.
    """
    tools: dict[str, Tool] = {}
    places: list[int] = []
    problems: list[Problem] = []
    notes: dict[str, list[str]] = {}
    excluded: dict[str, str] = {}
    seen: list[str] = []
    known = frozenset(sound)
    good: list[int] = []
    for place, raw in enumerate(raw_tools):
        name = raw.get("name") if isinstance(raw, Mapping) else None
        try:
            bare_name = _name(raw, place + 1)
            seen.append(bare_name)
            reason = spec.left_out(bare_name)
            if reason:
                excluded[bare_name] = reason
                continue
            if bare_name in faults:
                raise DefinitionError(faults[bare_name])
            mending = _Mending(dict(raw), sound=place in known)
            tool = _tool(source, bare_name, mending, spec, handler_of)
            if not mending.refused:
                good.append(place)
            if tool.name in tools:
                raise DefinitionError(f"A tool named {visible(bare_name)!r} came before it in the same listing.")
        except DefinitionError as error:
            shown = visible(name) if isinstance(name, str) and name else f"tool {place + 1}"
            problems.append(Problem(source=source, name=shown, reason=visible(str(error), REASON_CHARS)))
            continue
        tools[tool.name] = tool
        places.append(place)
        for note in mending.notes:
            notes.setdefault(note, []).append(visible(bare_name, 40))
    return Intake(
        tools=tuple(tools.values()),
        places=tuple(places),
        problems=tuple(problems),
        excluded=excluded,
        notes=(*(_grouped(note, names) for note, names in notes.items()), *_idle_globs(spec, seen)),
        sound=tuple(good),
    )


def tool_of(
    source: str, bare_name: str, raw: Mapping[str, Any], spec: UpstreamSpec, handler_of: HandlerOf, *, sound: bool
) -> Tool:
    """The tool of one raw definition that ``tools_from_payload`` has taken in before."""
    return _tool(source, bare_name, _Mending(dict(raw), sound=sound), spec, handler_of)


def _tool(source: str, bare_name: str, mending: _Mending, spec: UpstreamSpec, handler_of: HandlerOf) -> Tool:
    _mend_input_schema(mending)
    _mend_output_schema(mending)
    _mend_members(mending)
    raw = mending.raw
    return Tool(
        name=legal_name(bare_name, spec.tool_prefix),
        bare_name=bare_name,
        source=source,
        description=raw.get("description") or "",
        title=raw.get("title"),
        input_schema=raw["inputSchema"],
        output_schema=raw.get("outputSchema"),
        annotations=raw.get("annotations"),
        visibility=spec.visibility_of(bare_name),
        approval=spec.approval_of(bare_name),
        timeout=spec.call_timeout,
        source_concurrency=spec.concurrency,
        output_check=OutputCheck(spec.output_check),
        definition=raw,
        handler=handler_of(bare_name),
    )


def _name(raw: Any, place: int) -> str:
    if not isinstance(raw, Mapping):
        raise DefinitionError(f"Entry {place} of the listing is not an object.")
    name = raw.get("name")
    if not isinstance(name, str) or not name.strip():
        raise DefinitionError(f"The tool has no name: 'name' is {visible(repr(name), 40)}.")
    return name


def _mend_input_schema(mending: _Mending) -> None:
    schema = mending.raw.get("inputSchema")
    if schema is None:
        raise DefinitionError("It has no inputSchema.", hint='The server must send one, at least {"type": "object"}.')
    if not isinstance(schema, Mapping):
        raise DefinitionError(f"Its inputSchema is not an object: {visible(repr(schema), 40)}.")
    kind = schema.get("type")
    if kind is None or (isinstance(kind, list) and "object" in kind):
        # Arguments are always an object, so nothing else can have been meant.
        schema = {"type": "object", **{key: value for key, value in schema.items() if key != "type"}}
        mending.raw["inputSchema"] = schema
        mending.notes.append('mended: the inputSchema had no "type": "object"')
    elif kind != "object":
        raise DefinitionError(
            f"Its inputSchema has the type {visible(repr(kind), 40)}; a tool's arguments are an object.",
            hint='The server must send "type": "object".',
        )
    mending.check(schema, "inputSchema")


def _mend_output_schema(mending: _Mending) -> None:
    schema = mending.raw.get("outputSchema")
    if schema is None:
        mending.raw.pop("outputSchema", None)
        return
    try:
        if not isinstance(schema, Mapping):
            raise InvalidSchemaError("it is not an object")
        mending.check(schema, "outputSchema")
    except InvalidSchemaError as error:
        # The structured content stays: it is legal without a schema, while the schema without it is not.
        del mending.raw["outputSchema"]
        mending.notes.append(f"left out: the outputSchema is not valid ({visible(error.message)})")


def _mend_members(mending: _Mending) -> None:
    for key, is_right in _WIRE.items():
        if key not in mending.raw:
            continue
        value = mending.raw[key]
        if value is None:
            del mending.raw[key]
        elif not is_right(value):
            mending.notes.append(f"left out: {key} is not what MCP allows")
            del mending.raw[key]


_FLAG: Final = (bool, type(None))
_WORDS: Final = (str, type(None))
_HINTS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


def _is_annotations(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and all(isinstance(value.get(hint), _FLAG) for hint in _HINTS)
        and isinstance(value.get("title"), _WORDS)
    )


def _is_icons(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(icon, Mapping) and _is_icon(icon) for icon in value)


def _is_icon(icon: Mapping[str, Any]) -> bool:
    sizes = icon.get("sizes")
    return (
        isinstance(icon.get("src"), str)
        and isinstance(icon.get("mimeType"), _WORDS)
        and icon.get("theme") in ("light", "dark", None)
        and (sizes is None or (isinstance(sizes, list) and all(isinstance(size, str) for size in sizes)))
    )


def _is_execution(value: Any) -> bool:
    return isinstance(value, Mapping) and value.get("taskSupport") in ("forbidden", "optional", "required", None)


_WIRE: Final[Mapping[str, Callable[[Any], bool]]] = {
    "title": lambda value: isinstance(value, str),
    "description": lambda value: isinstance(value, str),
    "annotations": _is_annotations,
    "icons": _is_icons,
    "execution": _is_execution,
    "_meta": lambda value: isinstance(value, Mapping),
}
"""Members beside name and schemas, and what MCP allows in them: strict clients refuse a whole listing for one."""


def _grouped(note: str, names: list[str]) -> str:
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"{note} ({shown})"


def _idle_globs(spec: UpstreamSpec, seen: list[str]) -> list[str]:
    """Globs that match nothing are most often misspelt."""
    given = [("include", glob) for glob in spec.include] + [("exclude", glob) for glob in spec.exclude]
    return [
        f"{place} pattern {glob!r} matches none of its tools"
        for place, glob in given
        if seen and not any(fnmatchcase(name, glob) for name in seen)
    ]
