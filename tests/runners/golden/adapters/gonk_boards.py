"""``gonk_collisions``, ``gonk_pins``, ``gonk_visibility``, ``gonk_explain``: what a board shows.

Their orchestrator is a Pegboard and one board on it. Their scope is the surface. Their meta-tools live in a registry
and can be left out; ours are a profile, here a profile of theirs, or an empty one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pegboard.board import Board
from pegboard.context import Context
from pegboard.detail import explained
from pegboard.errors import CollisionError, StoreError
from pegboard.peg import Pegboard
from pegboard.pin_store import MemoryPinStore
from pegboard.pins import PinRecord, PinState, Slot
from pegboard.registry import ToolRegistry
from pegboard.tools import Halt, Tool, Visibility
from tests.runners.golden.adapter import Adapter, NotBuiltError
from tests.runners.golden.adapters.making import tool
from tests.runners.golden.outcome import Comparison, Outcome, Raised, Returned

THEIR_META: Final = ("find_tools", "get_tool", "list_tools", "load_tool", "unload_tool")
"""Those of their meta-tools that are always visible."""

META_NAMES: Final = {*THEIR_META, "tool_explain", "explain_tool", "call_tool", "tool_search"}
PROFILES: Final = {"theirs": THEIR_META, "bare": ()}
BOARD_ID: Final = "vector"

ERRORS: Final = {"Error": (CollisionError, StoreError)}


def answering(result: Any) -> Any:
    """A handler that gives a value."""

    async def handler(arguments: dict[str, Any], context: Context) -> Any:
        return result

    return handler


def registry(name: str, tools: list[dict[str, Any]]) -> ToolRegistry:
    """A registry of a vector's tools."""
    made = ToolRegistry(name)
    for told in tools:
        result = (told.get("handler") or {}).get("result", {"name": told["name"]})
        made.register(tool(told, source=name, handler=answering(result)))
    return made


async def collisions(values: dict[str, Any]) -> Any:
    """Where the first registry wins: ``collisions = "first"``. The meta-tools are in no registry: not compared."""
    registries = [registry(f"r{index}", tools) for index, tools in enumerate(values["registries"])]
    if "source0" in values:
        registries[0].replace_source("s0", [tool(told, source="s0") for told in values["source0"]])
    peg = Pegboard(registries, collisions="first", profiles=PROFILES)
    board = await peg.open(profile="bare" if values.get("meta") is False else "theirs")
    invoked = {name: await _invoked(board, name) for name in values["invoke"]}
    return {"all": sorted([held.name, held.description] for held in peg.catalog.all()), "invoked": invoked}


async def _invoked(board: Board, name: str) -> Any:
    result = await board.call(name, {})
    assert not isinstance(result, Halt)
    return {"ok": not result.is_error, "data": result.structured}


