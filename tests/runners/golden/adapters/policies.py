"""The policy that vectors script: an outcome for each action and target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pegboard.auth import Action, Decision, Principal
from pegboard.tools import Entry

ALLOWED: Final = Principal(id="u1", issuer="iss")


class ScriptedPolicy:
    """Answers as a vector says and remembers what it was asked. Belongs to one vector.

    ``by`` holds outcomes for ``"tool.discover NAME"`` or ``"tool.discover"``: allow, deny, throw, invalid, null,
    allow_without_reason. In a mask, what is no allowance and no denial is a value that is no bool: one entry of a mask
    cannot raise.
    """

    def __init__(self) -> None:
        self._by: dict[str, Any] = {}
        self._default = "allow"
        self.asked: list[str] = []

    def take(self, script: dict[str, Any]) -> None:
        """Answer as the script says from now on, and forget what was asked; until then everything is allowed."""
        self._by = script.get("by") or {}
        self._default = script.get("default", "allow")
        self.asked.clear()

    async def decide(self, principal: Principal, action: Action, entry: Entry) -> Decision:
        """One decision, or what a broken policy gives."""
        outcome = self._outcome(action, entry)
        if outcome == "throw":
            raise RuntimeError("the policy fails")
        if outcome not in ("allow", "deny"):
            return outcome  # type: ignore[no-any-return]  # a policy that answers nonsense is what is tested
        return Decision(allowed=outcome == "allow", reason=f"{outcome} {action}")

    async def permitted(self, principal: Principal, action: Action, entries: Sequence[Entry]) -> Sequence[bool]:
        """A value an entry."""
        mask = {"allow": True, "deny": False}
        return [mask.get(outcome, outcome) for outcome in (self._outcome(action, entry) for entry in entries)]

    def _outcome(self, action: Action, entry: Entry) -> Any:
        asked = f"tool.{action} {entry.name}"
        self.asked.append(asked)
        outcome = self._by.get(asked, self._by.get(f"tool.{action}", self._default))
        return outcome["outcome"] if isinstance(outcome, dict) and "outcome" in outcome else outcome
