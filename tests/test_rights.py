"""Policies that strangers write are asked, and believed only when they answer; calls may be decided about by what they
touch.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from pegboard import (
    Action,
    AllowAll,
    CallFacts,
    Context,
    Decision,
    Pegboard,
    Principal,
    Resource,
    Tool,
    ToolResult,
    Touches,
)
from pegboard.errors import DefinitionError
from pegboard.rights import decide, permitted
from pegboard.tools import Entry
from tests.support import ALICE, Receipts, Rules, make, registry_of

pytestmark = pytest.mark.anyio

ORDER = {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]}
OWNERS = {"A7": "acme", "B2": "other"}


def owned(arguments: Any, context: Context) -> Resource:
    order = arguments["order"]
    return Resource(kind="order", target=order, tenant=OWNERS[order], facts={"amount": 12})


class OwnTenant(AllowAll):
    """Allows what belongs to the caller's own tenant."""

    def __init__(self) -> None:
        self.facts: list[CallFacts] = []
        self.asked: list[tuple[str, str]] = []

    async def decide_call(self, principal: Principal, entry: Entry, facts: CallFacts) -> Decision:
        """Compare the two tenants."""
        self.facts.append(facts)
        self.asked.append((principal.id, entry.name))
        own = facts.resource is not None and facts.resource.tenant == principal.tenant
        return Decision(allowed=own, reason="own tenant" if own else "another tenant's")


def refund(find: Callable[..., Any] = owned, **how: Any) -> Tool:
    return make("refund", input_schema=ORDER, touches=Touches(kind="order", find=find, **how))


async def call(tool: Tool, arguments: Any, **wiring: Any) -> ToolResult:
    board = await Pegboard([registry_of(tool)], **wiring).open(Principal(id="ann", tenant="acme"))
    result = await board.call(tool.name, arguments)
    assert isinstance(result, ToolResult)
    return result


def code(result: ToolResult) -> str | None:
    return str(result.structured["error"]["code"]) if result.is_error else None


async def test_a_policy_can_decide_by_what_a_call_touches() -> None:
    receipts = Receipts()
    assert code(await call(refund(), {"order": "A7"}, policy=OwnTenant(), receipts=receipts)) is None
    assert receipts.last.resource == {"kind": "order", "target": "A7", "tenant": "acme"}
    assert receipts.last.reason == "own tenant"
    assert code(await call(refund(), {"order": "B2"}, policy=OwnTenant(), receipts=receipts)) == "denied"
    assert receipts.last.reason == "denied: invoke: another tenant's"
    assert "12" not in str(receipts.last.resource)


async def test_a_policy_that_decides_by_call_is_asked_once_with_what_will_run() -> None:
    policy = OwnTenant()
    await call(refund(), {"order": "A7"}, policy=policy)
    (facts,) = policy.facts
    assert policy.asked == [("ann", "refund")]
    assert facts.arguments == {"order": "A7"}
    assert (facts.tier, facts.stack) == ("exec", ())
    assert facts.resource is not None
    assert facts.resource.facts["amount"] == 12


async def test_a_policy_that_decides_by_call_is_told_what_the_call_stands_inside() -> None:
    async def outer(arguments: dict[str, Any], context: Context) -> Any:
        return (await context.call("inner")).to_wire()

    class Outside(OwnTenant):
        async def decide_call(self, principal: Principal, entry: Entry, facts: CallFacts) -> Decision:
            self.facts.append(facts)
            return Decision(allowed=True)

    policy = Outside()
    board = await Pegboard([registry_of(make("outer", handler=outer), make("inner"))], policy=policy).open(ALICE)
    await board.call("outer")
    assert [facts.stack for facts in policy.facts] == [(), ("outer",)]


async def test_a_policy_that_decides_by_call_is_not_asked_to_invoke_without_the_facts() -> None:
    class ByFacts(OwnTenant):
        async def decide(self, principal: Principal, action: Action, entry: Entry) -> Decision:
            assert action is Action.DISCOVER
            return Decision(allowed=True)

    assert code(await call(refund(), {"order": "A7"}, policy=ByFacts())) is None


