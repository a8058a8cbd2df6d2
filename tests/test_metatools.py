"""The meta-tools, as a model calls them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from pegboard import Limits, Pegboard, ToolRegistry, ToolResult
from pegboard.board import Board
from pegboard.metatools import META_TOOLS
from pegboard.profiles import PROFILES
from pegboard.skill_tools import SKILL_TOOLS
from pegboard.tools import Approval
from tests.support import ALICE, Rules, make, registry_of

pytestmark = pytest.mark.anyio

CITY = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "Name of the city."}},
    "required": ["city"],
}
WEATHER = make(
    "weather__now",
    "Current weather of a city. Temperatures in Celsius.",
    bare_name="now",
    source="weather",
    input_schema=CITY,
)
REFUND = make("refund_order", "Refund an order.", category="shop", tags=("money",), approval=Approval.WRITE)
CLOCK = make("clock", "Tell the time.", always=True)


def shop() -> ToolRegistry:
    return registry_of(WEATHER, REFUND, CLOCK)


async def ask(board: Board, meta: str, /, **arguments: Any) -> dict[str, Any]:
    result = await board.call(meta, arguments)
    assert isinstance(result, ToolResult)
    assert json.loads(result.text) == result.structured or result.is_error
    return dict(result.structured)


async def fails(board: Board, meta: str, /, **arguments: Any) -> dict[str, Any]:
    result = await board.call(meta, arguments)
    assert isinstance(result, ToolResult)
    assert result.is_error
    return dict(result.structured["error"])


async def opened(*registries: ToolRegistry, **wiring: Any) -> Board:
    return await Pegboard(registries or [shop()], **wiring).open()


def test_profiles_hold_meta_tools_that_exist() -> None:
    for names in PROFILES.values():
        assert set(names) <= {*META_TOOLS, *SKILL_TOOLS}


async def test_a_need_in_plain_words_finds_the_tool_with_its_parameters() -> None:
    found = await ask(await opened(), "find_tools", query="how hot is it in the city")
    best = found["tools"][0]
    assert best["name"] == "weather__now"
    assert best["kind"] == "tool"
    assert [(p["name"], p["type"], p["required"]) for p in best["parameters"]] == [("city", "string", True)]
    assert found["total"] >= 1


async def test_detail_says_how_much_is_told() -> None:
    board = await opened()
    brief = (await ask(board, "find_tools", query="weather", detail="brief"))["tools"][0]
    full = (await ask(board, "find_tools", query="weather", detail="full"))["tools"][0]
    assert brief["description"] == "Current weather of a city."
    assert "parameters" not in brief
    assert full["inputSchema"] == CITY


async def test_nothing_that_fits_is_said_with_the_words_that_matched_nothing() -> None:
    found = await ask(await opened(), "find_tools", query="zeppelin booking")
    assert found["no_match"] is True
    assert set(found["unmatched_terms"]) == {"zeppelin", "booking"}
    assert found["tools"] == []


@pytest.mark.parametrize("limit", [0, -1, 2.5, "3", True])
async def test_an_odd_limit_is_refused_by_name(limit: object) -> None:
    error = await fails(await opened(), "find_tools", query="weather", limit=limit)
    assert "limit" in error["message"]


async def test_no_limit_is_the_default_and_a_huge_one_is_capped_and_said() -> None:
    many = registry_of(*(make(f"tool_{number}", "The same text.") for number in range(150)))
    board = await opened(many, limits=Limits(find_tokens=100_000))
    assert len((await ask(board, "find_tools", query="text", limit=None))["tools"]) == 20
    capped = await ask(board, "find_tools", query="text", limit=10**9)
    assert len(capped["tools"]) == 100
    assert capped["total"] == 150
    assert "capped at 100" in str(capped["notes"])


async def test_a_query_that_somebody_pasted_is_cut_between_words_and_said() -> None:
    board = await opened(limits=Limits(query_chars=40))
    pasted = "the weather " + "word " * 5 + "refund refund " * 100_000
    found = await ask(board, "find_tools", query=pasted)
    assert [tool["name"] for tool in found["tools"]] == ["weather__now"]
    assert found["notes"] == [f"only the first 36 of the query's {len(pasted)} characters were searched for"]
    assert "notes" not in await ask(board, "find_tools", query=" " * 100 + "weather" + " " * 100)
    unbroken = await ask(board, "find_tools", query="x" * 1_000_000)
    assert unbroken["unmatched_terms"] == ["x" * 40]


async def test_detail_falls_before_results_are_dropped_and_the_answer_says_so() -> None:
    many = registry_of(*(make(f"tool_{n}", "Same text. " + "More words on it. " * 20) for n in range(20)))
    found = await ask(await opened(many, limits=Limits(find_tokens=1_200)), "find_tools", query="same text")
    assert len(found["tools"]) == 20
    assert "parameters" in found["tools"][0]
    assert "parameters" not in found["tools"][-1]
    assert "less detail" in str(found["notes"])
    narrow = await ask(await opened(many, limits=Limits(find_tokens=200)), "find_tools", query="same text")
    assert 1 <= len(narrow["tools"]) < 20
    assert "left out" in str(narrow["notes"])


async def test_a_blank_query_lists_everything_page_by_page() -> None:
    many = registry_of(*(make(f"tool_{number:03}") for number in range(120)))
    board = await opened(many)
    seen: list[str] = []
    cursor: dict[str, str] = {}
    for _ in range(3):
        listed = await ask(board, "find_tools", query=" \t", **cursor)
        seen += [tool["name"] for tool in listed["tools"]]
        assert listed["total"] == 120
        cursor = {"cursor": listed["cursor"]} if "cursor" in listed else {}
    assert seen == [f"tool_{number:03}" for number in range(120)]
    assert cursor == {}


async def test_list_tools_filters_by_category_tag_and_visibility() -> None:
    board = await opened()

    async def listed(**filters: str) -> list[str]:
        return [tool["name"] for tool in (await ask(board, "list_tools", **filters))["tools"]]

    assert await listed() == ["clock", "refund_order", "weather__now"]
    assert await listed(category="shop") == ["refund_order"]
    assert await listed(tag="money") == ["refund_order"]
    assert await listed(visibility="always") == ["clock"]
    assert await listed(category="nothing") == []


async def test_a_cursor_that_was_not_given_out_is_refused() -> None:
    board = await opened()
    for name, arguments in (("list_tools", {}), ("find_tools", {"query": ""})):
        assert f"for {name}: cursor" in (await fails(board, name, cursor="!!", **arguments))["message"]


async def test_get_tool_tells_schema_and_metadata() -> None:
    tool = (await ask(await opened(), "get_tool", name="refund_order"))["tool"]
    assert tool["inputSchema"] == {"type": "object", "properties": {}}
    assert (tool["category"], tool["tags"], tool["visibility"]) == ("shop", ["money"], "on-demand")


async def test_explain_tool_tells_approval_and_cost() -> None:
    tool = (await ask(await opened(), "explain_tool", name="refund_order"))["tool"]
    assert tool["approval"] == "write"
    assert tool["definitionTokens"] > 10


@pytest.mark.parametrize("name", ["get_tool", "load_tool", "unload_tool", "explain_tool", "call_tool"])
async def test_a_missing_tool_is_not_found(name: str) -> None:
    assert (await fails(await opened(), name, name="nowhere"))["code"] == "not_found"


async def test_loading_queues_until_the_boundary_and_unloading_likewise() -> None:
    board = await opened()
    assert (await ask(board, "load_tool", name="refund_order"))["queued"] == "refund_order"
    assert "refund_order" not in board.listing().names
    await board.commit()
    assert "refund_order" in board.listing().names
    assert (await ask(board, "load_tool", name="refund_order"))["loaded"] == "refund_order"
    assert (await ask(board, "unload_tool", name="refund_order"))["queued"] == "refund_order"
    await board.commit()
    assert [tool.name for tool in board.active_set()][-1] != "refund_order"
    assert "refund_order" in board.listing().names


async def test_what_needs_no_loading_or_was_not_loaded_is_said() -> None:
    board = await opened()
    assert "always" in (await ask(board, "load_tool", name="clock"))["note"]
    assert "always" in (await ask(board, "unload_tool", name="clock"))["note"]
    assert "not loaded" in (await ask(board, "unload_tool", name="refund_order"))["note"]
    assert board.pending == ((), ())


async def test_call_tool_calls_any_tool_and_checks_strictly() -> None:
    board = await opened()
    for arguments in ({"arguments": {"city": "Rome"}}, {"arguments": '{"city": "Rome"}'}, {"city": "Rome"}):
        assert await ask(board, "call_tool", name="weather__now", **arguments) == {"city": "Rome"}
    error = await fails(board, "call_tool", name="weather__now", arguments={"city": 5})
    assert error["code"] == "invalid_arguments"
    assert "city" in error["message"]


async def test_call_tool_does_not_reach_meta_tools() -> None:
    board = await opened()
    assert (await fails(board, "call_tool", name="call_tool", arguments={"name": "clock"}))["code"] == "not_found"


@pytest.mark.parametrize("name", ["get_tool", "load_tool", "unload_tool", "explain_tool", "call_tool"])
async def test_a_meta_tool_is_to_be_called_directly(name: str) -> None:
    board = await opened()
    error = await fails(board, name, name="find_tools")
    assert (error["message"], error["hint"]) == ("'find_tools' is a meta-tool.", "Call it directly, by its own name.")
    assert board.pending == ((), ())


async def test_a_meta_tool_that_the_board_does_not_have_is_not_to_be_called() -> None:
    board = await Pegboard([shop()]).open(profile="modern")
    assert (await fails(board, "get_tool", name="load_tool"))["message"] == "No tool is named 'load_tool'."


async def test_tool_search_pins_the_best_and_may_be_repeated() -> None:
    many = registry_of(*(make(f"tool_{number}", "The same text.") for number in range(9)), make("other", "Else."))
    board = await opened(many)
    first = await ask(board, "tool_search", query="same text")
    again = await ask(board, "tool_search", query="same text")
    assert first == again
    assert len(first["loaded"]) == 5
    assert (await board.commit()).added == tuple(tool["name"] for tool in first["loaded"])
    assert (await ask(board, "tool_search", query=" "))["loaded"] == []


HIDDEN = make("secret_wipe", "Wipe the disk. Weather.", category="hidden", tags=("hidden",))

QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("list_tools", {}),
    ("list_tools", {"category": "hidden"}),
    ("find_tools", {"query": ""}),
    ("find_tools", {"query": "weather"}),
    ("find_tools", {"query": "wipe the disk"}),
    ("find_tools", {"query": "secret_wipe"}),
    ("tool_search", {"query": "wipe disk weather"}),
    *(
        (name, {"name": "secret_wipe"})
        for name in ("get_tool", "load_tool", "unload_tool", "explain_tool", "call_tool")
    ),
]


@pytest.mark.parametrize(("name", "arguments"), QUESTIONS)
async def test_a_hidden_tool_answers_like_one_that_does_not_exist(name: str, arguments: dict[str, Any]) -> None:
    with_it = await Pegboard([registry_of(WEATHER, HIDDEN, REFUND, CLOCK)], policy=Rules(hidden=[HIDDEN.name])).open(
        ALICE
    )
    without = await Pegboard([shop()], policy=Rules()).open(ALICE)
    answers = []
    for board in (with_it, without):
        result = await board.call(name, arguments)
        assert isinstance(result, ToolResult)
        answers.append(json.dumps(result.to_wire()))
    assert answers[0] == answers[1]
    assert with_it.pending == without.pending


async def test_the_third_fruitless_search_in_a_row_says_to_stop() -> None:
    board = await opened()
    hints = [(await ask(board, "find_tools", query=query))["hint"] for query in ("zeppelin", "airship", "dirigible")]
    assert "Try other words" in hints[0]
    assert hints[0] == hints[1]
    assert hints[2].startswith("Nothing fits, in 3 searches in a row. Stop searching")


async def test_a_search_that_finds_something_and_new_tools_begin_the_count_anew() -> None:
    tools = registry_of(make("weather", "Weather of a city"))
    board = await opened(tools)
    asked = ("zeppelin", "airship", "weather", "zeppelin", "airship")
    answers = [await ask(board, "find_tools", query=query) for query in asked]
    assert "Try other words" in answers[-1]["hint"]
    tools.register(make("clock", "Time of a city"))
    assert "Try other words" in (await ask(board, "find_tools", query="zeppelin"))["hint"]
    await ask(board, "find_tools", query="")
    await ask(board, "find_tools", query="airship")
    assert "3 searches in a row" in (await ask(board, "tool_search", query="dirigible"))["hint"]


async def test_an_answer_below_the_least_confidence_is_that_nothing_fits() -> None:
    tools = [make(f"get_{chr(97 + n) * 4}", f"Get {chr(97 + n) * 4} by its number") for n in range(12)]
    found = await ask(await opened(registry_of(*tools)), "find_tools", query="get flights from Oslo to Rome")
    assert found["no_match"] is True
    assert found["unmatched_terms"] == ["flights", "Oslo", "Rome"]
    assert found["tools"] == []
    all_told = await opened(registry_of(*tools), limits=Limits(no_match_below=0))
    shown = await ask(all_told, "find_tools", query="get flights from Oslo to Rome")
    assert len(shown["tools"]) == 12
    assert shown["confidence"] == found["confidence"]


async def test_a_policy_that_fails_hides_everything() -> None:
    class Waiting(Rules):
        async def permitted(self, *_: Any) -> Any:
            raise asyncio.CancelledError  # what it waited for was cancelled, not the call

    broken = Rules()
    broken.broken = True
    for policy in (broken, Waiting()):
        board = await Pegboard([shop()], policy=policy).open(ALICE)
        assert (await ask(board, "list_tools"))["tools"] == []
        assert (await ask(board, "find_tools", query="weather"))["no_match"] is True
