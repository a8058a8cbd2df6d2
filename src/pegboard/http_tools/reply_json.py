"""JSON of replies, read so that strict JSON can be told of it. Pure.

What JSON can write and its readers cannot hold is kept as near as may be: half a surrogate pair becomes U+FFFD, like
all that does not fit in a body, and a number beyond their range the text that it was written as.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

from pegboard.documents.jsonc import nests_deeper

MAX_DEPTH: Final = 100
"""Lists and objects inside one another. JSONPath's descent goes no deeper."""

MAX_DIGITS: Final = 4_300
"""Characters of an integer that is read as a number: beyond, the time that it takes grows with their square."""

_NONE: Final = "The response is not JSON."
_DEEP: Final = f"The response nests lists and objects more than {MAX_DEPTH} deep."
_AS_TEXT: Final = 'The operator can take it as text, with extract = "body_raw".'

_UNIT: Final = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
"""An escape of JSON; in its group one that is half of a pair."""


class ReplyJsonError(ValueError):
    """A text is no JSON that can be told. The message repeats nothing of it; ``hint`` is the way out."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def read_json(text: str) -> Any:
    """The value of a JSON text. Raises ReplyJsonError for what is none, or nests more than 100 deep."""
    try:
        value = json.loads(
            _without_halves(text.removeprefix("\ufeff")), parse_constant=_refused, parse_float=_float, parse_int=_int
        )
    except RecursionError:
        raise ReplyJsonError(_DEEP, _AS_TEXT) from None
    except ValueError:
        raise ReplyJsonError(_NONE) from None
    if nests_deeper(value, MAX_DEPTH):
        raise ReplyJsonError(_DEEP, _AS_TEXT)
    return value


def _without_halves(text: str) -> str:
    if r"\ud" not in text and r"\uD" not in text:
        return text
    return _UNIT.sub(lambda match: r"\ufffd" if match[1] else match[0], text)


def _float(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


def _int(text: str) -> int | str:
    return int(text) if len(text) <= MAX_DIGITS else text


def _refused(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")
