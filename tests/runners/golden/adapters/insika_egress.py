"""The decision about an address, before anything is sent.

- Their guard is asked about a text; ours is the parser, the policy, and what the policy says of a look-up's answers.
- Their resolver is asked for the text as written: ours for the host as it is compared, so that the vector's names are
  found without regard to case and to one trailing dot.
- Their private networks are ranges of ours. Their reasons are theirs; ours has to be of the same kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pegboard.errors import RefusedRequestError
from pegboard.net.egress import EgressPolicy
from pegboard.net.urls import parse
from tests.runners.golden.adapter import Adapter
from tests.runners.golden.outcome import Comparison, Outcome, Returned

EVERYTHING: Final = ("0.0.0.0/0", "::/0")

RULES: Final[Mapping[str, frozenset[str]]] = {
    "http not allowed (use https)": frozenset({"scheme"}),
    "unsupported scheme": frozenset({"scheme", "syntax"}),
    "invalid URL": frozenset({"syntax"}),
    "missing host": frozenset({"syntax"}),
    "host not in allowlist": frozenset({"host list"}),
    "host did not resolve": frozenset({"resolution", "syntax", "name"}),
    "private-network destination blocked": frozenset({"address", "syntax", "name", "resolution"}),
}
"""Their reasons, and the rules of ours that may refuse the same."""


def decided(values: Mapping[str, Any]) -> str | None:
    """The rule that refuses an address; None when nothing does."""
    try:
        target = parse(values["url"] or "")
        policy = _policy(values)
        policy.admit(target)
        if target.literal is None:
            policy.admit_answers(target, _answers(values, target.origin.host))
    except RefusedRequestError as error:
        return error.rule
    return None


def _policy(values: Mapping[str, Any]) -> EgressPolicy:
    hosts = values.get("host_allowlist")
    private = EVERYTHING if values.get("allow_private") else ()
    return EgressPolicy.allowing(
        schemes=("http", "https") if values.get("allow_http") else ("https",),
        hosts=hosts,
        networks=private,
        private_hosts=dict.fromkeys(hosts or (), EVERYTHING) if private else None,
    )


def _answers(values: Mapping[str, Any], host: str) -> list[str]:
    known = {name.lower().removesuffix("."): answers for name, answers in (values.get("resolve") or {}).items()}
    found = known.get(host, [])
    return [] if isinstance(found, str) else found


def same_decision(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """Whether both let it pass, or both refuse it by rules of one kind."""
    if not isinstance(got, Returned) or "returns" not in expected:
        return comparison.outcome(expected, got)
    wanted, rule = expected["returns"], got.value
    fits = rule is None if wanted is None else rule in RULES.get(wanted, ())
    return "" if fits else f"wanted {wanted!r}, got {rule!r}"


ADAPTERS: Final = {"insika_egress_guard": Adapter(decided, {}, same_decision)}
