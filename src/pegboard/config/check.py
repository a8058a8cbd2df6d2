"""A raw document against the model: every mistake at once, in plain words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from pegboard.catalog import Collisions
from pegboard.config.kinds import Kind, Mistake, made, mistakes
from pegboard.config.model import (
    COLLISIONS,
    SECTIONS,
    GatewayKeys,
    ImportKeys,
    Keys,
    LimitKeys,
    LogKeys,
    ProfileKeys,
    PythonKeys,
    SearchKeys,
    UpstreamKeys,
)
from pegboard.config.problems import ConfigProblem, KeyPath, kind_of
from pegboard.config.read import Document
from pegboard.schema import nearest

AnyKeys = TypeVar("AnyKeys", bound=Keys)

TOP: Final[Mapping[str, Kind]] = {"collisions": COLLISIONS}
"""The keys outside all tables."""

_MEANT: Final[Mapping[str, str]] = {
    "mcpServers": "upstreams",
    "mcp_servers": "upstreams",
    "servers": "upstreams",
    "environment": "env",
    "enabled": "disabled",
    "timeout": "call_timeout",
    "startup_timeout_sec": "start_timeout",
    "tool_timeout_sec": "call_timeout",
    "enabled_tools": "include",
    "disabled_tools": "exclude",
}
"""What other programs' keys are called here, where the spelling does not tell."""

_WRITTEN: Final[Mapping[str, str]] = {
    "upstreams": "[upstreams.NAME]",
    "import": "[[import]]",
    "python": "[[python]]",
}
_LISTS: Final = frozenset({"import", "python"})
_MANY: Final = frozenset({"upstreams", *_LISTS})
"""Sections that hold many tables."""


@dataclass(kw_only=True)
class CheckedFile:
    """What holds of a ``pegboard.toml``, and what does not. Belongs to one load.

    What is wrong is set aside in the smallest piece that makes sense without it: an upstream, an import or a Python
    file as a whole, since half of one could do harm; anywhere else the single key, whose default then holds. Imports
    and Python files keep their place in the document. ``unread`` are the sections of which a part could not be told.
    """

    collisions: Collisions = "refuse"
    gateway: GatewayKeys = field(default_factory=GatewayKeys)
    limits: LimitKeys = field(default_factory=LimitKeys)
    log: LogKeys = field(default_factory=LogKeys)
    search: SearchKeys = field(default_factory=SearchKeys)
    profiles: ProfileKeys = field(default_factory=ProfileKeys)
    upstreams: dict[str, UpstreamKeys] = field(default_factory=dict)
    imports: dict[int, ImportKeys] = field(default_factory=dict)
    python: dict[int, PythonKeys] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    problems: list[ConfigProblem] = field(default_factory=list)


def check_file(document: Document) -> CheckedFile:
    """A ``pegboard.toml`` against the model."""
    file = CheckedFile()
    wrong: list[Mistake] = []
    for name, value in document.value.items():
        if name in TOP:
            found = list(mistakes(TOP[name], value, (name,)))
            wrong += found
            if not found:
                setattr(file, name, value)
        elif name not in SECTIONS:
            wrong.append(_unknown((name,)))
            file.unread |= _MANY  # a table whose name is misspelt may have been any of them
        else:
            _check_section(file, name, value, wrong)
    file.problems = [_problem(document, mistake) for mistake in wrong]
    return file


def checked(model: type[AnyKeys], table: object, at: KeyPath) -> tuple[AnyKeys | None, list[Mistake]]:
    """The table that stands at ``at`` as ``model``, or None and everything that is wrong with it."""
    keys, wrong = lenient(model, table, at)
    return (None if wrong else keys), wrong


def lenient(model: type[AnyKeys], table: object, at: KeyPath) -> tuple[AnyKeys, list[Mistake]]:
    """The table that stands at ``at`` as ``model``, without the keys that are wrong, and what is wrong with them."""
    if not isinstance(table, dict):
        return model(), [Mistake(at, f"wanted a table, got {kind_of(table)}.")]
    kinds = model.kinds()
    good: dict[str, Any] = {}
    wrong = [Mistake((*at, name), "is missing.") for name in model.required() if name not in table]
    for name, value in table.items():
        here = (*at, name)
        found = list(mistakes(kinds[name], value, here)) if name in kinds else [_unknown(here)]
        wrong += found
        if not found:
            good[name] = made(kinds[name], value)
    keys = model(**good)
    for name, message in keys.contradictions():
        wrong.append(Mistake((*at, name), message))
        good.pop(name, None)
    return model(**good), wrong


def _check_section(file: CheckedFile, name: str, value: object, wrong: list[Mistake]) -> None:
    model = SECTIONS[name]
    if name not in _MANY:
        keys, found = lenient(model, value, (name,))
        wrong += found
        setattr(file, name, keys)
        return
    if not isinstance(value, list if name in _LISTS else dict):
        hint = "Write the table with two brackets: [[...]]." if isinstance(value, dict) else ""
        wrong.append(Mistake((name,), f"wanted {_section(name)}, got {kind_of(value)}.", hint))
        file.unread.add(name)
        return
    good = getattr(file, "imports" if name == "import" else name)
    for place, entry in enumerate(value) if isinstance(value, list) else value.items():
        entry_keys, found = checked(model, entry, (name, place))
        wrong += found
        if entry_keys is not None:
            good[place] = entry_keys
        elif name in _LISTS:
            file.unread.add(name)


def _problem(document: Document, mistake: Mistake) -> ConfigProblem:
    path = mistake.path
    entry = str(path[1]) if path[0] == "upstreams" and len(path) > 1 else ""
    return document.problem(path, mistake.message, mistake.hint, entry=entry)


def _unknown(path: KeyPath) -> Mistake:
    """What to say of a key that is not known where it stands."""
    message, name = "is not known here.", str(path[-1])
    known = list(_known(path))
    close = _MEANT.get(name) or nearest(name, known)
    if close in known:
        return Mistake(path, message, f"Did you mean {_section(close)}?")
    homes = [_section(section) for section, model in SECTIONS.items() if name in model.kinds()]
    if homes:
        return Mistake(path, message, f"It belongs in {' or '.join(homes)}.")
    return Mistake(path, message, f"Known are {', '.join(_section(key) for key in known)}.")


def _known(path: KeyPath) -> Iterator[str]:
    """The keys that are known where ``path`` ends."""
    if len(path) > 1:
        yield from SECTIONS[str(path[0])].kinds()
    else:
        yield from (*TOP, *SECTIONS)


def _section(key: str) -> str:
    """A key at the top as it is written: most are tables."""
    return _WRITTEN.get(key, f"[{key}]" if key in SECTIONS else key)
