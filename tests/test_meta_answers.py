"""The whole answer of every meta-tool, for a shop of four tools: what a model reads, word for word."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pegboard import Action, Limits, Pegboard, Principal, ToolResult
from pegboard.board import Board
from pegboard.search import LexicalRanker, Ranked
from pegboard.search.confidence import WHOLE
from pegboard.sources.python_file import PythonFile
from pegboard.tools import Approval, Entry
from tests.support import ALICE, Rules, make, registry_of

pytestmark = pytest.mark.anyio

CITY = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "Name of the city."}},
    "required": ["city"],
}
NOTHING = {"type": "object", "properties": {}}
WEATHER = make("weather__now", "Weather of a city. In °C.", bare_name="now", source="weather", input_schema=CITY)
REFUND = make("refund_order", "Refund an order.", category="shop", tags=("money",), approval=Approval.WRITE)
CLOCK = make("clock", "Tell the time.", always=True)
# On demand elsewhere, always visible to whoever asks in these tests.
BELL = make("bell", "Ring at the desk.", hints={"python": {"visibility": "always"}}, latency="slow")
SHOP = (WEATHER, REFUND, CLOCK, BELL)

LISTED: dict[str, dict[str, Any]] = {
    "bell": {"name": "bell", "kind": "tool", "description": "Ring at the desk.", "visibility": "always"},
    "clock": {"name": "clock", "kind": "tool", "description": "Tell the time.", "visibility": "always"},
    "refund_order": {
        "name": "refund_order",
        "kind": "tool",
        "description": "Refund an order.",
        "visibility": "on-demand",
        "category": "shop",
        "tags": ["money"],
    },
    "weather__now": {
        "name": "weather__now",
        "kind": "tool",
        "description": "Weather of a city.",
        "visibility": "on-demand",
    },
}
BRIEF = {name: {key: listed[key] for key in ("name", "kind", "description")} for name, listed in LISTED.items()}
NO_MATCH = {
    "hint": "Nothing fits. Try other words for what you need, such as a tool's description would have, or go on "
    "without a tool."
}
CAPPED = ["limit 1000 was capped at 100"]


@pytest.fixture(params=[None, ALICE], ids=["trusted", "principal"])
def who(request: pytest.FixtureRequest) -> Principal | None:
    """Nobody in particular, or a principal who may see and call everything."""
    return request.param  # type: ignore[no-any-return]


async def opened(who: Principal | None = None, *tools: Any, **wiring: Any) -> Board:
    wiring = {"policy": Rules(), **wiring}
    return await Pegboard([registry_of(*(tools or SHOP))], **wiring).open(who)


async def ask(board: Board, meta: str, /, **arguments: Any) -> Any:
    """The answer as JSON, in the order in which a model reads it."""
    result = await board.call(meta, arguments)
    assert isinstance(result, ToolResult)
    assert not result.is_error
    assert result.text == json.dumps(result.structured, ensure_ascii=False, separators=(",", ":"))
    return result.structured


async def error(board: Board, meta: str, /, **arguments: Any) -> Any:
    """The answer of a call that fails."""
    result = await board.call(meta, arguments)
    assert isinstance(result, ToolResult)
    assert result.is_error
    return result.structured["error"]


def missing(name: str) -> dict[str, str]:
    return {"code": "not_found", "message": f"No tool is named {name!r}.", "hint": "Search with find_tools."}


async def test_answers_are_short_and_plain_text_in_any_script() -> None:
    board = await opened(None, make("greet", "Grüße, 你好."))
    result = await board.call("list_tools")
    assert isinstance(result, ToolResult)
    assert result.text == (
        '{"tools":[{"name":"greet","kind":"tool","description":"Grüße, 你好.","visibility":"on-demand"}],"total":1}'
    )


# --- list_tools


async def test_list_tools_tells_every_tool_by_name_page_by_page(who: Principal | None) -> None:
    board = await opened(who, limits=Limits(page=3))
    first = await ask(board, "list_tools")
    assert first == {"tools": [LISTED[n] for n in ("bell", "clock", "refund_order")], "total": 4} | {
        "cursor": first["cursor"]
    }
    assert await ask(board, "list_tools", cursor=first["cursor"]) == {"tools": [LISTED["weather__now"]], "total": 4}


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({"category": "shop"}, ["refund_order"]),
        ({"tag": "money"}, ["refund_order"]),
        ({"visibility": "always"}, ["bell", "clock"]),
        ({"visibility": "on-demand"}, ["refund_order", "weather__now"]),
        ({"visibility": "always", "tag": "money"}, []),
        ({"category": None, "tag": None, "visibility": None, "cursor": None}, list(LISTED)),
    ],
)
async def test_list_tools_counts_what_fits_all_filters(
    who: Principal | None, filters: dict[str, Any], names: list[str]
) -> None:
    listed = await ask(await opened(who), "list_tools", **filters)
    assert listed == {"tools": [LISTED[name] for name in names], "total": len(names)}


# --- find_tools


@pytest.mark.parametrize(
    ("detail", "told"),
    [
        (
            None,
            {
                "description": "Weather of a city. In °C.",
                "parameters": [
                    {"name": "city", "type": "string", "required": True, "description": "Name of the city."}
                ],
            },
        ),
        ("brief", {"description": "Weather of a city."}),
        ("full", {"description": "Weather of a city. In °C.", "inputSchema": CITY}),
    ],
)
async def test_find_tools_tells_as_much_as_is_asked_for(
    who: Principal | None, detail: str | None, told: dict[str, Any]
) -> None:
    found = await ask(await opened(who), "find_tools", query="weather", detail=detail)
    score = found["tools"][0]["score"]
    ranked = {"score": score, "reason": "matched: description, source"}
    shown = {"name": "weather__now", "kind": "tool"} | told | ranked
    assert found == {"tools": [shown], "total": 1, "confidence": found["confidence"]}
    assert found["confidence"] >= WHOLE
    assert score > 0


async def test_find_tools_says_what_matched_nothing_and_how_to_go_on(who: Principal | None) -> None:
    found = await ask(await opened(who), "find_tools", query="zeppelin booking")
    told = {"unmatched_terms": ["zeppelin", "booking"], "categories": ["shop"], "confidence": 0.0}
    assert found == {"tools": [], "total": 0, "no_match": True} | told | NO_MATCH


async def test_find_tools_lists_everything_for_a_blank_query(who: Principal | None) -> None:
    board = await opened(who, limits=Limits(page=3))
    assert await ask(board, "find_tools", query=" \t") == await ask(board, "list_tools")


async def test_find_tools_says_with_every_answer_what_it_changed_of_the_request(who: Principal | None) -> None:
    board = await opened(who)
    for query in ("weather", "zeppelin", ""):
        plain = await ask(board, "find_tools", query=query)
        assert await ask(board, "find_tools", query=query, limit=1000) == plain | {"notes": CAPPED}
        assert "notes" not in plain


# --- get_tool and explain_tool


async def test_get_tool_tells_schema_and_metadata(who: Principal | None) -> None:
    board = await opened(who)
    bell = {"name": "bell", "kind": "tool", "description": "Ring at the desk.", "inputSchema": NOTHING}
    assert await ask(board, "get_tool", name="bell") == {"tool": bell | {"visibility": "always", "source": "python"}}
    refund = {
        "name": "refund_order",
        "kind": "tool",
        "description": "Refund an order.",
        "inputSchema": NOTHING,
        "visibility": "on-demand",
        "source": "python",
        "category": "shop",
        "tags": ["money"],
    }
    assert await ask(board, "get_tool", name="refund_order") == {"tool": refund}


async def test_explain_tool_tells_the_same_and_approval_latency_hints_and_cost(who: Principal | None) -> None:
    board = await opened(who)
    for name, more in (
        ("bell", {"latency": "slow", "hints": {"python": {"visibility": "always"}}}),
        ("refund_order", {"approval": "write"}),
        ("weather__now", {}),
    ):
        told = (await ask(board, "get_tool", name=name))["tool"]
        explained = (await ask(board, "explain_tool", name=name))["tool"]
        assert explained == told | more | {"definitionTokens": explained["definitionTokens"]}
        assert explained["definitionTokens"] > 10


# --- load_tool and unload_tool


async def test_loading_and_unloading_say_what_will_be_and_what_was(who: Principal | None) -> None:
    board = await opened(who)
    queued = {"queued": "refund_order", "note": "It is listed from the next turn on, under this name."}
    leaving = {
        "queued": "refund_order",
        "note": "It stays listed for now; from the next turn on, calls to it are refused.",
    }
    for _ in range(2):
        assert await ask(board, "load_tool", name="refund_order") == queued
    await board.commit()
    already = {"loaded": "refund_order", "note": "It was loaded already: call it by its name."}
    assert await ask(board, "load_tool", name="refund_order") == already
    for _ in range(2):
        assert await ask(board, "unload_tool", name="refund_order") == leaving
    await board.commit()
    assert await ask(board, "unload_tool", name="refund_order") == {"queued": None, "note": "It was not loaded."}
    assert await ask(board, "load_tool", name="refund_order") == queued


async def test_a_load_that_is_taken_back_says_that_nothing_was_ever_listed(who: Principal | None) -> None:
    board = await opened(who)
    await ask(board, "load_tool", name="refund_order")
    taken_back = {"queued": "refund_order", "note": "It was queued to be loaded and is so no longer."}
    assert await ask(board, "unload_tool", name="refund_order") == taken_back
    assert board.pending == ((), ())
    assert await ask(board, "unload_tool", name="refund_order") == {"queued": None, "note": "It was not loaded."}


async def test_an_unload_that_is_taken_back_says_that_the_tool_stays(who: Principal | None) -> None:
    board = await opened(who)
    board.pin("refund_order")
    await board.commit()
    await ask(board, "unload_tool", name="refund_order")
    stays = {"loaded": "refund_order", "note": "It stays loaded: call it by its name."}
    assert await ask(board, "load_tool", name="refund_order") == stays
    assert board.pending == ((), ())


@pytest.mark.parametrize("name", ["clock", "bell"])
async def test_what_is_always_listed_is_neither_loaded_nor_unloaded(who: Principal | None, name: str) -> None:
    board = await opened(who)
    loaded = {"loaded": name, "note": "It is always listed: call it by its name."}
    assert await ask(board, "load_tool", name=name) == loaded
    kept = {"queued": None, "note": "It is always listed and cannot be unloaded."}
    assert await ask(board, "unload_tool", name=name) == kept
    assert board.pending == ((), ())


async def test_a_pin_whose_tool_is_gone_can_be_unloaded_until_the_tool_is_back_and_hidden() -> None:
    registry, rules = registry_of(*SHOP), Rules()
    board = await Pegboard([registry], policy=rules).open(ALICE)
    board.pin("refund_order")
    await board.commit()
    registry.unregister("refund_order")
    await board.commit()
    assert (await ask(board, "unload_tool", name="refund_order"))["queued"] == "refund_order"
    board.pin("refund_order")
    rules.hidden = {"refund_order"}
    registry.register(REFUND)
    assert await error(board, "unload_tool", name="refund_order") == missing("refund_order")


# --- call_tool


async def test_call_tool_gives_what_the_tool_gives(who: Principal | None) -> None:
    result = await (await opened(who)).call("call_tool", {"name": "weather__now", "arguments": {"city": "Rome"}})
    direct = await (await opened(who)).call("weather__now", {"city": "Rome"})
    assert result == direct
    assert isinstance(result, ToolResult)
    assert result.structured == {"city": "Rome"}


async def test_a_parameter_that_is_itself_called_arguments_is_not_unwrapped() -> None:
    nested = {"type": "object", "properties": {"arguments": {"type": "object"}}, "additionalProperties": False}
    board = await opened(None, make("run", input_schema=nested), make("plain", input_schema=CITY))
    assert await _called(board, "run", {"arguments": {"x": 1}}) == {"arguments": {"x": 1}}
    assert await _called(board, "plain", {"arguments": {"city": "Rome"}}) == {"city": "Rome"}


async def _called(board: Board, name: str, arguments: dict[str, Any]) -> Any:
    result = await board.call("call_tool", {"name": name, "arguments": arguments})
    assert isinstance(result, ToolResult)
    return result.structured


# --- tool_search


async def test_tool_search_tells_what_it_loads(who: Principal | None) -> None:
    board = await opened(who)
    found = await ask(board, "tool_search", query="order weather")
    assert found == {
        "loaded": [BRIEF["weather__now"], BRIEF["refund_order"]],  # the source that is named comes first
        "note": "These are listed from the next turn on, under these names.",
    }
    assert board.pending == (("weather__now", "refund_order"), ())


async def test_tool_search_names_what_fits_and_is_always_listed(who: Principal | None) -> None:
    board = await opened(who)
    assert await ask(board, "tool_search", query="desk") == {
        "loaded": [],
        "always_listed": ["bell"],
        "note": "What fits is always listed, under these names.",
    }
    assert await ask(board, "tool_search", query="desk weather") == {
        "loaded": [BRIEF["weather__now"]],
        "always_listed": ["bell"],
        "note": "These are listed from the next turn on, under these names.",
    }


async def test_what_is_always_listed_takes_no_place_from_what_tool_search_loads() -> None:
    board = await opened(
        None,
        *(make(f"a_{number}", "The same text.", always=True) for number in range(10, 40)),
        *(make(f"b_{number}", "The same text.") for number in range(5)),
        limits=Limits(load_best=2),
    )
    found = await ask(board, "tool_search", query="same text")
    assert [tool["name"] for tool in found["loaded"]] == ["b_0", "b_1"]
    assert found["always_listed"] == ["a_10", "a_11"]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("zeppelin booking", {"unmatched_terms": ["zeppelin", "booking"], "categories": ["shop"], "confidence": 0.0}),
        (" \n", {}),
    ],
)
async def test_tool_search_that_finds_nothing_says_so(who: Principal | None, query: str, told: dict[str, Any]) -> None:
    board = await opened(who)
    found = await ask(board, "tool_search", query=query)
    assert found == {"loaded": [], "tools": [], "total": 0, "no_match": True} | told | NO_MATCH
    assert board.pending == ((), ())


async def test_a_tool_that_is_hidden_while_a_search_runs_is_not_loaded() -> None:
    class Closing(Rules):
        """Lets everything be seen at the first look that is asked for, the shop's tools hidden from the next on."""

        async def permitted(self, principal: Principal, action: Action, entries: Sequence[Entry]) -> Sequence[bool]:
            mask = await super().permitted(principal, action, entries)
            self.hidden = {"refund_order"}
            return mask

    rules = Closing()
    board = await opened(ALICE, policy=rules)
    rules.hidden = set()
    found = await ask(board, "tool_search", query="order")
    assert found == {"loaded": [], "tools": [], "total": 0, "no_match": True} | NO_MATCH
    assert board.pending == ((), ())


