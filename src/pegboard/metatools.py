"""The meta-tools: ordinary tools through which a model finds, loads and calls the others.

They act on the board of their context. Everything they tell has passed the discover permission: a hidden tool is
answered like a missing one, byte for byte but the name. Definitions are immutable and shared by the whole process.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from math import inf
from typing import Any, Final

from pegboard.context import BoardHandle, Context
from pegboard.detail import Detail, describe, explained, full, summary
from pegboard.errors import InvalidArgumentsError, NotFoundError
from pegboard.finding import FindResult, page
from pegboard.pins import PinState
from pegboard.tokens import count_tokens
from pegboard.tools import Approval, Halt, JsonObject, Tool, ToolResult, Visibility, text_block

META_SOURCE: Final = "pegboard"

Answer = Callable[[dict[str, Any], BoardHandle, Context], Awaitable[Any]]


def answer(value: JsonObject) -> ToolResult:
    """A meta-tool's answer: compact JSON as text, the same as structured content."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return ToolResult(content=(text_block(text),), structured=value)


async def list_tools(arguments: dict[str, Any], board: BoardHandle, context: Context) -> ToolResult:
    view = await board.view()
    category, tag, visibility = (arguments.get(key) for key in ("category", "tag", "visibility"))
    chosen = [
        tool
        for tool in view.tools
        if (category is None or tool.category == category)
        and (tag is None or tag in tool.tags)
        and (visibility is None or tool.visibility_on(board.surface) == visibility)
    ]
    return answer(_listed(chosen, arguments.get("cursor"), board))


async def find_tools(arguments: dict[str, Any], board: BoardHandle, context: Context) -> ToolResult:
    query = arguments["query"]
    found = await board.find(query, arguments.get("limit"))
    if not query.strip():
        view = await board.view()
        return answer(_with_notes(_listed(view.tools, arguments.get("cursor"), board), found.notes))
    if not found.matches:
        return answer(_with_notes(_no_match(found), found.notes))
    wanted = Detail(arguments.get("detail") or Detail.DETAILED)
    return answer(_matches(found, wanted, board.limits.find_tokens))


async def get_tool(arguments: dict[str, Any], board: BoardHandle, context: Context) -> ToolResult:
    return answer({"tool": full(await _visible(arguments, board), board.surface)})


async def explain_tool(arguments: dict[str, Any], board: BoardHandle, context: Context) -> ToolResult:
    return answer({"tool": explained(await _visible(arguments, board), board.surface)})


async def load_tool(arguments: dict[str, Any], board: BoardHandle, context: Context) -> ToolResult:
    tool = await _visible(arguments, board)
    if tool.visibility_on(board.surface) is Visibility.ALWAYS:
        return answer({"loaded": tool.name, "note": "It is always listed: call it by its name."})
    if board.pin_state(tool.name) is PinState.ACTIVE:
        return answer({"loaded": tool.name, "note": "It was loaded already: call it by its name."})
    board.pin(tool.name)
    return answer({"queued": tool.name, "note": "It is listed from the next turn on, under this name."})


async def unload_tool(arguments: dict[str, Any], board: BoardHandle, context: Context) -> ToolResult:
    name = arguments["name"]
    state = board.pin_state(name)
    on_board = state in (PinState.QUEUED, PinState.ACTIVE, PinState.RETURNING, PinState.LEAVING)
    if state is not PinState.GONE:
        tool = await _visible(arguments, board)
        if not on_board:
            always = tool.visibility_on(board.surface) is Visibility.ALWAYS
            note = "It is always listed and cannot be unloaded." if always else "It was not loaded."
            return answer({"queued": None, "note": note})
    board.unpin(name)
    return answer({"queued": name, "note": "It stays listed for now, but calls to it are refused from the next turn on."})


async def call_tool(arguments: dict[str, Any], board: BoardHandle, context: Context) -> ToolResult | Halt:
    name = arguments["name"]
    tool = (await board.view()).get(name)
    # A name that cannot be seen goes through dispatch all the same: there its receipt gets the true reason.
    unwrapped = unwrap(arguments, tool.input_schema if tool else {})
    return await board.call_any(name, unwrapped, context)


