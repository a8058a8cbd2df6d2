"""One line of the stdio transport to JSON-RPC messages, and back. Pure.

Nothing that a server writes is fatal here: what cannot be read is either noise, or an error for the call it answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from mcp.types import INTERNAL_ERROR
from mcp.types.jsonrpc import (
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from pydantic import ValidationError

from pegboard.lines import ENDS, Line, LongLine

Id = int | str


class _Unread:
    """Marks an error that was made here: the server's answer could not be read. One instance, compared by identity."""

    def __repr__(self) -> str:
        return "UNREAD"


UNREAD: Final = _Unread()

MAX_NESTING: Final = 200
"""Objects and lists inside one another. What reads and writes a value later goes down it step by step."""

MAX_BATCH: Final = 1_000
"""Messages of one line that are taken."""

OVER_LIMIT: Final = "the limit (max_line) is"
"""What an error says that was made for an answer over the limit: less of it would help."""

NOT_AN_ANSWER: Final = ""
"""What ``answer_id`` gives for a request or a notification: nobody waits for it. No id of ours is empty."""


@dataclass(frozen=True)
class Frame:
    """What one line held. Immutable.

    ``noise`` says that it was no protocol; ``mended`` that bytes which are no UTF-8 became U+FFFD.
    """

    messages: tuple[JSONRPCMessage, ...] = ()
    noise: bool = False
    mended: bool = False


def frame_of(line: Line) -> Frame:
    """The messages of a line: none for a blank one, several for a batch (revision 2025-03-26)."""
    text, mended = _decoded(line.removeprefix(_BOM))
    if not text.strip():
        return Frame()
    try:
        value = _parsed(text)
    except (ValueError, RecursionError) as error:
        why = "its JSON is nested too deep" if isinstance(error, RecursionError) else "its JSON is broken"
        return _unreadable(answer_id(bytes(line[:ENDS]), bytes(line[-ENDS:])), why)
    if _SURROGATE.search(text):
        # Most of what is found are whole pairs, which have been read as one character.
        whole = _without_surrogates(value)
        value, mended = whole, mended or whole != value
    messages = tuple(_messages(value))
    crowded = isinstance(value, list) and len(value) > MAX_BATCH
    return Frame(messages, noise=crowded or not messages, mended=mended and bool(messages))


def _parsed(text: str) -> Any:
    """The value of a JSON text. Raises ValueError, and RecursionError for one that nests too deep."""
    value = json.loads(text)
    level = [value]
    for _ in range(MAX_NESTING + 1):
        level = [inner for outer in level for inner in _members(outer) if isinstance(inner, (dict, list))]
        if not level:
            return value
    raise RecursionError


