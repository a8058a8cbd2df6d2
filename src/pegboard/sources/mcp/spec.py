"""What a person says about an upstream."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from os import PathLike
from typing import Final, Literal, TypeVar

from pegboard.errors import ConfigError, RefusedRequestError
from pegboard.naming import slug
from pegboard.tools import Approval, OutputCheck, Visibility

Era = Literal["auto", "handshake", "modern"]
HttpTransport = Literal["streamable-http", "sse"]

PREFIX_CHARS: Final = 24
"""A longer prefix made from a name would leave too little of the 64 characters for the tool's own name."""

_HASH_CHARS: Final = 4

_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True)
class UpstreamSpec:
    """How an upstream's tools are taken in, however it is reached. Immutable.

    ``name`` is any text. ``prefix`` stands before every tool's name: None means one made from ``name``, False none.
    ``include`` and ``exclude`` are globs on the upstream's own names; what is excluded is not there at all.
    ``visibility`` and ``approval`` hold for every tool, or are mappings from such globs, the first match counts
    (otherwise: on-demand, undeclared). The upstream's own annotations never lower an approval tier.
    ``start_timeout`` seconds bound the start, from the first byte to the last page of tools (default 30).
    ``call_timeout`` seconds bound a call; None means the board's. At most ``concurrency`` calls of its tools run at
    once; None means any number. ``output_check`` says what becomes of structured content that does not fit the
    upstream's own output schema: ``warn`` (the default) passes it on with a note, since the client may know better,
    ``strict`` makes it an error, ``off`` does not look. ``era`` says how the session begins:
    ``auto`` (the handshake; ``server/discover`` where that is refused), ``handshake``, or ``modern``. ``max_line``
    bytes bound one message from the server (default 32 MiB): a longer one is skipped, the call that it answers fails
    at once, and the connection lives on. ``skills`` says whether the skills that it offers by the Skills extension are
    taken in; ``resources``: also those of a server that knows only ``skill://`` resources.

    Raises ConfigError for a prefix that holds other characters than A-Z a-z 0-9 _ -, and for unknown words.
    """

    name: str
    prefix: str | Literal[False] | None = None
    visibility: Visibility | str | Mapping[str, Visibility | str] = Visibility.ON_DEMAND
    include: Sequence[str] = ("*",)
    exclude: Sequence[str] = ()
    approval: Approval | str | Mapping[str, Approval | str] | None = None
    start_timeout: float = 30.0
    call_timeout: float | None = None
    concurrency: int | None = None
    output_check: OutputCheck | str = OutputCheck.WARN
    era: Era = "auto"
    max_line: int = 32 * 1024 * 1024
    skills: bool | Literal["resources"] = True

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ConfigError("An upstream's name is empty.", hint="Give every upstream a name.")
        if isinstance(self.prefix, str) and slug(self.prefix) != self.prefix:
            raise ConfigError(
                f"The prefix {self.prefix!r} of upstream {self.name!r} has characters outside A-Z a-z 0-9 _ -.",
                hint=f"Write {slug(self.prefix)!r}, or false for no prefix.",
            )
        for field_name, words in (("visibility", Visibility), ("approval", Approval), ("output_check", OutputCheck)):
            setting = getattr(self, field_name)
            for value in setting.values() if isinstance(setting, Mapping) else (setting,):
                if value is not None and value not in list(words):
                    raise ConfigError(
                        f"{field_name} {value!r} of upstream {self.name!r} is unknown.",
                        hint=f"Use one of: {', '.join(words)}.",
                    )
        if self.skills not in (True, False, "resources"):
            what = f"skills {self.skills!r} of upstream {self.name!r} is unknown."
            raise ConfigError(what, hint='Use true, false or "resources".')
        if self.concurrency is not None and not self.concurrency >= 1:
            raise ConfigError(
                f"concurrency {self.concurrency!r} of upstream {self.name!r} lets no call through.",
                hint="Give a whole number from 1, or None for any number.",
            )

    @property
    def what_to_check(self) -> str:
        """The first thing to look at when it does not speak MCP."""
        return "Check that it is an MCP server"

    @property
    def tool_prefix(self) -> str:
        """The prefix of every tool's name; ``""`` for none. A function of ``name`` and ``prefix`` alone."""
        if self.prefix is False:
            return ""
        return prefix_of(self.name) if self.prefix is None else self.prefix

    def left_out(self, bare_name: str) -> str:
        """What leaves a tool of this name out; empty when it is taken in."""
        excluding = next((glob for glob in self.exclude if fnmatchcase(bare_name, glob)), None)
        if excluding is not None:
            return f"the exclude pattern {excluding!r} leaves it out"
        taken = any(fnmatchcase(bare_name, glob) for glob in self.include)
        return "" if taken else "no include pattern takes it in"

    def visibility_of(self, bare_name: str) -> Visibility:
        """The visibility of the tool that the upstream calls ``bare_name``."""
        return Visibility(_by_glob(self.visibility, bare_name) or Visibility.ON_DEMAND)

    @property
    def always_visible(self) -> bool:
        """Whether any of its tools may be always visible."""
        setting = self.visibility
        return Visibility.ALWAYS in (setting.values() if isinstance(setting, Mapping) else (setting,))

    def approval_of(self, bare_name: str) -> Approval | None:
        """The approval tier of the tool that the upstream calls ``bare_name``; None for undeclared."""
        tier = _by_glob(self.approval, bare_name)
        return None if tier is None else Approval(tier)


