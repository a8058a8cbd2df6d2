"""What can be configured: every key of ``pegboard.toml``, with its kind, default and meaning.

The ``*Keys`` classes are tables of the file as written; ``Settings`` is what a load makes of the whole.
"""

# ruff: noqa: RUF009  # key() gives a dataclass field, not a value
from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final, Literal, get_args

from pegboard.auth import Action, Principal
from pegboard.composition import Collisions
from pegboard.config.kinds import (
    ARGUMENTS,
    FLAG,
    NAME,
    PREFIX,
    SCHEME_SECRETS,
    SECONDS,
    SECRETS,
    TEXT,
    TEXTS,
    VARIABLES,
    Kind,
    Secret,
    by_glob,
    choice,
    integer,
    list_of,
    seconds,
    table,
    table_of,
)
from pegboard.config.paths import path_of
from pegboard.context_map import CREDENTIALS, Origin
from pegboard.drift import OnDrift
from pegboard.errors import ConfigError
from pegboard.http_tools.definition import CONTEXT_NAMES, METHODS
from pegboard.http_tools.openapi.options import ImportOptions
from pegboard.limits import Limits
from pegboard.metatools import META_TOOLS
from pegboard.naming import slug
from pegboard.net.egress import EgressPolicy
from pegboard.rules import WORDS, Rule, faults
from pegboard.sources.data_tools import DataToolSpec
from pegboard.sources.mcp.spec import Era, HttpSpec, StdioSpec
from pegboard.sources.openapi import OpenApiSpec, default_name
from pegboard.tools import Approval, OutputCheck, Visibility

Ranker = Literal["lexical", "bm25", "substring", "keyword"]
LogLevel = Literal["debug", "info", "warning", "error"]
Transport = Literal["stdio", "streamable-http", "sse"]
Word = str | Mapping[str, str] | None

COUNT: Final = integer(1)
WAIT: Final = seconds(0)
SESSION_IDLE: Final = seconds(1)
DAYS: Final = seconds(0)
META_TOOL_NAMES: Final = list_of(choice(*META_TOOLS))
COLLISIONS: Final = choice(*get_args(Collisions))
LOG_LEVEL: Final = choice(*get_args(LogLevel))
ON_DRIFT: Final = choice(*get_args(OnDrift))
RANKER: Final = choice(*get_args(Ranker))
ERA: Final = choice(*get_args(Era))
TRANSPORT: Final = choice(*get_args(Transport))
OUTPUT_CHECK: Final = choice(*OutputCheck)
VISIBILITY: Final = by_glob(choice(*Visibility))
APPROVAL: Final = by_glob(choice(*Approval))
NAMES: Final = list_of(NAME)
ACTIONS: Final = list_of(choice(*Action))
TIERS: Final = list_of(choice(*Approval))
KINDS: Final = list_of(choice(*WORDS["kinds"]))
TIER: Final = choice(*Approval)
CLAIMS: Final = table_of(TEXT)
SCHEMES: Final = list_of(choice("https", "http"))
PORTS: Final = list_of(integer(1, 65535))
PRIVATE_HOSTS: Final = table_of(NAMES)
HTTP_METHODS: Final = list_of(choice(*(name for method in METHODS for name in (method, method.lower()))))
VARIABLE_VALUES: Final = table_of(TEXT)
SECRET_PLACES: Final = list_of(choice("environment", "files", "keyring"))


def key(kind: Kind, about: str, default: Any = None, *, required: bool = False) -> Any:
    """The declaration of a key. ``about`` is its line in the documentation."""
    return field(default=default, metadata={"kind": kind, "about": about, "required": required})


