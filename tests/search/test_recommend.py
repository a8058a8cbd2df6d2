from __future__ import annotations

from typing import Any

import pytest

from pegboard.search import recommend
from tests.search.things import Thing, names, rows, thing, vectors


@pytest.mark.parametrize("case", vectors("gonk_recommend"))
def test_recommendations_are_those_of_the_reference(case: dict[str, Any]) -> None:
    context, options = case["input"]["ctx"], case["input"].get("opts") or {}
    entries = [thing(told) for told in case["input"]["tools"]]
    found = recommend(context.get("recentText") or [], entries, context.get("activeTools") or (), **options)
    assert [(one.entry.name, one.score) for one in found] == [
        (one["name"], one["score"]) for one in case["expected"]["returns"]
    ]


TOOLS = [
    Thing("todo", keywords=("todo", "task list"), tags=("plan",)),
    Thing("audio", keywords=("Audio",), tags=("media",)),
    Thing("mail", keywords=("email",), tags=("media", "mail")),
]


def test_keywords_count_two_and_tags_one() -> None:
    assert rows(recommend("Plan my task list, and email", TOOLS, ())) == [
        ("mail", 3.0, "keyword,tag"),
        ("todo", 3.0, "keyword,tag"),
    ]


def test_what_is_active_is_never_recommended() -> None:
    assert names(recommend("todo email", TOOLS, {"todo"})) == ["mail"]


@pytest.mark.golden("gonk_recommend/empty_keyword_matches_everything")
def test_blank_keywords_and_tags_count_nothing() -> None:
    assert recommend("hello there", [Thing("a", keywords=("", " ")), Thing("b", tags=("", "\t"))], ()) == []


def test_blank_text_recommends_nothing() -> None:
    assert recommend(" \n", TOOLS, ()) == recommend([], TOOLS, ()) == recommend(["  ", ""], TOOLS, ()) == []


@pytest.mark.parametrize(("limit", "count"), [(-1, 0), (0, 0), (2, 2), (99, 7)])
def test_at_most_the_limit_is_recommended(limit: int, count: int) -> None:
    entries = [Thing(f"t{number}", tags=("x",)) for number in range(7)]
    assert len(recommend("x", entries, (), limit)) == count


def test_five_are_recommended_unless_told() -> None:
    entries = [Thing(f"t{number}", tags=("x",)) for number in range(7)]
    assert names(recommend("x", entries, ())) == ["t0", "t1", "t2", "t3", "t4"]
