"""Words of an ask that no tool has, read as what was meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.search import Candidates, LexicalRanker
from pegboard.search.lexical import SCHEME, looked_up, unmatched_terms
from pegboard.search.spelling import MEANT, meant, slips
from tests.search.things import Thing, names

TOOLS = [
    Thing("calculate_bmi", "Calculate the body mass index"),
    Thing("read_web_page", "Read a page of the web"),
    Thing("translate_text", "Translate a text into another language"),
    Thing("show_color", "Show a color"),
]


def found(ask: str, entries: list[Thing] = TOOLS) -> list[str]:
    return names(LexicalRanker().rank(ask, entries))


@pytest.mark.parametrize(
    ("ask", "first"),
    [
        ("caculate it", "calculate_bmi"),  # a letter is missing
        ("callculate it", "calculate_bmi"),  # one too many
        ("calxulate it", "calculate_bmi"),  # another
        ("caluclate it", "calculate_bmi"),  # two the other way round
        ("tranlsate it", "translate_text"),
        ("webpage", "read_web_page"),  # two words in one piece
    ],
)
def test_an_unknown_word_is_read_as_the_known_one_that_was_meant(ask: str, first: str) -> None:
    assert found(ask)[:1] == [first]


@pytest.mark.parametrize("ask", ["zalculate", "cauclxate", "calclt", "tetx", "bread", "c4lculate", "größe", "paint"])
def test_what_is_too_far_too_short_or_an_everyday_word_is_left_as_it_is(ask: str) -> None:
    assert found(ask, [*TOOLS, Thing("point_out", "Point at it, or break it")]) == []


@pytest.mark.parametrize(
    ("ask", "other"), [("garbage", "garage"), ("massages", "message"), ("monkey", "money"), ("statue", "status")]
)
def test_an_everyday_word_a_letter_away_from_another_is_left_as_it_is(ask: str, other: str) -> None:
    assert found(ask, [*TOOLS, Thing("first_tool", f"Tell of the {other}")]) == []


@pytest.mark.parametrize(
    ("ask", "known"),
    [
        ("custmer", "customer"),  # too short now for its ending to fall off
        ("locatiion", "locating"),  # the slip is in the ending
        ("navigatoin", "navigates"),
        ("scorign", "score"),  # the ending takes a letter of the stem with it
    ],
)
def test_a_slip_that_hides_an_ending_is_undone(ask: str, known: str) -> None:
    assert found(ask, [*TOOLS, Thing("first_tool", f"Tell of {known}")]) == ["first_tool"]


@pytest.mark.parametrize(("ask", "near"), [("clarkson", "clark"), ("lionel", "lion"), ("weeknd", "week")])
def test_what_only_begins_like_a_known_word_is_left_as_it_is(ask: str, near: str) -> None:
    assert found(ask, [*TOOLS, Thing("first_tool", f"Tell of {near}")]) == []


def test_a_slip_is_undone_before_one_that_hides_an_ending() -> None:
    corpus = Candidates.of([Thing("customer_1"), Thing("customer_2"), Thing("custer")]).corpus(SCHEME)
    assert meant(corpus, ["custmer"]) == [("custmer", "custer", MEANT)]


def test_a_known_word_is_never_read_as_another() -> None:
    corpus = Candidates.of([*TOOLS, Thing("relate", "Relate a story"), Thing("relats")]).corpus(SCHEME)
    assert not looked_up(corpus, "relate").asked.stands_for


def test_of_several_that_may_be_meant_it_is_the_one_that_most_tools_have() -> None:
    entries = [Thing("brokem"), Thing("brokens_1"), Thing("brokens_2")]
    corpus = Candidates.of(entries).corpus(SCHEME)
    assert meant(corpus, ["brokex"]) == [("brokex", "broken", MEANT)]
    asked = looked_up(corpus, "brokex").asked
    assert (asked.weights, asked.stands_for) == ({"brokex": 1.0, "broken": MEANT}, {"broken": ["brokex"]})


def test_what_was_meant_counts_in_the_clause_that_has_the_word() -> None:
    corpus = Candidates.of(TOOLS).corpus(SCHEME)
    first, second = looked_up(corpus, "caculate it, translate it").asked.needs
    assert "calcul" in first
    assert "calcul" not in second


def test_a_word_that_others_alone_have_is_unknown_to_a_caller() -> None:
    pool = Candidates.of([Thing("caculate_taxes"), *TOOLS])
    seen = pool.only([False, *(True for _ in TOOLS)])
    assert found("caculate") == names(LexicalRanker().rank("caculate", seen)) == ["calculate_bmi"]
    assert names(LexicalRanker().rank("caculate", pool)) == ["caculate_taxes"]


def test_it_is_told_that_no_tool_knows_the_word_as_it_was_written() -> None:
    assert unmatched_terms("caculate the bmi", TOOLS) == ("caculate",)


@given(word=st.text("abcdefghij", min_size=6, max_size=8), data=st.data())
def test_every_slip_of_one_letter_behind_the_first_is_undone(word: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(1, len(word) - 1))
    letter = data.draw(st.sampled_from("abcxyz"))
    wrong = [
        word[:place] + word[place + 1 :],
        word[:place] + letter + word[place:],
        word[:place] + letter + word[place + 1 :],
        word[: place - 1] + word[place] + word[place - 1] + word[place + 1 :] if place > 1 else word + letter,
    ]
    assert all(word in {*slips(one), one} for one in wrong)
