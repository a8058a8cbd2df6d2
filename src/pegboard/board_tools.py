"""Meta-tools that take a board as an argument, for clients whose list does not change.

Such a client's pins cannot show in its list. It opens a board, names it in later calls, and reads it with
``list_tools(board)``. A board's id is all that it takes to use it, for the principal that opened it: nobody else's
board can be told from one that does not exist.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from pegboard.boundary import PinDiff
from pegboard.context import Context
from pegboard.errors import BoardError, StoreError, ToolError
from pegboard.metatools import FILTERS, META_SOURCE, META_TOOLS, answer, fits, paged
from pegboard.paging import page
from pegboard.pins import PinState
from pegboard.skill_tools import SKILL_TOOLS
from pegboard.tools import Approval, Halt, JsonObject, Tool, ToolResult, Visibility

if TYPE_CHECKING:
    from pegboard.board import Board

logger = logging.getLogger(__name__)

_BOARD: Final[JsonObject] = {"type": "string", "description": "A board's id, from open_board."}


async def open_board(arguments: dict[str, Any], context: Context) -> ToolResult:
    """Open a board, on which tools stay loaded from call to call."""
    board = await _board(context, None)
    await _saved(board)
    return answer({"board": board.id, "note": "Give it to load_tool, unload_tool and list_tools."})


async def list_tools(arguments: dict[str, Any], context: Context) -> ToolResult | Halt:
    """List the tools there are, page by page; with a board, the full definitions of those loaded on it."""
    board_id = arguments.get("board")
    if board_id is None:
        return await _plain("list_tools", arguments, context)
    board = await _board(context, board_id)
    view = await board.view()
    pinned = {str(shown["name"]): shown for shown in board.pinned()}
    loaded = {name: shown for name, shown in pinned.items() if board.pin_state(name) is PinState.ACTIVE}
    if any(arguments.get(key) is not None for key in FILTERS):
        tools = (view.get(name) for name in loaded)
        loaded = {tool.name: loaded[tool.name] for tool in tools if tool and fits(tool, arguments, board.surface)}
    shown = page(loaded, arguments.get("cursor"), board.limits.page, asked_of="list_tools")
    return answer({"board": board.id} | paged(shown, [loaded[name] for name in shown.names]))


async def load_tool(arguments: dict[str, Any], context: Context) -> ToolResult | Halt:
    """Load a tool onto a board."""
    return await _changed("load_tool", arguments, context)


async def unload_tool(arguments: dict[str, Any], context: Context) -> ToolResult | Halt:
    """Take a tool off a board."""
    return await _changed("unload_tool", arguments, context)


async def _changed(name: str, arguments: dict[str, Any], context: Context) -> ToolResult | Halt:
    """What the plain meta-tool does on the named board, and a boundary at once: no client's list depends on it."""
    board = await _board(context, arguments["board"])
    told = await _plain(name, arguments, replace(context, board=board))
    if board.pending == ((), ()):
        return told
    diff = await _saved(board)
    return answer({"board": board.id, "loaded": list(diff.added), "unloaded": list(diff.tombstoned)})


async def _saved(board: Board) -> PinDiff:
    try:
        return await board.boundary()
    except StoreError as error:
        logger.exception("a board could not be saved")
        raise ToolError("The board could not be saved.", hint="Try again.") from error
    except BoardError as error:
        raise _no_board(error) from error


async def _plain(name: str, arguments: dict[str, Any], context: Context) -> ToolResult | Halt:
    rest = {key: value for key, value in arguments.items() if key != "board"}
    told: ToolResult | Halt = await META_TOOLS[name].handler(rest, context)
    return told


async def _board(context: Context, board_id: str | None) -> Board:
    """The board of that id, or a new one.

    Raises ToolError when there is none for this principal.
    """
    if context.board is None:
        raise RuntimeError("meta-tools are called through a board")
    try:
        return await context.board.other(board_id)
    except BoardError as error:
        raise _no_board(error) from error
    except StoreError as error:
        logger.exception("a board could not be read")
        raise ToolError("The board could not be read.", hint="Try again.") from error


def _no_board(error: BoardError) -> ToolError:
    return ToolError(error.message, hint="Open one with open_board.")


def _taking_board(handler: Any, *, required: bool) -> Tool:
    """A meta-tool with a board among its arguments."""
    plain = META_TOOLS[handler.__name__]
    schema = {**plain.input_schema, "properties": {**plain.input_schema["properties"], "board": _BOARD}}
    if required:
        schema["required"] = [*schema.get("required", []), "board"]
    return plain.with_(handler=handler, description=handler.__doc__, input_schema=schema)


BOARD_TOOLS: Final[Mapping[str, Tool]] = {
    tool.name: tool
    for tool in (
        Tool(
            name="open_board",
            description=open_board.__doc__ or "",
            handler=open_board,
            input_schema={"type": "object", "properties": {}, "additionalProperties": False},
            source=META_SOURCE,
            category="meta",
            visibility=Visibility.ALWAYS,
            approval=Approval.WRITE,
            annotations={"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False},
        ),
        _taking_board(list_tools, required=False),
        _taking_board(load_tool, required=True),
        _taking_board(unload_tool, required=True),
    )
}
"""The meta-tools that a profile has in place of the plain ones when it has ``open_board``."""

META_NAMES: Final = frozenset({*META_TOOLS, *BOARD_TOOLS})
"""Names that no other tool may have."""


ALL_NAMES: Final = META_NAMES | SKILL_TOOLS.keys()
"""Names that a profile may have."""


def meta_tools(names: Collection[str]) -> dict[str, Tool]:
    """The meta-tools of a profile, by name; names of none are left out."""
    table = {**META_TOOLS, **(BOARD_TOOLS if "open_board" in names else {}), **SKILL_TOOLS}
    return {name: table[name] for name in names if name in table}
