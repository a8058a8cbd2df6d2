"""The meta-tools: ordinary tools through which a model finds, loads and calls the others.

They act on the board of their context. Everything they tell has passed the discover permission: a hidden tool is
answered like a missing one, byte for byte but the name. Definitions are immutable and shared by the whole process.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, Any, Final, Protocol

from pegboard.budget import within_budget
from pegboard.context import BoardHandle, Context
from pegboard.detail import Detail, describe, explained, full, summary
from pegboard.errors import QuarantinedError
from pegboard.finding import FindResult
from pegboard.paging import Page, page
from pegboard.pins import PinState
from pegboard.skill_source import SkillEntry, Skills
from pegboard.tools import Approval, Entry, Halt, JsonObject, Tool, ToolResult, Visibility, text_block
from pegboard.unwrapping import unwrap
from pegboard.view import View

if TYPE_CHECKING:
    from pegboard.search.ranking import Ranked

META_SOURCE: Final = "pegboard"

FILTERS: Final = ("category", "tag", "visibility")
"""The arguments of ``list_tools`` that narrow the list."""


ENOUGH: Final = 3
"""Fruitless searches in a row from which on the answer says to stop."""
_TRY_AGAIN: Final = (
    "Nothing fits. Try other words for what you need, such as a tool's description would have, or go on without a tool."
)
_IN_PART: Final = (
    "Nothing was found, but only a part of the search was at work. Try the words that a tool's description would have, "
    "or go on without a tool."
)
_GIVE_UP: Final = (
    "Nothing fits, in {} searches in a row. Stop searching: go on without a tool, or say that none was found."
)


class Answer(Protocol):
    """What a meta-tool does with its arguments, on the board of its call."""

    __name__: str

    def __call__(self, arguments: dict[str, Any], board: BoardHandle, context: Context, /) -> Awaitable[Any]: ...


def answer(value: JsonObject) -> ToolResult:
    """A meta-tool's answer: compact JSON as text, the same as structured content."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return ToolResult(content=(text_block(text),), structured=value)


async def list_tools(arguments: dict[str, Any], board: BoardHandle, context: Context) -> ToolResult:
    """List the tools there are, by name, page by page. To get something done, use find_tools instead."""
    view = await board.view()
    chosen = [tool for tool in view.tools if fits(tool, arguments, board.surface)]
    notes = (*board.missing_notes(view), *view.notes)
    return answer(_with_notes(_listed(chosen, arguments, board, "list_tools"), notes))


async def find_tools(arguments: dict[str, Any], board: BoardHandle, context: Context) -> ToolResult:
    """Find tools for a need. Most tools are not listed: search before you say that something cannot be done."""
    query = arguments["query"]
    found = await board.find(query, arguments.get("limit"))
    if not query.strip():
        view = await board.view()
        return answer(
            _with_notes(_listed((*view.tools, *_skills(board, view)), arguments, board, "find_tools"), found.notes)
        )
    if not found.matches:
        return answer(_with_notes(_no_match(found), found.notes))
    wanted = Detail(arguments.get("detail") or Detail.DETAILED)
    told = within_budget(found.matches, wanted, board.limits.find_tokens)
    notes = (*found.notes, *told.notes, *_skills_note(told.items))
    return answer(_with_notes({"tools": list(told.items), "total": found.total} | _how(found), notes))


async def get_tool(arguments: dict[str, Any], board: BoardHandle, context: Context) -> ToolResult:
    """Get one tool's full schema."""
    tool, view = await _visible(arguments, board)
    return answer({"tool": full(tool, board.surface, view.seen)})


async def explain_tool(arguments: dict[str, Any], board: BoardHandle, context: Context) -> ToolResult:
    """Tell everything about one tool: schema, approval, cost, latency, and the tokens its definition costs."""
    tool, view = await _visible(arguments, board)
    return answer({"tool": explained(tool, board.surface, view.seen)})


async def load_tool(arguments: dict[str, Any], board: BoardHandle, context: Context) -> ToolResult:
    """Load a tool, so that it is listed and can be called by its own name."""
    tool, _ = await _visible(arguments, board)
    if tool.visibility_on(board.surface) is Visibility.ALWAYS:
        return answer({"loaded": tool.name, "note": "It is always listed: call it by its name."})
    state = board.pin_state(tool.name)
    if state is PinState.ACTIVE:
        return answer({"loaded": tool.name, "note": "It was loaded already: call it by its name."})
    board.pin(tool.name)
    if state is PinState.LEAVING:
        return answer({"loaded": tool.name, "note": "It stays loaded: call it by its name."})
    return answer({"queued": tool.name, "note": "It is listed from the next turn on, under this name."})