async def test_it_is_not_asked_about_arguments_that_do_not_fit() -> None:
    policy = OwnTenant()
    assert code(await call(refund(), {}, policy=policy)) == "invalid_arguments"
    assert policy.facts == []


def raises(arguments: Any, context: Context) -> Resource:
    raise RuntimeError("the database is away")


async def waits_for_something_cancelled(arguments: Any, context: Context) -> Resource:
    raise asyncio.CancelledError


@pytest.mark.parametrize(
    ("find", "required"),
    [
        (lambda arguments, context: None, ("target",)),
        (lambda arguments, context: {"kind": "order", "target": "A7"}, ("target",)),
        (lambda arguments, context: Resource(kind="scope", target="A7"), ("target",)),
        (lambda arguments, context: Resource(kind="order"), ("target",)),
        (lambda arguments, context: Resource(kind="order", target="  "), ("target",)),
        (lambda arguments, context: Resource(kind="order", target=5), ("target",)),  # type: ignore[arg-type]
        (lambda arguments, context: Resource(kind="order", target="A7"), ("target", "tenant")),
        (lambda arguments, context: Resource(kind="order", target="A7", facts={"shop": 1}), ("shop",)),
        (lambda arguments, context: Resource(kind="order", target="A7", facts={"x": {1}}), ("target",)),
        (raises, ("target",)),
        (waits_for_something_cancelled, ("target",)),
    ],
)
async def test_a_call_of_which_nobody_can_tell_what_it_touches_is_denied(find: Any, required: Any) -> None:
    for policy in (OwnTenant(), AllowAll()):
        receipts = Receipts()
        result = await call(refund(find, required=required), {"order": "A7"}, policy=policy, receipts=receipts)
        assert code(result) == "denied"
        assert result.text == "Calling 'refund' is not allowed: what it would touch cannot be told."
        assert receipts.last.reason == "denied: what the call touches could not be told"


async def test_who_tells_what_is_touched_knows_who_asks_and_its_failure_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def find(arguments: Any, context: Context) -> Resource:
        assert context.principal is not None
        return Resource(kind="order", target=context.principal.id)

    receipts = Receipts()
    assert code(await call(refund(find), {"order": "A7"}, receipts=receipts)) is None
    assert receipts.last.resource == {"kind": "order", "target": "ann"}
    assert caplog.messages == []
    await call(refund(raises), {"order": "A7"})
    assert caplog.messages == ["what a call of 'refund' touches could not be told"]
    assert "the database is away" in caplog.text


async def test_a_call_that_is_cancelled_while_what_it_touches_is_looked_up_is_cancelled() -> None:
    looking, receipts = asyncio.Event(), Receipts()

    async def find(arguments: Any, context: Context) -> Resource:
        looking.set()
        await asyncio.Event().wait()
        return Resource(kind="order")

    task = asyncio.create_task(call(refund(find), {"order": "A7"}, receipts=receipts))
    await looking.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert receipts.last.outcome == "cancelled"


async def test_what_has_to_be_told_may_be_other_fields_or_none() -> None:
    shop = refund(lambda arguments, context: Resource(kind="order", facts={"shop": "s"}), required=["shop"])
    assert code(await call(shop, {"order": "A7"})) is None
    nothing = refund(lambda arguments, context: Resource(kind="order"), required=[])
    assert code(await call(nothing, {"order": "A7"})) is None


async def test_who_finds_what_is_touched_may_wait_and_changes_nothing() -> None:
    async def find(arguments: dict[str, Any], context: Context) -> Resource:
        await asyncio.sleep(0)
        arguments["order"] = "B2"
        return Resource(kind="order", target="A7")

    assert (await call(refund(find), {"order": "A7"})).structured == {"order": "A7"}


async def test_without_a_principal_nobody_asks_what_is_touched() -> None:
    board = await Pegboard([registry_of(refund(raises))]).open()
    assert code(await board.call("refund", {"order": "A7"})) is None  # type: ignore[arg-type]


