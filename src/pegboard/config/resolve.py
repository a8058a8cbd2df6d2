"""What one or two files say of an upstream, to the upstream itself: forms filled in, paths made whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from pegboard.config.envfile import variables
from pegboard.config.expand import Scope, expand
from pegboard.config.itself import starts_pegboard
from pegboard.config.model import UpstreamKeys
from pegboard.config.paths import from_home, path_of
from pegboard.config.settings import Upstream
from pegboard.documents.problems import ConfigProblem, KeyPath, Level
from pegboard.documents.read import Document, read_text
from pegboard.sources.mcp.spec import HttpSpec, HttpTransport, StdioSpec

Key = tuple[str | int, ...]
"""A key of an entry, and the place in its value: ``("args", 2)``."""

_AS_WRITTEN: Final = (
    "prefix",
    "visibility",
    "include",
    "exclude",
    "approval",
    "start_timeout",
    "call_timeout",
    "concurrency",
    "output_check",
    "max_line",
    "era",
    "skills",
)
"""Keys that go into the spec unchanged; where one is not written, the spec's own default holds."""


_OF_PROCESSES: Final = ("args", "env", "env_file", "inherit_env", "cwd")
"""Keys that only a server has which is started here."""


@dataclass(frozen=True, kw_only=True)
class Layer:
    """What one file says of an upstream. Immutable; belongs to one load.

    ``at`` is where the entry stands in ``document``, ``places`` where the value of each key does, if elsewhere than
    below ``at``. Relative paths start at ``base``. ``cwd`` is the folder to start in when nobody names one.
    """

    keys: UpstreamKeys
    document: Document
    at: KeyPath
    base: Path
    scope: Scope
    places: Mapping[str, KeyPath] = field(default_factory=dict)
    cwd: Path | None = None

    def place(self, *key: str | int) -> KeyPath:
        """Where the value of a key was written."""
        if not key:
            return self.at
        return (*self.places.get(str(key[0]), (*self.at, key[0])), *key[1:])

    def path(self, text: str) -> Path:
        """A path of this file, made absolute."""
        return path_of(text, self.base)


@dataclass(frozen=True, kw_only=True)
class Resolved:
    """What became of an entry. Immutable; belongs to one load.

    ``upstream`` is None where it was set aside; then ``problems`` say why. ``files`` were read on the way.
    """

    upstream: Upstream | None = None
    problems: tuple[ConfigProblem, ...] = ()
    files: tuple[Path, ...] = ()


def resolve(name: str, layers: tuple[Layer, ...]) -> Resolved:
    """The upstream that ``layers`` describe, the later one winning key by key, and variable by variable in ``env``."""
    return _Resolution(name, layers).run()