async def unload_tool(arguments: dict[str, Any], board: BoardHandle, context: Context) -> ToolResult:
    """Unload a tool that is no longer needed."""
    name = arguments["name"]
    tool = (await board.view()).seen(name)
    state = board.pin_state(name)
    if tool is None and (state is not PinState.GONE or board.hides(name)):
        raise await board.missing(name)
    if state in (PinState.ABSENT, PinState.TOMBSTONED):
        always = tool is not None and tool.visibility_on(board.surface) is Visibility.ALWAYS
        note = "It is always listed and cannot be unloaded." if always else "It was not loaded."
        return answer({"queued": None, "note": note})
    board.unpin(name)
    if state is PinState.QUEUED:
        return answer({"queued": name, "note": "It was queued to be loaded and is so no longer."})
    return answer({"queued": name, "note": "It stays listed for now; from the next turn on, calls to it are refused."})


async def call_tool(arguments: dict[str, Any], board: BoardHandle, context: Context) -> ToolResult | Halt:
    """Call any tool, listed or not, with arguments that fit its schema."""
    name = arguments["name"]
    tool = (await board.view()).get(name)
    # A name that cannot be seen goes through dispatch all the same: there its receipt gets the true reason.
    unwrapped = unwrap(arguments, tool.input_schema if tool else {})
    return await board.call_any(name, unwrapped, context)


async def tool_search(arguments: dict[str, Any], board: BoardHandle, context: Context) -> ToolResult:
    """Find the tools for a need and load the best of them."""
    # What is listed anyway takes no place from what can be loaded.
    found = await board.find(arguments["query"], board.limits.search_cap)
    view = await board.view()
    fitting = [tool for match in found.matches if (tool := _tool_of(match, view)) is not None]
    skills = [match.entry for match in found.matches if match.entry.kind == "skill"][: board.limits.load_best]
    if not fitting and not skills:
        # What was found and is hidden by now, nothing may tell of.
        none = FindResult() if found.matches else found
        return answer(_with_notes({"loaded": [], **_no_match(none)}, found.notes))
    always, loaded = (
        [tool for tool in fitting if tool.visibility_on(board.surface) is visibility][: board.limits.load_best]
        for visibility in (Visibility.ALWAYS, Visibility.ON_DEMAND)
    )
    for tool in loaded:
        board.pin(tool.name)
    told: dict[str, Any] = {"loaded": [describe(tool, Detail.BRIEF) for tool in loaded]}
    if always:
        told["always_listed"] = [tool.name for tool in always]
    if skills:
        told["skills"] = [describe(skill, Detail.BRIEF) for skill in skills]
    note = "These are listed from the next turn on" if loaded else "What fits is always listed"
    told |= {"note": f"{note}, under these names."} if fitting else {}
    return answer(_with_notes(told | _degraded(found), (*found.notes, *_skills_note(told.get("skills", ())))))


def _tool_of(match: Ranked, view: View) -> Tool | None:
    return view.get(match.entry.name) if match.entry.kind == "tool" else None


