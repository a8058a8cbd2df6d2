"""``gonk_registry``: one registry, its sources, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pegboard.errors import CollisionError, DefinitionError
from pegboard.peg import Pegboard
from pegboard.registry import ToolRegistry
from pegboard.tools import Tool
from tests.runners.golden.adapter import Adapter, NotBuiltError
from tests.runners.golden.adapters.making import tool
from tests.runners.golden.outcome import Raised

ERRORS: Final = {"Error": (CollisionError, DefinitionError)}


class Registry:
    """A registry driven by a vector's ops. Belongs to one vector.

    - Overwriting is replacing the tools of a source, one of them new: there is no other way to change one in place.
    - Merging two registries is composing them in a Pegboard, which changes neither.
    - A tool whose requirement does not hold is left out in silence there; ours tells it among the problems.
    - Their ``source`` refuses the whole batch for one bad tool; ours sets that tool aside, told as ``set_aside``.
    """

    def __init__(self) -> None:
        self.registry = ToolRegistry()
        self.ops: dict[str, Callable[..., Any]] = {
            "register": self.register,
            "register_registry": self.register,
            "source": self.source,
            "has": lambda name: name in self._by_name(),
            "get": lambda name: self._by_name()[name].description if name in self._by_name() else None,
            "list": lambda: list(self._by_name()),
            "merge": self.merge,
        }

    def step(self, op: list[Any]) -> dict[str, Any]:
        """One op and its result."""
        if op[0] not in self.ops:
            raise NotBuiltError(f"op {op[0]!r}")
        try:
            return {"op": op, "result": self.ops[op[0]](*op[1:])}
        except DefinitionError as error:
            return {"op": op, "result": Raised(error)}

    def register(self, tools: list[dict[str, Any]], options: dict[str, Any] | None = None) -> None:
        """All or none; see the class for overwriting."""
        fresh = [_made(told) for told in tools]
        if not (options or {}).get("overwrite"):
            self.registry.register(*fresh)
            return
        mine = {held.name: held for held in self._by_name().values() if held.source == "python"}
        foreign = [made for made in fresh if made.name in self._by_name() and made.name not in mine]
        if foreign:
            self.registry.register(*foreign)
        self.registry.replace_source("python", (mine | {made.name: made for made in fresh}).values())

    def source(self, name: str, tools: list[dict[str, Any]]) -> Any:
        """Replace what a source had."""
        self.registry.replace_source(name, [_made(told, source=name) for told in tools])
        unmet = {told["name"] for told in tools if told.get("requires") is False}
        aside = {problem.name for problem in self.registry.problems() if problem.source == name} - unmet
        return {"set_aside": sorted(aside)} if aside else None

    def merge(self, tools: list[dict[str, Any]], options: dict[str, Any] | None = None) -> Any:
        """What both have together, and what the first still has."""
        if options:
            raise NotBuiltError("merge with overwrite")
        other = ToolRegistry("other")
        other.register(*(_made(told) for told in tools))
        both = Pegboard([self.registry, other]).catalog.all()
        return [[f"{held.name}={held.description}" for held in both], list(self._by_name())]

    def _by_name(self) -> dict[str, Tool]:
        return {held.name: held for held in self.registry.tools()}


def _made(told: dict[str, Any], **more: Any) -> Tool:
    if "requires" in told:
        more["requires"] = lambda: told["requires"]
    return tool(told, **more)


def registry(values: dict[str, Any]) -> Any:
    """The ops one after the other; see Registry."""
    driven = Registry()
    return [driven.step(op) for op in values["ops"]]


ADAPTERS: Final = {"gonk_registry": Adapter(registry, ERRORS)}
