"""Questions from receipts: what leads to what."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pegboard.evaluation.harvest import Harvested, harvest


def search(query: str, *found: str, at: float, board: str = "b", **more: Any) -> dict[str, Any]:
    """The receipt of a search that took half a second."""
    told = {"query": query, "found": list(found)}
    return receipt("find_tools", at=at, board=board, source="pegboard", search=told) | more


def receipt(tool: str, *, at: float, board: str | None = "b", **more: Any) -> dict[str, Any]:
    told: dict[str, Any] = {
        "tool": tool,
        "board": board,
        "started": at,
        "seconds": 0.5,
        "outcome": "ok",
        "stack": [],
        "search": None,
    }
    return told | more


def questions(*receipts: dict[str, Any], at_least: int = 1) -> dict[str, tuple[str, ...]]:
    return {one.question: one.relevant for one in harvest(receipts, at_least=at_least).questions}


def test_a_search_is_answered_by_the_tools_that_it_found_and_that_were_called_then() -> None:
    found = harvest(
        [
            search("send a mail", "send", "read", "draft", at=1),
            receipt("send", at=2),
            receipt("draft", at=3, stack=["call_tool"], outcome="halt"),
        ]
    )
    assert found.questions == (Harvested("send a mail", ("draft", "send"), 1),)
    assert (found.searches, found.calls) == (1, 2)


@pytest.mark.parametrize(
    "call",
    [
        receipt("other", at=2),
        receipt("send", at=0.2),
        receipt("send", at=1.2),  # the search had not answered yet
        receipt("send", at=2, board="another"),
        receipt("send", at=2, board=None),
        receipt("send", at=2, outcome="tool_error"),
        receipt("send", at=2, outcome="let_through"),
        receipt("send", at=2, stack=["some_tool"]),
        receipt("send", at=2, stack=["call_tool", "some_tool"]),
    ],
)
def test_what_was_not_called_because_of_the_search_is_no_answer(call: dict[str, Any]) -> None:
    assert questions(search("send a mail", "send", at=1), call) == {}


@pytest.mark.parametrize(
    "change", [{"outcome": "denied"}, {"search": None}, {"search": {"query": " ", "found": ["send"]}}]
)
def test_a_search_that_failed_or_was_not_told_of_has_no_answer(change: dict[str, Any]) -> None:
    assert questions(search("send a mail", "send", at=1) | change, receipt("send", at=2)) == {}


@pytest.mark.parametrize(
    "odd",
    [
        [search("\ud800 mail", "send", at=0)],
        [search("mail", "\ud800", at=0), receipt("\ud800", at=1)],
        [search("mail", "send", at=10**400)],
        [search("mail", "send", at=0, seconds=float("nan")), receipt("send", at=float("nan"))],
        [search("mail", "send", at=0, seconds=float("inf")), receipt("send", at=10**400)],
    ],
)
def test_what_no_file_can_hold_or_no_clock_has_told_is_passed_over(odd: list[dict[str, Any]]) -> None:
    found = harvest([*odd, search("send a mail", "send", at=5), receipt("send", at=6)])
    assert [one.to_line().encode() for one in found.questions] == [
        Harvested("send a mail", ("send",), 1).to_line().encode()
    ]


def test_the_last_search_that_found_the_tool_is_the_one_that_led_to_it() -> None:
    found = questions(
        search("mail", "send", "read", at=1),
        search("write to Bob", "send", at=2),
        receipt("send", at=3),
        receipt("read", at=4),
    )
    assert found == {"mail": ("read",), "write to Bob": ("send",)}


def test_a_question_is_one_however_it_is_spelled_and_wherever_it_was_asked() -> None:
    receipts = [
        search("Send  a mail", "send", at=1, board="x"),
        receipt("send", at=2, board="x"),
        search("send a MAIL", "send", "draft", at=1, board="y"),
        receipt("draft", at=2, board="y"),
    ]
    assert questions(*receipts) == {"Send  a mail": ("draft", "send")}


def test_what_only_few_asked_can_be_left_out() -> None:
    receipts = [
        one
        for board in ("x", "y")
        for one in (
            search("send a mail", "send", "draft", at=1, board=board),
            receipt("send", at=2, board=board),
        )
    ]
    receipts += [receipt("draft", at=3, board="x")]
    receipts += [search("my secret", "send", at=4, board="x"), receipt("send", at=5, board="x")]
    assert questions(*receipts, at_least=2) == {"send a mail": ("send",)}
    assert questions(*receipts, at_least=3) == {}


def test_a_line_has_the_words_and_the_names_and_nothing_else() -> None:
    line = json.loads(Harvested("Grüße senden", ("send",), 3).to_line())
    assert line == {"id": line["id"], "query": "Grüße senden", "relevant": ["send"]}
    assert line["id"] == json.loads(Harvested("grüße  senden", (), 1).to_line())["id"]


NAMES = st.sampled_from(["a", "b", "c"])
RECEIPTS = st.lists(
    st.one_of(
        st.builds(
            lambda query, found, at, board: search(query, *found, at=at, board=board),
            st.sampled_from(["one", "One ", "two"]),
            st.lists(NAMES),
            st.integers(0, 20),
            st.sampled_from("xy"),
        ),
        st.builds(
            lambda tool, at, board: receipt(tool, at=at, board=board), NAMES, st.integers(0, 20), st.sampled_from("xy")
        ),
        st.dictionaries(
            st.sampled_from(["board", "tool", "search", "stack", "started"]), st.none() | st.text() | st.integers()
        ),
    ),
    max_size=15,
)


@settings(max_examples=60)
@given(receipts=RECEIPTS, data=st.data())
def test_the_order_of_the_lines_and_lines_that_come_twice_change_nothing(
    receipts: list[dict[str, Any]], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations([*receipts, *receipts]))
    assert harvest(shuffled).questions == harvest(receipts).questions