# --- sources that are not there, names that are none, arguments that do not fit


@pytest.mark.parametrize(
    ("who", "note"),
    [
        (None, "source 'far' has not been started: its tools were not searched"),
        (ALICE, "1 of the sources are not ready: their tools were not searched"),
    ],
)
async def test_every_answer_about_all_tools_says_which_sources_are_not_there(
    who: Principal | None, note: str, tmp_path: Path
) -> None:
    peg = Pegboard([registry_of(*SHOP)], sources=[PythonFile("far", tmp_path / "tools.py")], policy=Rules())
    board = await peg.open(who)
    for meta, arguments in (
        ("list_tools", {}),
        ("list_tools", {"category": "none"}),
        ("find_tools", {"query": "weather"}),
        ("find_tools", {"query": "zeppelin"}),
        ("find_tools", {"query": ""}),
        ("tool_search", {"query": "weather"}),
        ("tool_search", {"query": "zeppelin"}),
    ):
        assert (await ask(board, meta, **arguments))["notes"] == [note]


@pytest.mark.parametrize("meta", ["get_tool", "explain_tool", "load_tool", "unload_tool", "call_tool"])
async def test_a_name_that_no_tool_has_is_told_back(who: Principal | None, meta: str) -> None:
    board = await opened(who)
    assert await error(board, meta, name="nowhere") == missing("nowhere")
    assert board.pending == ((), ())