@dataclass(frozen=True, kw_only=True)
class Keys:
    """The keys of one table, as written. Immutable; belongs to one load."""

    @classmethod
    def keys_known(cls) -> dict[str, Kind]:
        """Every key with its kind."""
        return {one.name: one.metadata["kind"] for one in fields(cls)}

    @classmethod
    def required(cls) -> list[str]:
        """The keys that must be there."""
        return [one.name for one in fields(cls) if one.metadata["required"]]

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """Keys that are right by themselves but not beside another, each with the message."""
        yield from ()


@dataclass(frozen=True, kw_only=True)
class GatewayKeys(Keys):
    """``[gateway]``: what clients see. Immutable; belongs to one load."""

    name: str = key(NAME, "The server's name, as clients show it.", "pegboard")
    instructions: str | None = key(TEXT, "Instructions for the model, in place of Pegboard's own.")
    boards: bool = key(FLAG, "Offer `open_board`, and a `board` argument on the meta-tools.", False)
    host: str = key(NAME, "The address to listen on, over HTTP.", "127.0.0.1")
    port: int = key(integer(0, 65535), "The port to listen on, over HTTP; 0 takes a free one.", 8765)
    ready_wait: float = key(WAIT, "Seconds that a call waits at most for upstreams that are still starting.", 10.0)
    list_wait: float = key(WAIT, "Seconds that a list waits at most for those that may be always visible.", 5.0)
    ttl_ms: int = key(integer(0), "Milliseconds that a client may keep a list.", 60_000)
    max_message: int = key(integer(1_000), "Bytes of one message of a client at most.", 16_777_216)
    session_idle: float = key(SESSION_IDLE, "Seconds without a request that end a session, over HTTP.", 1_800.0)
    max_sessions: int = key(COUNT, "Sessions that may be open at once, over HTTP.", 1_000)
    principal: str | None = key(NAME, "Whose rights clients have: a name in `[principals]`; unset: nobody's.")


@dataclass(frozen=True, kw_only=True)
class LimitKeys(Keys):
    """``[limits]``: the fields of ``pegboard.limits.Limits``. Immutable; belongs to one load."""

    search: int = key(COUNT, "Results of one search unless the call asks for a number.", Limits.search)
    search_cap: int = key(COUNT, "Results of one search at most.", Limits.search_cap)
    recommend: int = key(COUNT, "Recommendations at most.", Limits.recommend)
    load_best: int = key(COUNT, "Tools that one `tool_search` pins at most.", Limits.load_best)
    query_chars: int = key(COUNT, "Characters of a query that are searched for; the rest is cut.", Limits.query_chars)
    page: int = key(COUNT, "Entries on a page of `list_tools`.", Limits.page)
    find_tokens: int = key(COUNT, "Tokens that one answer of `find_tools` may take.", Limits.find_tokens)
    call_timeout: float = key(
        SECONDS, "Seconds that one call may take, waiting for a free place included.", Limits.call_timeout
    )
    approval_timeout: float = key(SECONDS, "Seconds that an approver may take.", Limits.approval_timeout)
    concurrency: int = key(COUNT, "Calls that may run at once, of all tools.", Limits.concurrency)
    result_chars: int = key(COUNT, "Characters of one result at most.", Limits.result_chars)
    compact_tokens: int = key(COUNT, "Tokens of tombstones that make a commit compact.", Limits.compact_tokens)
    compact_idle: float = key(SECONDS, "Idle seconds after which a commit compacts.", Limits.compact_idle)
    compact_unused: float | None = key(SECONDS, "Seconds without use after which a pin is dropped by a compaction.")

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """A cap below what a search gives unasked."""
        if self.search_cap < self.search:
            yield "search_cap", f"wanted at least {self.search}, the value of search, got {self.search_cap}."


@dataclass(frozen=True, kw_only=True)
class BoardKeys(Keys):
    """``[boards]``: what boards do. Immutable; belongs to one load."""

    on_drift: OnDrift = key(ON_DRIFT, "What happens to a definition that changed after a board has shown it.", "accept")


