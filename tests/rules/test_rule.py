"""A rule is about whom and what it says, and nothing else; what is no rule is refused."""

from __future__ import annotations

from typing import Any

import pytest

from pegboard import Approval, Principal, Rule
from pegboard.errors import PolicyError
from tests.support import make

BOTH = ["discover", "invoke"]
ANN = Principal(
    id="ann", issuer="https://id", tenant="acme", roles=frozenset({"dev", "ops"}), scopes=frozenset({"read"})
)
NOBODY = Principal(id="nobody")
REFUND = make("shop__refund", source="shop", category="money", tags=("orders", "money"), approval=Approval.WRITE)


def rule(**keys: Any) -> Rule:
    """A rule that allows both, about everybody and everything but for ``keys``."""
    who = {} if keys.keys() & {"principals", "issuers", "tenants", "roles", "scopes"} else {"principals": ["*"]}
    what = {} if keys.keys() & {"names", "sources", "categories", "tags", "kinds", "tiers"} else {"names": ["*"]}
    effect = {} if keys.keys() & {"allow", "deny"} else {"allow": BOTH}
    return Rule(**{**who, **what, **effect, **keys})


@pytest.mark.parametrize(
    ("keys", "about"),
    [
        ({"principals": ["bob", "ann"]}, True),
        ({"principals": ["Ann"]}, False),
        ({"scopes": ["re*"]}, False),
        ({"principals": ["*"]}, True),
        ({"issuers": ["https://id"]}, True),
        ({"issuers": ["https://other"]}, False),
        ({"tenants": ["acme"]}, True),
        ({"tenants": ["*"]}, True),
        ({"roles": ["admin", "dev"]}, True),
        ({"roles": ["admin"]}, False),
        ({"roles": ["*"]}, True),
        ({"scopes": ["read", "write"]}, True),
        ({"principals": ["ann"], "roles": ["admin"]}, False),
        ({"principals": ["ann"], "tenants": ["acme"], "scopes": ["read"]}, True),
    ],
)
def test_every_key_of_who_that_is_given_has_to_hold_one_of_the_values(keys: dict[str, Any], about: bool) -> None:
    assert rule(**keys).is_about(ANN) is about


@pytest.mark.parametrize("key", ["issuers", "tenants", "roles", "scopes"])
def test_any_value_is_none_for_somebody_who_has_none(key: str) -> None:
    assert not rule(**{key: ["*"]}).is_about(NOBODY)
    assert rule(principals=["*"]).is_about(NOBODY)


@pytest.mark.parametrize(
    ("keys", "covers"),
    [
        ({"names": ["shop__*"]}, True),
        ({"names": ["shop__?efund", "x"]}, True),
        ({"names": ["refund"]}, False),
        ({"names": ["SHOP__*"]}, False),
        ({"sources": ["sh*"]}, True),
        ({"sources": ["shop__*"]}, False),
        ({"categories": ["money"]}, True),
        ({"tags": ["mon*"]}, True),
        ({"tags": ["shop"]}, False),
        ({"kinds": ["tool"]}, True),
        ({"kinds": ["skill"]}, False),
        ({"tiers": ["write"]}, True),
        ({"tiers": ["read", "exec"]}, False),
        ({"names": ["shop__*"], "tags": ["nope"]}, False),
        ({"names": ["shop__*"], "tags": ["orders"], "tiers": ["write", "exec"]}, True),
    ],
)
def test_every_key_of_what_that_is_given_has_to_match(keys: dict[str, Any], covers: bool) -> None:
    assert rule(**keys).covers(REFUND) is covers


def test_a_tool_without_a_category_is_in_none() -> None:
    assert not rule(categories=["*"]).covers(make("t"))


def test_what_is_not_declared_counts_as_exec() -> None:
    assert rule(tiers=["exec"]).covers(make("t"))
    assert not rule(tiers=["read"]).covers(make("t"))


