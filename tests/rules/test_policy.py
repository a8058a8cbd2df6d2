"""Rules together: deny wins, nothing is allowed by default, and the order of rules does not matter."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard import Action, Approval, Principal, Rule, RulePolicy, Tool
from pegboard.tools import Entry
from tests.support import make

pytestmark = pytest.mark.anyio

T = TypeVar("T")

BOTH = ("discover", "invoke")
ANN = Principal(id="ann", roles=frozenset({"dev"}))
TIERS: list[Any] = [None, *Approval, {"tier": "read", "override": True}, lambda arguments: Approval.READ, "odd"]

names = st.from_regex(r"[ab]{1,2}(__)?[abc]{0,4}", fullmatch=True)
globs = st.text("abc_*?", min_size=1, max_size=5)
tags = st.lists(st.sampled_from("xyz"), max_size=2).map(tuple)
tools = st.lists(
    st.builds(
        lambda name, source, category, tags, tier: make(
            name, source=source, category=category, tags=tags, approval=tier
        ),
        names,
        st.sampled_from("pq"),
        st.none() | st.sampled_from("xy"),
        tags,
        st.sampled_from(TIERS),
    ),
    min_size=1,
    max_size=8,
).map(tuple)
principals = st.builds(
    Principal,
    id=st.sampled_from(["ann", "bob"]),
    issuer=st.sampled_from(["", "iss"]),
    tenant=st.none() | st.sampled_from("tu"),
    roles=st.frozensets(st.sampled_from(["dev", "ops"])),
    scopes=st.frozensets(st.sampled_from(["r", "w"])),
)


def some(values: st.SearchStrategy[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(values, min_size=1, max_size=2)


WHO = {
    "principals": some(st.sampled_from(["ann", "bob", "*"])),
    "issuers": some(st.sampled_from(["iss", "*"])),
    "tenants": some(st.sampled_from("tu*")),
    "roles": some(st.sampled_from(["dev", "ops", "*"])),
    "scopes": some(st.sampled_from("rw*")),
}
WHAT = {
    "names": some(globs),
    "sources": some(st.sampled_from("pq*")),
    "categories": some(st.sampled_from("xy*")),
    "tags": some(st.sampled_from("xyz*")),
    "kinds": some(st.sampled_from(["tool", "skill"])),
    "tiers": some(st.sampled_from(list(Approval))),
}
actions = st.sampled_from([BOTH, ("discover",), ("invoke",)])


def half(keys: dict[str, st.SearchStrategy[list[str]]]) -> st.SearchStrategy[dict[str, Any]]:
    """Everybody, or everything, as often as not; else some of the keys, at least one."""
    return st.just({next(iter(keys)): ["*"]}) | st.fixed_dictionaries({}, optional=keys).filter(bool)


def answered(question: Coroutine[Any, Any, T]) -> T:
    """The answer of a policy that waits for nothing, without the cost of an event loop."""
    try:
        question.send(None)
    except StopIteration as answer:
        result: T = answer.value
        return result
    raise AssertionError("it waited")


def made(effect: str) -> st.SearchStrategy[Rule]:
    return st.builds(lambda who, what, does: Rule(**who, **what, **{effect: does}), half(WHO), half(WHAT), actions)


rules = st.lists(made("allow") | made("deny"), max_size=5)


def allowed(rules: Sequence[Rule], principal: Principal, action: Action, entries: Sequence[Entry]) -> list[bool]:
    return list(answered(RulePolicy(rules).permitted(principal, action, entries)))


@given(rules, principals, tools, st.sampled_from(Action))
def test_one_decision_says_what_the_mask_says(
    rules: list[Rule], principal: Principal, tools: tuple[Tool, ...], action: Action
) -> None:
    policy = RulePolicy(rules)

    decided = [answered(policy.decide(principal, action, tool)).allowed for tool in tools]
    assert decided == allowed(rules, principal, action, tools)
    assert decided == allowed(rules, principal, action, list(tools))


@given(rules, made("deny"), principals, tools, st.sampled_from(Action))
def test_one_more_deny_never_widens(
    rules: list[Rule], deny: Rule, principal: Principal, tools: tuple[Tool, ...], action: Action
) -> None:
    before = allowed(rules, principal, action, tools)
    after = allowed([*rules, deny], principal, action, tools)
    assert all(was or not now for was, now in zip(before, after, strict=True))


@given(rules, made("allow"), principals, tools, st.sampled_from(Action))
def test_one_more_allow_never_narrows(
    rules: list[Rule], allow: Rule, principal: Principal, tools: tuple[Tool, ...], action: Action
) -> None:
    before = allowed(rules, principal, action, tools)
    after = allowed([*rules, allow], principal, action, tools)
    assert all(now or not was for was, now in zip(before, after, strict=True))


@given(rules.flatmap(lambda given: st.tuples(st.just(given), st.permutations(given))), principals, tools)
def test_the_order_of_rules_does_not_matter(
    orders: tuple[list[Rule], list[Rule]], principal: Principal, tools: tuple[Tool, ...]
) -> None:
    for action in Action:
        assert allowed(orders[0], principal, action, tools) == allowed(orders[1], principal, action, tools)


@given(rules, principals, tools)
def test_what_may_be_invoked_may_be_discovered(
    rules: list[Rule], principal: Principal, tools: tuple[Tool, ...]
) -> None:
    seen = allowed(rules, principal, Action.DISCOVER, tools)
    callable_ = allowed(rules, principal, Action.INVOKE, tools)
    assert all(saw or not can for saw, can in zip(seen, callable_, strict=True))


@given(principals, tools, st.sampled_from(Action))
def test_without_rules_nothing_is_allowed(principal: Principal, tools: tuple[Tool, ...], action: Action) -> None:
    assert not any(allowed([], principal, action, tools))


@given(rules, principals, tools, st.lists(st.tuples(st.integers(0, 20), st.integers(0, 3), tools), max_size=4))
def test_a_catalog_that_changed_gets_a_mask_of_its_own(
    rules: list[Rule], principal: Principal, tools: tuple[Tool, ...], changes: list[tuple[int, int, tuple[Tool, ...]]]
) -> None:
    """Catalogs share most of their tools with the one before: some are taken out and others put in, anywhere."""
    policy, known = RulePolicy(rules), tools * 3
    for place, removed, added in [(0, 0, ()), *changes]:
        known = (*known[:place], *added, *known[place + removed :])[:: -1 if removed == 3 else 1]
        mask = answered(policy.permitted(principal, Action.DISCOVER, known))
        assert list(mask) == allowed(rules, principal, Action.DISCOVER, known)


async def test_deny_wins_over_every_allow() -> None:
    allow = Rule(principals=["*"], names=["*"], allow=BOTH)
    deny = Rule(roles=["dev"], names=["*__delete_*"], deny=["invoke"])
    policy = RulePolicy([allow, deny, allow])
    tool = make("db__delete_all")
    assert (await policy.decide(ANN, Action.DISCOVER, tool)).allowed
    assert not (await policy.decide(ANN, Action.INVOKE, tool)).allowed
    assert (await policy.decide(Principal(id="bob"), Action.INVOKE, tool)).allowed


async def test_what_a_rule_lets_be_discovered_alone_is_seen_and_not_called() -> None:
    policy, catalog = RulePolicy([Rule(principals=["*"], names=["*"], allow=["discover"])]), (make("t"),)
    for action, may in ((Action.DISCOVER, True), (Action.INVOKE, False)):
        assert (await policy.decide(ANN, action, catalog[0])).allowed is may
        assert list(await policy.permitted(ANN, action, catalog)) == [may]


@pytest.mark.parametrize(
    ("rules", "action", "reason"),
    [
        ([], "invoke", "no rule allows discover"),
        ([("allow", ["discover"], "")], "invoke", "no rule allows invoke"),
        ([("allow", ["invoke"], "")], "invoke", "no rule allows discover"),
        ([("allow", BOTH, "p.toml:3")], "invoke", "rule 1 at p.toml:3 allows invoke"),
        ([("allow", BOTH, ""), ("deny", ["invoke"], "p.toml:9")], "invoke", "rule 2 at p.toml:9 denies invoke"),
        ([("allow", BOTH, ""), ("deny", ["discover"], "p.toml:9")], "invoke", "rule 2 at p.toml:9 denies discover"),
        ([("allow", BOTH, ""), ("deny", BOTH, ""), ("deny", ["invoke"], "x")], "invoke", "rule 2 denies invoke"),
        ([("deny", ["discover"], "a"), ("deny", ["invoke"], "b")], "invoke", "rule 1 at a denies discover"),
    ],
)
async def test_the_reason_names_the_rule_and_where_it_stands(rules: list[Any], action: str, reason: str) -> None:
    policy = RulePolicy(
        Rule(principals=["*"], names=["*"], **{effect: does}, where=where) for effect, does, where in rules
    )
    assert (await policy.decide(ANN, Action(action), make("t"))).reason == reason


async def test_of_several_rules_that_allow_the_most_generous_says_what_passes_unasked() -> None:
    def approves(*tiers: str | None) -> RulePolicy:
        return RulePolicy(Rule(principals=["*"], names=["*"], allow=BOTH, approves=tier) for tier in tiers)

    for tiers, passes in [(("read", "write"), "write"), (("read",), "read"), (("read", None), "exec")]:
        decision = await approves(*tiers).decide(ANN, Action.INVOKE, make("t"))
        assert decision.approves is Approval(passes)


async def test_a_rule_that_does_not_apply_lets_nothing_pass_unasked() -> None:
    generous = Rule(roles=["admin"], names=["*"], allow=BOTH)
    strict = Rule(roles=["dev"], names=["*"], allow=BOTH, approves="read")
    decision = await RulePolicy([generous, strict]).decide(ANN, Action.INVOKE, make("t"))
    assert decision.approves is Approval.READ


async def test_principals_with_the_same_rights_share_a_mask_and_a_new_catalog_has_another() -> None:
    policy = RulePolicy([Rule(roles=["dev"], names=["a*"], allow=BOTH)])
    catalog = (make("a"), make("b"))
    mask = await policy.permitted(ANN, Action.DISCOVER, catalog)
    other = await policy.permitted(Principal(id="eve", roles=frozenset({"dev", "x"})), Action.DISCOVER, catalog)
    assert other is mask
    assert list(mask) == [True, False]
    assert list(await policy.permitted(Principal(id="eve"), Action.DISCOVER, catalog)) == [False, False]
    assert list(await policy.permitted(ANN, Action.DISCOVER, (make("b"), make("a2")))) == [False, True]


async def test_the_masks_of_the_two_newest_catalogs_are_kept() -> None:
    policy = RulePolicy([Rule(roles=["dev"], names=["a*"], allow=BOTH)])
    old, new, newest = ((make("a"),), (make("a"), make("b")), (make("b"),))
    mask = await policy.permitted(ANN, Action.DISCOVER, old)
    await policy.permitted(ANN, Action.DISCOVER, new)
    assert await policy.permitted(ANN, Action.DISCOVER, old) is mask
    await policy.permitted(ANN, Action.DISCOVER, newest)
    assert [table.entries for table in policy._tables] == [newest, new]


async def test_of_a_catalog_that_changed_a_little_only_what_is_new_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    policy = RulePolicy([Rule(roles=["dev"], names=["t*"], tags=["x"], allow=BOTH)])
    catalog = tuple(make(f"t{number}", tags=("x",)) for number in range(20))
    await policy.permitted(ANN, Action.DISCOVER, catalog)
    looked_at: list[str] = []
    covers = Rule.covers

    def noting(rule: Rule, entry: Entry) -> bool:
        looked_at.append(entry.name)
        return covers(rule, entry)

    monkeypatch.setattr(Rule, "covers", noting)
    mask = await policy.permitted(ANN, Action.DISCOVER, (*catalog, make("new")))
    assert list(mask) == [*[True] * 20, False]
    assert looked_at == ["new"]


async def test_any_number_of_rights_leaves_memory_bounded() -> None:
    policy = RulePolicy([Rule(roles=[f"r{number}"], names=["a*"], allow=BOTH) for number in range(300)])
    catalog = (make("a"), make("b"))
    for number in range(300):
        who = Principal(id="x", roles=frozenset({f"r{number}"}))
        assert list(await policy.permitted(who, Action.DISCOVER, catalog)) == [True, False]
    assert len(policy._tables) == 1
    assert len(policy._tables[0].masks) == 64
