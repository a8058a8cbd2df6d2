"""A raw document against the model: every mistake at once, in plain words. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from pegboard.composition import Collisions
from pegboard.config.cache_keys import CacheKeys
from pegboard.config.check_keys import CheckKeys
from pegboard.config.http_keys import ContextKeys, HttpKeys, HttpToolKeys, OpenApiKeys
from pegboard.config.keys import Keys
from pegboard.config.kinds import CONTEXT_NAME, Kind, Mistake, made, mistakes
from pegboard.config.model import (
    COLLISIONS,
    INSIDE,
    SECTIONS,
    BoardKeys,
    GatewayKeys,
    ImportKeys,
    LimitKeys,
    LogKeys,
    PolicyKeys,
    PrincipalKeys,
    ProfileKeys,
    PythonKeys,
    ReceiptKeys,
    RuleKeys,
    SearchKeys,
    StoreKeys,
    UpstreamKeys,
)
from pegboard.config.skill_keys import SkillKeys
from pegboard.config.usage_keys import UsageKeys
from pegboard.documents.problems import ConfigProblem, KeyPath, kind_of, shown
from pegboard.documents.read import Document
from pegboard.schema.names import nearest

AnyKeys = TypeVar("AnyKeys", bound=Keys)

TOP: Final[Mapping[str, Kind]] = {"collisions": COLLISIONS}
"""The keys outside all tables."""

_MEANT: Final[Mapping[str, str]] = {
    "mcpServers": "upstreams",
    "mcp_servers": "upstreams",
    "servers": "upstreams",
    "environment": "env",
    "type": "transport",
    "enabled": "disabled",
    "timeout": "call_timeout",
    "startup_timeout_sec": "start_timeout",
    "tool_timeout_sec": "call_timeout",
    "enabled_tools": "include",
    "disabled_tools": "exclude",
    "rules": "policy",
    "users": "principals",
}
"""What other programs' keys are called here, where the spelling does not tell."""

_WRITTEN: Final[Mapping[str, str]] = {
    "policy.rules": "[[policy.rules]]",
    "principals": "[principals.NAME]",
    "context": "[context]",
    "upstreams": "[upstreams.NAME]",
    "import": "[[import]]",
    "python": "[[python]]",
    "http_tools": "[[http_tools]]",
    "openapi": "[[openapi]]",
    "skills": "[[skills]]",
}
_LISTS: Final = frozenset({"import", "python", "http_tools", "openapi", "skills"})
_MANY: Final = frozenset({"upstreams", "principals", "context", *_LISTS})
"""Sections that hold many tables."""

_SOURCES: Final = frozenset({"upstreams", *_LISTS})
"""Those that bring tools or skills."""

RIGHTS: Final = frozenset({"policy", "principals", "receipts"})
"""Sections of which nothing is set aside: without a part of it, such a section could give more rights than it says."""


_DECIDING: Final = frozenset({*RIGHTS, "principal", "mandatory", "on_drift"})
"""Keys without which, or with whose default, more may be done than was meant."""


