"""What an operator says of an import."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pegboard.http_tools.openapi.spelling import CONFIGURED, Spelling

Secrets = str | Mapping[str, Any]
"""The name of a scheme's secret; or for two, ``{"username", "password"}`` or ``{"client_id", "client_secret"}``."""


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """How a document's operations become tools. Immutable.

    ``address`` is where the document came from: relative servers are relative to it. ``server`` is the address to send
    to, in place of the document's own; ``server_variables`` are values for the variables of the document's.
    ``secrets`` names secrets, by the name of the security scheme. ``headers`` are sent with every request, and may
    hold ``{{secret.NAME}}``; a parameter of the same name is then no argument. Of the operations those are taken that
    ``tags``, ``methods``, ``paths``, ``operations`` (globs of operationIds) and ``include`` (globs of tools' names)
    all let pass, and ``exclude`` and ``exclude_paths`` do not match; empty lets everything pass. ``deprecated`` False
    leaves deprecated ones out. Without ``slim`` schemas keep what tells models little. ``spelling`` is how messages
    tell to write all this.
    """

    address: str = ""
    server: str = ""
    server_variables: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, Secrets] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    exclude_paths: tuple[str, ...] = ()
    deprecated: bool = True
    slim: bool = True
    spelling: Spelling = CONFIGURED
