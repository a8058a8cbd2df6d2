"""Clients' own files to upstream entries, in the words of ``pegboard.toml``. Pure.

What a file is, is told by what it holds:

| holds | written by |
| --- | --- |
| ``mcpServers`` | Claude Desktop, Claude Code, Cursor, Windsurf, Gemini CLI, Copilot CLI, Cline, most others |
| ``projects.PATH.mcpServers`` | Claude Code, for one project |
| ``servers``, ``mcp.servers`` | VS Code's ``mcp.json`` and ``settings.json``; OpenCode |
| ``[mcp_servers]`` | Codex |
| ``context_servers`` | Zed |
| ``amp.mcpServers`` | Amp |
| ``mcp`` | OpenCode 1 |
| entries at the top | plugins' ``.mcp.json`` |
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pegboard.config.model import SECTIONS
from pegboard.documents.problems import ConfigProblem, KeyPath, Level, dotted, kind_of
from pegboard.documents.read import Document

_ROOTS: Final[tuple[KeyPath, ...]] = (
    ("mcpServers",),
    ("servers",),
    ("mcp", "servers"),
    ("mcp_servers",),
    ("context_servers",),
    ("amp.mcpServers",),
)
_LOOSE_ROOTS: Final[tuple[KeyPath, ...]] = (("mcp",), ())
"""Places that hold other things too: only what looks like an entry counts there."""

_OPENCODE_FORM: Final = re.compile(r"(?<!\$)\{env:(\w+)\}")
_TELLTALE: Final = frozenset({"command", "url", "serverUrl", "httpUrl"})
_OURS: Final = frozenset(SECTIONS) - {"profiles"}
"""Sections that Codex does not have."""


@dataclass(frozen=True, kw_only=True)
class ClientEntry:
    """One server of a client's file. Immutable; belongs to one load.

    ``at`` is where the entry stands. ``keys`` has our words for what was understood; what only the client needs is
    left out. ``places`` tells where the value of each of our keys was written.
    """

    name: str
    at: KeyPath
    keys: Mapping[str, Any] = field(repr=False)
    places: Mapping[str, KeyPath]


def is_client_file(document: Document) -> bool:
    """Whether a document is a client's own: JSON always is, TOML when it has Codex's table and none of ours."""
    return document.format == "json" or ("mcp_servers" in document.value and not _OURS & document.value.keys())


def has_servers(document: Document, workspace: Path) -> bool:
    """Whether a client's file has a table of servers at all; one that is just being written may not."""
    return any(isinstance(table, dict) for _, table in _tables(document.value, workspace))


def client_entries(document: Document, workspace: Path) -> tuple[list[ClientEntry], list[ConfigProblem]]:
    """The servers of a client's file, first those of the project that ``workspace`` lies in, then the general ones.

    An entry that is no table is a problem of its own; the others stay. A file without any server is a problem too.
    """
    entries: list[ClientEntry] = []
    problems: list[ConfigProblem] = []
    tables = list(_tables(document.value, workspace))
    for at, table in tables:
        if not isinstance(table, dict):
            problems.append(_wanted_table(document, at, table))
            continue
        for name, entry in table.items():
            if isinstance(entry, dict):
                entries.append(_translated(name, (*at, name), entry))
            else:
                problems.append(_wanted_table(document, (*at, name), entry, str(name)))
    problems.extend(_elsewhere(document, {at for at, _ in tables}))
    if not tables:
        problems.append(_nothing(document))
    return entries, problems


def _tables(value: Mapping[str, Any], workspace: Path) -> Iterator[tuple[KeyPath, Any]]:
    """Where servers stand, with what stands there."""
    found = False
    for at in (_project(value, workspace), *_ROOTS):
        table = _at(value, at)
        if at and table is not None:
            found = True
            yield at, table
    if not found:
        for at in _LOOSE_ROOTS:
            table = _at(value, at)
            likely = {name: entry for name, entry in table.items() if _is_entry(entry)} if table else {}
            if likely:
                yield at, likely
                return


def _project(value: Mapping[str, Any], workspace: Path) -> KeyPath:
    """Where Claude Code keeps the servers of the innermost project around ``workspace``; () for none."""
    projects = value.get("projects")
    if not isinstance(projects, dict):
        return ()
    for folder in (workspace, *workspace.parents):
        if isinstance(projects.get(str(folder)), dict) and "mcpServers" in projects[str(folder)]:
            return ("projects", str(folder), "mcpServers")
    return ()


def _at(value: Any, path: KeyPath) -> Any:
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _is_entry(value: object) -> bool:
    return isinstance(value, dict) and bool(_TELLTALE & value.keys())


def _elsewhere(document: Document, used: set[KeyPath]) -> Iterator[ConfigProblem]:
    """A note for the servers of other projects, so that nobody wonders where they are."""
    projects = document.value.get("projects")
    for folder, project in projects.items() if isinstance(projects, dict) else ():
        at: KeyPath = ("projects", folder, "mcpServers")
        servers = _at(project, ("mcpServers",))
        if isinstance(servers, dict) and servers and at not in used:
            message = f"not used here: {', '.join(servers)}."
            hint = f'To use them, set workspace = "{folder}" on the [[import]], or start Pegboard in that folder.'
            yield document.problem(at, message, hint, level=Level.NOTE)