def without_meta(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """Their meta-tools are left out of ``all``, and where they are."""
    if "returns" in expected:
        told = expected["returns"]
        mine = [pair for pair in told["all"] if pair[0] not in META_NAMES]
        expected = {"returns": {"all": mine, "invoked": told["invoked"]}}
    return comparison.outcome(expected, got)


class Store(MemoryPinStore):
    """A store that says what it was given. Belongs to one vector."""

    def __init__(self, told: dict[str, Any]) -> None:
        super().__init__()
        self.fails = bool(told.get("fail_save"))
        self.saved: list[list[str]] = []
        slots = tuple(Slot(name=name, state=PinState.ACTIVE, shown={}, digest="") for name in told.get("initial", ()))
        self._records[BOARD_ID] = PinRecord(generation=1, slots=slots)

    async def save(self, board_id: str, record: PinRecord) -> bool:
        if self.fails:
            raise StoreError("save failed")
        done = await super().save(board_id, record)
        if done:
            self.saved.append([slot.name for slot in record.slots if slot.state is PinState.ACTIVE])
        return done


class Pins:
    """A board driven by a vector's ops. Belongs to one vector.

    - ``committed`` is the active set without what is always visible.
    - ``pending`` is theirs as names to add and to remove.
    - A board is open once its pins are loaded, so that there is nothing to ``settle``.
    """

    def __init__(self, values: dict[str, Any]) -> None:
        default = [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "z", "visibility": "always"}]
        told = values.get("registries") or [default]
        self.registries = [registry(f"r{index}", tools) for index, tools in enumerate(told)]
        self.store = Store(values["store"]) if values.get("store") else None
        self.profile = "theirs" if values.get("meta") else "bare"
        if (values.get("store") or {}).get("fail_load"):
            raise NotBuiltError("a store that fails to load")

    async def open(self) -> Board:
        """The board, new or as it was saved."""
        peg = Pegboard(self.registries, collisions="first", profiles=PROFILES, store=self.store)
        return await peg.open(board_id=BOARD_ID if self.store else None, surface="pi", profile=self.profile)

    async def run(self, ops: list[list[Any]]) -> list[dict[str, Any]]:
        """Every op and its result."""
        self.board = await self.open()
        steps = []
        for op in ops:
            try:
                steps.append({"op": op, "result": await self._step(*op)})
            except StoreError as error:
                steps.append({"op": op, "result": Raised(error)})
        return steps

    async def _step(self, name: str, *told: Any) -> Any:
        if name == "commit":
            diff = await self.board.commit()
            return {"added": diff.added, "tombstoned": diff.tombstoned, "unchanged": diff.unchanged}
        if name == "restart":
            self.board = await self.open()
            return None
        ops: dict[str, Callable[..., Any]] = {
            "pin": lambda tool_name: self.board.pin(tool_name),
            "unpin": lambda tool_name: self.board.unpin(tool_name),
            "pending": lambda: dict(zip(("add", "remove"), self.board.pending, strict=True)),
            "committed": self._committed,
            "active": lambda: [held.name for held in self.board.active_set()],
            "settle": lambda: None,
            "saved": lambda: self.store.saved if self.store else [],
            "register": lambda one: self.registries[0].register(tool(one, source="r0")),
            "source": lambda tools: self._replaced(tools),
            "unregister_source": lambda: self._replaced([]),
        }
        if name not in ops:
            raise NotBuiltError(f"op {name!r}")
        return ops[name](*told)

    def _committed(self) -> list[str]:
        return [held.name for held in self.board.active_set() if held.visibility_on("pi") is Visibility.ON_DEMAND]

    def _replaced(self, tools: list[dict[str, Any]]) -> None:
        self.registries[0].replace_source("s", [tool(told, source="s") for told in tools])


async def pins(values: dict[str, Any]) -> Any:
    """The ops one after the other; see Pins."""
    return await Pins(values).run(values["ops"])


async def visibility(values: dict[str, Any]) -> Any:
    """Each scope is a surface. A name without a tool has no visibility here: left out."""
    told: dict[str, Any] = {}
    peg = Pegboard([registry("r", values["tools"])], profiles=PROFILES)
    for scope in ("mcp", "pi", "claude"):
        board = await peg.open(surface=scope, profile="bare")
        told[scope] = {
            "visibility": {held.name: held.visibility_on(scope).value for held in peg.catalog.all()},
            "active": [held.name for held in board.active_set()],
        }
    return told


def by_code_point(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """They order names as a locale does, which differs from host to host; we by code point."""
    told = {
        scope: {
            "visibility": {name: value for name, value in seen["visibility"].items() if name != "missing"},
            "active": sorted(seen["active"]),
        }
        for scope, seen in expected.get("returns", {}).items()
    }
    return comparison.outcome({"returns": told}, got)


def explain(values: dict[str, Any]) -> Any:
    """The effective visibility is that of a surface without hints."""
    made: Tool = tool(values["tool"]).with_(visibility=Visibility(values["visibility"]))
    return explained(made, "no surface")


WORDS: Final = {"inputJsonSchema": "inputSchema"}
"""A word of theirs and ours for it."""


def told_at_least(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """What is empty is left out here; ``kind``, ``source``, ``approval`` and costs are told as well; never rights."""
    if not isinstance(got, Returned):
        return comparison.outcome(expected, got)
    told = {WORDS.get(key, key): value for key, value in expected["returns"].items() if value not in ("", [], {})}
    if "authorization" in got.value:
        return "it tells who may use the tool"
    return comparison.value(told, {key: got.value.get(key) for key in told})


ADAPTERS: Final = {
    "gonk_collisions": Adapter(collisions, ERRORS, without_meta),
    "gonk_pins": Adapter(pins, ERRORS),
    "gonk_visibility": Adapter(visibility, ERRORS, by_code_point),
    "gonk_explain": Adapter(explain, ERRORS, told_at_least),
}