@dataclass(frozen=True, kw_only=True)
class LogKeys(Keys):
    """``[log]``: where the log goes. Immutable; belongs to one load."""

    file: str | None = key(NAME, "A file to log to, relative to this one; unset: standard error.")
    level: LogLevel = key(LOG_LEVEL, "The least that is logged.", "warning")


@dataclass(frozen=True, kw_only=True)
class SearchKeys(Keys):
    """``[search]``: how tools are found. Immutable; belongs to one load."""

    ranker: Ranker = key(RANKER, "Which ranker orders what a search finds.", "lexical")


@dataclass(frozen=True, kw_only=True)
class StoreKeys(Keys):
    """``[store]``: where boards are kept. Immutable; belongs to one load."""

    path: str | None = key(NAME, 'A SQLite file, relative to this one; `"memory"`: only while Pegboard runs.')
    keep: float = key(DAYS, "Days without use after which a board is forgotten.", 90.0)


@dataclass(frozen=True, kw_only=True)
class ProfileKeys(Keys):
    """``[profiles]``: the meta-tools of each profile, in place of its own. Immutable; belongs to one load."""

    modern: tuple[str, ...] | None = key(META_TOOL_NAMES, "For clients of MCP 2026-07-28 and later.")
    session: tuple[str, ...] | None = key(META_TOOL_NAMES, "For clients of earlier revisions, which have a session.")
    python: tuple[str, ...] | None = key(META_TOOL_NAMES, "For boards that Python code opens.")


@dataclass(frozen=True, kw_only=True)
class ReceiptKeys(Keys):
    """``[receipts]``: where what happened in each call is written. Immutable; belongs to one load."""

    file: str | None = key(NAME, "A file that gets a line of JSON a call, relative to this one; unset: none is kept.")
    mandatory: bool = key(FLAG, "Let no call run whose receipt cannot be written.", False)

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """Receipts that have to be written, and nowhere to."""
        if self.mandatory and self.file is None:
            yield "mandatory", "wanted a file beside it."


@dataclass(frozen=True, kw_only=True)
class PrincipalKeys(Keys):
    """``[principals.NAME]``: somebody that clients can act for. Immutable; belongs to one load."""

    id: str | None = key(NAME, "The id that rules know it by; unset: NAME.")
    issuer: str | None = key(NAME, "Who vouches for the id; unset: this file.")
    tenant: str | None = key(NAME, "Whose data it works with.")
    roles: tuple[str, ...] = key(NAMES, "Its roles.", ())
    scopes: tuple[str, ...] = key(NAMES, "Its scopes.", ())
    claims: Mapping[str, str] | None = key(CLAIMS, "What else is known of it, each a text.")

    def principal(self, name: str) -> Principal:
        """The principal that stands under ``name``."""
        return Principal(
            id=self.id or name,
            issuer=self.issuer or "",
            tenant=self.tenant,
            roles=frozenset(self.roles),
            scopes=frozenset(self.scopes),
            claims=self.claims or {},
        )


@dataclass(frozen=True, kw_only=True)
class RuleKeys(Keys):
    """``[[policy.rules]]``: the fields of ``pegboard.rules.Rule``. Immutable; belongs to one load."""

    principals: tuple[str, ...] | None = key(NAMES, 'Ids of principals; `"*"` is everybody.')
    issuers: tuple[str, ...] | None = key(NAMES, 'Who vouches for them; `"*"` is anybody.')
    tenants: tuple[str, ...] | None = key(NAMES, 'Their tenants; `"*"` is any.')
    roles: tuple[str, ...] | None = key(NAMES, 'Roles, of which they have one; `"*"` is any.')
    scopes: tuple[str, ...] | None = key(NAMES, 'Scopes, of which they have one; `"*"` is any.')
    names: tuple[str, ...] | None = key(NAMES, "Globs of names, as clients see them.")
    sources: tuple[str, ...] | None = key(NAMES, "Globs of sources.")
    categories: tuple[str, ...] | None = key(NAMES, "Globs of categories.")
    tags: tuple[str, ...] | None = key(NAMES, "Globs of tags, of which it has one.")
    kinds: tuple[str, ...] | None = key(KINDS, "Tools or skills.")
    tiers: tuple[str, ...] | None = key(TIERS, "Tiers of approval.")
    allow: tuple[str, ...] | None = key(ACTIONS, "What the rule allows.")
    deny: tuple[str, ...] | None = key(ACTIONS, "What the rule denies, whatever others allow.")
    approves: str | None = key(TIER, "The highest tier that passes unasked where the rule allows to invoke.")

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """What keeps these keys from being a rule."""
        yield from faults(vars(self))

    def rule(self, where: str) -> Rule:
        """The rule, which stands at ``where``."""
        return Rule(**vars(self), where=where)