def _wanted_table(document: Document, at: KeyPath, value: object, entry: str = "") -> ConfigProblem:
    return document.problem(at, f"wanted a table, got {kind_of(value)}.", entry=entry)


def _nothing(document: Document) -> ConfigProblem:
    places = ", ".join("[mcp_servers]" if at == ("mcp_servers",) else dotted(at) for at in _ROOTS)
    return ConfigProblem(
        file=document.file,
        message=f"no MCP servers are in this file; looked for {places}.",
        hint="Name the file in which your client keeps its MCP servers.",
    )


def _translated(name: str, at: KeyPath, entry: Mapping[str, Any]) -> ClientEntry:
    keys: dict[str, Any] = {}
    places: dict[str, KeyPath] = {}
    for key, value in entry.items():
        if key in _WORDS and value is not None:
            for ours, converted in _WORDS[key](value).items():
                keys[ours] = _joined(keys.get(ours), converted)
                places.setdefault(ours, (*at, key))
    return ClientEntry(name=name, at=at, keys=keys, places=places)


def _joined(before: Any, after: Any) -> Any:
    """Two clients' keys may mean one of ours: lists and tables add up, of anything else the later counts."""
    if isinstance(before, list) and isinstance(after, list):
        return [*before, *after]
    return before | after if isinstance(before, dict) and isinstance(after, dict) else after


def _as(ours: str, convert: Callable[[Any], Any] = lambda value: value) -> Callable[[Any], dict[str, Any]]:
    return lambda value: {ours: convert(value)}


def _command(value: Any) -> dict[str, Any]:
    """OpenCode writes the program and its arguments as one list, older Zed as a table."""
    if isinstance(value, list) and value:
        return {"command": value[0], "args": _texts(value[1:])}
    if isinstance(value, dict):
        inner = {key: value[key] for key in ("args", "env") if value.get(key) is not None}
        return {"command": value.get("path")} | {key: _WORDS[key](item)[key] for key, item in inner.items()}
    return {"command": value}


def _text(value: Any) -> Any:
    """Numbers, true and false as programs write them, since clients pass them on as text; OpenCode's ``{env:VAR}``."""
    if isinstance(value, str):
        return _OPENCODE_FORM.sub(r"${env:\1}", value)
    return json.dumps(value) if isinstance(value, bool | int | float) else value


def _texts(value: Any) -> Any:
    return [_text(item) for item in value] if isinstance(value, list) else value


def _variables(value: Any) -> Any:
    if value == []:
        return {}
    if not isinstance(value, dict):
        return value
    return {name: _text(item) for name, item in value.items() if item is not None}


def _exactly(value: Any) -> Any:
    """Names as globs that match nothing else."""
    if not isinstance(value, list):
        return value
    return [re.sub(r"([*?\[])", r"[\1]", name) if isinstance(name, str) else name for name in value]


def _tools(value: Any) -> dict[str, Any]:
    """Copilot's list of tools, of which ``*`` is every one; other clients keep a table of this name to themselves."""
    return {"include": _exactly(value)} if isinstance(value, list) and "*" not in value else {}


def _inherited(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return [item.get("name") if isinstance(item, dict) else item for item in value]


def _transport(value: Any) -> dict[str, Any]:
    if value in ("stdio", "local"):
        return {}
    return {"transport": "sse" if value == "sse" else "streamable-http"}


def _bearer(value: Any) -> Any:
    return {"Authorization": f"Bearer ${{{value}}}"} if isinstance(value, str) else value


def _named_variables(value: Any) -> Any:
    """Headers whose values stand in the environment, by the names of the variables."""
    return {name: f"${{{item}}}" for name, item in value.items()} if isinstance(value, dict) else value


_WORDS: Final[Mapping[str, Callable[[Any], dict[str, Any]]]] = {
    "command": _command,
    "args": _as("args", _texts),
    "env": _as("env", _variables),
    "environment": _as("env", _variables),
    "envFile": _as("env_file"),
    "env_vars": _as("inherit_env", _inherited),
    "cwd": _as("cwd"),
    "disabled": _as("disabled"),
    "enabled": _as("disabled", lambda value: not value if isinstance(value, bool) else value),
    "enabled_tools": _as("include", _exactly),
    "includeTools": _as("include", _exactly),
    "disabled_tools": _as("exclude", _exactly),
    "excludeTools": _as("exclude", _exactly),
    "disabledTools": _as("exclude", _exactly),
    "tools": _tools,
    "startup_timeout_sec": _as("start_timeout"),
    "startup_timeout_ms": _as("start_timeout", lambda value: value / 1000 if isinstance(value, int) else value),
    "tool_timeout_sec": _as("call_timeout"),
    "type": _transport,
    "transport": _transport,
    "headers": _as("headers", _variables),
    "http_headers": _as("headers", _variables),
    "env_http_headers": _as("headers", _named_variables),
    "bearer_token_env_var": _as("headers", _bearer),
    "url": _as("url"),
    "serverUrl": _as("url"),
    "httpUrl": _as("url"),
}
"""What a client's key is called here. ``timeout`` is missing on purpose: clients mean seconds or milliseconds by it."""
