"""Settings to a wired Pegboard."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pegboard.auth import Policy
from pegboard.config.paths import file_names, is_absent
from pegboard.config.ranker import ranker_of
from pegboard.config.settings import Settings, Upstream
from pegboard.config.usage import usage_of
from pegboard.context_map import ContextMap
from pegboard.documents.problems import ConfigProblem, Level, dotted
from pegboard.errors import ConfigError
from pegboard.peg import Pegboard
from pegboard.pin_store import PinStore
from pegboard.receipts import ReceiptFile, ReceiptSink
from pegboard.registry import Source
from pegboard.sources.mcp.spec import HttpSpec, StdioSpec

if TYPE_CHECKING:
    from pegboard.approval import Approver
    from pegboard.gateway.settings import GatewaySettings
    from pegboard.http_tools.secrets import SecretProvider
    from pegboard.http_tools.tool import Client, HttpRuntime
    from pegboard.http_tools.versions import ToolStore
    from pegboard.net.client import HttpClient
    from pegboard.sources.data_tools import DataToolSpec
    from pegboard.sources.http import HttpToolFile
    from pegboard.sources.mcp.upstream import McpUpstream
    from pegboard.sources.openapi import OpenApiDocument
    from pegboard.sources.openapi_spec import OpenApiSpec
    from pegboard.sources.overlay import OverlaySource
    from pegboard.sources.python_file import PythonFile
    from pegboard.sources.skill_spec import SkillSpec
    from pegboard.sources.skills import SkillFolders
    from pegboard.stores import SqlToolStore

DEPTH_VARIABLE: Final = "PEGBOARD_DEPTH"
OVERLAY: Final = "overlay"
"""The name of the source of tools that are added while Pegboard runs."""

MAX_DEPTH: Final = 3
"""How often Pegboard may stand behind itself. An agent behind a tool may well use one; a circle has no end."""


@dataclass(frozen=True, kw_only=True)
class Wired:
    """What settings came to. The Pegboard is not started; ``problems`` are those that only show between entries."""

    peg: Pegboard
    problems: tuple[ConfigProblem, ...] = ()


def build(
    settings: Settings,
    *,
    environ: Mapping[str, str] | None = None,
    approver: Approver | None = None,
    http_client: Callable[[], HttpClient] | None = None,
    usage_patience: float = 0,
    prepare: bool = True,
) -> Wired:
    """A Pegboard with everything that ``settings`` name. Nothing is started and no Python file is run before it is.

    ``approver`` is asked about calls that need it (default: nobody, so that they are refused). ``http_client`` makes
    the client of each source that needs one, for a proxy or certificates of one's own. ``usage_patience`` is how many
    seconds a first search waits for what was learned from use, at most; half a second in any case. ``prepare`` says
    whether what searches need of the catalog is made from the start on, or only once there is a search.

    Raises ConfigError when Pegboard has been started from inside itself over and over: an entry starts it through a
    script, which ``load`` cannot see.
    """
    depth = depth_of(os.environ if environ is None else environ)
    names = names_of_files(settings)
    tools = _added_tools(settings)
    sources: list[Source] = [
        *(python_source(names[path], path) for path in settings.python),
        *([] if tools is None else [overlay_source(tools, settings, environ, http_client)]),
        *(
            http_source(names[path], path, spec, settings, environ, http_client)
            for path, spec in settings.http_tools.items()
        ),
        *(openapi_source(spec, settings, environ, http_client) for spec in settings.openapi.values()),
        *(skill_source(spec) for spec in settings.skills.values()),
        *(source_of(upstream, settings, depth, environ, http_client) for upstream in settings.upstreams.values()),
    ]
    peg = Pegboard(
        sources=sources,
        store=store_of(settings),
        approver=approver,
        ranker=ranker_of(settings),
        limits=settings.limits,
        collisions=settings.collisions,
        on_drift=settings.on_drift,
        pin_skill_tools=settings.pin_skill_tools,
        profiles=settings.profiles,
        policy=policy_of(settings),
        receipts=receipts_of(settings),
        receipts_mandatory=settings.receipts_mandatory,
        receipts_searches=settings.receipts_searches,
        context=ContextMap(settings.context),
        usage=usage_of(settings, usage_patience),
        prepare=prepare,
    )
    return Wired(peg=peg, problems=(*_shared_prefixes(settings), *_idle_rules(settings)))


def policy_of(settings: Settings) -> Policy | None:
    """The policy of the rules that ``settings`` hold; None where everything is allowed."""
    if settings.policy is None:
        return None
    from pegboard.rules import RulePolicy

    return RulePolicy(settings.policy)


def receipts_of(settings: Settings) -> ReceiptSink | None:
    """The sink that ``settings`` name."""
    return None if settings.receipts_file is None else ReceiptFile(settings.receipts_file)


def store_of(settings: Settings) -> PinStore | None:
    """Where boards are kept; None for memory. Nothing is opened before the first board is loaded or saved."""
    if settings.store_file is None:
        return None
    from pegboard.stores import SqlPinStore

    return SqlPinStore(settings.store_file, keep_days=settings.store_keep)


def tool_store_of(settings: Settings) -> SqlToolStore | None:
    """Where tools are kept that are added while Pegboard runs; None where there is no place. Nothing is opened."""
    if settings.store_file is None or settings.overlay is None:
        return None
    from pegboard.stores import SqlToolStore

    return SqlToolStore(settings.store_file, settings.overlay)


def _added_tools(settings: Settings) -> SqlToolStore | None:
    """The same, and None where no tool was ever added: most files have none, or are not there yet."""
    store = None if settings.store_file is None or is_absent(settings.store_file) else tool_store_of(settings)
    return None if store is None or store.is_blank() else store


def gateway_settings(settings: Settings) -> GatewaySettings:
    """What the gateway is told of ``[gateway]``."""
    from pegboard.gateway.settings import GatewaySettings

    known = {one.name for one in fields(GatewaySettings)}
    values = {key: value for key, value in vars(settings.gateway).items() if key in known}
    return GatewaySettings(**{**values, "principal": settings.principal})


def secrets_of(settings: Settings, *, environ: Mapping[str, str] | None = None) -> set[str]:
    """The values that no log may show: of the upstreams' ``env``, of what they inherit under a telling name, of headers
    that prove who calls, and of queries in addresses."""
    environ = os.environ if environ is None else environ
    return {value for upstream in settings.upstreams.values() for value in _secrets_in(upstream.spec, environ)}


def _secrets_in(spec: StdioSpec | HttpSpec, environ: Mapping[str, str]) -> Iterable[str]:
    if isinstance(spec, StdioSpec):
        from pegboard.sources.mcp.launch import secret_values

        return secret_values(spec, environ)
    from pegboard.sources.mcp.headers import secret_parts, secrets_in_address

    return (*secret_parts(spec.headers), *secrets_in_address(spec.url))


def source_of(
    upstream: Upstream,
    settings: Settings,
    depth: int = 0,
    environ: Mapping[str, str] | None = None,
    client: Callable[[], HttpClient] | None = None,
) -> McpUpstream:
    """The source that runs an upstream, or connects to it. ``depth`` is how many Pegboards this one stands behind."""
    spec = upstream.spec
    if isinstance(spec, HttpSpec):
        from pegboard.sources.mcp.http_upstream import HttpUpstream

        return HttpUpstream(spec, secrets=secrets_provider(settings, environ), client=client, lazy=upstream.lazy)
    from pegboard.sources.mcp.stdio_upstream import StdioUpstream

    return StdioUpstream(replace(spec, env={**spec.env, DEPTH_VARIABLE: str(depth + 1)}), lazy=upstream.lazy)


def python_source(name: str, path: Path) -> PythonFile:
    """The source that runs a file of Python tools."""
    from pegboard.sources.python_file import PythonFile

    return PythonFile(name, path)


def skill_source(spec: SkillSpec) -> SkillFolders:
    """The source that reads folders of skills."""
    from pegboard.sources.skills import SkillFolders

    return SkillFolders(spec)


def http_source(
    name: str,
    path: Path,
    spec: DataToolSpec,
    settings: Settings,
    environ: Mapping[str, str] | None = None,
    client: Callable[[], HttpClient] | None = None,
) -> HttpToolFile:
    """The source that runs a file of HTTP tools."""
    runtime = http_runtime(settings, environ)
    from pegboard.sources.http import HttpToolFile

    return HttpToolFile(name, path, runtime, spec=spec, client=client, environ=environ)


def openapi_source(
    spec: OpenApiSpec,
    settings: Settings,
    environ: Mapping[str, str] | None = None,
    client: Callable[[], HttpClient] | None = None,
) -> OpenApiDocument:
    """The source that runs an OpenAPI document."""
    from pegboard.sources.openapi import OpenApiDocument

    return OpenApiDocument(spec, http_runtime(settings, environ), client=client)


def overlay_source(
    store: ToolStore,
    settings: Settings,
    environ: Mapping[str, str] | None = None,
    client: Callable[[], HttpClient] | None = None,
) -> OverlaySource:
    """The source that runs the tools that are added while Pegboard runs.

    They may take the place of operations of documents, so they reach what the operator wrote for these.
    """
    from pegboard.sources.overlay import OverlaySource

    policy = settings.http.policy
    for spec in settings.openapi.values():
        policy = spec.allowed(policy)
    plain = http_runtime(settings, environ)

    def runtime(client: Client) -> HttpRuntime:
        return replace(plain(client), policy=policy)

    return OverlaySource(overlay_name(settings), store, runtime, client=client, environ=environ)


def overlay_name(settings: Settings) -> str:
    """The name of that source: neither upstreams nor skills have it."""
    name = OVERLAY
    while name in settings.upstreams or name in settings.skills:
        name += "-tools"
    return name


def http_runtime(settings: Settings, environ: Mapping[str, str] | None = None) -> Callable[[Client], HttpRuntime]:
    """What HTTP tools run with, given a client."""
    from pegboard.http_tools.tool import HttpRuntime
    from pegboard.net.client import HttpLimits

    keys, secrets = settings.http, secrets_provider(settings, environ)

    def runtime(client: Client) -> HttpRuntime:
        return HttpRuntime(
            client=client,
            policy=keys.policy,
            secrets=secrets,
            context=settings.context_names,
            limits=HttpLimits(total_seconds=keys.timeout, body_bytes=keys.max_body),
            files=settings.files_folder,
        )

    return runtime


def secrets_provider(settings: Settings, environ: Mapping[str, str] | None = None) -> SecretProvider:
    """Where secrets come from. Raises ConfigError where a place needs what is not installed."""
    from pegboard.http_tools.secrets import ChainedSecrets, EnvironmentSecrets, FileSecrets, KeyringSecrets

    make: Mapping[str, Callable[[], SecretProvider]] = {
        "environment": lambda: EnvironmentSecrets(environ, prefix=settings.http.secrets_prefix),
        "files": lambda: FileSecrets(settings.secrets_folder or Path()),
        "keyring": KeyringSecrets,
    }
    return ChainedSecrets([make[place]() for place in settings.http.secrets])


def depth_of(environ: Mapping[str, str]) -> int:
    """How many Pegboards this one stands behind.

    Raises ConfigError beyond MAX_DEPTH.
    """
    text = environ.get(DEPTH_VARIABLE, "0")
    depth = int(text) if text.isascii() and text.isdigit() else 0
    if depth > MAX_DEPTH:
        raise ConfigError(
            f"Pegboard has started itself {depth} times over.",
            hint="One of its upstreams starts Pegboard with the same configuration: take it out.",
        )
    return depth


def names_of_files(settings: Settings) -> dict[Path, str]:
    """The sources' names of all files of tools."""
    taken = (*settings.upstreams, *settings.openapi, *settings.skills, overlay_name(settings))
    return file_names((*settings.python, *settings.http_tools), taken)


def _idle_rules(settings: Settings) -> Iterator[ConfigProblem]:
    """Rules that hold for nobody: clients that act for no principal may do everything."""
    if settings.policy is not None and settings.gateway.principal is None and settings.file is not None:
        yield ConfigProblem(
            file=settings.file,
            key="policy",
            message="its rules hold for principals, and the gateway's clients act for none: they may do everything.",
            hint="Name whose rights they have: principal under [gateway].",
            level=Level.WARNING,
        )


def _shared_prefixes(settings: Settings) -> Iterator[ConfigProblem]:
    """Upstreams that would name their tools alike: where two have one, the later is set aside."""
    owners: dict[str, str] = {}
    for name, upstream in settings.upstreams.items():
        prefix = upstream.spec.tool_prefix
        owner = owners.setdefault(prefix, name)
        if prefix and owner != name and settings.collisions == "refuse":
            yield ConfigProblem(
                file=upstream.origin,
                line=upstream.line,
                key=name,
                message=f"its tools have the prefix {prefix!r}, as those of {owner!r} have.",
                hint=f"Set another one in [{dotted(('upstreams', name))}], or one of two tools of a name is lost.",
                level=Level.WARNING,
            )
