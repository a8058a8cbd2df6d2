"""Tools and policies that several tests use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pegboard import Action, Context, Decision, Principal, Receipt, Tool, ToolRegistry, Visibility
from pegboard.tools import Approval, Entry

ALICE = Principal(id="alice", issuer="test")


async def echo(arguments: dict[str, Any], context: Context) -> dict[str, Any]:
    """Give the arguments back."""
    return arguments


def make(name: str, description: str = "", *, always: bool = False, **fields: Any) -> Tool:
    """A tool that echoes its arguments unless told otherwise."""
    visibility = Visibility.ALWAYS if always else Visibility.ON_DEMAND
    fields = {"handler": echo, "visibility": visibility, **fields}
    return Tool(name=name, description=description, **fields)


def registry_of(*tools: Tool, name: str = "python") -> ToolRegistry:
    """A registry that holds these tools."""
    registry = ToolRegistry(name)
    registry.register(*tools)
    return registry


class Rules:
    """A policy of two sets of names; can be changed while in use, and made to fail."""

    def __init__(self, *, hidden: Sequence[str] = (), uncallable: Sequence[str] = ()) -> None:
        self.hidden = set(hidden)
        self.uncallable = set(uncallable)
        self.approves = Approval.EXEC
        self.broken = False
        self.asked: list[tuple[Action, tuple[str, ...]]] = []

    async def decide(self, principal: Principal, action: Action, entry: Entry) -> Decision:
        """Deny what is in the set of the action."""
        self.asked.append((action, (entry.name,)))
        if self.broken:
            raise RuntimeError("the policy server is away")
        denied = self.hidden if action is Action.DISCOVER else self.uncallable
        return Decision(allowed=entry.name not in denied, reason="by the test's rules", approves=self.approves)

    async def permitted(self, principal: Principal, action: Action, entries: Sequence[Entry]) -> Sequence[bool]:
        """The mask over ``decide``."""
        self.asked.append((action, tuple(entry.name for entry in entries)))
        if self.broken:
            raise RuntimeError("the policy server is away")
        denied = self.hidden if action is Action.DISCOVER else self.uncallable
        return [entry.name not in denied for entry in entries]


class Receipts:
    """A sink that keeps what it gets."""

    def __init__(self) -> None:
        self.all: list[Receipt] = []

    def write(self, receipt: Receipt) -> None:
        """Keep it."""
        self.all.append(receipt)

    @property
    def last(self) -> Receipt:
        """The newest."""
        return self.all[-1]