NONSENSE: list[Any] = [True, None, Decision(allowed=1), RuntimeError("x")]  # type: ignore[arg-type]


@pytest.mark.parametrize("answer", [*NONSENSE, asyncio.CancelledError(), SystemExit(1)])
async def test_a_policy_that_fails_by_call_or_answers_nonsense_denies(
    answer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    class Odd(AllowAll):
        async def decide_call(self, *_: Any) -> Any:
            if isinstance(answer, BaseException):
                raise answer
            return answer

    assert code(await call(make("t"), {}, policy=Odd())) == "denied"
    assert "invoke of 't'" in caplog.messages[0]


async def test_a_decide_call_that_cannot_be_called_denies() -> None:
    class Odd(AllowAll):
        decide_call = True

    assert code(await call(make("t"), {}, policy=Odd())) == "denied"


async def test_a_mask_that_holds_anything_but_true_hides() -> None:
    class Odd(Rules):
        async def permitted(self, *_: Any) -> Any:
            return [1, "yes", None, True]

    board = await Pegboard([registry_of(*map(make, "abcd"))], policy=Odd()).open(ALICE)
    assert [tool.name for tool in (await board.view()).tools] == ["d"]


@pytest.mark.parametrize(
    ("answer", "told"), [([True], "a mask of 1 for 2 entries"), (RuntimeError("the server is away"), "is away")]
)
async def test_a_policy_that_cannot_tell_what_may_be_seen_hides_everything_and_the_log_says_from_whom(
    answer: Any, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    class Odd(Rules):
        async def permitted(self, *_: Any) -> Any:
            if isinstance(answer, Exception):
                raise answer
            return answer

    assert await permitted(Odd(), ALICE, Action.DISCOVER, (make("a"), make("b"))) is None
    assert caplog.messages == ["the policy failed: everything is hidden from 'alice'"]
    assert told in caplog.text


async def test_a_policy_is_told_who_asks_what_and_about_which_entries() -> None:
    asked: list[Any] = []

    class Noting(Rules):
        async def permitted(self, *question: Any) -> Any:
            asked.append(question)
            return [True]

    entries = (make("t"),)
    assert await permitted(Noting(), ALICE, Action.INVOKE, entries) == [*entries]
    assert asked == [(ALICE, Action.INVOKE, entries)]


async def test_whoever_is_cancelled_while_a_policy_tells_what_may_be_seen_is_cancelled() -> None:
    asking = asyncio.Event()

    class Endless(Rules):
        async def permitted(self, *_: Any) -> Any:
            asking.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(permitted(Endless(), ALICE, Action.DISCOVER, (make("t"),)))
    await asking.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_what_is_decided_without_an_answer_is_a_plain_no() -> None:
    class Odd(Rules):
        async def decide(self, *_: Any) -> Any:
            return None

    broken = Rules()
    broken.broken = True
    late = Principal(id="ann", expires_at=1.0)
    for policy, principal, reason in (
        (AllowAll(), late, "the principal's time is over"),
        (broken, ALICE, "the policy failed"),
        (Odd(), ALICE, "the policy gave no decision"),
    ):
        given = await decide(policy, principal, Action.INVOKE, make("t"))
        assert given == Decision(allowed=False, reason=reason)


def test_what_is_no_declaration_of_what_is_touched_is_refused() -> None:
    with pytest.raises(DefinitionError, match="touches"):
        make("t", touches=owned)


async def test_a_policy_that_wants_the_process_to_end_hides_and_denies() -> None:
    class Odd(AllowAll):
        async def permitted(self, *_: Any) -> Any:
            raise SystemExit(1)

        async def decide(self, *_: Any) -> Any:
            raise SystemExit(1)

    board = await Pegboard([registry_of(make("t"))], policy=Odd()).open(ALICE)
    assert (await board.view()).tools == ()
    result = await board.call("t")
    assert isinstance(result, ToolResult)
    assert code(result) == "not_found"
