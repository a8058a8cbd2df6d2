"""Better than what was observed: golden vectors that say in words what is right, each proven here.

The mark names the vectors; ``tests/runners/golden`` counts them as passed because of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest

from pegboard import (
    Bm25Ranker,
    LexicalRanker,
    MemoryPinStore,
    Pegboard,
    SubstringRanker,
    Tool,
    ToolRegistry,
    ToolResult,
)
from pegboard import tool as made_of
from pegboard.board import Board
from pegboard.catalog import Catalog
from pegboard.composition import compose
from pegboard.context import Context
from pegboard.errors import CollisionError, DefinitionError, InvalidArgumentsError, InvalidNameError, StoreError
from pegboard.finding import find
from pegboard.limits import Limits
from pegboard.pins import PinRecord, PinState, Slot
from pegboard.search import Ranker, recommend
from pegboard.tools import Entry
from pegboard.view import View
from tests.support import Receipts, make, registry_of

RANKERS = [Bm25Ranker(), LexicalRanker()]
TODOS = make("watch-todos", "Watch a folder for TODO comments", tags=("todo", "watch"), keywords=("comments",))
AUDIO = make("transcribe-audio", "Turn an audio file into text", category="audio", tags=("speech",))
MAIL = make("send-email", "Send an email message to a person", category="mail", keywords=("smtp",))


def found(ranker: Ranker, query: str, *tools: Entry) -> list[str]:
    return [ranked.entry.name for ranked in ranker.rank(query, tools)]


async def called(board: Board, name: str, arguments: Any = None) -> ToolResult:
    result = await board.call(name, arguments)
    assert isinstance(result, ToolResult)
    return result


async def board_of(*tools: Tool, **wiring: Any) -> Board:
    return await Pegboard([registry_of(*tools)], profiles={"bare": ()}, **wiring).open()


# --- search


@pytest.mark.golden("gonk_bm25_search/part_of_hyphenated_name_misses_name")
@pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: type(ranker).__name__)
def test_a_word_of_a_hyphenated_name_finds_it(ranker: Ranker) -> None:
    assert found(ranker, "transcribe", TODOS, AUDIO, MAIL) == ["transcribe-audio"]


@pytest.mark.golden("gonk_bm25_search/part_of_hyphenated_name_found_by_tag_only")
@pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: type(ranker).__name__)
def test_a_word_of_the_name_counts_more_than_the_same_word_elsewhere(ranker: Ranker) -> None:
    elsewhere = make("look-out", "Watch a folder for TODO comments", tags=("todo", "watch"), keywords=("comments",))
    assert found(ranker, "watch", elsewhere, TODOS, MAIL) == ["watch-todos", "look-out"]


@pytest.mark.golden("gonk_bm25_search/plural_does_not_match")
@pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: type(ranker).__name__)
def test_a_plural_finds_the_singular(ranker: Ranker) -> None:
    assert found(ranker, "todos", make("note", "Write a todo down."), AUDIO) == ["note"]


@pytest.mark.golden("gonk_bm25_search/tie_locale_accents")
@pytest.mark.parametrize("ranker", [*RANKERS, Bm25Ranker(analyzer="plain")], ids=lambda ranker: type(ranker).__name__)
def test_ties_are_in_the_order_of_code_points(ranker: Ranker) -> None:
    tools = [make(name, "same") for name in ("zeta", "Zulu", "ecru", "Eclair", "eclair")]
    assert found(ranker, "same", *tools) == ["Eclair", "Zulu", "eclair", "ecru", "zeta"]


@pytest.mark.golden("insika_tool_catalog_search/ideographic_space")
def test_words_end_at_blanks_of_every_script() -> None:
    tools = [make("send_email", "Sends an email"), make("create_invoice", "Generates an invoice")]
    assert found(SubstringRanker(), "email\u3000invoice", *tools) == ["send_email", "create_invoice"]


@pytest.mark.golden("insika_tool_catalog_search/nbsp_only_query_is_a_term")
def test_a_query_of_nothing_but_blanks_of_any_script_is_blank() -> None:
    tools = [make("a", "x\u00a0y")]
    assert found(SubstringRanker(), "\u00a0", *tools) == []
    assert Catalog(tools).search("\u00a0\u3000") == []


@pytest.mark.golden("insika_tool_catalog_search/final_sigma_word_form")
def test_both_forms_of_a_sigma_are_one_letter() -> None:
    greek = make("greek", "ΟΔΟΣ και ΣΟΦΟΣ")
    for ranker in (SubstringRanker(), LexicalRanker()):
        assert found(ranker, "οδος", greek, AUDIO) == ["greek"]


@pytest.mark.golden("gonk_recommend/empty_keyword_matches_everything")
def test_blank_keywords_and_tags_recommend_nothing() -> None:
    tools = [make("a", keywords=("", " ")), make("b", tags=("",)), make("c", keywords=("hello",))]
    assert [ranked.entry.name for ranked in recommend("hello world", tools, set(), 5)] == ["c"]


@pytest.mark.golden("gonk_search_options/limit_negative")
def test_a_negative_limit_is_refused_by_name() -> None:
    view = View(Catalog([make("a", "same")]))
    with pytest.raises(InvalidArgumentsError, match=r"limit.*-20"):
        find(view, Bm25Ranker(), "same", -20, Limits())


@pytest.mark.anyio
@pytest.mark.golden("gonk_meta_tools/find_limit_negative")
async def test_find_tools_refuses_a_negative_limit() -> None:
    result = await called(await board_of(AUDIO), "find_tools", {"query": "audio", "limit": -1})
    assert result.is_error
    assert "limit" in result.text


@pytest.mark.anyio
@pytest.mark.golden("insika_tool_search/no_cap_on_matches")
async def test_one_search_loads_five_tools_at_most() -> None:
    board = await board_of(*(make(f"tool_{number}", "An odd tool.") for number in range(12)))
    result = await called(board, "tool_search", {"query": "odd tool"})
    assert len(result.structured["loaded"]) == len(board.pending[0]) == 5


# --- registries and catalogs


@pytest.mark.golden("gonk_registry/duplicate_in_one_call_first_kept_then_throws")
def test_a_batch_with_a_mistake_registers_nothing() -> None:
    registry = ToolRegistry()
    with pytest.raises(CollisionError, match="'a'"):
        registry.register(make("a"), make("b"), make("a"))
    assert registry.tools() == ()


@pytest.mark.golden(
    "insika_tool_registry/duplicate_first_wins",
    "insika_tool_registry/duplicate_without_plugin",
)
def test_a_duplicate_is_refused_naming_both_sources_and_the_fix() -> None:
    registry = registry_of(make("a", source="p1"))
    with pytest.raises(CollisionError) as refusal:
        registry.register(make("a", source="p2"))
    assert "'p1'" in str(refusal.value)
    assert "'p2'" in str(refusal.value)
    assert "Rename" in refusal.value.hint
    assert [held.source for held in registry.tools()] == ["p1"]


@pytest.mark.golden("insika_tool_registry/nil_name")
def test_a_tool_without_a_name_is_refused() -> None:
    for name in (None, ""):
        with pytest.raises(InvalidNameError):
            make(name)  # type: ignore[arg-type]


@pytest.mark.golden("insika_tool_catalog_all/factory_raises")
def test_a_factory_that_fails_costs_its_own_tool_alone_and_says_why() -> None:
    def broken() -> Tool:
        raise RuntimeError("broken factory")

    registry = registry_of(make("ok", "fine"))
    registry.register_factory("bad", broken)
    catalog = compose([registry])
    assert [held.name for held in catalog.all()] == ["ok"]
    assert [problem.name for problem in catalog.problems] == ["bad"]
    assert "broken factory" in catalog.problems[0].reason


@pytest.mark.golden("gonk_collisions/user_tool_named_like_meta_is_replaced")
@pytest.mark.parametrize("collisions", ["refuse", "first"])
def test_a_tool_with_the_name_of_a_meta_tool_is_refused_with_the_fix(collisions: Any) -> None:
    with pytest.raises(CollisionError, match=r"'list_tools'.*meta-tools.*rename"):
        Pegboard([registry_of(make("list_tools"))], collisions=collisions)


@pytest.mark.golden("gonk_collisions/source_catalog_owns_meta_name")
def test_a_sources_tool_with_the_name_of_a_meta_tool_is_refused_as_such() -> None:
    registry = ToolRegistry()
    registry.replace_source("s0", [make("find_tools", source="s0")])
    with pytest.raises(CollisionError, match=r"'find_tools' of source 's0'.*meta-tools"):
        Pegboard([registry])


@pytest.mark.golden(
    "insika_tool_catalog_prompt/angle_brackets_in_description",
    "insika_tool_catalog_prompt/ampersand",
)
def test_markup_in_a_description_stays_text() -> None:
    catalog = Catalog([make("a", "if a < b && c > d"), make("b", "R&D &amp; more</tool></available_tools>")])
    text = catalog.format_for_prompt()
    assert '  <tool name="a">if a &lt; b &amp;&amp; c &gt; d</tool>' in text.splitlines()
    assert '  <tool name="b">R&amp;D &amp;amp; more&lt;/tool&gt;&lt;/available_tools&gt;</tool>' in text.splitlines()


@pytest.mark.golden("insika_tool_catalog_prompt/multi_line_description")
def test_one_tool_takes_one_line_of_the_prompt() -> None:
    text = Catalog([make("a", "line 1\n    line 2\n\nline 3")]).format_for_prompt()
    assert '  <tool name="a">line 1 line 2 line 3</tool>' in text.splitlines()


@pytest.mark.golden("gonk_visibility/unknown_visibility_value")
def test_an_unknown_visibility_is_refused() -> None:
    with pytest.raises(DefinitionError, match="sometimes"):
        make("a").with_(visibility="sometimes")
    assert make("a", hints={"mcp": {"visibility": "sometimes"}}).visibility_on("mcp") == "on-demand"


# --- calls


@pytest.mark.anyio
@pytest.mark.golden("gonk_invoke/throws")
async def test_what_an_unexpected_error_says_goes_to_the_log_not_to_the_model(caplog: pytest.LogCaptureFixture) -> None:
    async def fails(arguments: dict[str, Any], context: Context) -> None:
        raise RuntimeError("secret path /etc/x")

    with caplog.at_level(logging.ERROR):
        result = await called(await board_of(make("a", handler=fails)), "a")
    assert result.structured["error"]["code"] == "internal_error"
    assert "secret" not in str(result.to_wire())
    assert "secret path /etc/x" in caplog.text


@pytest.mark.anyio
@pytest.mark.golden("gonk_invoke/abort_during_stream_stuck_handler")
async def test_a_cancelled_stream_ends_and_leaves_a_receipt() -> None:
    @made_of
    async def stuck() -> AsyncGenerator[str]:
        """Begin and go no further."""
        yield "started"
        await asyncio.Event().wait()

    receipts = Receipts()
    board = await board_of(stuck, receipts=receipts)
    heard: list[Any] = []

    async def hear(*progress: Any) -> None:
        heard.append(progress)

    call = asyncio.ensure_future(board.call("stuck", {}, on_progress=hear))
    await until(lambda: bool(heard))
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(call, 10)
    assert receipts.last.outcome == "cancelled"


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not true():
            await asyncio.sleep(0.01)


@pytest.mark.anyio
@pytest.mark.golden("gonk_meta_tools/missing_unload_tool")
async def test_unloading_what_is_not_there_says_so() -> None:
    board = await board_of(make("gamma"))
    missing = await called(board, "unload_tool", {"name": "nope"})
    assert missing.is_error
    assert "nope" in missing.text
    unpinned = await called(board, "unload_tool", {"name": "gamma"})
    assert unpinned.structured["queued"] is None
    assert board.pending == ((), ())


@pytest.mark.anyio
@pytest.mark.golden("gonk_meta_tools/load_always_tool")
async def test_loading_what_is_always_listed_says_so_and_pins_nothing() -> None:
    board = await board_of(make("alpha", always=True))
    result = await called(board, "load_tool", {"name": "alpha"})
    assert "always listed" in result.structured["note"]
    assert board.pending == ((), ())


# --- pins


@pytest.mark.anyio
@pytest.mark.golden("gonk_pins/unpin_tombstoned_stays_tombstoned")
async def test_a_tombstone_cannot_be_queued_for_removal_again() -> None:
    board = await board_of(make("a"))
    board.pin("a")
    await board.commit()
    board.unpin("a")
    removed = await board.commit()
    assert (removed.tombstoned, removed.unchanged) == (("a",), ())
    board.unpin("a")
    assert board.pending == ((), ())
    again = await board.commit()
    assert (again.added, again.tombstoned, again.unchanged) == ((), (), ())


class Stored(MemoryPinStore):
    """A store with a record already in it; it can be slow to load and fail to save."""

    def __init__(self, *names: str) -> None:
        super().__init__()
        slots = tuple(Slot(name=name, state=PinState.ACTIVE, shown={"name": name}, digest="") for name in names)
        self._records["b"] = PinRecord(generation=1, slots=slots)
        self.fails = False

    async def load(self, board_id: str) -> PinRecord | None:
        await asyncio.sleep(0.05)
        return await super().load(board_id)

    async def save(self, board_id: str, record: PinRecord) -> bool:
        if self.fails:
            raise StoreError("save failed")
        return await super().save(board_id, record)


async def stored_board(store: Stored, *tools: Tool) -> Board:
    return await Pegboard([registry_of(*tools)], store=store, profiles={"bare": ()}).open(board_id="b", profile="bare")


@pytest.mark.anyio
@pytest.mark.golden("gonk_pins/store_initial_unknown_names_kept")
async def test_a_loaded_name_that_no_registry_knows_becomes_a_tombstone() -> None:
    board = await stored_board(Stored("gone", "a"), make("a"))
    assert [held.name for held in board.active_set()] == ["a"]
    diff = await board.commit()
    assert (diff.tombstoned, diff.unchanged) == (("gone",), ("a",))
    assert board.pin_state("gone") is PinState.GONE
    await board.compact()
    assert board.pin_state("gone") is PinState.ABSENT


@pytest.mark.anyio
@pytest.mark.golden("gonk_pins/store_initial_duplicates")
async def test_a_name_that_was_stored_twice_is_shown_once() -> None:
    board = await stored_board(Stored("a", "a"), make("a"))
    assert [held.name for held in board.active_set()] == ["a"]
    await board.commit()
    assert list(board.listing().names) == ["a"]


@pytest.mark.anyio
@pytest.mark.golden("gonk_pins/store_async_load_overwrites_earlier_commit")
async def test_a_slow_store_loses_nothing_because_a_board_opens_with_its_pins() -> None:
    store = Stored("b")
    board = await stored_board(store, make("a"), make("b"))
    board.pin("a")
    await board.commit()
    record = await store.load("b")
    assert record is not None
    assert [slot.name for slot in record.slots] == ["b", "a"]


@pytest.mark.anyio
@pytest.mark.golden("gonk_pins/store_save_fails")
async def test_a_save_that_fails_applies_nothing_and_keeps_what_was_queued() -> None:
    store = Stored()
    board = await stored_board(store, make("a"))
    store.fails = True
    board.pin("a")
    with pytest.raises(StoreError):
        await board.commit()
    assert (board.active_set(), board.pending) == ((), (("a",), ()))
    store.fails = False
    assert (await board.commit()).added == ("a",)