async def tool_search(arguments: dict[str, Any], board: BoardHandle, context: Context) -> ToolResult:
    query = arguments["query"]
    found = await board.find(query, board.limits.load_best) if query.strip() else FindResult()
    if not found.matches:
        return answer({"loaded": [], **_no_match(found)})
    view = await board.view()
    loaded = []
    for match in found.matches:
        tool = view.get(match.entry.name)
        if tool is not None and tool.visibility_on(board.surface) is Visibility.ON_DEMAND:
            board.pin(tool.name)
            loaded.append(tool)
    told = [describe(tool, Detail.BRIEF) for tool in loaded]
    return answer({"loaded": told, "note": "These are listed from the next turn on, under these names."})


async def _visible(arguments: dict[str, Any], board: BoardHandle) -> Tool:
    name = arguments["name"]
    tool = (await board.view()).get(name)
    if tool is None:
        raise NotFoundError(name)
    return tool


def _listed(tools: Any, cursor: str | None, board: BoardHandle) -> dict[str, Any]:
    shown = page(tools, cursor, board.limits.page)
    told: dict[str, Any] = {"tools": [summary(tool, board.surface) for tool in shown.tools], "total": shown.total}
    return told | ({"cursor": shown.cursor} if shown.cursor else {})


def _no_match(found: FindResult) -> dict[str, Any]:
    told: dict[str, Any] = {"tools": [], "total": 0, "no_match": True}
    if found.unmatched:
        told["unmatched_terms"] = list(found.unmatched)
    return told | {"hint": "Nothing fits. Try other words for what you need, or go on without a tool."}


def _matches(found: FindResult, wanted: Detail, budget: int) -> dict[str, Any]:
    """The matches within a token budget: brief for all of them first, then more of the best while there is room."""
    told = [_match(match, Detail.BRIEF) for match in found.matches]
    costs = [_cost(item) for item in told]
    while len(told) > 1 and sum(costs) > budget:
        told.pop()
        costs.pop()
    room = budget - sum(costs)
    lowered = 0
    for index, match in enumerate(found.matches[: len(told)]):
        detail = wanted
        while detail is not Detail.BRIEF:
            richer = _match(match, detail)
            more = _cost(richer) - costs[index]
            if more <= room:
                told[index], room = richer, room - more
                break
            detail = _LOWER[detail]
        lowered += detail is not wanted
    notes = list(found.notes)
    if lowered:
        notes.append(f"{lowered} of {len(told)} in less detail to fit {budget} tokens; get_tool tells the rest")
    if len(told) < len(found.matches):
        notes.append(f"{len(found.matches) - len(told)} more left out to fit {budget} tokens; ask more narrowly")
    return _with_notes({"tools": told, "total": found.total}, tuple(notes))


_LOWER: Final = {Detail.FULL: Detail.DETAILED, Detail.DETAILED: Detail.BRIEF}


def _match(match: Any, detail: Detail) -> dict[str, Any]:
    return describe(match.entry, detail) | {"score": round(match.score, 4), "reason": match.reason}


def _cost(item: JsonObject) -> int:
    return count_tokens(json.dumps(item, ensure_ascii=False, separators=(",", ":")))


def _with_notes(told: dict[str, Any], notes: tuple[str, ...]) -> dict[str, Any]:
    return told | ({"notes": list(notes)} if notes else {})


def unwrap(arguments: Mapping[str, Any], schema: JsonObject) -> Any:
    """The arguments meant for the tool, out of what a model wrote for ``call_tool``.

    Understood where it is unambiguous: an object under ``arguments``; the same as JSON text; once more nested under
    ``arguments``; or flattened beside ``name``. What cannot be understood is passed on, for the strict check to refuse.
    """
    known = schema.get("properties") or {}
    if "arguments" not in arguments:
        return {key: value for key, value in arguments.items() if key != "name"}
    beside = [key for key in arguments if key not in ("name", "arguments")]
    if beside:
        raise InvalidArgumentsError(
            "call_tool", [f"{beside[0]}: wanted inside arguments, or no arguments at all beside flattened ones"]
        )
    inner = _from_text(arguments["arguments"])
    if isinstance(inner, Mapping) and set(inner) == {"arguments"} and "arguments" not in known:
        inner = _from_text(inner["arguments"])
    return {} if inner is None else inner


