"""Cutting bytes into lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pegboard.gateway.lines import LineSplitter

LIMIT = 5
LINES = st.lists(st.binary(max_size=8).filter(lambda line: b"\n" not in line), max_size=6)


@given(LINES, st.data())
def test_lines_come_out_as_they_went_in_however_they_are_cut(lines: list[bytes], data: st.DataObject) -> None:
    whole = b"\n".join(lines)
    splitter = LineSplitter(LIMIT)
    got: list[bytes | None] = []
    while whole:
        size = data.draw(st.integers(1, len(whole)))
        got += splitter.feed(whole[:size])
        whole = whole[size:]
    got.append(splitter.rest())
    assert got == [line if len(line) <= LIMIT else None for line in lines or [b""]]


def test_a_line_that_is_too_long_does_not_pile_up() -> None:
    splitter = LineSplitter(LIMIT)
    for _ in range(1_000):
        assert not list(splitter.feed(b"x" * 100))
    assert sum(map(len, splitter._parts)) <= LIMIT
    assert list(splitter.feed(b"\nok\n")) == [None, b"ok"]