def test_a_tier_that_depends_on_the_arguments_is_allowed_where_all_are_and_denied_where_any_is() -> None:
    depends = make("t", approval=lambda arguments: Approval.READ)
    assert not rule(tiers=["read", "write"], allow=BOTH).covers(depends)
    assert rule(tiers=["read", "write", "exec"], allow=BOTH).covers(depends)
    assert rule(tiers=["write"], deny=BOTH).covers(depends)


def test_a_rule_that_denies_a_tier_leaves_the_others_alone() -> None:
    assert rule(tiers=["write"], deny=BOTH).covers(REFUND)
    assert not rule(tiers=["read", "exec"], deny=BOTH).covers(REFUND)


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"names": ["*"], "allow": BOTH}, "principals is missing"),
        ({"roles": ["a"], "allow": BOTH}, "names is missing"),
        ({"roles": ["a"], "names": ["*"]}, "allow wanted either allow or deny"),
        ({"roles": ["a"], "names": ["*"], "allow": BOTH, "deny": BOTH}, "either allow or deny"),
        ({"roles": [], "names": ["*"], "deny": BOTH}, "roles wanted a list of texts that is not empty"),
        ({"roles": "admin", "names": ["*"], "allow": BOTH}, "roles wanted a list of texts"),
        ({"roles": [1], "names": ["*"], "allow": BOTH}, "roles wanted texts"),
        ({"roles": [" "], "names": ["*"], "allow": BOTH}, "roles wanted texts that are not empty"),
        ({"roles": ["a"], "names": ["shop.*"], "deny": BOTH}, "no name has '.'"),
        ({"roles": ["a"], "names": ["[a-c]*"], "deny": BOTH}, "no name has '[ ]'"),
        ({"roles": ["a"], "names": ["d\u0435lete_*"], "deny": BOTH}, "no name has '\u0435 (U+0435)'"),
        ({"roles": ["a"], "names": ["delete\U00017000"], "deny": BOTH}, "(U+17000)"),
        ({"roles": ["a"], "names": ["delete_\uff0a"], "deny": BOTH}, "no name has '\uff0a (U+FF0A)'"),
        ({"roles": ["a"], "names": ["delete_*\u00a0"], "deny": BOTH}, "it would match nothing"),
        ({"roles": ["a"], "sources": ["sh\u200bop"], "deny": BOTH}, "it would match nothing"),
        ({"roles": ["a "], "names": ["*"], "deny": BOTH}, "it would match nothing"),
        ({"principals": ["bot-*"], "names": ["*"], "deny": BOTH}, "compared exactly"),
        ({"roles": ["a"], "kinds": ["tools"], "deny": BOTH}, "kinds wanted tool or skill"),
        ({"roles": ["a"], "tiers": ["admin"], "deny": BOTH}, "tiers wanted read or write or exec"),
        ({"roles": ["a"], "names": ["*"], "deny": ["call"]}, "deny wanted discover or invoke"),
        (
            {"roles": ["a"], "names": ["*"], "allow": BOTH, "approves": "all"},
            "approves wanted one of read, write, exec, got 'all'.",
        ),
        (
            {"roles": ["a"], "names": ["*"], "deny": BOTH, "approves": "read"},
            "approves has a meaning only where the rule allows to invoke.",
        ),
        ({"roles": ["a"], "names": ["*"], "allow": ["discover"], "approves": "read"}, "only where the rule allows"),
    ],
)
def test_what_could_mean_something_else_is_no_rule(keys: dict[str, Any], told: str) -> None:
    with pytest.raises(PolicyError, match=r"^A rule at here: ") as raised:
        Rule(**keys, where="here")
    assert told in str(raised.value)


def test_a_rule_that_stands_nowhere_is_named_without_a_place() -> None:
    with pytest.raises(PolicyError, match=r"^A rule: allow wanted either allow or deny"):
        Rule(roles=["a"], names=["*"])


def test_names_of_any_script_can_be_named() -> None:
    for name in ("расчёт-*", "notes-заметки", "café", "cafe\u0301-2", "a\u0338-3", "技能?"):
        assert rule(names=[name]).covers(make("t")) is False
    assert rule(names=["*"]).covers(make("t"))