def _members(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def unread(request: Id, why: str) -> JSONRPCError:
    """An error in place of the answer to ``request`` that could not be read."""
    error = ErrorData(code=INTERNAL_ERROR, message=why, data=UNREAD)
    return JSONRPCError(jsonrpc="2.0", id=request, error=error)


def line_of(message: JSONRPCMessage) -> bytes:
    """A message as one line. Only ASCII: the server may read it in whatever encoding it pleases.

    Raises ValueError for what JSON cannot say (NaN, infinity).
    """
    value = message.model_dump(by_alias=True, exclude_unset=True)
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


def answer_id(head: bytes, tail: bytes) -> Id | None:
    """Which request a line answers, from its two ends alone.

    Only plain members of the outermost object are looked at: those before its first array or object, and those after
    its last. NOT_AN_ANSWER for a request or notification; None when neither end tells.
    """
    members = {**_members_before(head), **_members_after(tail)}
    if b"method" in members:
        return NOT_AN_ANSWER
    try:
        found = json.loads(members.get(b"id", b"null"))
    except ValueError:
        return None
    return found if isinstance(found, Id) and not isinstance(found, bool) else None


_BOM: Final = b"\xef\xbb\xbf"
"""Some runtimes on Windows begin their output with one."""

_STRING: Final = rb'"(?:[^"\\]|\\.)*"'
_SCALAR: Final = rb"(?:" + _STRING + rb"|-?[0-9][0-9.eE+-]*|true|false|null)"
_MEMBER: Final = rb"\s*(" + _STRING + rb")\s*:\s*(" + _SCALAR + rb")\s*"
_ONE_MEMBER: Final = re.compile(_MEMBER + rb"[,}]")
_LAST_MEMBERS: Final = re.compile(rb"((?:," + _MEMBER + rb")+)\}\s*\Z")
_SURROGATE: Final = re.compile(r"\\u[dD][89abABc-fC-F]")


def _members_before(head: bytes) -> dict[bytes, bytes]:
    members: dict[bytes, bytes] = {}
    opening = re.match(rb"\s*\{", head)
    position = opening.end() if opening else len(head)
    while found := _ONE_MEMBER.match(head, position):
        members[found[1].strip(b'"')] = found[2]
        position = found.end()
    return members


def _members_after(tail: bytes) -> dict[bytes, bytes]:
    found = _LAST_MEMBERS.search(tail)
    if found is None:
        return {}
    return {key.strip(b'"'): value for key, value in re.findall(rb"," + _MEMBER, found[1])}


def _decoded(line: Line) -> tuple[str, bool]:
    try:
        return line.decode("utf-8"), False
    except UnicodeDecodeError:
        return line.decode("utf-8", "replace"), True


def _without_surrogates(value: Any) -> Any:
    """Halves of surrogate pairs cannot be written as UTF-8: a cut emoji would fail wherever the text goes next."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value


def _messages(value: Any) -> Iterator[JSONRPCMessage]:
    for item in value[:MAX_BATCH] if isinstance(value, list) else [value]:
        message = _message(item) if isinstance(item, dict) and item.get("jsonrpc") == "2.0" else None
        if message is not None:
            yield message


def _message(value: dict[str, Any]) -> JSONRPCMessage | None:
    ident = _id(value.get("id"))
    try:
        if isinstance(method := value.get("method"), str):
            if ident is None:
                return JSONRPCNotification(jsonrpc="2.0", method=method, params=value.get("params"))
            return JSONRPCRequest(jsonrpc="2.0", id=ident, method=method, params=value.get("params"))
        # Some servers send both members, with the one that does not hold set to null.
        if value.get("error") is not None:
            return JSONRPCError(jsonrpc="2.0", id=ident, error=_error(value["error"]))
        if ident is not None and "result" in value:
            return JSONRPCResponse(jsonrpc="2.0", id=ident, result=value["result"])
        if ident is not None and "error" in value:
            return unread(ident, "it holds neither a result nor an error")
    except ValidationError:
        return None if ident is None or "method" in value else unread(ident, "its result is not an object")
    return None


def _id(value: Any) -> Id | None:
    """Some servers keep every number as a float, and answer 5 with 5.0."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, Id) and not isinstance(value, bool) else None


def _error(value: Any) -> ErrorData:
    """The error as the server meant it; codes and messages of a wrong type are common."""
    if not isinstance(value, dict):
        return ErrorData(code=INTERNAL_ERROR, message=str(value))
    code, message = value.get("code"), value.get("message")
    return ErrorData(
        code=code if isinstance(code, int) else INTERNAL_ERROR,
        message=message if isinstance(message, str) else json.dumps(value, ensure_ascii=False)[:500],
        data=value.get("data"),
    )


def _unreadable(request: Id | None, why: str) -> Frame:
    if request is None or request == NOT_AN_ANSWER:
        return Frame(noise=True)
    return Frame((unread(request, why),))


def frame_of_long(line: LongLine, limit: int, waiting: set[Id]) -> Frame:
    """What to do about a line over the limit: an error for the call it answers.

    Where its ends do not tell which, and only one request is ``waiting``, it is that one. With several, none is
    failed: to fail the wrong one would be worse than to let the right one run into its time limit.
    """
    request = answer_id(line.head, line.tail)
    if request is None and len(waiting) == 1:
        request = next(iter(waiting))
    if request is None or request == NOT_AN_ANSWER:
        return Frame()
    return Frame((unread(request, f"it has {line.size:,} bytes and {OVER_LIMIT} {limit:,}"),))
