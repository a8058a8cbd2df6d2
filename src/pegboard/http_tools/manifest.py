"""Manifests: many tools in one file, with what they share. And what people write brought into the one form. Pure.

A tool is written with its request's parts under ``request``, or beside its name; or as OpenAI, Anthropic and MCP
describe tools, with the request's parts beside that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote

from pegboard.documents.problems import KeyPath, shown
from pegboard.http_tools.environment import Environment
from pegboard.http_tools.mistakes import Mistake, Mistakes
from pegboard.http_tools.reading import KEYS
from pegboard.http_tools.request_reading import BESIDE_KEYS
from pegboard.schema.names import nearest

MANIFEST_KEYS: Final = ("version", "defaults", "tools")
DEFAULT_KEYS: Final = (
    *("base_url", "path_template", "method", "headers", "query", "body", "secret_headers", "response", "group", "tags"),
    *("timeout", "arguments", "schema", "auth"),
)
ENVELOPE_KEYS: Final = frozenset(
    {"type", "function", "inputSchema", "input_schema", "outputSchema", "annotations", "title", "strict"}
    | {"cache_control", "_meta", "icons", "execution", "defer_loading"}
)
"""What other descriptions of tools have, and this one takes its own from, or leaves out."""

_PLACEHOLDER: Final = re.compile(r"(\{\{[^{}]*\}\})")
_IN_PATHS: Final = "/%:@!$&'()*+,;=~"

_SHARED: Final = ("response", "group", "timeout", "arguments", "schema")
"""Fields that a tool has from the defaults whole, where it has none of its own."""
_OWN: Final = ("side_effect", "halt_when", "evidence")


@dataclass(frozen=True)
class Manifest:
    """A manifest, its tools not looked at yet. Immutable. ``mistakes`` are its own."""

    version: Any = 1
    defaults: Mapping[str, Any] = field(default_factory=dict)
    tools: tuple[Any, ...] = ()
    mistakes: tuple[Mistake, ...] = ()


@dataclass(frozen=True)
class Normal:
    """One tool in the form of ``HttpDefinition.to_json``. Immutable; a missing key means the default.

    ``places`` says where each part was written.
    """

    value: Mapping[str, Any]
    places: Mapping[KeyPath, KeyPath]
    mistakes: tuple[Mistake, ...] = ()

    @property
    def at(self) -> KeyPath:
        """Where the tool stands in its file."""
        return self.places[()]

    def written(self, path: KeyPath) -> KeyPath:
        """Where that which stands at a path of ``value`` was written."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.places:
                return (*self.places[path[:length]], *path[length:])
        return path


def is_manifest(value: Mapping[str, Any]) -> bool:
    """Whether a file's value is a manifest, and not one tool."""
    return "tools" in value or "defaults" in value


def manifest_of(value: Any) -> Manifest:
    """The manifest that a value is."""
    mistakes = Mistakes()
    table: Any = {} if value is None else value
    if not isinstance(table, Mapping):
        mistakes.wanted((), "a manifest: an object", value)
        return Manifest(mistakes=tuple(mistakes.all))
    for key in table:
        if key not in MANIFEST_KEYS:
            close = nearest(str(key), MANIFEST_KEYS)
            mistakes.odd((key,), f"{str(key)!r} is not known here.", f"Did you mean {close!r}?" if close else "")
    defaults, tools = table.get("defaults"), table.get("tools")
    if defaults is None or defaults is False:
        defaults = {}
    elif not isinstance(defaults, Mapping):
        mistakes.wanted(("defaults",), "an object for the manifest's defaults", defaults)
        defaults = {}
    if tools is None or tools is False:
        tools = []
    elif not isinstance(tools, (list, tuple)):
        mistakes.wanted(("tools",), "a list for the manifest's tools", tools)
        tools = []
    for key in defaults:
        if key not in DEFAULT_KEYS:
            close = nearest(str(key), DEFAULT_KEYS)
            hint = f"Did you mean {close!r}?" if close else "Give it to each tool."
            mistakes.odd(("defaults", key), f"{str(key)!r} cannot be a default.", hint)
    return Manifest(table.get("version", 1), dict(defaults), tuple(tools), tuple(mistakes.all))


def normal(
    tool: Any, environment: Environment, *, defaults: Mapping[str, Any] | None = None, at: KeyPath = ()
) -> Normal:
    """One tool in the form that is read; ``at`` is where it stands in its file."""
    mistakes = Mistakes()
    if tool is None or not isinstance(tool, Mapping):
        mistakes.wrong((), f"a tool must be an object, not {shown(tool)}.")
        return Normal({}, {(): at}, tuple(mistakes.all))
    return _Bringing(tool, defaults or {}, environment, at, mistakes).normal()


