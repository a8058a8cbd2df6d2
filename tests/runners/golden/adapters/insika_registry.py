"""``insika_tool_registry``, ``insika_tool_search``: registering, and finding with promotion."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from pegboard.errors import DefinitionError, NotFoundError
from pegboard.peg import Pegboard
from pegboard.registry import ToolRegistry
from pegboard.search import SubstringRanker
from pegboard.tools import Halt
from tests.runners.golden.adapter import Adapter, NotBuiltError
from tests.runners.golden.adapters.gonk_boards import answering
from tests.runners.golden.adapters.making import tool
from tests.runners.golden.outcome import Comparison, Outcome, Raised, Returned

ERRORS: Final = {"Insika::NotFoundError": NotFoundError, "ArgumentError": DefinitionError}


class Registry:
    """A registry driven by a vector's ops. Belongs to one vector.

    - Their factory makes a value on each ``resolve``; here one tool gives it on each call, so calls are not counted.
    - A plugin is a source; what else they keep as metadata has no counterpart.
    - Resolving is looking up in a catalog of the moment.
    """

    def __init__(self) -> None:
        self.registry = ToolRegistry()
        self.values: dict[str, Any] = {}
        self.ops: dict[str, Callable[..., Any]] = {
            "register": self.register,
            "register_callable": lambda name, value: self.register(name, {"value": value}),
            "register_nothing": lambda name: self.registry.register_factory(name, None),  # type: ignore[arg-type]
            "resolve": lambda name: self.values[self.entry(name)["name"]],
            "entry": self.entry,
            "names": lambda: [held.name for held in self.registry.tools()],
            "deregister": lambda plugin: self.registry.replace_source(str(plugin), ()) and None,
        }

    def register(self, name: Any, told: dict[str, Any]) -> bool:
        """Register a tool whose call gives the value."""
        handler = answering(told.get("value"))
        self.registry.register(tool({"name": name}, source=str(told.get("plugin") or "python"), handler=handler))
        self.values[name] = told.get("value")
        return True

    def entry(self, name: Any) -> dict[str, Any]:
        """What is known of a name."""
        held = Pegboard([self.registry]).catalog.get(name)
        if held is None:
            raise NotFoundError(str(name))
        return {"name": held.name, "plugin": None if held.source == "python" else held.source}

    def step(self, op: list[Any]) -> Any:
        """One op's result."""
        if op[0] not in self.ops:
            raise NotBuiltError(f"op {op[0]!r}")
        try:
            return self.ops[op[0]](*op[1:])
        except (DefinitionError, NotFoundError) as error:
            return Raised(error)


def registry(values: dict[str, Any]) -> Any:
    """The ops one after the other; see Registry."""
    driven = Registry()
    return {"results": [driven.step(op) for op in values["ops"]]}


def same_results(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """Warnings and calls of factories are left out; see Registry."""
    results = [
        {key: value for key, value in result.items() if key != "metadata"} if isinstance(result, dict) else result
        for result in expected["returns"]["results"]
    ]
    return comparison.outcome({"returns": {"results": results}}, got)


async def tool_search(values: dict[str, Any]) -> Any:
    """The meta-tool ``tool_search`` with SubstringRanker.

    - Promoting into the chat is queueing a pin; what is queued already is not queued twice.
    - ``deferred`` is what the board is allowed; null is nothing there, so an empty set here.
    - Null is no query here: "".
    - Parameters and schemas come with the listing of the next boundary, not with the answer.
    - Their events and counts of factory calls are not compared: tools are made once.
    """
    made = ToolRegistry()
    made.register(*(tool({"name": told["name"], "description": told.get("description")}) for told in values["tools"]))
    peg = Pegboard([made], ranker=SubstringRanker())
    board = await peg.open(allowed=values["deferred"] or ())
    for name in values.get("removed") or ():
        made.unregister(name)
    results, promoted, queued = [], [], list[str]()
    for query in values["queries"]:
        result = await board.call("tool_search", {"query": "" if query is None else str(query)})
        assert not isinstance(result, Halt)
        results.append([{key: told[key] for key in ("name", "description")} for told in result.structured["loaded"]])
        fresh = [name for name in board.pending[0] if name not in queued]
        queued += fresh
        promoted += [fresh] if fresh else []
    return {"matched": results, "promoted": promoted}


def same_matches(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """Names, first sentences and what is promoted; see ``tool_search``."""
    if not isinstance(got, Returned):
        return comparison.outcome(expected, got)
    told = expected["returns"]
    matched = [
        [{"name": match["name"], "description": _first_sentence(match["description"])} for match in result["matched"]]
        for result in told["results"]
    ]
    return comparison.value({"matched": matched, "promoted": told["promoted_calls"]}, got.value)


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s", text)[0]


ADAPTERS: Final = {
    "insika_tool_registry": Adapter(registry, ERRORS, same_results),
    "insika_tool_search": Adapter(tool_search, ERRORS, same_matches),
}
