"""``gonk_meta_tools``, ``gonk_meta_dispatch``: what the meta-tools answer.

Mapped in both, each for one reason:

- ``display`` texts are left out: a surface renders, the meta-tool gives JSON;
- ``tool_explain`` is ``explain_tool`` here, and ``inputJsonSchema`` is ``inputSchema``;
- not found is ``{tool: null}``, ``{queued: ""}`` or ``{error}`` there; here one error, ``not_found``, for all;
- meta-tools are in no catalog here, so that lists, searches and policies never see them;
- a match of a search tells name, description, score (to 4 places) and reason; the rest is a matter of detail;
- one question with a mask takes the place of a question a tool: asked about is at least what they ask about.
"""

from __future__ import annotations

from typing import Any, Final

from pegboard.board import Board
from pegboard.peg import Pegboard
from pegboard.pins import PinState
from pegboard.search import Bm25Ranker
from pegboard.tools import Halt, ToolResult
from tests.runners.golden.adapter import Adapter, NotBuiltError
from tests.runners.golden.adapters.gonk_boards import META_NAMES, PROFILES, WORDS, registry
from tests.runners.golden.adapters.policies import ALLOWED, ScriptedPolicy
from tests.runners.golden.outcome import Comparison, Outcome, Returned

ALPHA: Final = {
    "name": "alpha",
    "description": "First tool",
    "category": "one",
    "tags": ["x"],
    "keywords": ["k1"],
    "relatedTo": ["beta"],
    "capabilities": {"readsFs": True},
    "visibility": "always",
    "cost": "low",
    "latency": "instant",
    "inputJsonSchema": {"type": "object"},
}
BETA: Final = {
    "name": "beta",
    "description": "Second tool about audio",
    "category": "two",
    "tags": ["x", "y"],
    "hints": {
        "pi": {"visibility": "always"},
        "mcp": {"visibility": "on-demand", "annotations": {"readOnly": True}},
    },
    "authorization": {"requiredRole": "admin"},
}
GAMMA: Final = {"name": "gamma", "description": "Third audio tool", "keywords": ["audio"]}

NAMES: Final = ("alpha", "beta", "gamma")

OURS: Final = {"tool_explain": "explain_tool"}
MISSING: Final[dict[str, Any]] = {
    "get_tool": {"tool": None},
    "explain_tool": {"error": "TOOL_NOT_FOUND"},
    "load_tool": {"queued": ""},
    "unload_tool": {"queued": ""},
}
"""What theirs answer for a name that is not there, by our name of the meta-tool."""

CODES: Final = {"not_found": "TOOL_NOT_FOUND", "invalid_arguments": "INVALID_INPUT", "denied": "AUTHORIZATION_DENIED"}
"""Our codes and theirs."""

MATCH: Final = ("name", "description", "score", "reason")
LISTED: Final = ("name", "description", "visibility", "category", "tags")


async def opened(values: dict[str, Any]) -> tuple[Board, ScriptedPolicy]:
    """A board with the vector's tools, in the state that ``before`` asks for, when nothing was forbidden yet."""
    policy = ScriptedPolicy()
    tools = values.get("tools") or [ALPHA, BETA, GAMMA]
    peg = Pegboard([registry("r", tools)], policy=policy, ranker=Bm25Ranker(analyzer="plain"), profiles=PROFILES)
    principal = ALLOWED if values.get("auth") else None
    board = await peg.open(principal, surface=values.get("scope", "pi"), profile="python")
    for op, *names in values.get("before") or ():
        if op == "commit":
            await board.commit()
        else:
            {"pin": board.pin, "unpin": board.unpin}[op](*names)
    policy.take((values.get("auth") or {}).get("policy") or {})
    return board, policy


async def called(board: Board, values: dict[str, Any]) -> ToolResult:
    """The meta-tool's result."""
    result = await board.call(OURS.get(values["call"], values["call"]), values["input"])
    assert not isinstance(result, Halt)
    return result


def pins_of(board: Board) -> dict[str, Any]:
    """What is pending."""
    return dict(zip(("add", "remove"), board.pending, strict=True))


