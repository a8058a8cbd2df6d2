"""What a step came to, in one shape for every step, so that expectations need not know the step."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pegboard.tools import MISSING, Halt, ToolResult


@dataclass(kw_only=True)
class Answer:
    """What a step came to. Lives as long as the case.

    ``text`` is everything of it that somebody reads. ``names`` are the tools in it as they are shown, ``bare`` as their
    sources call them. ``items`` are definitions as a listing shows them. ``wire`` is a tool result as MCP has it,
    ``parts`` are the answers of a step that does a thing several times. ``given`` are the arguments that were sent,
    ``halted_by`` is the tool that ends the turn. ``connects`` are the addresses that each call of the step tried to
    connect to, where there is no network.
    """

    text: str = ""
    is_error: bool = False
    names: Sequence[str] | None = None
    bare: Sequence[str] | None = None
    items: Sequence[Mapping[str, Any]] = ()
    wire: Mapping[str, Any] | None = None
    structured: Any = MISSING
    total: int | None = None
    more: bool = False
    active: Sequence[str] = ()
    parts: Sequence[Answer] = ()
    given: Any = None
    cancelled: bool = False
    halted_by: str | None = None
    progress: Sequence[Any] = ()
    connects: Sequence[Sequence[str]] = ()
    seconds: float = 0.0
    step: Mapping[str, Any] = field(default_factory=dict)

    @property
    def bytes(self) -> bytes:
        """The items as the model is shown them; the text where there are none."""
        if not self.items:
            return self.text.encode("utf-8", "surrogatepass")
        return json.dumps(list(self.items), ensure_ascii=False).encode("utf-8", "surrogatepass")

    @property
    def all_text(self) -> str:
        """The text, and whatever else of it is read."""
        whole = [self.text, json.dumps([*self.items], ensure_ascii=False), *(part.all_text for part in self.parts)]
        return "\n".join(whole + ([json.dumps(self.wire, ensure_ascii=False)] if self.wire else []))


def of_result(result: ToolResult | Halt, given: Any = None) -> Answer:
    """A call's result as an answer."""
    shown = result.result if isinstance(result, Halt) else result
    return of_wire(shown.to_wire(), given)


def of_wire(wire: Mapping[str, Any], given: Any = None) -> Answer:
    """An MCP ``CallToolResult`` as an answer."""
    content = wire.get("content") or ()
    return Answer(
        text="\n".join(str(block.get("text", "")) for block in content if block.get("type") == "text"),
        is_error=bool(wire.get("isError")),
        wire=wire,
        structured=wire.get("structuredContent", MISSING),
        given=given,
    )


class Clock:
    """Measures how long a block takes, in seconds. Lives as long as the block."""

    def __enter__(self) -> Clock:
        self._began = time.monotonic()
        self.seconds = 0.0
        return self

    def __exit__(self, *error: object) -> None:
        self.seconds = time.monotonic() - self._began
