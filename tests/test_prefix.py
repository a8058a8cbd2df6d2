"""Prefixes: what a turn has changed, and what is paid again for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard import Ledger, Pegboard, fingerprint, invalidation_reason
from pegboard.prefix import CACHE_ORDERS, Content, Invalidation
from pegboard.tokens import count_tokens
from tests.support import make, registry_of

pytestmark = pytest.mark.anyio

TOOLS = [{"name": "a", "description": "Do a."}, {"name": "b", "description": "Do b."}]
SYSTEM = "You are a helpful assistant."
ASKED = {"role": "user", "content": "Refund order A-7, please."}
ANSWERED = {"role": "assistant", "content": "Done."}

PROMPTS = st.dictionaries(st.sampled_from("abc"), st.lists(st.sampled_from(["x", "y", "z"]), min_size=1, max_size=3))


def ledger_after(**blocks: Content) -> Ledger:
    ledger = Ledger()
    assert ledger.turn(**blocks) is None
    return ledger


def cost(*texts: str) -> int:
    return sum(count_tokens(text) for text in texts)


def test_a_conversation_that_only_grows_breaks_nothing() -> None:
    ledger = ledger_after(tools=TOOLS, system=SYSTEM, messages=[ASKED])
    assert ledger.turn(tools=TOOLS, system=SYSTEM, messages=[ASKED, ANSWERED]) is None
    assert (ledger.turns, ledger.invalidations, ledger.tokens) == (2, {}, 0)


def test_a_new_definition_costs_what_stands_behind_it() -> None:
    ledger = ledger_after(tools=TOOLS[:1], system=SYSTEM, messages=["Refund it."])
    broken = ledger.turn(tools=TOOLS, system=SYSTEM, messages=["Refund it.", "Done."])
    assert broken == Invalidation("tools", cost(SYSTEM, "Refund it."))
    assert ledger.invalidations == {2: broken}
    assert ledger.tokens == broken.tokens > 0


def test_a_change_costs_nothing_of_what_stands_before_it_nor_the_change_itself() -> None:
    before = fingerprint({"tools": TOOLS, "system": [SYSTEM, "Be brief.", "It is noon."], "messages": ["Hello."]})
    after = fingerprint({"tools": TOOLS, "system": [SYSTEM, "Be polite.", "It is noon."], "messages": ["Hello."]})
    assert invalidation_reason(after, before) == Invalidation("system", cost("It is noon.", "Hello."))


def test_the_first_of_several_changes_is_named() -> None:
    ledger = ledger_after(tools=TOOLS, system=SYSTEM, messages=[ASKED])
    broken = ledger.turn(tools=TOOLS, system="You are brief.", messages=[ANSWERED])
    assert broken == Invalidation("system", 0)


def test_an_edited_message_is_a_change_though_others_follow_it() -> None:
    ledger = ledger_after(tools=TOOLS, messages=["one", "two", "three"])
    assert ledger.turn(tools=TOOLS, messages=["one", "2", "three", "four"]) == Invalidation("messages", cost("three"))


def test_a_block_that_is_gone_is_named_when_nothing_else_has_changed() -> None:
    ledger = ledger_after(tools=TOOLS, system=SYSTEM, messages=["Hello."])
    assert ledger.turn(tools=TOOLS, messages=["Hello."]) == Invalidation("system", cost("Hello."))


def test_what_has_changed_is_named_before_what_is_gone() -> None:
    ledger = ledger_after(tools=TOOLS, system=SYSTEM, messages=["Hello."])
    assert ledger.turn(tools=TOOLS, messages=["Good evening."]) == Invalidation("messages", 0)


@pytest.mark.golden("insika_prefix_invalidation/reordered_same_digests")
def test_a_change_of_order_alone_is_a_change() -> None:
    before = fingerprint({"prompt": "one", "skill": "two", "tools": "three"})
    after = fingerprint({"skill": "two", "prompt": "one", "tools": "three"})
    assert invalidation_reason(after, before) == Invalidation("skill", cost("one", "two", "three"))
    moved = fingerprint({"tools": list(reversed(TOOLS))})
    assert invalidation_reason(moved, fingerprint({"tools": TOOLS})) is not None


@pytest.mark.golden(
    "insika_prefix_fingerprint/source_named_prefix",
    "insika_prefix_fingerprint/source_named_tool_schemas",
)
def test_a_block_may_have_any_name() -> None:
    named = fingerprint({"prefix": "a", "tool_schemas": "b", "digest": "c"})
    assert [block.name for block in named.blocks] == ["prefix", "tool_schemas", "digest"]
    assert len({named.digest, *(block.digest for block in named.blocks)}) == 4


def test_there_is_no_reason_without_a_turn_before() -> None:
    assert invalidation_reason(fingerprint({"tools": TOOLS}), None) is None


def test_the_keys_of_an_object_count_in_their_order() -> None:
    told = {"name": "a", "description": "Do a."}
    turned = {"description": "Do a.", "name": "a"}
    assert fingerprint({"tools": [told]}) != fingerprint({"tools": [turned]})
    assert fingerprint({"tools": [told]}) == fingerprint({"tools": [dict(told)]})


def test_text_that_is_no_unicode_has_a_fingerprint_too() -> None:
    assert fingerprint({"messages": "\ud800"}) != fingerprint({"messages": "\ud801"})


def test_blocks_are_put_in_the_order_of_the_provider() -> None:
    ledger = Ledger()
    ledger.turn(messages=[ASKED], system=SYSTEM, tools=TOOLS)
    assert ledger.last is not None
    assert tuple(block.name for block in ledger.last.blocks) == CACHE_ORDERS["anthropic"]
    own = Ledger(["system", "tools"])
    own.turn(tools=TOOLS, system=SYSTEM)
    broken = own.turn(tools=TOOLS[:1], system=SYSTEM)
    assert broken == Invalidation("tools", 0)


def test_a_block_that_the_order_does_not_name_is_refused() -> None:
    ledger = Ledger()
    with pytest.raises(ValueError, match=r"'skills'.*tools, system, messages"):
        ledger.turn(skills=["a"])
    assert ledger.turns == 0


@given(PROMPTS, PROMPTS)
def test_nothing_is_said_exactly_where_the_prompt_begins_as_it_did(
    one: dict[str, list[str]], other: dict[str, list[str]]
) -> None:
    before, after = fingerprint(one), fingerprint(other)
    broken = invalidation_reason(after, before)
    if after.parts[: len(before.parts)] != before.parts:
        assert broken is not None
    if broken is not None:
        assert broken.block in {*one, *other}
        assert 0 <= broken.tokens <= sum(part.tokens for _, part in after.parts)
    assert invalidation_reason(before, before) is None


@given(PROMPTS, PROMPTS)
def test_what_is_known_from_before_is_counted_the_same(one: dict[str, list[str]], other: dict[str, list[str]]) -> None:
    assert fingerprint(other, previous=fingerprint(one)) == fingerprint(other)


async def test_unpinning_breaks_nothing_until_it_is_compacted() -> None:
    board = await Pegboard([registry_of(make("a", "Do a."), make("b", "Do b."))]).open()
    ledger = Ledger()
    board.pin("a")
    await board.commit()
    ledger.turn(tools=board.listing().items, system=SYSTEM)
    board.unpin("a")
    await board.commit()
    assert ledger.turn(tools=board.listing().items, system=SYSTEM) is None
    await board.compact()
    assert ledger.turn(tools=board.listing().items, system=SYSTEM) == Invalidation("tools", cost(SYSTEM))
