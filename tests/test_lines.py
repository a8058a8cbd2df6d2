from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pegboard.lines import ENDS, LineSplitter, LongLine


def split(data: bytes, sizes: list[int], limit: int = 1_000_000) -> list[bytes | LongLine]:
    """All lines of ``data``, fed in chunks of these sizes, the last size again and again."""
    splitter, found, start = LineSplitter(limit), [], 0
    while start < len(data):
        size = sizes.pop(0) if len(sizes) > 1 else sizes[0]
        found += splitter.feed(data[start : start + size])
        start += size
    found += splitter.finish()
    return [line if isinstance(line, LongLine) else bytes(line) for line in found]


@given(st.binary(), st.lists(st.integers(1, 9), min_size=1))
def test_lines_are_the_same_however_the_bytes_arrive(data: bytes, sizes: list[int]) -> None:
    expected = data.split(b"\n")
    assert split(data, sizes) == (expected if expected[-1] else expected[:-1])


def test_a_line_over_the_limit_keeps_its_size_and_both_ends() -> None:
    line = b"head" + b"x" * 100_000 + b"tail"
    before, long, after = split(b"before\n" + line + b"\nafter\n", [777], limit=50_000)
    assert (before, after) == (b"before", b"after")
    assert isinstance(long, LongLine)
    assert long.size == len(line)
    assert long.head == line[:ENDS]
    assert long.tail == line[-ENDS:]


def test_a_line_of_exactly_the_limit_is_whole() -> None:
    assert split(b"x" * 10 + b"\n", [3], limit=10) == [b"x" * 10]
    [long] = split(b"x" * 11 + b"\n", [3], limit=10)
    assert isinstance(long, LongLine)


def test_a_long_line_is_not_held_in_memory() -> None:
    splitter = LineSplitter(limit=100_000)
    for _ in range(1_000):
        assert splitter.feed(b"x" * 10_000) == []
        assert len(splitter._held) <= 110_000
    [long] = splitter.feed(b"\n")
    assert isinstance(long, LongLine)
    assert long.size == 10_000_000


def test_the_line_after_a_long_one_starts_afresh() -> None:
    splitter = LineSplitter(limit=10)
    splitter.feed(b"y" * 10_000 + b"\n")
    assert splitter.feed(b"short\n") == [b"short"]
    assert splitter.finish() == []
