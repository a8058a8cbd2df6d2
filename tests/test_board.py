"""Boards: listings that only boundaries change."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from pegboard import Context, Limits, MemoryPinStore, Pegboard, Principal, ToolRegistry, ToolResult
from pegboard.board import Board
from pegboard.errors import BoardError, CollisionError, InvalidArgumentsError, StoreError
from pegboard.pins import PinRecord, PinState
from tests.support import ALICE, Rules, make, registry_of

pytestmark = pytest.mark.anyio

BOB = Principal(id="bob", issuer="test")
ON_DEMAND = [make(name, f"Tool {name}.") for name in "abc"]
PROFILES = {"bare": ()}


def tools() -> ToolRegistry:
    return registry_of(*ON_DEMAND, make("z", always=True))


async def open_bare(peg: Pegboard, principal: Principal | None = None, **how: Any) -> Board:
    return await peg.open(principal, profile="bare", **how)


def peg_of(*registries: ToolRegistry, **wiring: Any) -> Pegboard:
    return Pegboard(registries or [tools()], profiles=PROFILES, **wiring)


def names(board: Board) -> list[str]:
    return [tool.name for tool in board.active_set()]


async def test_the_listing_shows_what_is_always_visible_then_the_pins_in_pin_order() -> None:
    board = await open_bare(peg_of())
    assert list(board.listing().names) == ["z"]
    board.pin("c")
    board.pin("a")
    assert list(board.listing().names) == ["z"]
    diff = await board.commit()
    assert diff.added == ("c", "a")
    assert list(board.listing().names) == names(board) == ["z", "c", "a"]


async def test_meta_tools_stand_among_the_always_visible_by_name() -> None:
    board = await Pegboard([tools()]).open(profile="session")
    assert names(board) == ["call_tool", "find_tools", "get_tool", "load_tool", "unload_tool", "z"]


async def test_a_registry_change_does_not_touch_the_listing_before_a_boundary() -> None:
    registry = tools()
    board = await open_bare(peg_of(registry))
    board.pin("a")
    await board.commit()
    before = board.listing()
    registry.unregister("a")
    registry.register(make("y", always=True))
    assert board.listing().bytes == before.bytes
    assert board.listing().fingerprint == before.fingerprint
    assert await board.stale()
    assert (await board.commit()).invalidations == ("always-changed",)
    assert list(board.listing().names) == ["y", "z", "a"]
    assert names(board) == ["y", "z"]
    assert not await board.stale()


async def test_a_call_to_a_tombstone_says_how_to_go_on() -> None:
    board = await open_bare(peg_of())
    board.pin("a")
    await board.commit()
    board.unpin("a")
    await board.commit()
    refused = await board.call("a")
    assert isinstance(refused, ToolResult)
    assert refused.is_error
    assert "load" in refused.text.lower()
    assert not (await board.call("b")).is_error  # type: ignore[union-attr]


async def test_a_call_to_a_vanished_pin_says_that_it_is_gone() -> None:
    registry = tools()
    board = await open_bare(peg_of(registry))
    board.pin("a")
    await board.commit()
    registry.unregister("a")
    await board.commit()
    refused = await board.call("a")
    assert isinstance(refused, ToolResult)
    assert "no longer" in refused.text


async def test_call_tool_reaches_a_tombstone() -> None:
    board = await Pegboard([tools()]).open(profile="session")
    board.pin("a")
    await board.commit()
    board.unpin("a")
    await board.commit()
    result = await board.call("call_tool", {"name": "a", "arguments": {"x": 1}})
    assert isinstance(result, ToolResult)
    assert result.structured == {"x": 1}


async def test_a_board_opens_again_as_it_was_at_its_last_boundary() -> None:
    store = MemoryPinStore()
    registry = tools()
    board = await open_bare(peg_of(registry, store=store))
    board.pin("b")
    board.pin("a")
    await board.commit()
    board.unpin("b")
    await board.commit()
    board.pin("c")
    shown = board.listing().bytes
    registry.unregister("a")
    again = await open_bare(peg_of(registry, store=store), board_id=board.id)
    assert again.listing().bytes == shown
    assert again.pending == ((), ())


async def test_a_board_belongs_to_its_principal() -> None:
    peg = peg_of(store=MemoryPinStore())
    board = await open_bare(peg, ALICE)
    await board.commit()
    assert (await open_bare(peg, ALICE, board_id=board.id)).id == board.id
    with pytest.raises(BoardError) as foreign:
        await open_bare(peg, BOB, board_id=board.id)
    with pytest.raises(BoardError) as nobody:
        await open_bare(peg, board_id=board.id)
    with pytest.raises(BoardError) as missing:
        await open_bare(peg, BOB, board_id="x" * len(board.id))
    texts = {str(error.value).replace(board.id, "x" * len(board.id)) for error in (foreign, nobody, missing)}
    assert len(texts) == 1


async def test_board_ids_are_long_and_never_the_same() -> None:
    peg = peg_of()
    ids = {(await open_bare(peg)).id for _ in range(50)}
    assert len(ids) == 50
    assert min(map(len, ids)) >= 22


async def test_a_closed_board_opens_nothing() -> None:
    peg = peg_of()
    board = await open_bare(peg)
    await board.commit()
    await board.close()
    with pytest.raises(BoardError):
        await open_bare(peg, board_id=board.id)


async def test_a_commit_that_lost_a_race_puts_its_queue_on_top() -> None:
    peg = peg_of()
    one = await open_bare(peg)
    await one.commit()
    two = await open_bare(peg, board_id=one.id)
    one.pin("a")
    await one.commit()
    two.pin("b")
    await two.commit()
    assert names(two) == ["z", "a", "b"]


async def test_a_store_that_fails_leaves_queue_and_listing_as_they_were() -> None:
    class Failing(MemoryPinStore):
        async def save(self, board_id: str, record: PinRecord) -> bool:
            raise StoreError("The disk is full.")

    board = await open_bare(peg_of(store=Failing()))
    before = board.listing().bytes
    board.pin("a")
    with pytest.raises(StoreError):
        await board.commit()
    assert board.pending == (("a",), ())
    assert board.listing().bytes == before


async def test_a_commit_that_always_loses_gives_up_with_its_queue_intact() -> None:
    class Losing(MemoryPinStore):
        async def save(self, board_id: str, record: PinRecord) -> bool:
            return False

    board = await open_bare(peg_of(store=Losing()))
    board.pin("a")
    with pytest.raises(StoreError, match="20 times") as raised:
        await board.commit()
    assert raised.value.hint == "Commit again."
    assert board.pending == (("a",), ())


async def test_wishes_made_while_a_commit_saves_are_not_lost() -> None:
    saving, go_on = asyncio.Event(), asyncio.Event()

    class Slow(MemoryPinStore):
        async def save(self, board_id: str, record: PinRecord) -> bool:
            saving.set()
            await go_on.wait()
            return await super().save(board_id, record)

    board = await open_bare(peg_of(store=Slow()))
    board.pin("a")
    commit = asyncio.create_task(board.commit())
    await saving.wait()
    board.pin("b")
    go_on.set()
    await commit
    assert names(board) == ["z", "a"]
    assert board.pending == (("b",), ())


async def test_a_lost_right_hides_at_once_and_is_named_at_the_boundary() -> None:
    rules = Rules()
    board = await open_bare(peg_of(policy=rules), ALICE)
    board.pin("a")
    board.pin("b")
    await board.commit()
    rules.hidden = {"a", "z"}
    await board.view()
    assert list(board.listing().names) == ["b"]
    assert names(board) == ["b"]
    assert "permission" in (await board.commit()).invalidations
    assert list(board.listing().names) == ["b"]


async def test_a_tool_that_may_not_be_discovered_cannot_be_pinned() -> None:
    board = await open_bare(peg_of(policy=Rules(hidden=["a"])), ALICE)
    board.pin("a")
    assert (await board.commit()).added == ()


async def test_only_allowed_tools_are_seen_pinned_and_called() -> None:
    board = await Pegboard([tools()]).open(allowed=["a"])
    assert [tool.name for tool in (await board.view()).tools] == ["a"]
    board.pin("b")
    board.pin("a")
    assert (await board.commit()).added == ("a",)
    refused = await board.call("b")
    assert isinstance(refused, ToolResult)
    assert refused.structured["error"]["code"] == "not_found"


@pytest.mark.parametrize(("allowed", "seen"), [("a", ["a"]), ("ab", []), ("", []), ([], []), ([None, "b"], ["b"])])
async def test_a_text_is_one_allowed_name_and_nothing_allows_nothing(allowed: Any, seen: list[str]) -> None:
    board = await Pegboard([tools()]).open(allowed=allowed)
    assert [tool.name for tool in (await board.view()).tools] == seen


@pytest.mark.golden("insika_allowlist/false_allow")
@pytest.mark.parametrize("allowed", [False, True, 1])
async def test_what_cannot_be_a_list_of_allowed_names_opens_no_board(allowed: Any) -> None:
    with pytest.raises(TypeError, match=f"allowed is {allowed}"):
        await Pegboard([tools()]).open(allowed=allowed)


async def test_a_boundary_compacts_when_tombstones_cost_too_much() -> None:
    board = await open_bare(peg_of(limits=Limits(compact_tokens=1)))
    board.pin("a")
    await board.boundary()
    board.unpin("a")
    await board.boundary()
    assert list(board.listing().names) == ["z", "a"]
    assert "compact" in (await board.boundary()).invalidations
    assert list(board.listing().names) == ["z"]


async def test_a_boundary_is_pending_after_a_meta_tool_that_has_changed_pins() -> None:
    board = await Pegboard([tools()]).open(profile="session")
    await board.call("find_tools", {"query": "a"})
    assert not any(board.pending)
    await board.call("load_tool", {"name": "a"})
    assert board.pending == (("a",), ())
    await board.boundary()
    assert not any(board.pending)


async def test_what_was_said_recommends_what_is_not_active_at_most_so_many() -> None:
    peg = peg_of(registry_of(*(make(name, keywords=("refund",)) for name in "abc")))
    board = await open_bare(peg)
    board.pin("a")
    await board.commit()
    assert [ranked.entry.name for ranked in await board.recommend("I want a refund")] == ["b", "c"]
    assert [ranked.entry.name for ranked in await board.recommend("I want a refund", 1)] == ["b"]
    assert await board.recommend("I want a refund", 0) == []


async def test_a_surface_may_override_visibility() -> None:
    peg = peg_of(registry_of(make("t", hints={"mcp": {"visibility": "always"}})))
    assert names(await open_bare(peg, surface="mcp")) == ["t"]
    assert names(await open_bare(peg)) == []


async def test_two_registries_with_one_name_are_refused_when_wired() -> None:
    with pytest.raises(CollisionError, match="'a'"):
        Pegboard([registry_of(make("a")), registry_of(make("a", source="other"), name="other")])


async def test_two_registries_with_one_name_may_be_told_apart_by_prefix() -> None:
    peg = Pegboard([registry_of(make("a")), registry_of(make("a", source="other"), name="other")], collisions="prefix")
    assert [tool.name for tool in peg.catalog.all()] == ["a", "other__a"]


async def test_the_first_of_two_may_win_silently() -> None:
    peg = Pegboard([registry_of(make("a", "1")), registry_of(make("a", "2", source="x"), name="x")], collisions="first")
    assert [tool.description for tool in peg.catalog.all()] == ["1"]
    assert peg.catalog.problems == ()


async def test_the_names_of_meta_tools_are_reserved() -> None:
    with pytest.raises(CollisionError, match="find_tools"):
        Pegboard([registry_of(make("find_tools"))])


async def test_a_collision_that_arrives_later_is_set_aside_and_reported() -> None:
    late = ToolRegistry("late")
    peg = Pegboard([tools(), late])
    late.replace_source("late", [make("a", source="late"), make("d", source="late")])
    assert peg.catalog.get("d") is not None
    (problem,) = peg.catalog.problems
    assert (problem.source, problem.name) == ("late", "a")
    assert peg.status()["set_aside"] == [{"source": "late", "name": "a", "reason": problem.reason}]


async def test_a_catalog_that_a_turn_holds_never_changes() -> None:
    registry = tools()
    peg = Pegboard([registry])
    held = peg.catalog
    told: list[int] = []
    peg.on_change(lambda: told.append(peg.catalog.generation))
    registry.register(make("d"))
    assert held.get("d") is None
    assert peg.catalog.get("d") is not None
    assert told == [peg.catalog.generation]
    assert peg.catalog.generation > held.generation


async def test_calls_are_noted_the_latest_last_whatever_comes_of_them() -> None:
    registry = tools()
    registry.register(make("strict", input_schema={"type": "object", "required": ["n"]}))
    board = await Pegboard([registry]).open()
    began = time.time()
    assert board.used_since(0) == ()
    await board.call("a")
    await board.call("b")
    await board.call("strict")
    await board.call("call_tool", {"name": "a"})
    assert board.used_since(began) == board.used_since(0) == ("b", "strict", "a")
    assert board.used_since(time.time() + 3600) == ()


async def test_what_is_no_tool_or_called_from_inside_a_call_is_not_noted() -> None:
    async def both(arguments: dict[str, Any], context: Context) -> Any:
        return await context.call("a")

    registry = tools()
    registry.register(make("outer", handler=both))
    board = await Pegboard([registry]).open()
    await board.call("nowhere")
    await board.call("call_tool", {"name": "nowhere"})
    await board.call("find_tools", {"query": "a"})
    await board.call("outer")
    assert board.used_since(0) == ("outer",)
    board.mark_used("a")
    assert board.used_since(0) == ("outer", "a")


async def test_what_is_not_used_can_be_unpinned_before_compacting() -> None:
    board = await open_bare(peg_of())
    for name in "abc":
        board.pin(name)
    await board.commit()
    await board.call("b")
    kept = board.used_since(0)
    for tool in board.active_set():
        if tool.name not in kept:
            board.unpin(tool.name)
    await board.compact()
    assert list(board.listing().names) == ["z", "b"]


async def test_pins_that_are_not_used_go_at_a_compaction_that_asks_for_it() -> None:
    board = await open_bare(peg_of())
    for name in "abc":
        board.pin(name)
    await board.commit()
    board.pin("d")  # a wish for what is not there
    await board.call("b")
    pinned_or_used = time.time() + 1
    assert (await board.compact()).tombstoned == ()
    diff = await board.compact(unused_since=board._last_used._used["b"])
    assert (diff.tombstoned, diff.unchanged, diff.invalidations) == (("a", "c"), ("b",), ("compact",))
    assert list(board.listing().names) == ["z", "b"]
    board.pin("b")
    assert (await board.compact(unused_since=pinned_or_used)).unchanged == ("b",)
    assert (await board.compact(unused_since=pinned_or_used)).tombstoned == ("b",)


async def test_a_pin_counts_as_used_when_it_is_pinned_and_when_its_board_is_opened() -> None:
    peg = peg_of()
    board = await open_bare(peg)
    board.pin("a")
    await board.commit()
    before = time.time() - 60
    assert (await board.compact(unused_since=before)).tombstoned == ()
    again = await open_bare(peg, board_id=board.id)
    assert (await again.compact(unused_since=before)).tombstoned == ()


async def test_a_boundary_that_compacts_drops_unused_pins_only_where_that_is_set() -> None:
    for patience, left in ((None, ["z", "b"]), (1e-9, ["z"])):
        board = await open_bare(peg_of(limits=Limits(compact_tokens=1, compact_unused=patience)))
        board.pin("a")
        board.pin("b")
        await board.commit()
        board.unpin("a")
        await board.commit()
        await board.boundary()
        assert list(board.listing().names) == left


async def test_a_quarantined_pin_does_not_make_every_boundary_compact() -> None:
    registry = tools()
    board = await open_bare(peg_of(registry, limits=Limits(compact_tokens=1), on_drift="quarantine"))
    board.pin("a")
    await board.commit()
    registry.replace_source("python", [make("a", "Changed."), *ON_DEMAND[1:], make("z", always=True)])
    await board.commit()
    assert board.pin_state("a") is PinState.QUARANTINED
    assert board.tombstone_tokens == 0


async def test_a_right_that_is_back_before_the_boundary_brings_the_same_bytes_back() -> None:
    rules = Rules()
    board = await open_bare(peg_of(policy=rules), ALICE)
    board.pin("a")
    board.pin("b")
    await board.commit()
    before = board.listing()
    rules.hidden = {"a", "z"}
    await board.view()
    assert board.listing().items == before.items[2:]
    rules.hidden = set()
    await board.view()
    assert board.listing().bytes == before.bytes
    assert (await board.commit()).invalidations == ()
    assert board.listing().bytes == before.bytes


async def test_a_right_that_is_back_after_the_boundary_does_not_load_anything() -> None:
    rules = Rules()
    board = await open_bare(peg_of(policy=rules), ALICE)
    board.pin("a")
    board.pin("b")
    await board.commit()
    rules.hidden = {"a"}
    diff = await board.commit()
    assert (diff.tombstoned, diff.unchanged, diff.invalidations) == ((), ("b",), ("permission",))
    rules.hidden = set()
    assert (await board.commit()).invalidations == ()
    assert list(board.listing().names) == ["z", "b"]


async def test_an_always_visible_tool_that_was_hidden_is_a_matter_of_permission() -> None:
    rules = Rules()
    board = await open_bare(peg_of(policy=rules), ALICE)
    board.pin("a")
    await board.commit()
    rules.hidden = {"z"}
    assert (await board.commit()).invalidations == ("permission",)
    rules.hidden = set()
    assert (await board.commit()).invalidations == ("always-changed",)
    assert list(board.listing().names) == ["z", "a"]


async def test_of_two_looks_at_once_the_one_that_began_later_counts() -> None:
    rules, asked = Rules(), asyncio.Event()

    class Slow(Rules):
        async def permitted(self, principal: Principal, action: Any, entries: Any) -> Any:
            mask = [entry.name not in rules.hidden for entry in entries]
            if not rules.hidden:
                await asked.wait()
            return mask

    board_of = Slow()
    asked.set()
    board = await open_bare(peg_of(policy=board_of), ALICE)
    board.pin("a")
    await board.commit()
    asked.clear()
    slow = asyncio.create_task(board.view())
    await asyncio.sleep(0)
    rules.hidden = {"a"}
    await board.view()
    assert list(board.listing().names) == ["z"]
    asked.set()
    await slow
    assert list(board.listing().names) == ["z"]


async def test_a_policy_that_fails_puts_the_boundary_off_and_loses_nothing() -> None:
    rules = Rules()
    store = MemoryPinStore()
    board = await open_bare(peg_of(policy=rules, store=store), ALICE)
    board.pin("a")
    await board.commit()
    before = board.listing().bytes
    board.pin("b")
    rules.broken = True
    diff = await board.compact()
    assert (diff.unchanged, diff.invalidations, len(diff.notes)) == (("a",), (), 1)
    assert board.listing().items == ()
    assert board.pending == (("b",), ())
    rules.broken = False
    diff = await board.commit()
    assert (diff.added, diff.invalidations) == (("b",), ())
    assert board.listing().bytes.startswith(before[:-1])


async def test_a_pin_that_becomes_always_visible_is_shown_once() -> None:
    registry = tools()
    board = await open_bare(peg_of(registry))
    board.pin("a")
    board.pin("b")
    await board.commit()
    registry.unregister("a")
    registry.register(make("a", "Tool a.", always=True))
    diff = await board.commit()
    assert (diff.tombstoned, diff.unchanged, diff.invalidations) == ((), ("b",), ("always-changed",))
    assert list(board.listing().names) == names(board) == ["a", "z", "b"]


async def test_always_visible_tools_that_only_come_behind_change_nothing_shown_before() -> None:
    registry = tools()
    board = await open_bare(peg_of(registry))
    await board.commit()
    before = board.listing().bytes
    registry.register(make("zz", always=True))
    assert (await board.commit()).invalidations == ()
    assert board.listing().bytes.startswith(before[:-1])


async def test_a_definition_that_is_only_spelt_in_another_order_keeps_its_bytes() -> None:
    def spelt(*keys: str) -> list[Any]:
        schema = {"type": "object", "properties": {}, "x": 1}
        ordered = {key: schema[key] for key in keys}
        return [make("a", input_schema=ordered), make("z", always=True, input_schema=ordered)]

    registry = registry_of(*spelt("type", "properties", "x"))
    board = await open_bare(peg_of(registry))
    board.pin("a")
    await board.commit()
    before = board.listing().bytes
    registry.replace_source("python", spelt("x", "properties", "type"))
    assert not await board.stale()
    assert (await board.commit()).invalidations == ()
    assert board.listing().bytes == before


async def test_a_board_that_is_opened_again_shows_what_it_showed_until_its_next_boundary() -> None:
    registry = tools()
    peg = peg_of(registry)
    board = await open_bare(peg)
    board.pin("a")
    await board.commit()
    registry.unregister("z")
    registry.register(make("y", always=True))
    again = await open_bare(peg, board_id=board.id)
    assert again.listing().bytes == board.listing().bytes
    assert names(again) == ["a"]
    gone = await again.call("z")
    assert isinstance(gone, ToolResult)
    assert "no longer offered" in gone.text
    assert (await again.commit()).invalidations == ("always-changed",)
    assert names(again) == list(again.listing().names) == ["y", "a"]


async def test_a_board_that_is_opened_for_fewer_tools_shows_fewer_of_what_vanished_too() -> None:
    registry = tools()
    peg = peg_of(registry)
    board = await open_bare(peg)
    for name in "abc":
        board.pin(name)
    await board.commit()
    registry.unregister("b")
    await board.commit()
    again = await open_bare(peg, board_id=board.id, allowed=["a", "z"])
    assert list(again.listing().names) == ["z", "a"]
    refused = await again.call("b")
    assert isinstance(refused, ToolResult)
    assert refused.structured["error"]["code"] == "not_found"


async def test_a_refusal_names_the_tools_of_the_profile_that_lead_on() -> None:
    registry = tools()
    peg = Pegboard([registry], profiles={"terse": ("tool_search", "call_tool")})
    board = await peg.open(profile="terse")
    board.pin("a")
    board.pin("b")
    await board.commit()
    board.unpin("a")
    registry.unregister("b")
    await board.commit()
    for name, told in (
        ("a", "was unloaded. Load it again with tool_search."),
        ("b", "is no longer offered by its source. Search with tool_search."),
        ("nowhere", "No tool is named 'nowhere'. Search with tool_search."),
    ):
        for how in (board.call(name), board.call("call_tool", {"name": name})):
            refused = await how
            assert isinstance(refused, ToolResult)
            assert told in refused.text or (name == "a" and not refused.is_error)


@pytest.mark.parametrize(("query", "kind"), [(None, "NoneType"), (5, "int"), (b"mail", "bytes"), ([], "list")])
async def test_a_search_for_what_is_no_text_is_refused(query: Any, kind: str) -> None:
    board = await open_bare(peg_of())
    with pytest.raises(InvalidArgumentsError, match=f"query: wanted a text, got {kind}"):
        await board.find(query)
