"""What a case writes as data: a catalog of tools whose handlers give their arguments back, a policy of globs."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pegboard.auth import Action, Decision, Principal
from pegboard.context import Context
from pegboard.errors import ToolError
from pegboard.tools import EMPTY_SCHEMA, MISSING, Entry, Halt, Tool, ToolResult
from tests.runners.cases.matching import has

Called = Callable[[str, dict[str, Any]], None]


def tools_of(file: Path, called: Called) -> list[Tool]:
    """The tools of a catalog file. ``called(name, arguments)`` hears of every call that reaches a handler."""
    return [_tool(told, called) for told in json.loads(file.read_bytes())]


def noting(log: Path) -> Called:
    """A function that adds every call that it hears of to a file."""

    def note(name: str, arguments: dict[str, Any]) -> None:
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps([name, arguments]) + "\n")

    return note


def _tool(told: dict[str, Any], called: Called) -> Tool:
    async def give_back(arguments: dict[str, Any], context: Context) -> Any:
        called(told["name"], arguments)
        if arguments.get("fail") is True and "fail" in (told.get("input_schema") or {}).get("properties", {}):
            raise ToolError(f"{told['name']} failed.")
        return Halt(result=ToolResult.of(arguments)) if _halts(told.get("halt_when"), arguments) else arguments

    return Tool(
        name=told["name"],
        description=told.get("description", ""),
        input_schema=told.get("input_schema") or EMPTY_SCHEMA,
        source=told.get("source", "local"),
        category=told.get("category"),
        tags=tuple(told.get("tags") or ()),
        keywords=tuple(told.get("keywords") or ()),
        handler=give_back,
    )


def _halts(told: Mapping[str, Any] | None, result: Any) -> bool:
    """Whether what stands at the path of the result is the value that ends the turn."""
    return told is not None and _equal(_at(told["path"], result), told["equals"])


def _at(path: str, value: Any) -> Any:
    """What stands at a path such as ``order.items.0.ok``; MISSING where there is nothing."""
    for step in path.removeprefix("$").strip(".").split("."):
        match value:
            case Mapping() if step in value:
                value = value[step]
            case list() if step.isdecimal() and int(step) < len(value):
                value = value[int(step)]
            case _:
                return MISSING
    return value


def _equal(one: Any, other: Any) -> bool:
    return has(one, other) and has(other, one)


FIELDS = frozenset({"name", "source", "description", "input_schema", "category", "tags", "keywords", "halt_when"})
"""The fields of a catalog file that are understood."""


class GlobPolicy:
    """Who may discover and invoke what, as globs of names. Lives as long as the case; who is not named may nothing."""

    def __init__(self, told: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
        self.told = told

    async def decide(self, principal: Principal, action: Action, entry: Entry) -> Decision:
        """One decision."""
        globs = self.told.get(principal.id, {}).get(action.value, ())
        allowed = any(fnmatch.fnmatchcase(entry.bare_name, glob) for glob in globs)
        return Decision(allowed=allowed, reason=f"{action.value} globs {list(globs)}")

    async def permitted(self, principal: Principal, action: Action, entries: Sequence[Entry]) -> Sequence[bool]:
        """One bool an entry."""
        return [(await self.decide(principal, action, entry)).allowed for entry in entries]