@dataclass(frozen=True, kw_only=True)
class PolicyKeys(Keys):
    """``[policy]``: who may do what. Immutable; belongs to one load. Without rules, nobody may do anything."""

    rules: tuple[RuleKeys, ...] = key(list_of(table()), "The rules, each a table `[[policy.rules]]`.", ())


@dataclass(frozen=True, kw_only=True)
class UpstreamKeys(Keys):
    """``[upstreams.NAME]``: one MCP server. Immutable; belongs to one load. None is "not written".

    Without ``command`` and ``url`` the table adjusts the imported entry of the same name.
    """

    command: str | None = key(NAME, "The program to start: a name on PATH, or a path.")
    args: tuple[str, ...] | None = key(ARGUMENTS, "Its arguments.")
    env: Mapping[str, Secret] | None = key(VARIABLES, "Environment variables for it, on top of a small safe base.")
    env_file: str | None = key(NAME, "A file of `NAME=value` lines with more of them; `env` wins.")
    inherit_env: tuple[str, ...] | None = key(TEXTS, "Names of Pegboard's own variables to hand down.")
    cwd: str | None = key(NAME, "The folder to start it in, relative to this file; unset: where Pegboard was started.")
    prefix: str | Literal[False] | None = key(PREFIX, "What stands before its tools' names, with `__`; false: nothing.")
    visibility: Word = key(VISIBILITY, "Of its tools: one word for all, or a table from globs.")
    include: tuple[str, ...] | None = key(TEXTS, "Globs of its own tool names; only these are taken in.")
    exclude: tuple[str, ...] | None = key(TEXTS, "Globs of its own tool names; these are not taken in.")
    approval: Word = key(APPROVAL, "The tier of its tools: one word for all, or a table from globs.")
    start_timeout: float | None = key(SECONDS, "Seconds it may take to start and to list its tools.")
    call_timeout: float | None = key(SECONDS, "Seconds that one of its calls may take; unset: that of `[limits]`.")
    concurrency: int | None = key(COUNT, "Calls of its tools that may run at once; unset: any number.")
    output_check: OutputCheck | None = key(OUTPUT_CHECK, "What becomes of results that do not fit their schema.")
    max_line: int | None = key(integer(1024), "Bytes of its longest message.")
    era: Era | None = key(ERA, "How the session begins.")
    lazy: bool | None = key(FLAG, "Start it only when it is needed.")
    disabled: bool | None = key(FLAG, "Leave it out.")
    url: str | None = key(NAME, "The address of a server over HTTP, in place of `command`.")
    transport: Transport | None = key(TRANSPORT, "How it is spoken to; with `url` the second unless it says otherwise.")
    headers: Mapping[str, Secret] | None = key(
        SECRETS, "Headers for a server over HTTP; `{{secret.NAME}}` for secrets."
    )