def _from_text(value: Any) -> Any:
    """A JSON object written as text, as that object; everything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        parsed = json.loads(value) if value.strip() else {}
    except ValueError:
        return value
    return parsed if isinstance(parsed, dict) else value


def _schema(required: tuple[str, ...] = (), *, open_ended: bool = False, **properties: JsonObject) -> JsonObject:
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(required)
    return schema if open_ended else schema | {"additionalProperties": False}


def _text(description: str) -> JsonObject:
    return {"type": "string", "description": description}


_NAME: Final = _text("Exact name, as an answer gave it.")
_CURSOR: Final = _text("From the last answer, to continue a list.")

_READ: Final[JsonObject] = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}
_PIN: Final[JsonObject] = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}


def _meta(run: Answer, description: str, schema: JsonObject, *, changes: bool = False, **more: Any) -> Tool:
    async def handler(arguments: dict[str, Any], context: Context) -> Any:
        if context.board is None:
            raise RuntimeError("meta-tools are called through a board")
        return await run(arguments, context.board, context)

    return Tool(
        **{
            "name": run.__name__,
            "description": description,
            "handler": handler,
            "input_schema": schema,
            "source": META_SOURCE,
            "category": "meta",
            "visibility": Visibility.ALWAYS,
            "approval": Approval.WRITE if changes else Approval.READ,
            "annotations": _PIN if changes else _READ,
        }
        | more
    )


META_TOOLS: Final[Mapping[str, Tool]] = {
    tool.name: tool
    for tool in (
        _meta(
            list_tools,
            "List the tools there are, by name, page by page. To get something done, use find_tools instead.",
            _schema(
                category=_text("Only this category."),
                tag=_text("Only this tag."),
                visibility={"enum": ["always", "on-demand"]},
                cursor=_CURSOR,
            ),
        ),
        _meta(
            find_tools,
            "Find tools for a need. Most tools are not listed here: search before you say that something cannot be done.",
            _schema(
                ("query",),
                query=_text("What you want to do, in a few words. Empty lists everything."),
                limit={"type": ["integer", "null"], "description": "At most this many (default 20)."},
                detail={"enum": ["brief", "detailed", "full"], "description": "How much to tell of each (default detailed)."},
                cursor=_CURSOR,
            ),
        ),
        _meta(get_tool, "Get one tool's full schema.", _schema(("name",), name=_NAME)),
        _meta(
            load_tool,
            "Load a tool, so that it is listed and can be called by its own name.",
            _schema(("name",), name=_NAME),
            changes=True,
        ),
        _meta(
            unload_tool,
            "Unload a tool that is no longer needed.",
            _schema(("name",), name=_NAME),
            changes=True,
        ),
        _meta(
            explain_tool,
            "Tell everything about one tool: schema, approval, cost, latency, and what its definition costs in tokens.",
            _schema(("name",), name=_NAME),
        ),
        _meta(
            call_tool,
            "Call any tool, listed or not, with arguments that fit its schema.",
            _schema(("name",), open_ended=True, name=_NAME, arguments={"type": ["object", "string", "null"]}),
            # The called tool has its own tier, its own annotations and its own time limit.
            approval=Approval.READ,
            annotations=None,
            timeout=inf,
        ),
        _meta(
            tool_search,
            "Find the tools for a need and load the best of them.",
            _schema(("query",), query=_text("What you want to do, in a few words.")),
            changes=True,
        ),
    )
}
"""Every meta-tool, by name."""

PROFILES: Final[Mapping[str, tuple[str, ...]]] = {
    "modern": ("find_tools", "get_tool", "call_tool"),
    "session": ("find_tools", "get_tool", "call_tool", "load_tool", "unload_tool"),
    "python": tuple(META_TOOLS),
}
"""Which meta-tools a surface shows. ``modern``: lists that never change; ``session``: lists that follow pins."""

PIN_CHANGING: Final = frozenset({"load_tool", "unload_tool", "tool_search", "skills"})
"""Meta-tools after whose answer a surface makes a boundary."""
