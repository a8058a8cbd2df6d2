from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import AsyncIterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pegboard.lines import LongLine
from pegboard.sources.mcp.events import LONGEST_PAUSE, MAX_ID, Event, EventReader, events_in


def read(*chunks: bytes, limit: int = 1_000) -> list[Event]:
    reader = EventReader(limit)
    return [event for chunk in chunks for event in reader.feed(chunk)]


def data(*chunks: bytes) -> list[bytes]:
    return [bytes(event.data) for event in read(*chunks) if not isinstance(event.data, LongLine)]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_may_end_in_three_ways(end: bytes) -> None:
    assert data(end.join([b"data: a", b"", b"data:b", b"data:  c", b"", b""])) == [b"a", b"b\n c"]


def test_comments_other_fields_and_the_mark_at_the_start_are_passed_over() -> None:
    assert data(b"\xef\xbb\xbf: hello\n\nfoo: bar\ndata: a\nnonsense\n\n") == [b"a"]


def test_an_event_without_its_blank_line_is_none() -> None:
    assert data(b"data: a\n\ndata: b\n") == [b"a"]


def test_the_kind_holds_for_one_event_the_id_until_there_is_another() -> None:
    events = read(b"event: endpoint\nid: 1\ndata: a\n\ndata: b\n\nid: 2\ndata:\n\nid: \0\ndata: c\n\n")
    assert [(event.kind, event.id) for event in events] == [("endpoint", "1"), *(("message", one) for one in "122")]
    assert not events[2].data


@pytest.mark.parametrize(
    ("text", "pause"), [(b"1500", 1.5), (b"999999999", LONGEST_PAUSE), (b"-1", None), (b"x", None)]
)
def test_the_pause_that_a_server_asks_for_is_bounded(text: bytes, pause: float | None) -> None:
    [event] = read(b"retry: " + text + b"\ndata: a\n\n")
    assert event.retry == pause


def test_what_is_too_long_is_cut_and_the_next_event_comes_whole() -> None:
    long, short = read(b'data: {"id":5,' + b"x" * 50_000 + b'"z":1}\n\ndata: a\n\n')
    assert isinstance(long.data, LongLine)
    assert (long.data.size, long.data.head[:8], long.data.tail[-6:]) == (50_020, b'{"id":5,', b'"z":1}')
    assert short.data == b"a"


def test_lines_that_are_too_long_together_are_too_long() -> None:
    [event] = read(b"".join(b"data: %d%s\n" % (number, b"x" * 300) for number in range(9)) + b"\n")
    assert isinstance(event.data, LongLine)
    assert event.data.head.startswith(b"0xxx")
    assert event.data.tail.endswith(b"xxx")
    assert event.data.size == 9 * 301 + 8


@given(
    st.lists(st.sampled_from([b"data: a", b"data: b", b"id: 7", b"\r", b"\n", b"\r\n", b": x", b"\n\n"]), max_size=30),
    st.data(),
)
@settings(max_examples=150)
def test_it_does_not_matter_where_a_stream_is_cut(parts: list[bytes], drawn: st.DataObject) -> None:
    stream = b"".join(parts)
    cuts = sorted(drawn.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    chunks = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert read(*chunks) == read(stream)


def test_nothing_between_the_two_signs_of_a_lines_end_is_no_end() -> None:
    assert read(b"\rid: 7\r", b"", b"\n") == []


def test_many_short_lines_of_one_event_take_the_room_of_their_bytes() -> None:
    chunk = b"data:ab\n" * 1_000
    reader = EventReader(10_000_000)
    tracemalloc.start()
    try:
        for _ in range(200):
            assert not list(reader.feed(chunk))
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert held < 2 * 200 * len(chunk)


@pytest.mark.parametrize("ident", [b"a\x01b", b" a", b"x" * (MAX_ID + 1), b"a\tb"])
def test_an_id_that_could_not_be_sent_back_is_none(ident: bytes) -> None:
    assert [event.id for event in read(b"id: 1\ndata: a\n\nid: " + ident + b"\ndata: b\n\n")] == ["1", "1"]


@pytest.mark.anyio
async def test_while_a_stream_of_nothing_is_read_other_work_goes_on() -> None:
    turns = 0

    async def pieces() -> AsyncIterator[bytes]:
        yield b"\n" * 200_000

    async def work() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    beside = asyncio.create_task(work())
    assert [event async for event in events_in(pieces(), 1_000)] == []
    beside.cancel()
    assert turns > 10
