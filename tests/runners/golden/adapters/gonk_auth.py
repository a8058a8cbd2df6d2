"""``gonk_auth_dispatch``, ``gonk_resolve_approval``: calls that a policy and an approver decide about.

See ``calling`` for what is mapped of calls. And of rights, each for one reason:

- their approval mode is what a decision of the policy lets pass unasked: ``bypass`` everything, else what only reads;
- their provider is an approver: approved is yes, all else is no; what it wants to add is for the receipt;
- receipts are one a call here, so theirs, one a decision, are compared as metrics only;
- asked about is at least what they ask about: ours asks for both rights before it looks at the arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pegboard.auth import Action, Decision, Principal
from pegboard.context import Context
from pegboard.dispatch import tier_of
from pegboard.peg import Pegboard
from pegboard.receipts import Receipt
from pegboard.registry import ToolRegistry
from pegboard.tools import Approval, Entry, Tool
from tests.runners.golden.adapter import Adapter, NotBuiltError
from tests.runners.golden.adapters.calling import Sink, callable_tool, event_of, events_differ, in_our_words
from tests.runners.golden.adapters.gonk_boards import PROFILES
from tests.runners.golden.adapters.making import tool
from tests.runners.golden.adapters.policies import ALLOWED, ScriptedPolicy
from tests.runners.golden.outcome import Comparison, Outcome, Returned

BEYOND: Final = ("resolver", "mandatoryAudit", "requestId")
"""Of their security settings, those that have no counterpart."""


class Approver:
    """Their approval provider. Belongs to one vector; ``asked`` are the tiers it was asked for."""

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told
        self.asked: list[str] = []

    async def approve(self, tool: Tool, tier: Approval, arguments: Mapping[str, Any], context: Context) -> bool:
        """Whether the vector's provider approves, and knows how to say so."""
        self.asked.append(tier.value)
        if self._told.get("throw"):
            raise RuntimeError("the provider fails")
        return self._told.get("outcome") == "approved" and isinstance(self._told.get("reason", ""), str)


class Tiered(ScriptedPolicy):
    """A scripted policy that lets pass unasked what the vector's approval mode lets pass. Belongs to one vector."""

    def __init__(self, approves: Approval) -> None:
        super().__init__()
        self._approves = approves

    async def decide(self, principal: Principal, action: Action, entry: Entry) -> Decision:
        """The scripted decision, with its tier."""
        decision: Any = await super().decide(principal, action, entry)
        return replace(decision, approves=self._approves) if isinstance(decision, Decision) else decision


class FailingSink(Sink):
    """A sink that keeps what it gets, and then raises. Belongs to one vector."""

    def write(self, receipt: Receipt) -> None:
        """Keep it, and fail."""
        super().write(receipt)
        raise RuntimeError("the audit fails")


async def dispatched(values: dict[str, Any]) -> Any:
    """The last event, the metrics, the tiers that were asked for, and what the policy was asked."""
    security, auth = values.get("security") or {}, values["auth"]
    _refuse_what_is_beyond(values, security, auth)
    policy = Tiered(Approval.EXEC if security.get("approvalMode") == "bypass" else Approval.READ)
    policy.take(auth.get("policy") or {})
    approver = Approver(security["approval"]) if security.get("approval") else None
    sink = FailingSink() if str(security.get("audit", "")).startswith("throw") else Sink()
    registry = ToolRegistry("r")
    registry.register(*(callable_tool(told, approval=declared(told.get("approval"))) for told in values["tools"]))
    peg = Pegboard([registry], policy=policy, approver=approver, receipts=sink, profiles=PROFILES)
    board = await peg.open(ALLOWED, profile="bare")
    policy.asked.clear()
    event = event_of(await board.call(values["name"], values.get("input")))
    return {
        "event": event,
        "metrics": sink.metrics,
        "tiers": approver.asked if approver else [],
        "asked": policy.asked,
    }


def _refuse_what_is_beyond(values: dict[str, Any], security: dict[str, Any], auth: dict[str, Any]) -> None:
    if "principal" in auth:
        raise NotBuiltError("principals that a sign-in would refuse")
    if any("authorizationResource" in told for told in values["tools"]) or any(key in security for key in BEYOND):
        raise NotBuiltError("resources of a call, mandatory audit")


def same_decisions(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """Theirs asks the provider for what only reads too; ours lets it pass."""
    if not isinstance(got, Returned):
        return comparison.outcome(expected, got)
    told, answer = expected["returns"], got.value
    tiers = [request["approval"]["tier"] for request in told["approvals"]]
    asked = [f"{question['action']} {question['resource']['target']}" for question in told["asked"]]
    absent = [question for question in asked if question not in answer["asked"]]
    return (
        events_differ(comparison, told["events"][-1], answer["event"])
        or comparison.value(in_our_words(told["metrics"]), answer["metrics"], "metrics")
        or comparison.value([tier for tier in tiers if tier != "read"], answer["tiers"], "tiers")
        or (f"the policy was not asked about {absent}" if absent else "")
    )


def approval(values: dict[str, Any]) -> Any:
    """What is not declared, or declared wrongly, counts as the highest tier: exec."""
    if values["op"] == "tier":
        known = values["value"] in list(Approval)
        return {"isToolTier": known, "rank": Approval(values["value"]).rank if known else -1}
    return {"tier": tier_of(tool({"name": "t"}, approval=declared(values["approval"])), values["args"]).value}


def declared(told: Any) -> Any:
    """A declaration of theirs as one of ours. Raises NotBuiltError."""
    for value in (told, told.get("fn_returns")) if isinstance(told, dict) else ():
        if isinstance(value, dict) and value.keys() & {"tier", "override"}:
            raise NotBuiltError("a tier with an override and a reason")
    if isinstance(told, dict) and told.keys() & {"fn_returns", "fn_throws", "fn_arg"}:
        return lambda arguments: _answered(told, arguments)
    return Approval(told) if isinstance(told, str) and told in list(Approval) else told


def _answered(told: dict[str, Any], arguments: dict[str, Any]) -> Any:
    if told.get("fn_throws"):
        raise RuntimeError("the approval function fails")
    if "fn_arg" in told:
        return declared(told["map"].get(arguments.get(told["fn_arg"]), told["default"]))
    return declared(told["fn_returns"])


def same_tier(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """Their "not declared" is exec here; only the tier is compared."""
    told = expected["returns"]
    if isinstance(told, dict) and "isToolTier" in told:
        return comparison.outcome(expected, got)
    return comparison.outcome({"returns": {"tier": told["tier"] if isinstance(told, dict) else "exec"}}, got)


ADAPTERS: Final = {
    "gonk_auth_dispatch": Adapter(dispatched, {}, same_decisions),
    "gonk_resolve_approval": Adapter(approval, {}, same_tier),
}
