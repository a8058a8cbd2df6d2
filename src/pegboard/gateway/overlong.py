"""The id of a request that is too long to be read, from its two ends. Pure.

Clients write the id first or last, and wait for an answer to it either way. Only what certainly is the id of a request
is taken: an answer to a wrong id would end another call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from mcp.types import RequestId

from pegboard.lines import LongLine

_BLANKS: Final = re.compile(r"[ \t\r]*")
# The brace that ends the line is that of the message itself, so that what stands before it is its last member.
_LAST_MEMBER: Final = re.compile(r'[,{]\s*"id"\s*:\s*(?P<id>-?\d{1,19}|"(?:[^"\\]|\\.)*")\s*\}\s*\Z')
_DECODER: Final = json.JSONDecoder()


def request_id(line: LongLine) -> RequestId | None:
    """The id of a request; None where the line is none, or does not tell it for certain."""
    members = dict(_leading_members(line.head.decode("utf-8", "replace")))
    if not isinstance(members.get("method"), str):
        return None
    if "id" not in members:
        last = _LAST_MEMBER.search(line.tail.decode("utf-8", "replace"))
        members["id"] = _value(last["id"]) if last else None
    return id_of(members)


def id_of(message: Any) -> RequestId | None:
    """The id of what was meant to be a request; None where it is none that could be said back."""
    found = message.get("id") if isinstance(message, dict) else None
    if isinstance(found, str):
        # A lenient reading may hold what UTF-8 cannot say.
        return found if found == found.encode("utf-8", "replace").decode() else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _leading_members(text: str) -> Iterator[tuple[str, Any]]:
    """The members of the object that ``text`` begins, as far as they stand in it whole."""
    place = _past(text, 0)
    before = "{"
    while text.startswith(before, place):
        try:
            name, place = _DECODER.raw_decode(text, _past(text, place + 1))
            place = _past(text, place)
            if not isinstance(name, str) or not text.startswith(":", place):
                return
            value, place = _DECODER.raw_decode(text, _past(text, place + 1))
        except (ValueError, RecursionError):
            return
        place = _past(text, place)
        before = ","
        if text.startswith((",", "}"), place):  # a number may go on behind the end
            yield name, value


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _past(text: str, place: int) -> int:
    found = _BLANKS.match(text, place)
    return found.end() if found else place