@pytest.mark.parametrize(
    ("meta", "arguments", "problem"),
    [
        ("list_tools", {"kind": "x"}, "unknown argument 'kind'; known: 'category', 'tag', 'visibility', 'cursor'"),
        ("find_tools", {}, "query: missing (required)"),
        ("tool_search", {}, "query: missing (required)"),
        ("get_tool", {}, "name: missing (required)"),
        ("load_tool", {}, "name: missing (required)"),
        ("unload_tool", {}, "name: missing (required)"),
        ("explain_tool", {}, "name: missing (required)"),
        ("call_tool", {}, "name: missing (required)"),
        ("find_tools", {"query": "x", "limit": 0}, "limit: wanted a whole number from 1, got 0"),
    ],
)
async def test_arguments_that_do_not_fit_are_named(
    who: Principal | None, meta: str, arguments: dict[str, Any], problem: str
) -> None:
    assert await error(await opened(who), meta, **arguments) == {
        "code": "invalid_arguments",
        "message": f"Invalid arguments for {meta}: {problem}.",
        "problems": [problem],
    }


@pytest.mark.parametrize("asked", ["get_tool", "explain_tool"])
async def test_related_tools_that_are_hidden_are_told_of_like_those_that_are_missing(asked: str) -> None:
    seen = make("seen", related_to=("kin", "hidden", "absent"))
    peg = Pegboard([registry_of(seen, make("kin"), make("hidden"))], policy=Rules(hidden=["hidden"]))
    answered = await (await peg.open(ALICE)).call(asked, {"name": "seen"})
    assert isinstance(answered, ToolResult)
    assert answered.structured["tool"]["relatedTo"] == ["kin"]


