"""``gonk_resources``: what a policy is told of a tool and of what a call touches, and what receipts repeat of it.

What of the vectors is mapped, each for one reason:

- a tool as a resource is the entry itself, as a policy is given it, and the tier of the call; what is empty is absent;
- a resource's tenant and target are ours, and what else it has are facts;
- a declaration is a ``Touches``, whose required fields are the target unless it says others;
- a schema that is given stands in the place of one that was made, as ``with_`` puts it there.
"""

from __future__ import annotations

from typing import Any, Final

from pegboard.auth import CallFacts
from pegboard.resource import Resource, Touches
from pegboard.tiers import need_of
from tests.runners.golden.adapter import Adapter
from tests.runners.golden.adapters.making import tool
from tests.runners.golden.outcome import Comparison, Outcome

OURS: Final = {"tenantId": "tenant", "target": "target"}
"""Their words for fields of a resource that ours has too; any other is one of its facts."""


def resource_of(told: dict[str, Any]) -> Resource:
    """The resource of ours that one of theirs is. Raises TypeError for facts that are none."""
    fields = {ours: told[theirs] for theirs, ours in OURS.items() if theirs in told}
    facts = {key: value for key, value in told.items() if key not in OURS and key != "kind"}
    return Resource(kind=told["kind"], facts=facts, **fields)


def touches_of(declaration: dict[str, Any], find: Any) -> Touches:
    """The declaration of ours that one of theirs is."""
    required = declaration.get("requiredFields", ["target"])
    return Touches(kind=declaration["kind"], find=find, required=[OURS.get(field, field) for field in required])


def told_of(values: dict[str, Any]) -> Any:
    """What a policy, a receipt or a listing is told."""
    match values["op"]:
        case "tool_resource":
            return _entry(values)
        case "redact":
            return _in_their_words(resource_of(values["resource"]).to_json())
        case "redact_list":
            told = values["resources"]
            return [_in_their_words(resource_of(each).to_json()) for each in told] if isinstance(told, list) else told
        case "validate":
            return touches_of(values["declaration"], None).takes(resource_of(values["resource"]))
    made = tool({"name": "t", "inputJsonSchema": values.get("annotated")})
    return (made.with_(input_schema=values["override"]) if values.get("override") else made).shown["inputSchema"]


def _entry(values: dict[str, Any]) -> dict[str, Any]:
    entry = tool(values["tool"])
    metadata: dict[str, Any] = {"authorization": dict(entry.authorization), "capabilities": dict(entry.capabilities)}
    if "approval" in values:
        facts = CallFacts(arguments={}, tier=need_of(entry.with_(approval=values["approval"]), {}).tier)
        metadata["approvalTier"] = facts.tier.value
    return {"kind": entry.kind, "target": entry.name, "metadata": metadata}


def _in_their_words(told: dict[str, Any]) -> dict[str, Any]:
    return {{"tenant": "tenantId"}.get(key, key): value for key, value in told.items()}


def same_facts(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """What is empty is absent: ours does not tell the two apart."""
    got = type(got)(_without_empty(got.value)) if hasattr(got, "value") else got
    return comparison.outcome({key: _without_empty(value) for key, value in expected.items()}, got)


def _without_empty(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {key: kept for key, member in value.items() if (kept := _without_empty(member)) != {}}


ADAPTERS: Final = {"gonk_resources": Adapter(told_of, {}, same_facts)}
