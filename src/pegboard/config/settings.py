"""What a load makes of a configuration, everything read, merged and filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pegboard.config.cache_keys import CacheKeys
from pegboard.config.check_keys import CheckKeys
from pegboard.config.http_keys import HttpKeys
from pegboard.config.model import GatewayKeys, LogLevel, Ranker, StoreKeys
from pegboard.config.usage_keys import UsageKeys
from pegboard.http_tools.words import CONTEXT_NAMES
from pegboard.limits import Limits

if TYPE_CHECKING:
    from pegboard.auth import Principal
    from pegboard.composition import Collisions
    from pegboard.context_map import Origin
    from pegboard.drift import OnDrift
    from pegboard.rules import Rule
    from pegboard.sources.data_tools import DataToolSpec
    from pegboard.sources.mcp.spec import HttpSpec, StdioSpec
    from pegboard.sources.openapi_spec import OpenApiSpec
    from pegboard.sources.skill_spec import SkillSpec


@dataclass(frozen=True, kw_only=True)
class Upstream:
    """One MCP server to start or to connect to, everything filled in. Immutable; belongs to one load.

    Two are equal when the same server would be used in the same way; where they were written does not count. With
    ``lazy`` it is started only when it is needed.
    """

    spec: StdioSpec | HttpSpec
    lazy: bool = False
    origin: Path = field(default=Path(), compare=False)
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A configuration, read, merged and filled in. Immutable; belongs to one load.

    ``upstreams`` by name, those of the file itself first, then those of imports in their order. ``python``,
    ``http_tools``, folders, ``log_file``, ``receipts_file`` and ``store_file`` are absolute paths; without a
    ``store_file`` boards are kept in memory, else for ``store_keep`` days. ``cache_folder`` holds what upstreams
    listed, None where that is not kept; it is used for ``cache_age`` seconds. ``profiles`` has only those that the file
    changes.
    ``overlay`` is what tools that are added while Pegboard runs, and what is learned from ``usage``, stand under in
    ``store_file``, None where there can be none. ``file`` is the file itself, None where there are only clients' files.
    ``policy`` are the rules in force, None where the file has no ``[policy]`` and everything is allowed; ``principals``
    are those that it names, ``principal`` the one whose rights the gateway's clients have, None for trusted local use.
    """

    gateway: GatewayKeys = field(default_factory=GatewayKeys)
    limits: Limits = field(default_factory=Limits)
    log_file: Path | None = None
    log_level: LogLevel = "warning"
    ranker: Ranker = "lexical"
    encoder_file: Path | None = None
    store_file: Path | None = None
    store_keep: float = StoreKeys.keep
    cache_folder: Path | None = None
    cache_age: float = CacheKeys.age
    overlay: str | None = field(default=None, compare=False)
    collisions: Collisions = "refuse"
    on_drift: OnDrift = "accept"
    pin_skill_tools: bool = True
    profiles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    upstreams: Mapping[str, Upstream] = field(default_factory=dict)
    python: tuple[Path, ...] = ()
    http: HttpKeys = field(default_factory=HttpKeys)
    http_tools: Mapping[Path, DataToolSpec] = field(default_factory=dict)
    openapi: Mapping[str, OpenApiSpec] = field(default_factory=dict)
    skills: Mapping[str, SkillSpec] = field(default_factory=dict)
    secrets_folder: Path | None = None
    files_folder: Path | None = None
    context: Mapping[str, Origin] = field(default_factory=dict)
    check: CheckKeys = field(default_factory=CheckKeys, compare=False)
    file: Path | None = field(default=None, compare=False)
    policy: tuple[Rule, ...] | None = None
    principals: Mapping[str, Principal] = field(default_factory=dict)
    receipts_file: Path | None = None
    receipts_mandatory: bool = False
    receipts_searches: bool = False
    usage: UsageKeys = field(default_factory=UsageKeys)

    @property
    def context_names(self) -> tuple[str, ...]:
        """The names that ``{{ctx.*}}`` may have."""
        return tuple(dict.fromkeys((*CONTEXT_NAMES, *self.context)))

    @property
    def principal(self) -> Principal | None:
        """The principal that ``[gateway]`` names."""
        return None if self.gateway.principal is None else self.principals[self.gateway.principal]