def _skills_note(items: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """How the skills among some items are used."""
    some = any(item["kind"] == "skill" for item in items)
    return ("a skill is no tool: skills gives its instructions",) if some else ()


async def _visible(arguments: dict[str, Any], board: BoardHandle) -> tuple[Tool, View]:
    name = arguments["name"]
    view = await board.view()
    if name in view.held:
        raise QuarantinedError(name)
    tool = view.get(name)
    if tool is None:
        raise await board.missing(name)
    return tool, view


def _skills(board: BoardHandle, view: View) -> Skills[SkillEntry]:
    """The skills that may be told of: none where nothing gives their instructions."""
    return board.skills.searched(view).skills


def _listed(entries: Iterable[Entry], arguments: dict[str, Any], board: BoardHandle, asked_of: str) -> dict[str, Any]:
    by_key = {_key(entry): entry for entry in entries}
    shown = page(by_key, arguments.get("cursor"), board.limits.page, asked_of=asked_of)
    return paged(shown, [summary(by_key[key], board.surface) for key in shown.names])


def _key(entry: Entry) -> str:
    """The name in the order of a list: a skill comes behind a tool of its name, which is another thing."""
    return f"{entry.name}\0" if entry.kind == "skill" else entry.name


def paged(shown: Page, items: Sequence[JsonObject]) -> dict[str, Any]:
    """A page as an answer tells it."""
    told: dict[str, Any] = {"tools": list(items), "total": shown.total}
    return told | ({"cursor": shown.cursor} if shown.cursor else {})


def fits(tool: Tool, arguments: Mapping[str, Any], surface: str) -> bool:
    """Whether a tool is of the category, tag and visibility that the arguments of ``list_tools`` ask for."""
    category, tag, visibility = (arguments.get(key) for key in FILTERS)
    return (
        (category is None or tool.category == category)
        and (tag is None or tag in tool.tags)
        and (visibility is None or tool.visibility_on(surface) == visibility)
    )


def _no_match(found: FindResult) -> dict[str, Any]:
    told: dict[str, Any] = {"tools": [], "total": 0, "no_match": True} | _how(found)
    if found.unmatched:
        told["unmatched_terms"] = list(found.unmatched)
    if found.categories:
        told["categories"] = list(found.categories)
    return told | {"hint": _hint(found)}


def _hint(found: FindResult) -> str:
    """What to do where nothing fits."""
    if found.degraded:
        return _IN_PART
    return _GIVE_UP.format(found.fruitless) if found.fruitless >= ENOUGH else _TRY_AGAIN


def _how(found: FindResult) -> dict[str, Any]:
    """How sure the answer is, and why it is less than it could be, where it is."""
    told: dict[str, Any] = {} if found.confidence is None else {"confidence": round(found.confidence, 2)}
    return told | _degraded(found)


def _degraded(found: FindResult) -> dict[str, Any]:
    return {"degraded": found.degraded} if found.degraded else {}


def _with_notes(told: dict[str, Any], notes: tuple[str, ...]) -> dict[str, Any]:
    return told | ({"notes": list(notes)} if notes else {})


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
_PIN: Final[JsonObject] = {
    "readOnlyHint": False,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}


def _meta(run: Answer, schema: JsonObject, *, told: JsonObject | None = None, changes_pins: bool = False) -> Tool:
    """The tool that ``run`` answers; its docstring is the description that models read.

    ``told`` is the schema that they are shown, where it asks for less than ``schema`` takes.
    """

    async def handler(arguments: dict[str, Any], context: Context) -> Any:
        if context.board is None:
            raise RuntimeError("meta-tools are called through a board")
        return await run(arguments, context.board, context)

    return Tool(
        name=run.__name__,
        description=run.__doc__ or "",
        handler=handler,
        input_schema=schema,
        source=META_SOURCE,
        category="meta",
        visibility=Visibility.ALWAYS,
        approval=Approval.WRITE if changes_pins else Approval.READ,
        annotations=_PIN if changes_pins else _READ,
        definition={"description": run.__doc__ or "", "inputSchema": told} if told else None,
    )


META_TOOLS: Final[Mapping[str, Tool]] = {
    tool.name: tool
    for tool in (
        _meta(
            list_tools,
            _schema(
                category=_text("Only this category."),
                tag=_text("Only this tag."),
                visibility={"enum": ["always", "on-demand"]},
                cursor=_CURSOR,
            ),
        ),
        _meta(
            find_tools,
            _schema(
                ("query",),
                query=_text("What you want to do, in a few words. Empty lists everything."),
                limit={"type": "integer", "description": "At most this many."},
                detail={"enum": ["brief", "detailed", "full"], "description": "How much of each (default detailed)."},
                cursor=_CURSOR,
            ),
        ),
        _meta(get_tool, _schema(("name",), name=_NAME)),
        _meta(load_tool, _schema(("name",), name=_NAME), changes_pins=True),
        _meta(unload_tool, _schema(("name",), name=_NAME), changes_pins=True),
        _meta(explain_tool, _schema(("name",), name=_NAME)),
        # Models are told to give an object: beside "string" they write text. What else comes is unwrapped.
        # The called tool has its own annotations and its own time limit.
        _meta(
            call_tool,
            _schema(("name",), open_ended=True, name=_NAME, arguments={"type": ["object", "string", "null"]}),
            told=_schema(("name",), open_ended=True, name=_NAME, arguments={"type": "object"}),
        ).with_(annotations=None, timeout=inf),
        _meta(
            tool_search,
            _schema(("query",), query=_text("What you want to do, in a few words.")),
            changes_pins=True,
        ),
    )
}
"""Every meta-tool, by name."""
