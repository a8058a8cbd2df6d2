"""``gonk_is_principal``, ``gonk_auth_keys``: who a request speaks for, and what tells principals apart.

What of the vectors is mapped, each for one reason:

- theirs is named twice, by an ``id`` and by issuer and subject: each name has to make a principal of ours, whose ``id``
  is unique in its issuer;
- attributes are claims, and their milliseconds are seconds;
- to capture a context is to open a board for a principal under a policy;
- their two digests are our one key: it is compared in what tells it from the key of the vectors' usual principal.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import FrozenInstanceError, replace
from typing import Any, Final

from pegboard.auth import Action, Decision, Principal, checked_principal
from pegboard.errors import PolicyError, PrincipalError
from pegboard.peg import Pegboard
from pegboard.rights import decide
from pegboard.tools import Entry
from tests.runners.golden.adapter import Adapter
from tests.runners.golden.adapters.making import tool
from tests.runners.golden.outcome import Comparison, Outcome, Raised, Returned

USUAL: Final = {
    "principal": {"id": "u1", "identity": {"issuer": "iss", "subject": "sub"}},
    "context": "gsk:v1:xSK-DZgOqq9bV62TgFXNS9F7wW-PejZZdKtegMjjwOQ",
    "grant": "gpg:v1:B09x00vhgOC3yCD4UIw9nsftNiy5a7r38lIGAmmdoPI",
}
"""The vectors' usual principal, and its two digests there."""

FIELDS: Final = {"tenantId": "tenant", "roles": "roles", "scopes": "scopes", "attributes": "claims"}


class First:
    """A policy with one answer. Belongs to one vector."""

    async def decide(self, principal: Principal, action: Action, entry: Entry) -> Decision:
        """Allow, because it was asked first."""
        return Decision(allowed=True, reason="first")

    async def permitted(self, principal: Principal, action: Action, entries: Sequence[Entry]) -> Sequence[bool]:
        """Allow everything."""
        return [True] * len(entries)


def principal_of(value: Any, *, name: str = "id") -> Principal:
    """The principal of ours that one of theirs is, by one of its two names. Raises PrincipalError."""
    if not isinstance(value, dict):
        return checked_principal(value)
    identity = value.get("identity") or {}
    fields = {ours: value[theirs] for theirs, ours in FIELDS.items() if theirs in value}
    if "expiresAt" in value:
        moment = value["expiresAt"]
        fields["expires_at"] = moment / 1000 if isinstance(moment, int | float) else moment
    given: Any = identity.get("subject") if name == "subject" else value.get("id")
    return Principal(id=given, issuer=identity.get("issuer", ""), **fields)


def both_names(value: Any) -> Principal:
    """The principal by its subject, when it is one by its id too. Raises PrincipalError."""
    principal_of(value)
    return principal_of(value, name="subject")


async def judged(values: dict[str, Any]) -> Any:
    """Whether a value is a principal, and what becomes of it when a context is made of it."""
    value = values["value"]
    try:
        both_names(value)
        valid = True
    except PrincipalError:
        valid = False
    if not values.get("capture"):
        return {"valid": valid}
    try:
        return {"valid": valid, "capture": {"returns": await _captured(value, values.get("authorize"))}}
    except (PrincipalError, PolicyError) as error:
        return {"valid": valid, "capture": Raised(error)}


async def _captured(value: Any, authorize: Any) -> dict[str, Any]:
    original = copy.deepcopy(value)
    principal = both_names(original)
    peg = Pegboard(policy=object() if authorize == "missing" else First())  # type: ignore[arg-type]  # a policy that is none
    board = await peg.open(principal)
    original["roles"].append("more")
    original["identity"]["issuer"] = "another"
    decision = await decide(peg.policy, principal, Action.INVOKE, tool({"name": "t"}))
    return {
        "frozen": _frozen(principal),
        "principal_frozen": _frozen(principal),
        "roles_frozen": isinstance(principal.roles, frozenset),
        "unaffected": board.principal == both_names(value),
        "decision": {"outcome": "allow" if decision.allowed else "deny", "reason": decision.reason},
    }


def _frozen(principal: Principal) -> bool:
    try:
        principal.id = "other"  # type: ignore[misc]  # that it cannot be done is what is tested
    except FrozenInstanceError:
        return True
    return False


def keys(values: dict[str, Any]) -> Any:
    """The key of a principal, and that of the usual one."""
    usual = both_names(USUAL["principal"]).key
    return {"key": both_names(values["principal"]).key, "usual": usual}


def same_verdict(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """Errors have to be of our classes; theirs speak of fields that ours does not have."""
    return replace(comparison, words=False).outcome(expected, got)


def same_distinction(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """Each digest of theirs is that of the usual principal where our key is that of the usual one, and nowhere else."""
    comparison = replace(comparison, words=False)
    for name, told in expected["returns"].items():
        if "raises" in told or not isinstance(got, Returned):
            difference = comparison.outcome(told, got)
        else:
            same = got.value["key"] == got.value["usual"]
            difference = comparison.value(
                told["returns"] == USUAL[name], same, f"{name} is that of the usual principal"
            )
        if difference:
            return difference
    return ""


ADAPTERS: Final = {
    "gonk_is_principal": Adapter(judged, {"TypeError": (PrincipalError, PolicyError)}, same_verdict),
    "gonk_auth_keys": Adapter(keys, {"TypeError": PrincipalError}, same_distinction),
}
