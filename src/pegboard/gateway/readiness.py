"""Waiting for sources that are still starting: only for those that a call may need, and only for so long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pegboard.board import Board
from pegboard.board_tools import META_NAMES
from pegboard.naming import SEPARATOR, slug
from pegboard.peg import Pegboard
from pegboard.registry import Source
from pegboard.skill_source import BringsSkills
from pegboard.skill_tools import SKILL_TOOLS

_NEED_ALL: Final = frozenset({"find_tools", "list_tools", "tool_search"})
"""Meta-tools whose answer depends on every source."""

_NEED_NAMED: Final = frozenset({"get_tool", "explain_tool", "load_tool", "call_tool"})
"""Meta-tools whose answer depends on the tool that they are given the name of."""


async def wait_for_sources(peg: Pegboard, board: Board, name: str, arguments: Any, seconds: float) -> tuple[str, ...]:
    """Wait until the call of ``name`` on a board can be answered as well as it ever will be, at most ``seconds``.

    A source that starts only when it is needed starts now. Gives the names of those that the call needed and that are
    not ready yet. A tool that is hidden from the board's principal is waited for like a missing one, or the time that
    the answer takes would tell them apart.
    """
    if name in SKILL_TOOLS:
        await _wait_for_skill(peg, board, arguments, seconds)
        return ()
    wanted = wanted_tool(name, arguments)
    # First what costs nothing: asking dozens of sources how they are would be felt in every call.
    there = wanted is not None and peg.catalog.get(wanted) is not None
    if (wanted is None and name not in _NEED_ALL) or (there and board.principal is None):
        return ()
    unready = {status.name for status in peg.missing() if status.state != "failed"}
    if not unready or (there and wanted is not None and (await board.view()).seen(wanted) is not None):
        return ()
    starting = [source for source in peg.sources if source.name in unready]

    def arrived() -> bool:
        # For a principal it may have arrived hidden: that its source is ready is what counts.
        return wanted is not None and board.principal is None and peg.catalog.get(wanted) is not None

    needed = starting if wanted is None else bringing(wanted, peg.sources, starting)
    return await peg.ready(seconds, sources=needed, enough=arrived)


async def _wait_for_skill(peg: Pegboard, board: Board, arguments: Any, seconds: float) -> None:
    """Wait for the sources that may bring the skill that a call names, unless it is there to be seen."""
    given = arguments if isinstance(arguments, Mapping) else {}
    named = given.get("skill_name", given.get("skill"))
    if not isinstance(named, str) or (await board.view()).skills.get(named) is None:
        await wait_for_skills(peg, seconds)


async def wait_for_listed(peg: Pegboard, seconds: float) -> None:
    """Wait, at most ``seconds``, for the starting sources whose tools may be listed from the start."""
    shown = {status.name for status in peg.missing() if status.state == "starting" and status.always_visible}
    if shown:
        await peg.ready(seconds, sources=[source for source in peg.sources if source.name in shown])


async def wait_for_skills(peg: Pegboard, seconds: float) -> None:
    """Wait, at most ``seconds``, for the starting sources that may bring skills: many clients list them once."""
    starting = {status.name for status in peg.missing() if status.state in ("idle", "starting")}
    bringing = [source for source in peg.sources if source.name in starting and isinstance(source, BringsSkills)]
    if bringing:
        await peg.ready(seconds, sources=bringing)


def wanted_tool(name: str, arguments: Any) -> str | None:
    """The one tool that a call is about; None when it is about many, or about none."""
    if name not in META_NAMES:
        return name
    named = arguments.get("name") if name in _NEED_NAMED and isinstance(arguments, Mapping) else None
    return named if isinstance(named, str) else None


def bringing(tool: str, sources: Sequence[Source], starting: Sequence[Source]) -> Sequence[Source]:
    """Those of ``starting`` that may bring a tool of this name.

    A name that begins like one source's names waits for that source alone. It is no parsing of the name: when the
    guess is wrong, the call is answered as it would be without any waiting.
    """
    likely = [source for source in sources if tool.startswith(f"{slug(source.name)}{SEPARATOR}")]
    return [source for source in starting if source in likely] if likely else starting
