"""The tables of ``pegboard.toml`` about tools that are HTTP requests, as written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from pegboard.config.keys import APPROVAL, COUNT, NAMES, VISIBILITY, Keys, Word, key
from pegboard.config.kinds import (
    FLAG,
    NAME,
    PREFIX,
    SCHEME_SECRETS,
    SECONDS,
    SECRETS,
    TEXT,
    TEXTS,
    Secret,
    choice,
    integer,
    list_of,
    table_of,
)
from pegboard.config.paths import path_of
from pegboard.context_map import CREDENTIALS, Origin
from pegboard.errors import ConfigError
from pegboard.http_tools.words import METHODS
from pegboard.naming import slug
from pegboard.tools import Visibility

if TYPE_CHECKING:
    from pegboard.http_tools.openapi.options import ImportOptions
    from pegboard.net.egress import EgressPolicy
    from pegboard.sources.data_tools import DataToolSpec
    from pegboard.sources.openapi_spec import OpenApiSpec

SCHEMES: Final = list_of(choice("https", "http"))
PORTS: Final = list_of(integer(1, 65535))
PRIVATE_HOSTS: Final = table_of(NAMES)
HTTP_METHODS: Final = list_of(choice(*(name for method in METHODS for name in (method, method.lower()))))
VARIABLE_VALUES: Final = table_of(TEXT)
SECRET_PLACES: Final = list_of(choice("environment", "files", "keyring"))


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
        from pegboard.net.egress import EgressPolicy

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
        from pegboard.net.egress import EgressPolicy

        return EgressPolicy.allowing(
            schemes=self.schemes,
            ports=self.ports,
            hosts=self.hosts,
            private_hosts=self.private_hosts,
            networks=self.networks,
            origins=self.origins,
        )


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
        from pegboard.sources.data_tools import DataToolSpec

        return DataToolSpec(
            prefix=self.prefix or "",
            visibility=self.visibility or Visibility.ON_DEMAND,
            approval=self.approval,
            include=self.include or (),
            exclude=self.exclude or (),
        )


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
        from pegboard.net.egress import EgressPolicy

        if (self.file is None) is (self.url is None):
            yield "file", "wanted a file or a url, and one of them only."
        for name in ("url", "server"):
            try:
                EgressPolicy.allowing(origins=[address] if (address := getattr(self, name)) else [])
            except ConfigError as error:
                yield name, str(error)

    def spec(self, base: Path) -> OpenApiSpec:
        """What the source is told; ``base`` is the folder that a relative file lies in."""
        from pegboard.sources.data_tools import DataToolSpec
        from pegboard.sources.openapi_spec import OpenApiSpec, default_name

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
        from pegboard.http_tools.openapi.options import ImportOptions

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