class _Bringing:
    """One tool being brought into the form. Lives as long as one ``normal``."""

    def __init__(
        self,
        tool: Mapping[str, Any],
        defaults: Mapping[str, Any],
        environment: Environment,
        at: KeyPath,
        mistakes: Mistakes,
    ) -> None:
        self.tool = tool
        self.defaults = defaults
        self.environment = environment
        self.at = at
        self.mistakes = mistakes
        self.places: dict[KeyPath, KeyPath] = {(): at}
        self.value: dict[str, Any] = {}

    def normal(self) -> Normal:
        self.described()
        request = self.request()
        self.value["request"] = self.environment.filled(request, ("request",), self.mistakes)
        for key in _SHARED:
            self.shared(key)
        for key in _OWN:
            if self.tool.get(key) is not None:
                self.value[key] = self.tool[key]
        self.value["secret_headers"] = self.joined("secret_headers")
        self.value["tags"] = self.joined("tags")
        for key in self.tool:
            if key not in KEYS and key not in ENVELOPE_KEYS and key not in (*BESIDE_KEYS, "endpoint"):
                self.value[key] = self.tool[key]  # reading says that it is not known
        return Normal(self.value, self.places, tuple(self.mistakes.all))

    def described(self) -> None:
        """Name, description and parameters, by whichever description has them."""
        function = self.tool.get("function")
        inside: Mapping[str, Any] = function if isinstance(function, Mapping) else {}
        for key in ("name", "description"):
            self.first(key, (inside, ("function", key), key), (self.tool, (key,), key))
        self.first(
            "parameters",
            (inside, ("function", "parameters"), "parameters"),
            (self.tool, ("inputSchema",), "inputSchema"),
            (self.tool, ("input_schema",), "input_schema"),
            (self.tool, ("parameters",), "parameters"),
        )

    def first(self, key: str, *sources: tuple[Mapping[str, Any], KeyPath, str]) -> None:
        for table, place, name in sources:
            if table.get(name) is not None:
                self.value[key] = table[name]
                self.places[(key,)] = (*self.at, *place)
                return

    def request(self) -> dict[str, Any]:
        own, place = self.own_request()
        request: dict[str, Any] = {"method": own.get("method") or self.defaults.get("method") or "GET"}
        self.here(("request", "method"), "method", own, place)
        url = self.url(own, place)
        if url is not None:
            request["url"] = url
        for key in ("headers", "query"):
            request[key] = self.merged(key, own, place)
        for key in ("body", "auth"):
            part = own[key] if key in own else self.defaults.get(key)
            if part is not None:
                request[key] = part
                self.here(("request", key), key, own, place)
        for key in own:
            if key != "url" and key not in request:
                request[key] = own[key]  # of one that is not known, reading says so
                self.places["request", key] = (*place, key)
        return request

    def own_request(self) -> tuple[Mapping[str, Any], KeyPath]:
        """The tool's own parts of the request, and where they stand."""
        nested = self.tool.get("request")
        beside = {key: self.tool[key] for key in BESIDE_KEYS if key in self.tool}
        if nested is None:
            return beside, self.at
        if not isinstance(nested, Mapping):
            self.mistakes.wanted(("request",), "an object", nested)
            return beside, self.at
        for key in beside:
            self.mistakes.odd((key,), f"{key!r} is left out: this tool has a 'request'.", "Move it there.")
        return nested, (*self.at, "request")

    def here(self, path: KeyPath, key: str, own: Mapping[str, Any], place: KeyPath) -> None:
        """Note where a part of the request was written."""
        self.places[path] = (*place, key) if key in own else ("defaults", key)

    def url(self, own: Mapping[str, Any], place: KeyPath) -> Any:
        """The tool's own address, or one of the manifest's base, its template of paths, and the tool's endpoint."""
        given = own.get("url")
        if given is not None and (not isinstance(given, str) or given.strip()):
            self.places["request", "url"] = (*place, "url")
            return given
        if not self.defaults and "endpoint" not in self.tool:
            return given
        name = str(self.value.get("name", ""))
        endpoint = self.tool.get("endpoint")
        if endpoint is None or not str(endpoint).strip() or isinstance(endpoint, (list, dict, bool)):
            hint = "Give it one, or a url; it is never guessed from the name."
            self.mistakes.wrong(("endpoint",), f"tool {name!r} has no 'endpoint'.", hint)
            return None
        absent = [key for key in ("base_url", "path_template") if not self.defaults.get(key)]
        if absent:
            hint = "Set both, or give the tool a url."
            self.mistakes.wrong(
                ("url",), f"tool {name!r} has no url, and the manifest has no defaults.{absent[0]}.", hint
            )
            return None
        self.places["request", "url"] = (*self.at, "endpoint")
        template = str(self.defaults["path_template"]).replace("{endpoint}", _in_path(str(endpoint)))
        return f"{str(self.defaults['base_url']).rstrip('/')}/{template.lstrip('/')}"

    def merged(self, key: str, own: Mapping[str, Any], place: KeyPath) -> Any:
        """The defaults' headers or query with the tool's own over them; names of headers are alike in any case."""
        below, above = self.defaults.get(key), own.get(key)
        if above is not None and not isinstance(above, Mapping):
            self.places["request", key] = (*place, key)
            return above
        if below is not None and not isinstance(below, Mapping):
            self.places["request", key] = ("defaults", key)
            return below
        folded = (lambda name: str(name).lower()) if key == "headers" else str
        replaced = {folded(name) for name in above or {}}
        found = {
            name: text for name, text in (below or {}).items() if name in (above or {}) or folded(name) not in replaced
        }
        self.places |= {("request", key, name): ("defaults", key, name) for name in found}
        self.places |= {("request", key, name): (*place, key, name) for name in above or {}}
        return {**found, **(above or {})}

    def shared(self, key: str) -> None:
        value = self.tool.get(key)
        if value is None:
            value = self.defaults.get(key)
            self.places[(key,)] = ("defaults", key)
        if value is not None:
            self.value[key] = value

    def joined(self, key: str) -> list[Any]:
        """A list of the defaults with the tool's own behind it, each once."""
        found: list[Any] = []
        for item in (*_items(self.defaults.get(key)), *_items(self.tool.get(key))):
            if item not in found:
                found.append(item)
        return found


def _in_path(endpoint: str) -> str:
    """An endpoint as it stands in a path: it may have several segments and placeholders, but no query."""
    parts = _PLACEHOLDER.split(endpoint)
    return "".join(part if place % 2 else quote(part, safe=_IN_PATHS) for place, part in enumerate(parts))


def _items(value: Any) -> Iterator[Any]:
    if value is not None:
        yield from value if isinstance(value, (list, tuple)) else [value]
