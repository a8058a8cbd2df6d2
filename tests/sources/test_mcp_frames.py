from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.types.jsonrpc import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from pegboard.lines import ENDS, LongLine
from pegboard.sources.mcp.frames import NOT_AN_ANSWER, UNREAD, answer_id, frame_of, frame_of_long, line_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def only(line: bytes) -> Any:
    """The one message of a line."""
    [message] = frame_of(line).messages
    return message


@given(JSON)
def test_a_result_passes_unchanged(value: object) -> None:
    clean = json.loads(json.dumps(value).encode("utf-8", "replace"))
    message = only(json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"value": clean}}).encode())
    assert message.result == {"value": clean}


@pytest.mark.parametrize(
    "line",
    [
        b"ready on port 3000",
        "🖥 ready".encode(),
        b"{not json",
        b"[1,2]",
        b'{"level":"info"}',
        b"5",
        b"null",
        b"\xff\xfe",
        b'{"jsonrpc":"1.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0"}',
        b'{"jsonrpc":"2.0","id":true,"result":{}}',
    ],
)
def test_a_line_that_is_not_protocol_is_noise(line: bytes) -> None:
    frame = frame_of(line)
    assert frame.noise
    assert not frame.messages


@pytest.mark.parametrize("line", [b"", b"   ", b"\r"])
def test_a_blank_line_is_nothing_at_all(line: bytes) -> None:
    frame = frame_of(line)
    assert not frame.noise
    assert not frame.messages


def test_the_four_kinds_of_messages_are_told_apart() -> None:
    assert isinstance(only(b'{"jsonrpc":"2.0","id":1,"method":"ping"}'), JSONRPCRequest)
    assert isinstance(only(b'{"jsonrpc":"2.0","method":"notifications/x","params":{}}'), JSONRPCNotification)
    assert isinstance(only(b'{"jsonrpc":"2.0","id":"a","result":{}}\r'), JSONRPCResponse)
    assert isinstance(only(b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}'), JSONRPCError)


def test_a_batch_is_read_message_by_message() -> None:
    frame = frame_of(b'[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"m"},7]')
    response, notification = frame.messages
    assert isinstance(response, JSONRPCResponse)
    assert isinstance(notification, JSONRPCNotification)


def test_an_id_that_came_back_as_a_float_is_still_that_id() -> None:
    assert only(b'{"jsonrpc":"2.0","id":5.0,"result":{}}').id == 5


def test_an_error_member_that_is_null_does_not_hide_the_result() -> None:
    assert only(b'{"jsonrpc":"2.0","id":5,"error":null,"result":{"a":1}}').result == {"a": 1}


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        ('"broken"', -32603, "broken"),
        ('{"code":"E1","message":"no"}', -32603, "no"),
        ('{"code":4}', 4, '{"code": 4}'),
    ],
)
def test_an_error_of_the_wrong_shape_is_still_that_requests_error(error: str, code: int, message: str) -> None:
    read = only(f'{{"jsonrpc":"2.0","id":5,"error":{error}}}'.encode())
    assert (read.id, read.error.code, read.error.message) == (5, code, message)


@pytest.mark.parametrize("result", [b"null", b'"text"', b"[1]"])
def test_a_result_that_is_no_object_fails_its_call(result: bytes) -> None:
    message = only(b'{"jsonrpc":"2.0","id":5,"result":' + result + b"}")
    assert isinstance(message, JSONRPCError)
    assert message.id == 5
    assert message.error.data is UNREAD


def test_an_error_that_is_null_fails_its_call() -> None:
    message = only(b'{"jsonrpc":"2.0","id":5,"error":null}')
    assert (message.id, message.error.data) == (5, UNREAD)
    assert "neither a result nor an error" in message.error.message