async def handled(values: dict[str, Any]) -> Any:
    """The handler's data, the pins after it, and what the policy was asked."""
    board, policy = await opened(values)
    result = await called(board, values)
    committed = [name for name in NAMES if board.pin_state(name) is PinState.ACTIVE]
    data = _data(OURS.get(values["call"], values["call"]), result)
    return {"data": data, "pins": pins_of(board), "committed": committed, "asked": policy.asked}


def _data(call: str, result: ToolResult) -> Any:
    """A result in their words."""
    told = result.structured
    if result.is_error:
        return MISSING[call] if told["error"]["code"] == "not_found" and call in MISSING else told
    if call == "find_tools":
        return {"results": [{key: match[key] for key in MATCH} for match in told["tools"]]}
    if call == "list_tools":
        return {"tools": [{key: entry[key] for key in LISTED if key in entry} for entry in told["tools"]]}
    if call == "explain_tool":
        return told["tool"]
    return {key: value for key, value in told.items() if key != "note"}


def same_answer(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """See the module's docstring."""
    told = expected["returns"]
    if not isinstance(got, Returned) or "returns" not in told["result"]:
        return comparison.outcome(expected, got)
    wanted, answer = told["result"]["returns"]["data"], got.value
    return (
        _data_differs(comparison, wanted, answer["data"])
        or comparison.value(told["pins"], answer["pins"], "pins")
        or comparison.value(told.get("committed", []), answer["committed"], "committed")
        or _not_asked(told["asked"], answer["asked"])
    )


def _data_differs(comparison: Comparison, wanted: Any, data: Any) -> str:
    if "results" in wanted and "results" in data:
        return _matches_differ(comparison, wanted["results"], data["results"])
    if "tools" in wanted:
        mine = [entry for entry in wanted["tools"] if entry["name"] not in META_NAMES]
        return comparison.value({"tools": mine}, data)
    if wanted.get("tool") and data.get("tool"):
        wanted, data = wanted["tool"], data["tool"]
    if "name" in wanted and "name" in data:
        renamed = {WORDS.get(key, key): value for key, value in wanted.items()}
        return comparison.value(renamed, {key: data.get(key) for key in renamed})
    return comparison.value(wanted, data)


def _matches_differ(comparison: Comparison, wanted: list[dict[str, Any]], data: list[dict[str, Any]]) -> str:
    """With meta-tools in their corpus the scores are others: then the order alone is compared."""
    meta_in_corpus = comparison.values.get("meta") is not False
    for match in (*wanted, *data):
        match["score"] = 0 if meta_in_corpus else round(match["score"], 4)
    return comparison.value([{key: match[key] for key in MATCH} for match in wanted], data)


def _not_asked(wanted: list[str], asked: list[str]) -> str:
    absent = [question for question in wanted if question not in asked and question.split()[-1] not in META_NAMES]
    return f"the policy was not asked about {absent}" if absent else ""


async def dispatched(values: dict[str, Any]) -> Any:
    """Their stream of one event: its data, or its error's code. Bypassing approval is having none to ask for."""
    if (values.get("security") or {}).get("approvalMode", "bypass") != "bypass":
        raise NotBuiltError("approval of meta-tools")
    board, policy = await opened(values)
    result = await called(board, values)
    call = OURS.get(values["call"], values["call"])
    code = result.structured["error"]["code"] if result.is_error else None
    if code is not None and not (code == "not_found" and call in MISSING):
        event = {"type": "error", "code": CODES.get(code, code)}
    else:
        event = {"type": "result", "data": _data(call, result)}
    return {"event": event, "pins": pins_of(board), "asked": policy.asked}


def same_event(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """See the module's docstring. Errors are compared by their code."""
    if not isinstance(got, Returned):
        return comparison.outcome(expected, got)
    told, answer = expected["returns"], got.value
    wanted, event = told["events"][-1], answer["event"]
    data = _data_differs(comparison, wanted["data"], event["data"]) if "data" in wanted and "data" in event else ""
    return (
        comparison.value(wanted["type"], event["type"], "type")
        or comparison.value(wanted.get("code"), event.get("code"), "code")
        or data
        or comparison.value(told["pins"], answer["pins"], "pins")
        or _not_asked(told["asked"], answer["asked"])
    )


ADAPTERS: Final = {
    "gonk_meta_tools": Adapter(handled, {}, same_answer),
    "gonk_meta_dispatch": Adapter(dispatched, {}, same_event),
}
