"""How an ask is read: its terms, what they count, and what may stand for them."""

from __future__ import annotations

import pytest
from hypothesis import given

from pegboard.search import LexicalRanker
from pegboard.search.asked import LIGHT, RELATED, Asked
from pegboard.search.related import related_terms
from pegboard.search.text import ASKING_WORDS, LIGHT_WORDS, stem
from tests.search.things import Thing, names, queries, read


def test_a_word_that_says_little_counts_less() -> None:
    asked = read("current zeppelins")
    assert (asked.weights[stem("current")], asked.weights["zeppelin"]) == (LIGHT, 1.0)


def test_two_words_side_by_side_are_a_term_too() -> None:
    assert "timezon" in read("time zone of Rome").weights
    assert "zonerom" in read("time zone of Rome").weights  # what stands between only asks
    assert "timezon" in read("the time, zone of Rome").stands_for  # another word for time; no pair


def test_a_term_that_may_stand_for_one_of_the_ask_counts_less_and_comes_after() -> None:
    asked = read("a film")
    terms = list(asked.weights)
    assert terms[: asked.own] == ["film"]
    assert asked.weights["movi"] == RELATED
    assert asked.stands_for["movi"] == ["film"]
    assert "movi" in asked.needs[0]


def test_a_term_of_the_ask_stands_for_itself_only() -> None:
    asked = read("a film or a movie")
    assert asked.weights["movi"] == 1.0
    assert "movi" not in asked.stands_for


def test_a_light_word_brings_others_that_count_still_less() -> None:
    assert read("latest").weights["newest"] == LIGHT * RELATED


def test_what_stands_for_several_terms_counts_for_the_one_that_counts_most() -> None:
    said = Asked(weights={"good": 1.0, "new": LIGHT}, own=2, words=frozenset({"good", "new"}), needs=[["good", "new"]])
    for terms in (["good", "new"], ["new", "good"]):
        asked = said.joined_by((term, ["fine"], RELATED) for term in terms)
        assert (asked.weights["fine"], asked.stands_for) == (RELATED, {"fine": terms})


def test_every_clause_has_what_stands_for_its_own_terms() -> None:
    first, second = read("rent a car, find a film").needs
    assert "vehicl" in first
    assert "vehicl" not in second
    assert "movi" in second


@given(query=queries)
def test_the_needs_hold_all_terms_and_no_others(query: str) -> None:
    asked = read(query)
    assert {term for need in asked.needs for term in need} == asked.weights.keys()
    assert asked.stands_for.keys() == set(list(asked.weights)[asked.own :])


def test_no_term_stands_for_itself_and_no_word_of_asking_for_another() -> None:
    table = related_terms()
    assert all(term not in others for term, others in table.items())
    assert not ASKING_WORDS & table.keys()
    assert not ASKING_WORDS & LIGHT_WORDS


@pytest.mark.parametrize(("ask", "found"), [("a film", "get_movie"), ("erase it", "delete_file")])
def test_a_tool_is_found_by_another_word_for_the_same(ask: str, found: str) -> None:
    entries = [Thing("get_movie"), Thing("delete_file"), Thing("send_mail")]
    assert names(LexicalRanker().rank(ask, entries)) == [found]


def test_the_very_word_comes_before_another_for_the_same() -> None:
    entries = [Thing("get_movie"), Thing("get_film")]
    assert names(LexicalRanker().rank("film", entries)) == ["get_film", "get_movie"]


def test_a_name_in_one_piece_is_found_by_its_words_apart() -> None:
    assert names(LexicalRanker().rank("time zone", [Thing("timezone"), Thing("other")])) == ["timezone"]
