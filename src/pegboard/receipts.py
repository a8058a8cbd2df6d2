"""Receipts: what happened in one call, with the true reason. They go to sinks, never to the model."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Protocol

LET_THROUGH: Final = "let_through"
"""The outcome of a call that is about to run: the receipt that has to be there first, where receipts are mandatory."""

_OWNER_ONLY: Final = 0o600


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """One call, after it ended; where receipts are mandatory, another one before its handler runs. Immutable.

    ``outcome`` is ``ok | halt | tool_error | cancelled``, the code of the error that ended it, or ``let_through`` for
    one that is about to run; ``reason`` is the truth behind it (a hidden tool's receipt says so, its answer does not).
    Of a call that ran it is what the policy gave as its own. ``tier`` is that of the call, where it got that far with a
    principal; ``approval`` what came of asking somebody, ``""`` where nobody was asked; ``resource`` what the call
    touches, ``{kind, target?, tenant?}``, where its tool tells. ``started`` is a UNIX time in seconds. Arguments and
    results are not recorded; ``search`` is what a search was for and which tools it found, ``{query, found}``, where
    the operator wants that recorded, and None otherwise.
    """

    call_id: str
    tool: str
    source: str | None
    principal: str | None
    board: str | None
    surface: str
    stack: tuple[str, ...]
    started: float
    seconds: float
    outcome: str
    reason: str = ""
    tier: str | None = None
    approval: str = ""
    resource: Mapping[str, Any] | None = None
    search: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """The receipt as a JSON object."""
        return asdict(self)


_FINDERS: Final[Mapping[str, tuple[str, ...]]] = {"find_tools": ("tools",), "tool_search": ("always_listed", "loaded")}
"""The meta-tools that search, and the keys of their answers that list what they found."""


def search_of(meta_tool: str, arguments: Any, answer: Any) -> dict[str, Any] | None:
    """What a meta-tool was asked to find, and the tools that its answer names; None for one that did not search.

    A blank query lists everything, and is no search.
    """
    query = arguments.get("query") if isinstance(arguments, Mapping) else None
    if meta_tool not in _FINDERS or not isinstance(query, str) or not query.strip() or not isinstance(answer, Mapping):
        return None
    found = [one for key in _FINDERS[meta_tool] for one in answer.get(key, ())]
    names = [one if isinstance(one, str) else one["name"] for one in found if _is_tool(one)]
    return {"query": query, "found": names}


def _is_tool(found: Any) -> bool:
    return isinstance(found, str) or (isinstance(found, Mapping) and found.get("kind") == "tool")


class ReceiptSink(Protocol):
    """Takes receipts. Process-wide. A sink that raises is logged and changes no call's outcome."""

    def write(self, receipt: Receipt) -> None: ...


class ReceiptFile:
    """A file that gets one line of JSON for each receipt. Process-wide; several processes may write to one file.

    The file is made where there is none, for its owner alone. It is opened for every line, so that whoever moves it
    away finds the next line in a new one. Behind half a line, which a full disk leaves, the next one begins anew.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def write(self, receipt: Receipt) -> None:
        """Append a line. Raises OSError."""
        line = json.dumps(receipt.to_json(), ensure_ascii=True, separators=(",", ":")) + "\n"
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), _OWNER_ONLY)
        try:
            _write_whole(file, (b"\n" if self._ends_in_half_a_line(file) else b"") + line.encode("ascii"))
        finally:
            os.close(file)

    def _ends_in_half_a_line(self, file: int) -> bool:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return False
        # It may be one that can be written and not read.
        with suppress(OSError), self.path.open("rb") as written:
            written.seek(-1, os.SEEK_END)
            return written.read(1) != b"\n"
        return False


def _write_whole(file: int, data: bytes) -> None:
    """One write is enough but on a disk that is full; half a line is a receipt that was not written."""
    written = os.write(file, data)
    if written != len(data):
        raise OSError(f"only {written} of {len(data)} bytes could be written")
