"""Names shown to models."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.errors import InvalidNameError
from pegboard.naming import MAX_NAME, check_name, legal_name, slug

LEGAL = re.compile(r"^[A-Za-z0-9_-]{1,64}$")


@pytest.mark.parametrize("name", ["a", "get-item_2", "A" * 64, "42"])
def test_a_legal_name_is_taken_as_it_is(name: str) -> None:
    assert check_name(name) == name
    assert legal_name(name) == name


@pytest.mark.parametrize("name", ["", "a b", "get.item", "löschen", "x" * 65, "a\n", 7, None])
def test_an_illegal_name_is_refused_with_the_rule_and_an_example(name: object) -> None:
    with pytest.raises(InvalidNameError) as refused:
        check_name(name)
    assert "name" in str(refused.value)


def test_the_message_about_a_long_name_says_how_long_it_is_and_offers_a_legal_one() -> None:
    with pytest.raises(InvalidNameError, match="70 characters") as refused:
        check_name("n" * 70)
    offered = re.search(r"'([^']+)'\.$", str(refused.value))
    assert offered
    assert LEGAL.match(offered[1])


def test_a_prefix_is_joined_with_two_underscores() -> None:
    assert legal_name("create_issue", "github") == "github__create_issue"


def test_a_joined_name_that_is_too_long_is_cut_and_keeps_a_hash() -> None:
    name = legal_name("x" * 60, "github")
    assert LEGAL.match(name)
    assert len(name) == MAX_NAME
    assert name.startswith("github__xxx")


def test_names_that_become_alike_after_cleaning_stay_apart() -> None:
    assert len({legal_name(name, "s") for name in ("get.item", "get/item", "get:item", "get item", "get_item")}) == 5


@given(st.text(), st.text())
def test_every_name_becomes_legal_and_depends_on_name_and_prefix_alone(name: str, prefix: str) -> None:
    made = legal_name(name, prefix)
    assert LEGAL.match(made)
    assert made == legal_name(name, prefix)


@given(st.lists(st.tuples(st.text(max_size=80), st.text(max_size=80)), unique=True, max_size=30))
def test_different_names_of_one_prefix_never_meet_unless_they_are_spelt_legally(pairs: list[tuple[str, str]]) -> None:
    hashed = [
        legal_name(name, prefix) for name, prefix in pairs if not LEGAL.match(f"{prefix}__{name}" if prefix else name)
    ]
    assert len(set(hashed)) == len(hashed)


def test_a_slug_keeps_letters_and_digits() -> None:
    assert slug("My Server / v2 @home") == "My_Server_v2_home"
    assert slug("日本") == ""
