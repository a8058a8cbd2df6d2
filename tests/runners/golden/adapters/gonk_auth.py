"""``gonk_auth_dispatch``, ``gonk_resolve_approval``: calls that a policy and an approver decide about.

See ``calling`` for what is mapped of calls, and ``gonk_principals`` and ``gonk_resources``. And of rights, each for one
reason:

- their approval mode is what a decision of the policy lets pass unasked: ``bypass`` everything, else what only reads;
- their provider is an approver: approved is yes, with its reason, all else is no;
- receipts are one a call here, so theirs, one a decision, are compared as metrics only; the one that says that a call
  is let through is theirs about its authorization, and about its approval where somebody was asked;
- they count calls apart from their audit, ours by it: where it is not there, it is one that fails;
- asked about is at least what they ask about.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from pegboard.approval import ApprovalRequest, Verdict
from pegboard.auth import Action, CallFacts, Decision, Principal
from pegboard.peg import Pegboard
from pegboard.receipts import LET_THROUGH, Receipt
from pegboard.registry import ToolRegistry
from pegboard.tiers import need_of
from pegboard.tools import Approval, Entry
from tests.runners.golden.adapter import Adapter
from tests.runners.golden.adapters.calling import Sink, callable_tool, event_of, events_differ, in_our_words
from tests.runners.golden.adapters.gonk_boards import PROFILES
from tests.runners.golden.adapters.gonk_principals import principal_of
from tests.runners.golden.adapters.gonk_resources import resource_of, touches_of
from tests.runners.golden.adapters.making import tool
from tests.runners.golden.adapters.policies import ALLOWED, ScriptedPolicy
from tests.runners.golden.outcome import Comparison, Outcome, Returned


class Approver:
    """Their approval provider. Belongs to one vector; ``asked`` is what it was asked for."""

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told
        self.asked: list[dict[str, Any]] = []

    async def __call__(self, request: ApprovalRequest) -> Verdict:
        """What the vector's provider answers."""
        self.asked.append(in_their_form(request.tier, request.always, request.reason))
        told = self._told.get("by_tier", {}).get(request.tier.value, self._told)
        if told.get("throw"):
            raise RuntimeError("the provider fails")
        return Verdict(approved=told.get("outcome") == "approved", reason=told.get("reason", ""))


class Tiered(ScriptedPolicy):
    """A scripted policy that decides by call, and lets pass unasked what the vector's approval mode lets pass.

    Belongs to one vector; ``facts`` are those it was given, by the name of the tool.
    """

    def __init__(self, approves: Approval) -> None:
        super().__init__()
        self._approves = approves
        self.facts: dict[str, CallFacts] = {}

    async def decide_call(self, principal: Principal, entry: Entry, facts: CallFacts) -> Decision:
        """The scripted decision, with its tier."""
        self.facts[entry.name] = facts
        decision: Any = await self.decide(principal, Action.INVOKE, entry)
        return replace(decision, approves=self._approves) if isinstance(decision, Decision) else decision


class FailingSink(Sink):
    """A sink that keeps what it gets, and then raises where it is about ``kind``. Belongs to one vector."""

    def __init__(self, kind: str = "authorization") -> None:
        super().__init__()
        self._kind = kind

    def write(self, receipt: Receipt) -> None:
        """Keep it, and fail."""
        if receipt.outcome != LET_THROUGH:
            super().write(receipt)
        if self._kind != "approval" or receipt.approval:
            raise RuntimeError("the audit fails")


async def dispatched(values: dict[str, Any]) -> Any:
    """The last event, the metrics, what was asked for, and what the policy was asked, with which facts."""
    security, auth = values.get("security") or {}, values["auth"]
    policy = Tiered(Approval.EXEC if security.get("approvalMode") == "bypass" else Approval.READ)
    policy.take(auth.get("policy") or {})
    approver = Approver(security["approval"]) if security.get("approval") else None
    registry = ToolRegistry("r")
    registry.register(*(_tool(told, security) for told in values["tools"]))
    mandatory = bool(security.get("mandatoryAudit"))
    sink = _sink(str(security.get("audit", "none")), mandatory)
    peg = Pegboard(
        [registry], policy=policy, approver=approver, receipts=sink, receipts_mandatory=mandatory, profiles=PROFILES
    )
    principal = principal_of(auth["principal"]) if "principal" in auth else ALLOWED
    board = await peg.open(principal, profile="bare")
    policy.asked.clear()
    event = event_of(await board.call(values["name"], values.get("input")))
    return {
        "event": event,
        "metrics": sink.metrics,
        "approvals": approver.asked if approver else [],
        "asked": policy.asked,
        "facts": policy.facts,
    }