@dataclass(frozen=True, kw_only=True)
class ImportKeys(Keys):
    """``[[import]]``: the servers of a client's own file. Immutable; belongs to one load."""

    file: str = key(NAME, "The client's file, relative to this one.", "", required=True)
    include: tuple[str, ...] | None = key(TEXTS, "Globs of server names; only these are imported.")
    exclude: tuple[str, ...] | None = key(TEXTS, "Globs of server names; these are not imported.")
    workspace: str | None = key(NAME, "The folder that the file speaks of as its workspace.")
    inputs: Mapping[str, Secret] | None = key(SECRETS, "Answers to the file's `${input:...}`.")


@dataclass(frozen=True, kw_only=True)
class PythonKeys(Keys):
    """``[[python]]``: a file of Python tools. Immutable; belongs to one load."""

    file: str = key(NAME, "The Python file, relative to this one.", "", required=True)


@dataclass(frozen=True, kw_only=True)
class HttpKeys(Keys):
    """``[http]``: what HTTP tools may reach, and what they send along. Immutable; belongs to one load."""

    schemes: tuple[str, ...] = key(SCHEMES, "Schemes of addresses.", ("https",))
    ports: tuple[int, ...] | None = key(PORTS, "Ports; unset: 80, 443, and those from 1024 on but for known services.")
    hosts: tuple[str, ...] | None = key(NAMES, "Hosts, or `*.name` for all below it; unset: any that is public.")
    private_hosts: Mapping[str, tuple[str, ...]] | None = key(PRIVATE_HOSTS, "Hosts inside, each with its networks.")
    networks: tuple[str, ...] = key(NAMES, "Networks inside that any host may be in.", ())
    origins: tuple[str, ...] = key(NAMES, "Addresses of your own, exactly: scheme, host and port; loopback too.", ())
    timeout: float = key(SECONDS, "Seconds that one request may take, unless its tool says otherwise.", 30.0)
    max_body: int = key(COUNT, "Bytes of a reply at most, unpacked.", 1_000_000)
    secrets: tuple[str, ...] = key(SECRET_PLACES, "Where secrets are looked for, in this order.", ("environment",))
    secrets_prefix: str = key(TEXT, "What stands before a secret's name in the environment.", "")
    secrets_folder: str | None = key(NAME, "The folder of `files`, relative to this one: a file for each secret.")
    files: str | None = key(NAME, "The folder whose files tools may send by their paths, relative to this one.")

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """What the guard cannot take, and secrets in files without a folder."""
        for name in ("hosts", "private_hosts", "networks", "origins"):
            try:
                EgressPolicy.allowing(**{name: getattr(self, name)})
            except ConfigError as error:
                yield name, str(error)
        if "files" in self.secrets and self.secrets_folder is None:
            yield "secrets", "wanted a secrets_folder beside it."

    @property
    def policy(self) -> EgressPolicy:
        """What may be reached."""
        return EgressPolicy.allowing(
            schemes=self.schemes,
            ports=self.ports,
            hosts=self.hosts,
            private_hosts=self.private_hosts,
            networks=self.networks,
            origins=self.origins,
        )


@dataclass(frozen=True, kw_only=True)
class ContextKeys(Keys):
    """``[context]``: where one value of calls' contexts comes from. Immutable; belongs to one load."""

    claim: str | None = key(NAME, "A claim of the principal: `id`, `issuer`, `tenant`, or one of its `claims`.")
    header: str | None = key(NAME, "A header of the client's request, over HTTP.")
    value: str | None = key(NAME, "This text, for everybody.")

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """More or less than one origin, and headers that prove who a client is."""
        given = [name for name, value in vars(self).items() if value is not None]
        if len(given) != 1:
            yield given[0] if given else "claim", "wanted exactly one of claim, header and value."
        if self.header is not None and self.header.lower() in CREDENTIALS:
            yield "header", f"{self.header} proves who the client is, and is passed on to nobody."

    @property
    def origin(self) -> Origin:
        """What the Pegboard is told."""
        return Origin(claim=self.claim, header=self.header, value=self.value)


