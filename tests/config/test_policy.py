"""Who may do what, from ``pegboard.toml``; a mistake there never gives a right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pegboard import Action, Approval, Pegboard, Principal, RulePolicy
from pegboard.config import Level
from pegboard.config.wire import build, gateway_settings
from pegboard.errors import ConfigError
from tests.config.conftest import Load, Write
from tests.support import make

pytestmark = pytest.mark.anyio

WHOLE = """
[gateway]
principal = "ann"

[principals.ann]
roles = ["dev"]

[principals.robot]
id = "r2d2"
issuer = "https://id"
tenant = "acme"
scopes = ["read"]

[[policy.rules]]
roles = ["dev"]
names = ["shop__*"]
allow = ["discover", "invoke"]
approves = "read"

[[policy.rules]]
principals = ["*"]
names = ["*__delete_*"]
deny = ["invoke"]

[receipts]
file = "audit/receipts.jsonl"
mandatory = true
"""

RULE = 'roles = ["dev"]\nnames = ["*"]\ndeny = ["invoke"]\n'


async def test_a_file_says_who_there_is_and_what_they_may(load_text: Load, tmp_path: Path) -> None:
    loaded = load_text(WHOLE)
    assert not loaded.problems
    settings = loaded.settings
    ann, robot = settings.principals["ann"], settings.principals["robot"]
    assert ann == Principal(id="ann", roles=frozenset({"dev"}))
    assert robot == Principal(id="r2d2", issuer="https://id", tenant="acme", scopes=frozenset({"read"}))
    assert settings.principal is ann
    assert settings.receipts_file == tmp_path / "audit" / "receipts.jsonl"
    wired = build(settings, environ={})
    assert not wired.problems
    assert gateway_settings(settings).principal is ann
    assert isinstance(wired.peg.policy, RulePolicy)
    seen = await wired.peg.policy.decide(ann, Action.INVOKE, make("shop__refund"))
    assert (seen.allowed, seen.approves) == (True, Approval.READ)
    assert seen.reason == "rule 1 at pegboard.toml:14 allows invoke"
    denied = await wired.peg.policy.decide(ann, Action.INVOKE, make("shop__delete_all"))
    assert denied.reason == "rule 2 at pegboard.toml:20 denies invoke"
    assert not (await wired.peg.policy.decide(robot, Action.DISCOVER, make("shop__refund"))).allowed


async def test_a_policy_without_rules_allows_nothing_and_none_allows_everything(load_text: Load) -> None:
    for text, allowed in [("[policy]\n", False), ("[policy]\nrules = []\n", False), ("", True)]:
        peg = build(load_text(text).settings, environ={}).peg
        decision = await peg.policy.decide(Principal(id="ann"), Action.DISCOVER, make("t"))
        assert decision.allowed is allowed


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"[[policy.rules]]\n{RULE}nmaes = ['x']", "6: policy.rules[0].nmaes: is not known here. Did you mean names?"),
        (f"[[policy.rules]]\n{RULE.replace('deny', 'dney')}", "policy.rules[0].dney: is not known here."),
        (f"[[policy.rules]]\n{RULE.replace('invoke', 'call')}", 'wanted "discover" or "invoke", got "call".'),
        ("[[policy.rules]]\nroles = 'dev'\nnames = ['*']\ndeny = ['invoke']", "policy.rules[0].roles: wanted a list"),
        (
            "[[policy.rules]]\nroles = ['dev']\nnames = []\ndeny = ['invoke']",
            "wanted a list of texts that is not empty",
        ),
        ("[[policy.rules]]\nroles = []\nnames = ['*']\ndeny = ['invoke']", "policy.rules[0].roles: wanted a list"),
        ("[[policy.rules]]\nroles = [1]\nnames = ['*']\ndeny = ['invoke']", "policy.rules[0].roles[0]: wanted text"),
        ("[[policy.rules]]\nroles = ['']\nnames = ['*']\ndeny = ['invoke']", "policy.rules[0].roles[0]: wanted text"),
        ("[[policy.rules]]\nnames = ['*']\ndeny = ['invoke']", "say whom the rule is about"),
        ("[[policy.rules]]\nroles = ['dev']\ndeny = ['invoke']", "say what the rule is about"),
        ("[[policy.rules]]\nroles = ['dev']\nnames = ['shop.*']\ndeny = ['invoke']", "no name has '.'"),
        ("[[policy.rules]]\nroles = ['dev']\nnames = ['*']", "wanted either allow or deny"),
        (f"[[policy.rules]]\n{RULE}approves = 'read'", "only where the rule allows to invoke"),
        ("[policy]\nrules = 'all'\n", "policy.rules: wanted a list"),
        (f"[policy.rules]\n{RULE}", "Write the table with two brackets: [[...]]."),
        ("[policy]\nrule = []\n", "policy.rule: is not known here. Did you mean rules?"),
        ("policy = true", "policy: wanted a table"),
        (f"[[policy]]\n{RULE}", "policy: wanted a table, got a list. Write each rule as [[policy.rules]]."),
        (f"[[polcy.rules]]\n{RULE}", "polcy: is not known here. Did you mean [policy]?"),
        (f"[[policies.rules]]\n{RULE}", "policies: is not known here."),
        (f"[[rules]]\n{RULE}", "rules: is not known here. Did you mean [policy]?"),
        ("[principal.ann]\nroles = ['dev']", "principal: is not known here. Did you mean [principals.NAME]?"),
        ("[principals.ann]\nroles = 'dev'", "principals.ann.roles: wanted a list"),
        ("[principals.ann]\nrole = ['dev']", "principals.ann.role: is not known here. Did you mean roles?"),
        ("[principals]\nann = 'x'", "principals.ann: wanted a table"),
        ("[gateway]\nprincipal = 'bob'\n[principals.bo]\n", "no principal is named 'bob'. Did you mean 'bo'?"),
        ("[gateway]\nprincipal = 'bob'\n", "Write a table [principals.bob]."),
        ("[gateway]\nprincipal = ''\n", "gateway.principal: wanted text that is not empty"),
        ("[gateway]\nprinciple = 'ann'\n[principals.ann]\n", "gateway.principle: is not known here."),
        ("gateway = 5\n[principals.ann]\n", "gateway: wanted a table"),
        ("[gatway]\nprincipal = 'ann'\n[principals.ann]\n", "gatway: is not known here. Did you mean [gateway]?"),
        ("[receipts]\nfile = 'r'\nmandatry = true", "receipts.mandatry: is not known here."),
        ("[receipts]\nmandatory = true", "receipts.mandatory: wanted a file beside it."),
        ("[reciepts]\nfile = 'r'\nmandatory = true", "reciepts: is not known here. Did you mean [receipts]?"),
    ],
)
def test_a_mistake_in_what_decides_about_rights_refuses_the_file(load_text: Load, text: str, told: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load_text(f"\n{text}\n" if text.startswith("[[policy.rules]]") else text)
    assert told in str(raised.value)
    assert "pegboard.toml:" in str(raised.value)


def test_every_mistake_is_told_at_once_in_the_order_of_the_file(load_text: Load) -> None:
    with pytest.raises(ConfigError) as raised:
        load_text("[[policy.rules]]\nroles = 'dev'\n[principals.ann]\nroles = 1\n[[policy.rules]]\nnames = []\n")
    lines = [problem["line"] for problem in raised.value.data["problems"]]
    assert len(lines) >= 3
    assert lines == sorted(lines)


def test_rights_in_a_file_that_is_read_as_a_clients_are_not_passed_over(load_text: Load) -> None:
    rules = json.dumps([{"roles": ["dev"], "names": ["*"], "deny": ["invoke"]}])
    for text in (
        f'{{"mcpServers": {{}}, "policy": {{"rules": {rules}}}}}',
        '{"mcpServers": {}, "principals": {"ann": {}}}',
    ):
        with pytest.raises(ConfigError, match="holds only in a pegboard"):
            load_text(text)
    with pytest.raises(ConfigError):
        load_text("[mcp_servers.x]\ncommand = 'x'\n[policy]\nrules = 1\n")


@pytest.mark.parametrize("text", ["[gateway]\nport = 'x'\n", "[limits]\npage = 0\n", "[upstreams.up]\ncomand = 'x'\n"])
def test_a_mistake_elsewhere_is_set_aside_as_ever(load_text: Load, text: str) -> None:
    loaded = load_text(f"{text}[principals.ann]\n[[policy.rules]]\n{RULE}")
    assert loaded.errors
    assert loaded.settings.policy is not None


def test_an_unknown_key_in_a_file_that_says_nothing_of_rights_is_set_aside(load_text: Load) -> None:
    assert load_text("[whatever]\nx = 1\n[gateway]\nprt = 1\n").errors


async def test_rules_that_hold_for_no_client_are_told(load_text: Load) -> None:
    (problem,) = build(load_text(f"[[policy.rules]]\n{RULE}").settings, environ={}).problems
    assert problem.level is Level.WARNING
    assert "they may do everything" in problem.message
    assert not build(load_text(WHOLE).settings, environ={}).problems


async def test_receipts_are_written_where_the_file_says(load_text: Load, write: Write, tmp_path: Path) -> None:
    write("tools.py", "from pegboard import tool\n\n@tool\ndef ping() -> str:\n    return 'pong'\n")
    text = "[receipts]\nfile = 'receipts.jsonl'\nmandatory = true\n[[python]]\nfile = 'tools.py'\n"
    async with build(load_text(text).settings, environ={}).peg as peg:
        await peg.ready(30)
        board = await peg.open()
        assert (await board.call("ping")).text == "pong"  # type: ignore[union-attr]
        (tmp_path / "receipts.jsonl").rename(tmp_path / "kept.jsonl")
        (tmp_path / "receipts.jsonl").mkdir()
        assert (await board.call("ping")).is_error  # type: ignore[union-attr]
    outcomes = [json.loads(line)["outcome"] for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
    assert outcomes == ["let_through", "ok"]


async def names(peg: Pegboard, principal: Principal) -> set[str]:
    return {tool.name for tool in (await (await peg.open(principal)).view()).tools}