def _tool(told: dict[str, Any], security: dict[str, Any]) -> Any:
    declaration = told.get("authorizationResource")
    touches = touches_of(declaration, lambda arguments, context: _resolved(security)) if declaration else None
    return callable_tool(told, approval=declared(told.get("approval")), touches=touches)


def _resolved(security: dict[str, Any]) -> Any:
    answer = security.get("resolver")
    if isinstance(answer, dict) and answer.get("throw"):
        raise RuntimeError("the resolver fails")
    return resource_of(answer) if isinstance(answer, dict) else answer


def _sink(audit: str, mandatory: bool) -> Sink:
    if audit.startswith("throw"):
        return FailingSink(audit.partition(":")[2] or "authorization")
    return FailingSink() if audit == "none" and mandatory else Sink()


def same_decisions(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """Theirs asks the provider for what only reads too; ours lets it pass where the tool does not want it asked."""
    if not isinstance(got, Returned):
        return comparison.outcome(expected, got)
    told, answer = expected["returns"], got.value
    approvals = [request["approval"] for request in told["approvals"]]
    wanted = [approval for approval in approvals if approval["tier"] != "read" or approval["override"]]
    return (
        events_differ(comparison, told["events"][-1], answer["event"])
        or comparison.value(in_our_words(told["metrics"]), answer["metrics"], "metrics")
        or comparison.value(wanted, answer["approvals"], "approvals")
        or _questions_differ(comparison, told["asked"], answer)
    )


def _questions_differ(comparison: Comparison, wanted: list[dict[str, Any]], answer: dict[str, Any]) -> str:
    for question in wanted:
        name = question["resource"]["target"]
        if f"{question['action']} {name}" not in answer["asked"]:
            return f"the policy was not asked {question['action']} of {name}"
        if "input" in question:
            facts = answer["facts"][name]
            related = [] if facts.resource is None else [facts.resource.to_json()]
            difference = (
                comparison.value(question["input"], facts.arguments, "input")
                or comparison.value(question["resource"]["metadata"]["approvalTier"], facts.tier.value, "tier")
                or comparison.value(question["callStack"], [*facts.stack, name], "stack")
                or comparison.value(
                    [resource_of(each).to_json() for each in question.get("relatedResources", ())], related, "related"
                )
            )
            if difference:
                return difference
    return ""


def approval(values: dict[str, Any]) -> Any:
    """What is not declared, or declared wrongly, counts as the highest tier: exec."""
    if values["op"] == "tier":
        known = values["value"] in list(Approval)
        return {"isToolTier": known, "rank": Approval(values["value"]).rank if known else -1}
    need = need_of(tool({"name": "t"}, approval=declared(values["approval"])), values["args"])
    return in_their_form(need.tier, need.override, need.reason)


def in_their_form(tier: Approval, override: bool, reason: str | None) -> dict[str, Any]:
    """What a call needs, in their words."""
    return {"tier": tier.value, "override": override} | ({} if reason is None else {"reason": reason})


def declared(told: Any) -> Any:
    """A declaration of theirs as one of ours: functions are made, all else is as it is."""
    if isinstance(told, dict) and told.keys() & {"fn_returns", "fn_throws", "fn_arg"}:
        return lambda arguments: _answered(told, arguments)
    return told


def _answered(told: dict[str, Any], arguments: dict[str, Any]) -> Any:
    if told.get("fn_throws"):
        raise RuntimeError("the approval function fails")
    if "fn_arg" in told:
        return told["map"].get(arguments.get(told["fn_arg"]), told["default"])
    return told["fn_returns"]


def same_need(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """Their "not declared" is exec here."""
    told = expected["returns"]
    undeclared = in_their_form(Approval.EXEC, False, None)
    known = isinstance(told, dict) and told.keys() & {"tier", "isToolTier"}
    return comparison.outcome({"returns": told if known else undeclared}, got)


ADAPTERS: Final = {
    "gonk_auth_dispatch": Adapter(dispatched, {}, same_decisions),
    "gonk_resolve_approval": Adapter(approval, {}, same_need),
}