@dataclass(frozen=True, kw_only=True)
class HttpToolKeys(Keys):
    """``[[http_tools]]``: a file of HTTP tools. Immutable; belongs to one load."""

    file: str = key(NAME, "A file of one tool or many, in TOML, YAML or JSON, relative to this one.", "", required=True)
    prefix: str | Literal[False] | None = key(PREFIX, "What stands before its tools' names, with `__`; unset: nothing.")
    visibility: Word = key(VISIBILITY, "Of its tools: one word for all, or a table from globs.")
    approval: Word = key(APPROVAL, "The tier of its tools; unset: write for those with a side effect, else read.")
    include: tuple[str, ...] | None = key(TEXTS, "Globs of its tools' names; only these are taken in.")
    exclude: tuple[str, ...] | None = key(TEXTS, "Globs of its tools' names; these are not taken in.")

    @property
    def spec(self) -> DataToolSpec:
        """What the source is told."""
        return DataToolSpec(
            prefix=self.prefix or "",
            visibility=self.visibility or Visibility.ON_DEMAND,
            approval=self.approval,
            include=self.include or (),
            exclude=self.exclude or (),
        )


@dataclass(frozen=True, kw_only=True)
class OpenApiKeys(Keys):
    """``[[openapi]]``: a document whose operations are tools. Immutable; belongs to one load."""

    file: str | None = key(NAME, "An OpenAPI document, in JSON or YAML, relative to this one.")
    url: str | None = key(NAME, "The address of one; exactly its scheme, host and port are allowed.")
    name: str | None = key(NAME, "The source's name; unset: made of the document's own.")
    prefix: str | Literal[False] | None = key(
        PREFIX, "What stands before its tools' names, with `__`; unset: its name."
    )
    server: str | None = key(NAME, "The address to send to, in place of the document's own, and allowed exactly.")
    server_variables: Mapping[str, str] | None = key(VARIABLE_VALUES, "Values of variables in the document's servers.")
    secrets: Mapping[str, Any] | None = key(SCHEME_SECRETS, "Names of secrets, by the document's security schemes.")
    headers: Mapping[str, Secret] | None = key(SECRETS, "Headers of every request; may hold `{{secret.NAME}}`.")
    tags: tuple[str, ...] | None = key(TEXTS, "Globs of tags; operations with one of them are taken in.")
    methods: tuple[str, ...] | None = key(HTTP_METHODS, "Methods; only these are taken in.")
    paths: tuple[str, ...] | None = key(TEXTS, "Globs of paths; only these are taken in.")
    exclude_paths: tuple[str, ...] | None = key(TEXTS, "Globs of paths; these are not taken in.")
    operations: tuple[str, ...] | None = key(TEXTS, "Globs of operationIds; only these are taken in.")
    include: tuple[str, ...] | None = key(TEXTS, "Globs of its tools' names; only these are taken in.")
    exclude: tuple[str, ...] | None = key(TEXTS, "Globs of its tools' names; these are not taken in.")
    deprecated: bool = key(FLAG, "Take in what the document calls deprecated, too.", True)
    visibility: Word = key(VISIBILITY, "Of its tools: one word for all, or a table from globs.")
    approval: Word = key(APPROVAL, "The tier of its tools; unset: read for GET, HEAD and OPTIONS, else write.")

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """A document that is nowhere, or in two places; addresses that nothing can be sent to."""
        if (self.file is None) is (self.url is None):
            yield "file", "wanted a file or a url, and one of them only."
        for name in ("url", "server"):
            try:
                EgressPolicy.allowing(origins=[address] if (address := getattr(self, name)) else [])
            except ConfigError as error:
                yield name, str(error)

    def spec(self, base: Path) -> OpenApiSpec:
        """What the source is told; ``base`` is the folder that a relative file lies in."""
        name = self.name or default_name(self.url or self.file or "")
        return OpenApiSpec(
            name=name,
            file=None if self.file is None else path_of(self.file, base),
            url=self.url or "",
            options=self._options,
            shown=DataToolSpec(
                prefix=slug(name) if self.prefix is None else self.prefix or "",
                visibility=self.visibility or Visibility.ON_DEMAND,
                approval=self.approval,
            ),
        )

    @property
    def _options(self) -> ImportOptions:
        return ImportOptions(
            server=self.server or "",
            server_variables=self.server_variables or {},
            secrets=self.secrets or {},
            headers={name: secret.value for name, secret in (self.headers or {}).items()},
            deprecated=self.deprecated,
            tags=self.tags or (),
            methods=self.methods or (),
            paths=self.paths or (),
            exclude_paths=self.exclude_paths or (),
            operations=self.operations or (),
            include=self.include or (),
            exclude=self.exclude or (),
        )


