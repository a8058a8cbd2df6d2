"""``insika_coercion``: values of strangers, each on the way that it takes through Pegboard."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from pegboard.board import Board
from pegboard.catalog import Catalog
from pegboard.config.kinds import FLAG, mistakes
from pegboard.errors import ConfigError, InvalidArgumentsError
from pegboard.peg import Pegboard
from pegboard.registry import ToolRegistry
from pegboard.search.ranking import Ranked
from pegboard.sources.mcp.frames import frame_of
from pegboard.sources.python import tool
from pegboard.tools import Entry, Halt, ToolResult
from tests.runners.golden.adapter import Adapter, NotBuiltError

_ESCAPED: Final = re.compile(rb'[\x00-\x1f"\\]')
"""The bytes that JSON does not allow in a text as they are."""


class _Asked:
    """A ranker that fits everything, and knows whether it was asked. Belongs to one vector."""

    def __init__(self) -> None:
        self.asked = False

    def rank(self, query: str, candidates: Sequence[Entry]) -> list[Ranked]:
        """Everything."""
        self.asked = True
        return [Ranked(entry, 1.0, "") for entry in candidates]


def presence(value: Any) -> Any:
    """What reaches a function whose text may be left out."""

    def echo(text: str | None = None) -> str | None:
        return text

    return _through(echo, {"text": value})


def blank(value: Any) -> bool:
    """Whether a search for it is one for nothing. What is no text is searched for as text."""
    ranker = _Asked()
    Catalog(ranker=ranker).search(value if value is None else str(value))
    return not ranker.asked


def truthy(value: Any) -> bool:
    """A flag of a configuration file, where null is a key that is not there."""
    if value is None:
        return False
    found = [*mistakes(FLAG, value, ())]
    if found:
        raise ConfigError(found[0].message, hint=found[0].hint)
    return bool(value)


def utf8(value: Any) -> str:
    """The text that a caller is given: of bytes when they came from an upstream, else of a function's result."""
    if isinstance(value, bytes):
        written = _ESCAPED.sub(lambda found: b"\\u%04x" % ord(found[0]), value)
        frame = frame_of(b'{"jsonrpc":"2.0","id":1,"result":{"text":"' + written + b'"}}')
        return str(frame.messages[0].result["text"])  # type: ignore[union-attr]
    return _result_of(value).text


def stringified(value: Any) -> Any:
    """What a caller is given of a function's result."""
    text = _result_of(value).text
    return text if isinstance(value, str) or not text else json.loads(text)


def _result_of(value: Any) -> ToolResult:
    def give() -> Any:
        return value

    return _called(give, {})


def _through(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    result = _called(function, arguments)
    return result.text if result.content else None


def _called(function: Callable[..., Any], arguments: dict[str, Any]) -> ToolResult:
    registry = ToolRegistry()
    registry.register(tool(function, name="t"))

    async def call() -> ToolResult | Halt:
        board: Board = await Pegboard([registry]).open()
        return await board.call("t", arguments)

    result = asyncio.run(call())
    assert isinstance(result, ToolResult)
    if result.is_error:
        raise InvalidArgumentsError("t", [result.text])
    return result


OPS: Final[dict[str, Callable[[Any], Any]]] = {
    "presence": presence,
    "blank?": blank,
    "present?": lambda value: not blank(value),
    "truthy?": truthy,
    "utf8": utf8,
    "deep_stringify": stringified,
}


def coerced(values: dict[str, Any]) -> Any:
    """Each of their functions as what Pegboard does with such a value; the functions above say where."""
    if values["op"] not in OPS:
        raise NotBuiltError(f"the function {values['op']}")
    return OPS[values["op"]](values["value"])


ADAPTERS: Final = {"insika_coercion": Adapter(coerced)}
