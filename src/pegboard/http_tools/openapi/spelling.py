"""How the options of an import are written where an operator gives them. Pure."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True)
class Spelling:
    """What messages tell an operator to write. Immutable. Each field is a template with one ``{}`` for the value."""

    server: str
    server_variable: str
    exclude_path: str
    quotes: bool = False

    def of(self, option: str, value: str) -> str:
        """An option with its value, as it is typed."""
        return str(getattr(self, option)).format(shlex.quote(value) if self.quotes else value)


CONFIGURED: Final = Spelling(
    server='server = "{}"',
    server_variable='server_variables = {{ {} = "VALUE" }}',
    exclude_path='exclude_paths = ["{}"]',
)
"""As in ``[[openapi]]``."""

TYPED: Final = Spelling(
    server="--server {}", server_variable="--server-variable {}=VALUE", exclude_path="--exclude-path {}", quotes=True
)
"""As on the command line."""