SECTIONS: Final[Mapping[str, type[Keys]]] = {
    "gateway": GatewayKeys,
    "limits": LimitKeys,
    "boards": BoardKeys,
    "log": LogKeys,
    "search": SearchKeys,
    "store": StoreKeys,
    "profiles": ProfileKeys,
    "receipts": ReceiptKeys,
    "policy": PolicyKeys,
    "principals": PrincipalKeys,
    "upstreams": UpstreamKeys,
    "import": ImportKeys,
    "python": PythonKeys,
    "http": HttpKeys,
    "http_tools": HttpToolKeys,
    "openapi": OpenApiKeys,
    "context": ContextKeys,
}
"""The tables of the file. ``upstreams``, ``principals`` and ``context`` hold one such table a name; ``import``,
``python``, ``http_tools`` and ``openapi`` are lists of them."""

INSIDE: Final[Mapping[tuple[str, str], type[Keys]]] = {("policy", "rules"): RuleKeys}
"""The keys of sections that hold lists of tables."""


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
    ``store_file`` boards are kept in memory, else for ``store_keep`` days. ``profiles`` has only those that the file
    changes.
    ``overlay`` is what tools that are added while Pegboard runs stand under in ``store_file``, None where there can be
    none. ``file`` is the file itself, None where there are only clients' files.
    ``policy`` are the rules in force, None where the file has no ``[policy]`` and everything is allowed; ``principals``
    are those that it names, ``principal`` the one whose rights the gateway's clients have, None for trusted local use.
    """

    gateway: GatewayKeys = field(default_factory=GatewayKeys)
    limits: Limits = field(default_factory=Limits)
    log_file: Path | None = None
    log_level: LogLevel = "warning"
    ranker: Ranker = "lexical"
    store_file: Path | None = None
    store_keep: float = StoreKeys.keep
    overlay: str | None = field(default=None, compare=False)
    collisions: Collisions = "refuse"
    on_drift: OnDrift = "accept"
    profiles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    upstreams: Mapping[str, Upstream] = field(default_factory=dict)
    python: tuple[Path, ...] = ()
    http: HttpKeys = field(default_factory=HttpKeys)
    http_tools: Mapping[Path, DataToolSpec] = field(default_factory=dict)
    openapi: Mapping[str, OpenApiSpec] = field(default_factory=dict)
    secrets_folder: Path | None = None
    files_folder: Path | None = None
    context: Mapping[str, Origin] = field(default_factory=dict)
    file: Path | None = field(default=None, compare=False)
    policy: tuple[Rule, ...] | None = None
    principals: Mapping[str, Principal] = field(default_factory=dict)
    receipts_file: Path | None = None
    receipts_mandatory: bool = False

    @property
    def context_names(self) -> tuple[str, ...]:
        """The names that ``{{ctx.*}}`` may have."""
        return tuple(dict.fromkeys((*CONTEXT_NAMES, *self.context)))

    @property
    def principal(self) -> Principal | None:
        """The principal that ``[gateway]`` names."""
        return None if self.gateway.principal is None else self.principals[self.gateway.principal]