@dataclass(kw_only=True)
class CheckedFile:
    """What holds of a ``pegboard.toml``, and what does not. Belongs to one load.

    What is wrong is set aside in the smallest piece that makes sense without it: an upstream, an import or a file of
    tools as a whole, since half of one could do harm; anywhere else the single key, whose default then holds. Imports
    and files of tools keep their place in the document. ``unread`` are the sections of which a part could not be told.
    ``refused`` are the problems with which nothing of the file may hold: they stand in what decides about rights.
    """

    collisions: Collisions = "refuse"
    gateway: GatewayKeys = field(default_factory=GatewayKeys)
    limits: LimitKeys = field(default_factory=LimitKeys)
    log: LogKeys = field(default_factory=LogKeys)
    boards: BoardKeys = field(default_factory=BoardKeys)
    search: SearchKeys = field(default_factory=SearchKeys)
    store: StoreKeys = field(default_factory=StoreKeys)
    cache: CacheKeys = field(default_factory=CacheKeys)
    profiles: ProfileKeys = field(default_factory=ProfileKeys)
    receipts: ReceiptKeys = field(default_factory=ReceiptKeys)
    usage: UsageKeys = field(default_factory=UsageKeys)
    policy: PolicyKeys | None = None
    principals: dict[str, PrincipalKeys] = field(default_factory=dict)
    upstreams: dict[str, UpstreamKeys] = field(default_factory=dict)
    imports: dict[int, ImportKeys] = field(default_factory=dict)
    python: dict[int, PythonKeys] = field(default_factory=dict)
    http: HttpKeys = field(default_factory=HttpKeys)
    http_tools: dict[int, HttpToolKeys] = field(default_factory=dict)
    openapi: dict[int, OpenApiKeys] = field(default_factory=dict)
    skills: dict[int, SkillKeys] = field(default_factory=dict)
    context: dict[str, ContextKeys] = field(default_factory=dict)
    check: CheckKeys = field(default_factory=CheckKeys)
    unread: set[str] = field(default_factory=set)
    problems: list[ConfigProblem] = field(default_factory=list)
    refused: list[ConfigProblem] = field(default_factory=list)


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
            file.unread |= _SOURCES  # a table whose name is misspelt may have been any of them
        else:
            _check_section(file, name, value, wrong)
    wrong += _unknown_principal(file)
    file.problems = [_problem(document, mistake) for mistake in wrong]
    rights = _speaks_of_rights(document)
    refused = [
        problem
        for mistake, problem in zip(wrong, file.problems, strict=True)
        if mistake.path[0] in RIGHTS or _decides(mistake.path) or (rights and _may_give_rights(mistake.path))
    ]
    file.refused = sorted(refused, key=lambda problem: problem.line or 0)
    return file


def _speaks_of_rights(document: Document) -> bool:
    """Whether a file says who may do what, or may have been meant to: a section's name can be misspelt."""
    gateway = document.value.get("gateway")
    names = [*document.value, *(gateway if isinstance(gateway, dict) else ())]
    return any(_meant(name, (*TOP, *SECTIONS, *GatewayKeys.keys_known())) in {*RIGHTS, "principal"} for name in names)


def _decides(path: KeyPath) -> bool:
    """Whether a mistake stands in a key that decides, or in one that was meant for it, in whatever table."""
    if len(path) != (3 if path[0] in _MANY else 2):
        return False
    name, known = str(path[-1]), tuple(_known(path))
    return name == "on_drift" if name in known else _meant(name, (*known, *_DECIDING)) in _DECIDING


def _may_give_rights(path: KeyPath) -> bool:
    """Whether a mistake could have been meant for what decides about rights."""
    name = path[-1]
    if path[0] == "gateway":
        return len(path) == 1 or name not in GatewayKeys.keys_known() or name == "principal"
    return len(path) == 1 and name not in (*TOP, *SECTIONS)


def _unknown_principal(file: CheckedFile) -> Iterator[Mistake]:
    name = file.gateway.principal
    if name is not None and name not in file.principals:
        close = nearest(name, file.principals)
        hint = f"Did you mean {close!r}?" if close else f"Write a table [principals.{name}]."
        yield Mistake(("gateway", "principal"), f"no principal is named {name!r}.", hint)


def checked(model: type[AnyKeys], table: object, at: KeyPath) -> tuple[AnyKeys | None, list[Mistake]]:
    """The table that stands at ``at`` as ``model``, or None and everything that is wrong with it."""
    keys, wrong = lenient(model, table, at, whole=True)
    return (None if wrong else keys), wrong