class Remembering:
    """A ranker that gives everybody what the first who asked was given."""

    def __init__(self) -> None:
        self._answers: dict[str, list[Ranked]] = {}

    def rank(self, query: str, candidates: Sequence[Entry]) -> list[Ranked]:
        """All candidates, as of the first time."""
        everything = [Ranked(entry, 1.0, "all") for entry in candidates]
        return self._answers.setdefault(query, everything)


class RememberingWords(LexicalRanker):
    """The same, with the default ranker's answers."""

    def __init__(self) -> None:
        self._answers: dict[str, Sequence[Ranked]] = {}

    def rank(self, query: str, candidates: Sequence[Entry]) -> Sequence[Ranked]:
        """The ranking of the first time."""
        return self._answers.setdefault(query, super().rank(query, candidates))


async def test_a_ranker_that_remembers_shows_nobody_what_is_hidden_from_them() -> None:
    peg = Pegboard([registry_of(make("a"), make("b"))], policy=Rules(hidden=["b"]), ranker=Remembering())
    assert len((await (await peg.open()).find("x y")).matches) == 2
    found = await (await peg.open(ALICE)).find("x y")
    assert [match.entry.name for match in found.matches] == ["a"]
    assert found.total == 1


async def test_a_ranker_that_remembers_tells_nobody_of_categories_that_are_hidden_from_them() -> None:
    tools = [make("a", "send mail", category="seen"), make("b", "send mail now", category="secret")]
    limits = Limits(no_match_below=1)
    peg = Pegboard([registry_of(*tools)], policy=Rules(hidden=["b"]), ranker=RememberingWords(), limits=limits)
    assert (await (await peg.open()).find("mail zzz")).categories == ("seen", "secret")
    found = await (await peg.open(ALICE)).find("mail zzz")
    assert found.categories == ("seen",)
    assert [one.entry.name for one in found.nearest] == ["a"]
