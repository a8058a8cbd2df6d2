"""Matches within a token budget: what gives first, and what never does."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.budget import within_budget
from pegboard.detail import Detail, describe
from pegboard.search import Ranked
from pegboard.tokens import count_tokens
from tests.support import make

SCHEMA = {"type": "object", "properties": {f"parameter_{n}": {"type": "string"} for n in range(8)}}
MATCHES = [
    Ranked(make(f"tool_{n}", f"Do the thing numbered {n}. It takes its time.", input_schema=SCHEMA), 9.0 - n, "name")
    for n in range(6)
]


def cost(items: object) -> int:
    return count_tokens(json.dumps(items, separators=(",", ":")))


@pytest.mark.parametrize("wanted", list(Detail))
def test_where_there_is_room_all_is_told_as_wanted(wanted: Detail) -> None:
    told = within_budget(MATCHES, wanted, 100_000)
    expected = [describe(one.entry, wanted) | {"score": one.score, "reason": "name"} for one in MATCHES]
    assert list(told.items) == expected
    assert told.notes == ()


def test_detail_falls_before_matches_are_dropped_and_the_best_keeps_it_longest() -> None:
    told = within_budget(MATCHES, Detail.FULL, 500)
    assert len(told.items) == len(MATCHES)
    richness = [2 * ("inputSchema" in item) + ("parameters" in item) for item in told.items]
    assert richness[0] == 2
    assert richness[-1] == 0
    lowered = sum(rich < 2 for rich in richness)
    assert told.notes == (f"{lowered} of 6 in less detail to fit 500 tokens; get_tool tells the rest",)


def test_the_last_are_dropped_where_even_brief_is_too_much_and_the_first_never() -> None:
    told = within_budget(MATCHES, Detail.BRIEF, 100)
    assert [item["name"] for item in told.items] == [f"tool_{n}" for n in range(len(told.items))]
    assert told.notes == (f"{6 - len(told.items)} more left out to fit 100 tokens; ask more narrowly",)
    assert len(within_budget(MATCHES, Detail.BRIEF, 1).items) == 1


@given(st.integers(60, 3_000), st.sampled_from(Detail))
def test_what_is_told_stays_within_the_budget(budget: int, wanted: Detail) -> None:
    told = within_budget(MATCHES, wanted, budget)
    assert len(told.items) == 1 or sum(map(cost, told.items)) <= budget