class _Resolution:
    """The making of one upstream. Lives as long as one ``resolve``."""

    def __init__(self, name: str, layers: tuple[Layer, ...]) -> None:
        self.name = name
        self.layers = layers
        self.problems: list[ConfigProblem] = []
        self.files: list[Path] = []

    def run(self) -> Resolved:
        if not self.name.strip():
            self.say("an upstream needs a name.", "Give it one: its tools carry it.")
        upstream = self.upstream() if self.name.strip() and not self.left_out() else None
        failed = any(problem.level is Level.ERROR for problem in self.problems)
        return Resolved(upstream=None if failed else upstream, problems=tuple(self.problems), files=tuple(self.files))

    def given(self, key: str) -> Any:
        """The value of a key in the last layer that gives it, None for none."""
        return next((value for layer in reversed(self.layers) if (value := getattr(layer.keys, key)) is not None), None)

    def layer_of(self, key: str) -> Layer:
        """The layer whose value of a key counts."""
        return next((layer for layer in reversed(self.layers) if getattr(layer.keys, key) is not None), self.layers[0])

    def say(
        self, message: str, hint: str = "", *, key: Key = (), level: Level = Level.ERROR, layer: Layer | None = None
    ) -> None:
        """Note a problem at a key of the entry, once."""
        layer = layer or (self.layer_of(str(key[0])) if key else self.layers[-1])
        problem = layer.document.problem(layer.place(*key), message, hint, level=level, entry=self.name)
        if problem not in self.problems:
            self.problems.append(problem)

    def left_out(self) -> bool:
        """Whether the entry is not meant to be started, or cannot be, whatever its values; says why."""
        if self.given("disabled"):
            self.say("is disabled.", key=("disabled",), level=Level.NOTE)
        elif self.given("command") is not None and self.given("url") is not None and self.given("transport") is None:
            hint = 'Keep one of them, or say which counts: transport = "stdio" or "streamable-http".'
            self.say("has a command and a url.", hint, key=("url",))
        elif self.over_http and self.given("url") is None:
            self.say("has no url.", "Write the address of the server as its url.", key=("transport",))
        elif not self.over_http and self.given("command") is None:
            own = len(self.layers) == 1 and self.layers[0].at[0] == "upstreams"
            what = (
                "has neither command nor url, and no import brings an entry of this name." if own else "has no command."
            )
            hint = (
                'Write command = "program", or url = "https://...".'
                if own
                else "Name the program to start as its command."
            )
            self.say(what, hint)
        else:
            return False
        return True

    @property
    def over_http(self) -> bool:
        """Whether the server is reached over HTTP."""
        transport = self.given("transport")
        return self.given("url") is not None if transport is None else transport != "stdio"

    def upstream(self) -> Upstream | None:
        spec = self.http_spec() if self.over_http else self.stdio_spec()
        if spec is None:
            return None
        origin = self.layer_of("url" if self.over_http else "command")
        return Upstream(
            spec=spec,
            lazy=bool(self.given("lazy")),
            origin=origin.document.file,
            line=origin.document.line(origin.at),
        )

    def written(self) -> dict[str, Any]:
        """What goes into the spec unchanged."""
        return {key: value for key in _AS_WRITTEN if (value := self.given(key)) is not None}

    def stdio_spec(self) -> StdioSpec | None:
        env = self.environment()
        command = from_home(self.text("command", own=env))
        args = tuple(self.text("args", position, own=env) for position in range(len(self.given("args") or ())))
        if starts_pegboard(command, args):
            self.say("would start Pegboard itself, so it is left out.", level=Level.NOTE)
            return None
        inherited = self.given("inherit_env") or ()
        return StdioSpec(
            name=self.name,
            command=command,
            args=args,
            env=env,
            inherit_env=inherited,
            cwd=self.folder(env),
            **self.written(),
        )

    def http_spec(self) -> HttpSpec | None:
        url = self.text("url", own={}).strip()
        headers = self.headers()
        if any(problem.level is Level.ERROR for problem in self.problems):
            return None
        faults = list(HttpSpec.faults(url, headers))
        for key, what, hint in faults:
            self.say(f"{what}, so this upstream is left out.", hint, key=key)
        for name in _OF_PROCESSES:
            if self.given(name):
                self.say("is for servers that are started, and says nothing here.", key=(name,), level=Level.NOTE)
        if faults:
            return None
        transport: HttpTransport = "sse" if self.given("transport") == "sse" else "streamable-http"
        return HttpSpec(name=self.name, url=url, transport=transport, headers=headers, **self.written())

    def headers(self) -> dict[str, str]:
        """The headers of all layers; of two that differ in case alone, the later counts."""
        merged: dict[str, tuple[str, str]] = {}
        for layer in self.layers:
            for name, value in (layer.keys.headers or {}).items():
                merged[name.lower()] = name, self.filled(layer, value.value, ("headers", name), {})
        return dict(merged.values())

    def text(self, *key: str | int, own: Mapping[str, str]) -> str:
        """A text of the entry, filled in; ``own`` are the variables that the server itself will have."""
        layer = self.layer_of(str(key[0]))
        value = getattr(layer.keys, str(key[0]))
        return self.filled(layer, value[key[1]] if len(key) > 1 else value, key, own)

    def filled(self, layer: Layer, text: str, key: Key, own: Mapping[str, str]) -> str:
        expanded = expand(text, replace(layer.scope, own=frozenset(own)))
        for lack in expanded.lacks:
            self.say(f"{lack.what}, so this upstream is left out.", lack.hint, key=key, layer=layer)
        return expanded.text

    def folder(self, own: Mapping[str, str]) -> Path | None:
        if self.given("cwd") is None:
            return self.layers[0].cwd
        return self.layer_of("cwd").path(self.text("cwd", own=own))

    def environment(self) -> dict[str, str]:
        """The variables of all layers; within a layer ``env`` wins over ``env_file``."""
        merged: dict[str, str] = {}
        for layer in self.layers:
            merged |= self.file_variables(layer)
            for name, value in (layer.keys.env or {}).items():
                merged[name] = self.filled(layer, value.value, ("env", name), {})
        return merged

    def file_variables(self, layer: Layer) -> Mapping[str, str]:
        if layer.keys.env_file is None:
            return {}
        key = ("env_file",)
        file = layer.path(self.filled(layer, layer.keys.env_file, key, {}))
        self.files.append(file)
        text = read_text(file)
        if isinstance(text, ConfigProblem):
            what = text.message.rstrip(".")
            self.say(f"{file}: {what}, so this upstream is left out.", text.hint, key=key, layer=layer)
            return {}
        found, wrong = variables(text)
        for line in wrong:
            self.problems.append(_not_a_variable(file, line, self.name))
        return found


def _not_a_variable(file: Path, line: int, entry: str) -> ConfigProblem:
    message, hint = "this line is no NAME=value.", "It is skipped."
    return ConfigProblem(file=file, line=line, message=message, hint=hint, level=Level.WARNING, entry=entry)
