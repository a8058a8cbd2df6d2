"""Lists page by page, while tools come and go."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.errors import InvalidArgumentsError
from pegboard.paging import page

NAMES = st.sets(st.text("abcAB_-", min_size=1, max_size=4), max_size=12)


def names_of_all_pages(names: set[str], size: int) -> list[str]:
    seen: list[str] = []
    cursor = None
    while True:
        shown = page(names, cursor, size, asked_of="list_tools")
        assert shown.total == len(names)
        assert len(shown.names) <= size
        seen += shown.names
        cursor = shown.cursor
        if cursor is None:
            return seen


@given(NAMES, st.integers(1, 5))
def test_the_pages_together_are_the_whole_list_by_name(names: set[str], size: int) -> None:
    assert names_of_all_pages(names, size) == sorted(names)


def test_a_page_goes_on_behind_the_last_tool_seen_even_when_that_is_gone() -> None:
    first = page("abcd", None, 2, asked_of="list_tools")
    rest = page("acde", first.cursor, 9, asked_of="list_tools")
    assert rest.names == ("c", "d", "e")
    assert (rest.total, rest.cursor) == (4, None)


@pytest.mark.parametrize("cursor", ["!!", "YQ", "é", "_w"])
def test_a_cursor_that_was_not_given_out_is_refused_by_the_tool_that_was_asked(cursor: str) -> None:
    with pytest.raises(InvalidArgumentsError, match=r"for find_tools: cursor: wanted one that an earlier answer gave"):
        page(["a"], cursor, 2, asked_of="find_tools")
