from __future__ import annotations

import subprocess
import sys

import pytest

from pegboard.search import LexicalRanker, Ranked, exact_first
from tests.search.things import Thing, names, rows

TREES = [
    *(
        Thing(f"tree_helper_{number}", "Plot a tree, walk a tree, read a leaf: tree leaf plot walk")
        for number in range(8)
    ),
    *(Thing("read_leaf", "R."), Thing("walk_tree", "W."), Thing("plot_tree", "P.")),
]


def searched(query: str, entries: list[Thing]) -> list[str]:
    return names(exact_first(query, LexicalRanker().rank(query, entries), entries))


def test_names_come_first_in_the_order_of_the_query() -> None:
    assert searched("plot_tree walk_tree read_leaf", TREES)[:3] == ["plot_tree", "walk_tree", "read_leaf"]
    assert searched("read_leaf, then `walk_tree`.", TREES)[:2] == ["read_leaf", "walk_tree"]


def test_nothing_else_changes() -> None:
    ranked = LexicalRanker().rank("read_leaf of a tree", TREES)
    found = exact_first("read_leaf of a tree", ranked, TREES)
    assert [one for one in found if one.entry.name != "read_leaf"] == [
        one for one in ranked if one.entry.name != "read_leaf"
    ]
    assert len(found) == len(ranked)


def test_without_a_name_the_ranking_stays_as_it_is() -> None:
    ranked = LexicalRanker().rank("walk a tree", TREES)
    assert exact_first("walk a tree", ranked, TREES) == ranked


def test_the_reason_is_the_name_and_the_score_is_the_rankers() -> None:
    entries = [Thing("walk_tree"), Thing("plot_tree")]
    ranked = [Ranked(entries[1], 7.5, "matched: name")]
    assert rows(exact_first("walk_tree plot_tree", ranked, entries)) == [
        ("walk_tree", 0.0, "exact name"),
        ("plot_tree", 7.5, "exact name"),
    ]


def test_every_tool_of_a_bare_name_comes_first_by_its_own_name() -> None:
    entries = [
        Thing("gitlab__create_issue", bare="create_issue", source="gitlab"),
        Thing("create_issues", "create_issue create_issue"),
        Thing("github__create_issue", bare="create_issue", source="github"),
    ]
    assert searched("create_issue", entries)[:2] == ["github__create_issue", "gitlab__create_issue"]
    assert searched("use github__create_issue", entries)[0] == "github__create_issue"


@pytest.mark.parametrize("query", ["math.hypot(3, 4)", "call “math.hypot”", "math.hypot?", "(math.hypot)"])
def test_a_bare_name_may_hold_other_characters(query: str) -> None:
    entries = [Thing("hypot_math", "math hypot"), Thing("math_hypot_1a2b3c4d", bare="math.hypot")]
    assert searched(query, entries)[0] == "math_hypot_1a2b3c4d"


def test_the_order_of_the_query_holds_whatever_the_names_look_like() -> None:
    entries = [Thing("walk_tree"), Thing("math_hypot_1a2b3c4d", bare="math.hypot"), Thing("plot_tree")]
    found = searched("plot_tree, math.hypot(3, 4) or walk_tree", entries)
    assert found == ["plot_tree", "math_hypot_1a2b3c4d", "walk_tree"]


def test_case_matters() -> None:
    entries = [Thing("runThis", "run"), Thing("runthis", "run")]
    assert searched("runThis", entries)[0] == "runThis"
    assert exact_first("RUNTHIS", [], entries) == []


SENTENCE = [Thing("search", "Design courses"), Thing("flight_finder", "Search for flights to a city")]


def test_a_plain_word_in_a_sentence_is_no_name() -> None:
    assert exact_first("search for flights to a city", [], SENTENCE) == []
    assert searched("search for flights to a city", SENTENCE)[0] == "flight_finder"


@pytest.mark.parametrize("query", ["search", "Use `search` for flights", 'flights with "search"', "the search, please"])
def test_a_plain_word_is_a_name_when_it_is_quoted_or_stands_alone(query: str) -> None:
    assert searched(query, SENTENCE)[0] == "search"


def test_plain_words_are_names_where_the_query_holds_nothing_else() -> None:
    entries = [Thing("load"), Thing("search"), Thing("search_and_load", "search search load load")]
    assert searched("search load", entries)[:2] == ["search", "load"]


def test_a_name_with_blanks_is_found_when_it_is_the_whole_query() -> None:
    entries = [Thing("other", "Get the weather"), Thing("Get_weather_0a1b2c3d", bare="Get weather")]
    assert searched(" Get weather ", entries)[0] == "Get_weather_0a1b2c3d"


def test_a_blank_query_names_nothing() -> None:
    assert exact_first("  ", [], TREES) == []


@pytest.mark.parametrize("run", ["x", "a_", "\u521b"])
def test_a_long_run_without_blanks_takes_no_time_that_grows_with_its_square(run: str) -> None:
    # In a process of its own: a regular expression that does not come back cannot be interrupted.
    program = f"from pegboard.search import exact_first; print(exact_first({run!r} * 200_000, [], []))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"
