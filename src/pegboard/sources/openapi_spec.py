"""What a person says about an OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import urlsplit

from pegboard.http_tools.openapi.options import ImportOptions
from pegboard.naming import slug
from pegboard.net.egress import EgressPolicy
from pegboard.sources.data_tools import DataToolSpec

_GENERIC: Final = frozenset(
    ("", "openapi", "swagger", "api-docs", "api", "www", "v1", "v2", "v3", "spec", "specs", "index", "schema")
)
"""What documents are called everywhere: the folder or the host tells more."""


@dataclass(frozen=True, kw_only=True)
class OpenApiSpec:
    """One document and what its tools are like. Immutable; two are equal when the same tools would come of them.

    It is a ``file`` or has a ``url``. ``options`` say how operations become tools, ``shown`` how these are shown.
    ``line`` is that of its entry in the configuration.
    """

    name: str
    file: Path | None = None
    url: str = ""
    options: ImportOptions = field(default_factory=ImportOptions)
    shown: DataToolSpec = field(default_factory=DataToolSpec)
    line: int | None = field(default=None, compare=False)

    @property
    def where(self) -> str:
        """The file's path, or the address."""
        return self.url or str(self.file)

    def allowed(self, policy: EgressPolicy) -> EgressPolicy:
        """A policy that also allows exactly the origins that the operator wrote here, and nothing of the document's."""
        tokens = (one.get("token_url", "") for one in self.options.secrets.values() if isinstance(one, Mapping))
        written = [address for address in (self.url, self.options.server, *tokens) if address]
        return replace(policy, origins=policy.origins | EgressPolicy.allowing(origins=written).origins)


def default_name(document: str) -> str:
    """The name of a source whose operator gives none: the file's, or what else of the address tells more."""
    parts = urlsplit(document)
    path = PurePosixPath(parts.path)
    around = (parts.hostname or "").split(".") if parts.netloc else reversed(path.parent.parts)
    names = (slug(name) for name in (path.name.partition(".")[0], *around))
    found = next((name for name in names if name.lower() not in _GENERIC), "openapi")
    return slug(parts.netloc.rpartition("@")[2]) if found in _local_names(parts.hostname or "") else found


def _local_names(host: str) -> frozenset[str]:
    """What must be no source's name alone, where the host is an address or this machine: its port tells more."""
    is_address = ":" in host or host.replace(".", "").isdigit()
    return frozenset((host, slug(host), *host.split("."))) if is_address or host == "localhost" else frozenset()
