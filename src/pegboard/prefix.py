"""Fingerprints of what a model is shown. Pure functions."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property

from pegboard.tools import JsonObject


@dataclass(frozen=True)
class Listing:
    """The definitions shown to the model, fixed at a boundary. Immutable.

    ``items`` are neutral, MCP-shaped definitions in order; a surface renders them.
    """

    items: tuple[JsonObject, ...]

    @cached_property
    def bytes(self) -> bytes:
        """The listing as compact JSON, in UTF-8, keys in the order their source gave them."""
        return json.dumps(list(self.items), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")

    @cached_property
    def tokens(self) -> int:
        """The definition cost of all items."""
        from pegboard.tokens import definition_cost

        return sum(definition_cost(item) for item in self.items)

    @cached_property
    def fingerprint(self) -> str:
        """sha-256 (hex) of ``bytes``."""
        return hashlib.sha256(self.bytes).hexdigest()

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(str(item["name"]) for item in self.items)