@dataclass(frozen=True, kw_only=True)
class StdioSpec(UpstreamSpec):
    """An upstream that runs as a child process and speaks on stdin and stdout. Immutable.

    ``command`` is looked up on the child's own PATH. The child gets a small safe environment (PATH, HOME, LANG and
    the like), the variables of ours that ``inherit_env`` names, and ``env`` above both; never our whole environment.
    The repr shows neither ``args`` nor ``env``, which may hold secrets.
    """

    command: str
    args: Sequence[str] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str | PathLike[str] | None = None
    inherit_env: Sequence[str] = ()

    @property
    def what_to_check(self) -> str:
        """The first thing to look at when it does not speak MCP."""
        return "Check that its command runs an MCP server on stdio"


@dataclass(frozen=True, kw_only=True)
class HttpSpec(UpstreamSpec):
    """An upstream that is reached over HTTP. Immutable.

    ``url`` is its endpoint: exactly that scheme, host and port may be reached, loopback too, and nothing that it leads
    to elsewhere. ``transport`` is how the server speaks: ``streamable-http`` (default), or ``sse``, that of 2024-11-05.
    ``headers`` go with every request; ``{{secret.NAME}}`` in a value stands for a secret, which is asked for when the
    connection is made. The repr shows neither ``url`` nor ``headers``, which may hold secrets.

    Raises ConfigError for an address that cannot be one, and for headers that cannot be sent.
    """

    url: str = field(repr=False)
    transport: HttpTransport = "streamable-http"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        for _, what, hint in self.faults(self.url, self.headers):
            raise ConfigError(f"Upstream {self.name!r}: {what}.", hint=hint)

    @staticmethod
    def faults(url: str, headers: Mapping[str, str]) -> Iterator[tuple[tuple[str, ...], str, str]]:
        """What is wrong with an address and headers: the key, what it is, and the fix."""
        from pegboard.net.urls import parse
        from pegboard.sources.mcp.headers import faults

        if "{{" in url:
            yield ("url",), "its url holds a placeholder", "Put a secret in a header, or write ${VAR}."
        else:
            try:
                parse(url)
            except RefusedRequestError as error:
                yield ("url",), f"its url cannot be used: {error.detail}", "Write it like https://host/mcp."
        for name, what, hint in faults(headers):
            yield ("headers", name), what, hint

    @property
    def what_to_check(self) -> str:
        """The first thing to look at when it does not speak MCP."""
        return "Check that its url is that of an MCP server"


def prefix_of(name: str) -> str:
    """The prefix made from an upstream's name: its slug; shortened with a stable hash, or the hash alone if need be."""
    short = slug(name)
    if 0 < len(short) <= PREFIX_CHARS:
        return short
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    if not short:
        return f"u{digest[: 2 * _HASH_CHARS]}"
    return f"{short[: PREFIX_CHARS - _HASH_CHARS - 1].rstrip('_-')}_{digest[:_HASH_CHARS]}"


def _by_glob(setting: _T | Mapping[str, _T], name: str) -> _T | None:
    if not isinstance(setting, Mapping):
        return setting
    return next((value for glob, value in setting.items() if fnmatchcase(name, glob)), None)
