"""What can be configured: every key of ``pegboard.toml``, with its kind, default and meaning.

The ``*Keys`` classes are tables of the file as written; ``settings`` has what a load makes of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal, get_args

from pegboard.auth import Action, Principal
from pegboard.composition import Collisions
from pegboard.config.cache_keys import CacheKeys
from pegboard.config.check_keys import CheckKeys
from pegboard.config.http_keys import ContextKeys, HttpKeys, HttpToolKeys, OpenApiKeys
from pegboard.config.keys import APPROVAL, COUNT, NAMES, VISIBILITY, Keys, Word, key
from pegboard.config.kinds import (
    ARGUMENTS,
    FLAG,
    NAME,
    PREFIX,
    SECONDS,
    SECRETS,
    SHARE,
    TEXT,
    TEXTS,
    UPSTREAM_SKILLS,
    VARIABLES,
    Secret,
    choice,
    integer,
    list_of,
    seconds,
    table,
    table_of,
)
from pegboard.config.skill_keys import SkillKeys
from pegboard.config.usage_keys import UsageKeys
from pegboard.drift import OnDrift
from pegboard.limits import Limits
from pegboard.metatools import META_TOOLS
from pegboard.rules import WORDS, Rule, faults
from pegboard.skill_tools import SKILL_TOOLS
from pegboard.sources.mcp.spec import Era
from pegboard.tools import Approval, OutputCheck

Ranker = Literal["lexical", "bm25", "substring", "keyword", "hybrid"]
LogLevel = Literal["debug", "info", "warning", "error"]
Transport = Literal["stdio", "streamable-http", "sse"]

WAIT: Final = seconds(0)
SESSION_IDLE: Final = seconds(1)
DAYS: Final = seconds(0)
META_TOOL_NAMES: Final = list_of(choice(*META_TOOLS, *SKILL_TOOLS))
COLLISIONS: Final = choice(*get_args(Collisions))
LOG_LEVEL: Final = choice(*get_args(LogLevel))
ON_DRIFT: Final = choice(*get_args(OnDrift))
RANKER: Final = choice(*get_args(Ranker))
ERA: Final = choice(*get_args(Era))
TRANSPORT: Final = choice(*get_args(Transport))
OUTPUT_CHECK: Final = choice(*OutputCheck)
ACTIONS: Final = list_of(choice(*Action))
TIERS: Final = list_of(choice(*Approval))
KINDS: Final = list_of(choice(*WORDS["kinds"]))
TIER: Final = choice(*Approval)
CLAIMS: Final = table_of(TEXT)


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


class LimitKeys(Keys):
    """``[limits]``: the fields of ``pegboard.limits.Limits``. Immutable; belongs to one load."""

    search: int = key(COUNT, "Results of one search unless the call asks for a number.", Limits.search)
    search_cap: int = key(COUNT, "Results of one search at most.", Limits.search_cap)
    recommend: int = key(COUNT, "Recommendations at most.", Limits.recommend)
    load_best: int = key(COUNT, "Tools that one `tool_search`, or one skill, pins at most.", Limits.load_best)
    query_chars: int = key(COUNT, "Characters of a query that are searched for; the rest is cut.", Limits.query_chars)
    page: int = key(COUNT, "Entries on a page of `list_tools`.", Limits.page)
    find_tokens: int = key(COUNT, "Tokens that one answer of `find_tools` may take.", Limits.find_tokens)
    skills_tokens: int = key(COUNT, "Tokens of the list of skills in a prompt at most.", Limits.skills_tokens)
    skills_chars: int = key(COUNT, "Characters of the list of skills in a prompt at most.", Limits.skills_chars)
    call_timeout: float = key(
        SECONDS, "Seconds that one call may take, waiting for a free place included.", Limits.call_timeout
    )
    approval_timeout: float = key(SECONDS, "Seconds that an approver may take.", Limits.approval_timeout)
    concurrency: int = key(COUNT, "Calls that may run at once, of all tools.", Limits.concurrency)
    result_chars: int = key(COUNT, "Characters of one result at most.", Limits.result_chars)
    compact_tokens: int = key(COUNT, "Tokens of tombstones that make a commit compact.", Limits.compact_tokens)
    compact_idle: float = key(SECONDS, "Idle seconds after which a commit compacts.", Limits.compact_idle)
    compact_unused: float | None = key(SECONDS, "Seconds without use after which a pin is dropped by a compaction.")
    no_match_below: float = key(
        SHARE, "A search that is less confident than this, 0 to 1, answers that nothing fits.", Limits.no_match_below
    )

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """A cap below what a search gives unasked."""
        if self.search_cap < self.search:
            yield "search_cap", f"wanted at least {self.search}, the value of search, got {self.search_cap}."


class BoardKeys(Keys):
    """``[boards]``: what boards do. Immutable; belongs to one load."""

    on_drift: OnDrift = key(ON_DRIFT, "What happens to a definition that changed after a board has shown it.", "accept")
    pin_skill_tools: bool = key(FLAG, "Whether activating a skill loads the tools that it names.", True)


class LogKeys(Keys):
    """``[log]``: where the log goes. Immutable; belongs to one load."""

    file: str | None = key(NAME, "A file to log to, relative to this one; unset: standard error.")
    level: LogLevel = key(LOG_LEVEL, "The least that is logged.", "warning")


class SearchKeys(Keys):
    """``[search]``: how tools are found. Immutable; belongs to one load."""

    ranker: Ranker = key(RANKER, "Which ranker orders what a search finds.", "lexical")
    encoder: str | None = key(
        NAME, "A Python file with an `encoder` for the hybrid ranker, relative to this one; unset: that of its extra."
    )

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """An encoder that nothing uses."""
        if self.encoder is not None and self.ranker != "hybrid":
            yield "encoder", 'wanted ranker = "hybrid" beside it.'


class StoreKeys(Keys):
    """``[store]``: where boards are kept. Immutable; belongs to one load."""

    path: str | None = key(NAME, 'A SQLite file, relative to this one; `"memory"`: only while Pegboard runs.')
    keep: float = key(DAYS, "Days without use after which a board is forgotten.", 90.0)


class ProfileKeys(Keys):
    """``[profiles]``: the meta-tools of each profile, in place of its own. Immutable; belongs to one load."""

    modern: tuple[str, ...] | None = key(META_TOOL_NAMES, "For clients of MCP 2026-07-28 and later.")
    session: tuple[str, ...] | None = key(META_TOOL_NAMES, "For clients of earlier revisions, which have a session.")
    python: tuple[str, ...] | None = key(META_TOOL_NAMES, "For boards that Python code opens.")


class ReceiptKeys(Keys):
    """``[receipts]``: where what happened in each call is written. Immutable; belongs to one load."""

    file: str | None = key(NAME, "A file that gets a line of JSON a call, relative to this one; unset: none is kept.")
    mandatory: bool = key(FLAG, "Let no call run whose receipt cannot be written.", False)
    searches: bool = key(FLAG, "Record what was searched for, in the words of the query, and what was found.", False)

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """Receipts that have to be written, or to hold more, and nowhere to."""
        for name in ("mandatory", "searches"):
            if getattr(self, name) and self.file is None:
                yield name, "wanted a file beside it."


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


class PolicyKeys(Keys):
    """``[policy]``: who may do what. Immutable; belongs to one load. Without rules, nobody may do anything."""

    rules: tuple[RuleKeys, ...] = key(list_of(table()), "The rules, each a table `[[policy.rules]]`.", ())


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
    skills: bool | Literal["resources"] | None = key(UPSTREAM_SKILLS, "Whether the skills that it offers are taken in.")
    lazy: bool | None = key(FLAG, "Start it only when it is needed.")
    disabled: bool | None = key(FLAG, "Leave it out.")
    url: str | None = key(NAME, "The address of a server over HTTP, in place of `command`.")
    transport: Transport | None = key(TRANSPORT, "How it is spoken to; with `url` the second unless it says otherwise.")
    headers: Mapping[str, Secret] | None = key(
        SECRETS, "Headers for a server over HTTP; `{{secret.NAME}}` for secrets."
    )


class ImportKeys(Keys):
    """``[[import]]``: the servers of a client's own file. Immutable; belongs to one load."""

    file: str = key(NAME, "The client's file, relative to this one.", "", required=True)
    include: tuple[str, ...] | None = key(TEXTS, "Globs of server names; only these are imported.")
    exclude: tuple[str, ...] | None = key(TEXTS, "Globs of server names; these are not imported.")
    workspace: str | None = key(NAME, "The folder that the file speaks of as its workspace.")
    inputs: Mapping[str, Secret] | None = key(SECRETS, "Answers to the file's `${input:...}`.")