def test_an_answer_nested_too_deep_fails_its_call_and_says_so() -> None:
    message = only(b'{"jsonrpc":"2.0","id":5,"result":{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}}")
    assert (message.id, message.error.data) == (5, UNREAD)
    assert "nested too deep" in message.error.message


def test_a_whole_pair_of_surrogates_is_one_character_and_nothing_was_mended() -> None:
    frame = frame_of(rb'{"jsonrpc":"2.0","id":1,"result":{"a":"\ud83d\ude00"}}')
    (message,) = frame.messages
    assert isinstance(message, JSONRPCResponse)
    assert message.result == {"a": "\U0001f600"}
    assert not frame.mended


@pytest.mark.parametrize(
    "broken", [b'{"jsonrpc":"2.0","id":5,"result":{"a":}}', b'{"result":{"a":},"jsonrpc":"2.0","id":5}']
)
def test_a_broken_answer_fails_the_call_it_answers(broken: bytes) -> None:
    message = only(broken)
    assert isinstance(message, JSONRPCError)
    assert message.id == 5
    assert message.error.data is UNREAD


def test_an_answer_nested_too_deep_to_read_fails_the_call_it_answers() -> None:
    assert only(b'{"jsonrpc":"2.0","id":5,"result":' + b"[" * 200_000 + b"]" * 200_000 + b"}").id == 5


def test_bytes_that_are_no_utf8_are_replaced_and_noted() -> None:
    frame = frame_of(b'{"jsonrpc":"2.0","id":1,"result":{"text":"caf\xe9"}}')
    assert frame.mended
    [message] = frame.messages
    assert isinstance(message, JSONRPCResponse)
    assert message.result == {"text": "caf\ufffd"}


def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_kept() -> None:
    message = only(rb'{"jsonrpc":"2.0","id":1,"result":{"\ud83dk":["cut \ud83d","\ud83d\ude00","\\ud83d"]}}')
    assert message.result == {"\ufffdk": ["cut \ufffd", "😀", "\\ud83d"]}
    json.dumps(message.result, ensure_ascii=False).encode("utf-8")


def test_a_byte_order_mark_does_not_hide_a_message() -> None:
    assert only(b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"result":{}}').id == 1


def test_large_integers_and_floats_keep_their_value() -> None:
    arguments = {"a": 2**53 + 1, "b": 2**200, "c": 1.0, "d": 0.1, "e": -0.0, "f": True, "g": None}
    request = JSONRPCRequest(jsonrpc="2.0", id=1, method="tools/call", params={"arguments": arguments})
    written = line_of(request)
    assert b"9007199254740993" in written
    assert b'"c":1.0' in written
    assert only(written).params == {"arguments": arguments}


@given(JSON)
def test_what_is_written_is_one_line_of_ascii_that_reads_back(value: object) -> None:
    line = line_of(JSONRPCNotification(jsonrpc="2.0", method="m", params={"value": value}))
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert json.loads(line)["params"] == {"value": value}


def test_what_json_cannot_say_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        line_of(JSONRPCNotification(jsonrpc="2.0", method="m", params={"x": float("nan")}))


def ends(message: bytes) -> tuple[bytes, bytes]:
    return message[:ENDS], message[-ENDS:]


BIG = b'{"content":[{"type":"text","text":"' + b"x" * 10_000 + b'","id":7}],"id":8}'


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (b'{"jsonrpc":"2.0","id":41,"result":' + BIG + b"}", 41),
        (b'{ "id" : "a\\"b" , "jsonrpc" : "2.0" , "result" : ' + BIG + b" }", 'a"b'),
        (b'{"result":' + BIG + b',"jsonrpc":"2.0","id":41}', 41),
        (b'{"result":' + BIG + b' , "id" : 41 , "jsonrpc" : "2.0" }\r', 41),
        (b'{"jsonrpc":"2.0","error":{"code":1,"message":"' + b"x" * 9_000 + b'"},"id":3}', 3),
        (b'{"jsonrpc":"2.0","method":"notifications/message","params":' + BIG + b"}", NOT_AN_ANSWER),
        (b'{"params":' + BIG + b',"jsonrpc":"2.0","method":"notifications/message"}', NOT_AN_ANSWER),
        (b'{"result":' + BIG + b',"id":41,"_meta":{}}', None),
        (b'{"jsonrpc":"2.0","result":' + BIG + b"}", None),
        (b"x" * 20_000, None),
    ],
)
def test_the_request_that_a_line_answers_is_told_by_its_ends(message: bytes, expected: object) -> None:
    assert answer_id(*ends(message)) == expected


@given(JSON, JSON, st.booleans())
def test_no_member_of_the_result_is_taken_for_the_answers_id(result: object, more: object, id_last: bool) -> None:
    parts = {"id": 77} if not id_last else {}
    message = parts | {"jsonrpc": "2.0", "result": {"id": 5, "a": result, "b": more, "id ": 6}} | {"id": 77}
    assert answer_id(*ends(json.dumps(message).encode())) == 77


def test_of_several_waiting_requests_none_is_failed_on_a_guess() -> None:
    line = LongLine(size=99, head=b'{"result":"xxx', tail=b'xxx","id":1,"_meta":{}}')
    assert frame_of_long(line, 10, {1, 2}).messages == ()
    [sole] = frame_of_long(line, 10, {2}).messages
    assert isinstance(sole, JSONRPCError)
    assert sole.id == 2
    assert "99 bytes" in sole.error.message
