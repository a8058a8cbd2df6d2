"""Who asks, and what they may do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from pegboard.tools import Approval, Entry


class Action(StrEnum):
    """The two permissions. Discover: see that it exists. Invoke: call it."""

    DISCOVER = "discover"
    INVOKE = "invoke"


@dataclass(frozen=True, kw_only=True)
class Principal:
    """Who a request speaks for. Immutable; lives as long as one request.

    ``id`` is unique in its ``issuer``; ``tenant``, ``roles`` and ``scopes`` are for policies; ``claims`` is the rest.
    """

    id: str
    issuer: str = ""
    tenant: str | None = None
    roles: frozenset[str] = frozenset()
    scopes: frozenset[str] = frozenset()
    claims: Mapping[str, Any] = field(default_factory=dict, hash=False, compare=False)

    @property
    def key(self) -> str:
        """The text that tells this principal from every other: owner of boards, key of caches."""
        return f"{self.issuer}\x00{self.id}"


@dataclass(frozen=True, kw_only=True)
class Decision:
    """A policy's answer. Immutable. ``reason`` goes to receipts, never to the model.

    ``approves`` is the highest approval tier that passes without asking (default exec: everything).
    """

    allowed: bool
    reason: str = ""
    approves: Approval = Approval.EXEC


class Policy(Protocol):
    """Decides what a principal may do. Process-wide.

    A policy that raises, or answers anything but a Decision (or a mask of the right length), denies.
    """

    async def decide(self, principal: Principal, action: Action, entry: Entry) -> Decision: ...

    async def permitted(self, principal: Principal, action: Action, entries: Sequence[Entry]) -> Sequence[bool]:
        """One bool an entry, in the order given."""
        ...


class AllowAll:
    """The policy in force where none is given: every principal may discover and invoke everything. Process-wide."""

    async def decide(self, principal: Principal, action: Action, entry: Entry) -> Decision:
        return Decision(allowed=True, reason="allow-all")

    async def permitted(self, principal: Principal, action: Action, entries: Sequence[Entry]) -> Sequence[bool]:
        return [True] * len(entries)