class PythonKeys(Keys):
    """``[[python]]``: a file of Python tools. Immutable; belongs to one load."""

    file: str = key(NAME, "The Python file, relative to this one.", "", required=True)


SECTIONS: Final[Mapping[str, type[Keys]]] = {
    "gateway": GatewayKeys,
    "limits": LimitKeys,
    "boards": BoardKeys,
    "log": LogKeys,
    "search": SearchKeys,
    "store": StoreKeys,
    "cache": CacheKeys,
    "profiles": ProfileKeys,
    "receipts": ReceiptKeys,
    "usage": UsageKeys,
    "policy": PolicyKeys,
    "principals": PrincipalKeys,
    "upstreams": UpstreamKeys,
    "import": ImportKeys,
    "python": PythonKeys,
    "http": HttpKeys,
    "http_tools": HttpToolKeys,
    "openapi": OpenApiKeys,
    "skills": SkillKeys,
    "context": ContextKeys,
    "check": CheckKeys,
}
"""The tables of the file. ``upstreams``, ``principals`` and ``context`` hold one such table a name; ``import``,
``python``, ``http_tools``, ``openapi`` and ``skills`` are lists of them."""

INSIDE: Final[Mapping[tuple[str, str], type[Keys]]] = {("policy", "rules"): RuleKeys}
"""The keys of sections that hold lists of tables."""
