"""The nearest name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.schema.names import nearest


@pytest.mark.parametrize(
    ("name", "names", "meant"),
    [
        ("quary", ["limit", "query"], "query"),
        ("maxDepth", ["depth_first", "max_depth"], "max_depth"),
        ("max-depth", ["max_depth"], "max_depth"),
        ("depth", ["max_depth", "query"], "max_depth"),
        ("id", ["name", "customer_id"], "customer_id"),
        ("customer_id", ["id", "name"], "id"),
        ("Query", ["query"], "query"),
        ("zzz", ["query", "limit"], None),
        ("query", [], None),
        ("", ["query"], None),
        ("query", ["query"], None),
    ],
)
def test_the_name_that_was_meant_is_found(name: str, names: list[str], meant: str | None) -> None:
    assert nearest(name, names) == meant


@given(st.text(max_size=200), st.lists(st.text(max_size=20), max_size=10))
def test_the_answer_is_another_one_of_the_names_or_none(name: str, names: list[str]) -> None:
    answer = nearest(name, names)
    assert answer is None or (answer in names and answer != name)
