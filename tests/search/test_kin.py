"""Words of one family, by rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.search import LexicalRanker
from pegboard.search.kin import kin
from pegboard.search.text import stem
from tests.search.things import Thing, names


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("describe", "description"),
        ("convert", "conversion"),
        ("divide", "division"),
        ("solve", "solution"),
        ("submit", "submission"),
        ("apply", "application"),
        ("analyze", "analysis"),
        ("summarize", "summary"),
        ("plan", "planner"),
        ("write", "writer"),
        ("edit", "editor"),
        ("ship", "shipment"),
        ("color", "colour"),
        ("analyze", "analyse"),
        ("license", "licence"),
        ("theater", "theatre"),
        ("catalog", "catalogue"),
    ],
)
def test_words_of_one_family_bring_one_another(one: str, other: str) -> None:
    assert stem(one) != stem(other)
    assert stem(other) in kin(stem(one))
    assert stem(one) in kin(stem(other))


@pytest.mark.parametrize("term", ["", "map", "r2d2", "größe", "天气"])
def test_what_is_short_or_no_word_of_the_alphabet_has_no_family(term: str) -> None:
    assert kin(term) == ()


@given(st.text("abdeimnorst", max_size=12))
def test_a_family_is_small_and_does_not_hold_the_word_itself(term: str) -> None:
    assert term not in kin(term)
    assert len(kin(term)) < 25


def test_a_tool_is_found_by_another_word_of_the_family_behind_the_very_word() -> None:
    entries = [Thing("inspector_of_mines"), Thing("inspect_house"), Thing("extend_lease")]
    assert names(LexicalRanker().rank("inspect", entries)) == ["inspect_house", "inspector_of_mines"]
    assert names(LexicalRanker().rank("extension", entries)) == ["extend_lease"]