def lenient(model: type[AnyKeys], table: object, at: KeyPath, *, whole: bool = False) -> tuple[AnyKeys, list[Mistake]]:
    """The table that stands at ``at`` as ``model``, without the keys that are wrong, and what is wrong with them.

    ``whole`` says that no part of it will be used alone: then it is not told what only follows from a mistake.
    """
    if not isinstance(table, dict):
        hint = "Write the table with one bracket: [...]." if isinstance(table, list) else ""
        return model(), [Mistake(at, f"wanted a table, got {kind_of(table)}.", hint)]
    kinds = model.keys_known()
    good: dict[str, Any] = {}
    wrong = [Mistake((*at, name), "is missing.") for name in model.required() if name not in table]
    for name, value in table.items():
        here = (*at, name)
        found = list(mistakes(kinds[name], value, here)) if name in kinds else [_unknown(here)]
        wrong += found
        if not found:
            good[name] = made(kinds[name], value)
    for name, message in () if whole and wrong else model(**good).contradictions():
        wrong.append(Mistake((*at, name), message))
        good.pop(name, None)
    return model(**good), wrong


def _check_section(file: CheckedFile, name: str, value: object, wrong: list[Mistake]) -> None:
    model = SECTIONS[name]
    if name == "policy":
        file.policy = _checked_policy(value, wrong)
        return
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
        entry_keys, found = (_context_value if name == "context" else checked)(model, entry, (name, place))
        wrong += found
        if entry_keys is not None:
            good[place] = entry_keys
        elif name in _LISTS:
            file.unread.add(name)


def _context_value(model: type[AnyKeys], value: object, at: KeyPath) -> tuple[AnyKeys | None, list[Mistake]]:
    """One value of ``[context]``: a text stands for itself."""
    if not CONTEXT_NAME.fits(at[-1]):
        return None, [Mistake(at, f"wanted {CONTEXT_NAME.wanted} as the key.")]
    if not isinstance(value, (str, dict)):
        return None, [Mistake(at, f"wanted text, or a table with claim, header or value, got {shown(value)}.")]
    keys, wrong = checked(model, {"value": value} if isinstance(value, str) else value, at)
    if isinstance(value, str):
        wrong = [replace(mistake, path=at) for mistake in wrong]
    return keys, wrong


def _checked_policy(value: object, wrong: list[Mistake]) -> PolicyKeys:
    policy, found = lenient(PolicyKeys, value, ("policy",))
    if isinstance(value, list):
        found = [replace(mistake, hint="Write each rule as [[policy.rules]].") for mistake in found]
    wrong += found
    rules = []
    for place, table in enumerate(policy.rules):
        keys, found = checked(RuleKeys, table, ("policy", "rules", place))
        wrong += found
        rules += [keys] if keys is not None else []
    return PolicyKeys(rules=tuple(rules))


def _problem(document: Document, mistake: Mistake) -> ConfigProblem:
    path = mistake.path
    entry = str(path[1]) if path[0] == "upstreams" and len(path) > 1 else ""
    return document.problem(path, mistake.message, mistake.hint, entry=entry)


def _unknown(path: KeyPath) -> Mistake:
    """What to say of a key that is not known where it stands."""
    message, name = "is not known here.", str(path[-1])
    known = list(_known(path))
    close = _meant(name, known)
    if close in known:
        return Mistake(path, message, f"Did you mean {_section(str(close))}?")
    tables = {**SECTIONS, **{".".join(at): model for at, model in INSIDE.items()}}
    homes = [_section(section) for section, model in tables.items() if name in model.keys_known()]
    if homes:
        return Mistake(path, message, f"It belongs in {' or '.join(homes)}.")
    return Mistake(path, message, f"Known are {', '.join(_section(key) for key in known)}.")


def _meant(name: str, known: Collection[str]) -> str | None:
    """The key that is meant by a name; the name itself where it is known."""
    return name if name in known else _MEANT.get(name) or nearest(name, known)


def _known(path: KeyPath) -> Iterator[str]:
    """The keys that are known where ``path`` ends."""
    if len(path) > 1:
        table = str(path[0]), str(path[1])
        yield from (INSIDE[table] if table in INSIDE and len(path) > 3 else SECTIONS[table[0]]).keys_known()
    else:
        yield from (*TOP, *SECTIONS)


def _section(key: str) -> str:
    """A key at the top as it is written: most are tables."""
    return _WRITTEN.get(key, f"[{key}]" if key in SECTIONS else key)
