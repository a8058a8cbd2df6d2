"""The id of a request that is too long, from its two ends."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.gateway.overlong import request_id
from pegboard.lines import ENDS, LineSplitter, LongLine

BIG = "x" * 20_000
CALL: dict[str, Any] = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "t", "arguments": {"text": BIG}}}


def long(line: bytes) -> LongLine:
    """A line as it is left of one over the limit."""
    [cut] = LineSplitter(5_000).feed(line + b"\n")
    assert isinstance(cut, LongLine)
    return cut


def ordered(message: dict[str, Any], *first: str) -> bytes:
    """A message with some members first."""
    members = {key: message[key] for key in first} | message
    return json.dumps(members, ensure_ascii=False).encode()


@pytest.mark.parametrize("number", [7, 0, -3, 2**53, "seven", 'a "quoted" \\ one', "\u00e9\n"])
def test_the_id_is_found_first_or_last_or_between(number: Any) -> None:
    message = {**CALL, "id": number}
    for line in (
        ordered(message, "jsonrpc", "id"),
        ordered(message, "id", "method"),
        ordered(message, "method", "params"),
        json.dumps(message, indent=1).replace("\n", " ").encode() + b" \r",
    ):
        assert request_id(long(line)) == number


def nested(text: str) -> dict[str, Any]:
    return {**CALL, "params": {"text": BIG, "last": text}}


@pytest.mark.parametrize(
    "line",
    [
        ordered({"jsonrpc": "2.0", "id": 7, "result": {"text": BIG}}),
        ordered({"jsonrpc": "2.0", "result": {"text": BIG}, "id": 7}),
        ordered({"jsonrpc": "2.0", "params": {"text": BIG}, "id": 7, "method": "ping"}),
        ordered({"jsonrpc": "2.0", "method": "notifications/x", "params": {"text": BIG, "id": 7}}),
        ordered({"jsonrpc": "2.0", "method": "notifications/x", "params": {"text": BIG, "deep": {"id": 7}}}),
        ordered(nested('","id":7}')),
        ordered(nested(',"id":7}')),
        ordered({**CALL, "last": ',"id":7}'}),
        ordered({**CALL, 'x,"id': 7}),
        ordered({**CALL, "id": 1.5}),
        ordered({**CALL, "id": True}),
        ordered({**CALL, "id": None}),
        ordered({**CALL, "id": {"id": 7}}),
        b"x" * 6_000,
        b"[" * 6_000,
        b'{"method":"a","id":' + b"[" * 6_000,
        b'{"id":' + b"1" * 6_000 + b',"method":"ping"}',
        b'{"method":"ping","id":' + b"1" * 6_000 + b"}",
        b'{"id":7,"method":"' + b"m" * 6_000 + b'"}',
    ],
)
def test_what_may_be_another_id_or_none_is_not_taken(line: bytes) -> None:
    assert request_id(long(line)) is None


def test_a_number_that_is_cut_off_is_not_taken_for_a_shorter_one() -> None:
    start = b'{"method":"ping","x":"'
    filled = start + b"a" * (ENDS - len(start) - len('","id":12')) + b'","id":12'
    line = filled + b'345,"params":{"text":"' + b"x" * 6_000 + b'"}}'
    assert long(line).head == filled
    assert request_id(long(line)) is None


@given(st.binary(max_size=ENDS), st.binary(max_size=ENDS))
def test_no_bytes_break_it(head: bytes, tail: bytes) -> None:
    request_id(LongLine(size=10_000, head=b'{"method":"a",' + head, tail=tail))
    request_id(LongLine(size=10_000, head=head, tail=tail))
