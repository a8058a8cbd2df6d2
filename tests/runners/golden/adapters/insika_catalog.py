"""``insika_tool_catalog_*``: the level-1 view of a registry.

Mapped in all of them, each for one reason:

- their registry holds factories and their catalog instances: a ToolRegistry with factories, and ``compose``;
- a factory that fails there raises out of the query: ``register_factory(strict=True)``;
- a symbol is a string here, and what is no text becomes one, as their ``to_s`` has it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from pegboard.catalog import Catalog
from pegboard.composition import compose
from pegboard.registry import ToolRegistry
from pegboard.search import SubstringRanker
from pegboard.tools import Tool
from tests.runners.golden.adapter import Adapter
from tests.runners.golden.adapters.making import tool
from tests.runners.golden.adapters.searching import Entry, names
from tests.runners.golden.outcome import Comparison, Outcome, Raised, Returned

FINDER: Final = "tool_search"


class FactoryError(RuntimeError):
    """What a vector's factory raises. A RuntimeError, as theirs is."""


ERRORS: Final = {"RuntimeError": FactoryError}


class Factories:
    """A registry of factories that count their calls. Belongs to one vector."""

    def __init__(self, tools: list[dict[str, Any]]) -> None:
        self.registry = ToolRegistry()
        self.calls: Counter[str] = Counter()
        self.descriptions: dict[str, Any] = {}
        self.broken: dict[str, str] = {}
        for told in tools:
            self.add(told["name"], told.get("description"), told.get("factory_raises"))

    def add(self, name: Any, description: Any, broken: str | None = None) -> None:
        """Register one more."""
        self.registry.register_factory(name, lambda: self._make(name), strict=True)
        self.descriptions[name] = description
        if broken is not None:
            self.broken[name] = broken

    def catalog(self) -> Catalog:
        """A snapshot of this moment; makes what has not been made."""
        return compose([self.registry], ranker=SubstringRanker())

    def _make(self, name: str) -> Tool:
        self.calls[name] += 1
        if name in self.broken:
            raise FactoryError(self.broken[name])
        return tool({"name": name, "description": text(self.descriptions[name])})


def text(value: Any) -> str:
    """The value as a text."""
    return "" if value is None else str(value)


def pairs(tools: Any) -> list[list[str]]:
    """Tools as ``[name, description]``."""
    return [[tool.name, tool.description] for tool in tools]


def catalog_all(values: dict[str, Any]) -> Any:
    """Nothing more is mapped."""
    return pairs(Factories(values["tools"]).catalog().all())


def subset(values: dict[str, Any]) -> Any:
    """Nothing more is mapped: ``subset`` takes what theirs takes."""
    return [tool.name for tool in Factories(values["tools"]).catalog().subset(values["names"])]


def search(values: dict[str, Any]) -> Any:
    """``SubstringRanker`` on its own: exact names stand above every ranker in ``Catalog.search``.

    ``within`` is ``Catalog.subset``, whose result is what is ranked; null is no restriction in both.
    """
    entries = [Entry.of(told) for told in values["tools"]]
    within = values.get("within")
    if within is not None:
        wanted = {within} if isinstance(within, str) else set(within)
        entries = [entry for entry in entries if entry.name in wanted]
    return names(SubstringRanker().rank(text(values["query"]), entries))


def prompt(values: dict[str, Any]) -> Any:
    """The finding tool is theirs by name, so that the closing sentence has to speak of it."""
    catalog = Factories(values["tools"]).catalog()
    chosen = catalog.subset(values["names"]) if "names" in values else None
    return catalog.format_for_prompt(chosen, finder=FINDER)


def same_prompt(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """The block of tags is compared strictly, escapes aside where the text has no markup in it.

    Its closing sentence is ours and is compared by its fact: it names the finding tool.
    """
    if isinstance(got, Raised) or "returns" not in expected:
        return comparison.outcome(expected, got)
    return prompts_differ(expected["returns"], got.value)


def prompts_differ(expected: str, got: str) -> str:
    """Where two level-1 texts differ; empty when they do not."""
    wanted_block, _, wanted_closing = expected.partition("</available_tools>")
    block, _, closing = got.partition("</available_tools>")
    if _unquoted(wanted_block) != _unquoted(block):
        return f"tags: wanted {wanted_block!r}, got {block!r}"
    missing = [name for name in re.findall(r"`([^`]+)`", wanted_closing) if name not in closing]
    return f"the closing sentence does not name {missing}: {closing!r}" if missing else ""


def _unquoted(block: str) -> str:
    """Quotes in the text of an element are harmless either way."""
    return block.replace("&quot;", '"').replace("&#x27;", "'")


class Lifecycle:
    """One catalog over one registry, driven by a vector's ops. Belongs to one vector.

    Their catalog keeps what its first query built until ``reload``: a snapshot, taken at the first query. A blank
    search is answered before one is taken, as the meta-tool ``tool_search`` does.
    """

    def __init__(self, tools: list[dict[str, Any]]) -> None:
        self.factories = Factories(tools)
        self._snapshot: Catalog | None = None
        self.ops: dict[str, Callable[..., Any]] = {
            "all": lambda: pairs(self.snapshot.all()),
            "subset": lambda names: pairs(self.snapshot.subset(names)),
            "prompt": lambda: self.snapshot.format_for_prompt(finder=FINDER),
            "search": self.search,
            "reload": self.reload,
            "register": self.factories.add,
            "set_description": self.factories.descriptions.__setitem__,
            "break": self.factories.broken.__setitem__,
            "fix": self.fix,
        }

    @property
    def snapshot(self) -> Catalog:
        """The catalog in force."""
        if self._snapshot is None:
            self._snapshot = self.factories.catalog()
        return self._snapshot

    def search(self, query: Any, within: Any = None) -> Any:
        """Search the snapshot."""
        return pairs(self.snapshot.search(text(query), within)) if text(query).strip() else []

    def reload(self) -> bool:
        """Build anew, at once."""
        self.factories.registry.reload()
        self._snapshot = self.factories.catalog()
        return True

    def fix(self, name: str) -> None:
        """Let a factory succeed again."""
        self.factories.broken.pop(name, None)

    def step(self, op: list[Any]) -> dict[str, Any]:
        """One op's result, and the factory calls so far."""
        try:
            result = self.ops[op[0]](*op[1:])
        except Exception as error:
            result = Raised(error)
        return {"op": op, "result": result, "factory_calls": dict(self.factories.calls)}


def lifecycle(values: dict[str, Any]) -> Any:
    """The ops one after the other; see Lifecycle."""
    life = Lifecycle(values["tools"])
    return [life.step(op) for op in values["ops"]]


def same_life(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """Prompts are compared as prompts.

    Once a factory has raised, ours may have called others less often: what has been made stays made.
    """
    if not isinstance(got, Returned) or "returns" not in expected:
        return comparison.outcome(expected, got)
    wanted, steps, raised = expected["returns"], got.value, False
    for index, (want, step) in enumerate(zip(wanted, steps, strict=True)):
        raised = raised or isinstance(step["result"], Raised)
        is_prompt = want["op"] == ["prompt"] and isinstance(want["result"], str)
        difference = (
            prompts_differ(want["result"], step["result"])
            if is_prompt
            else comparison.value(want["result"], step["result"])
        ) or _calls_differ(want["factory_calls"], step["factory_calls"], fewer_is_fine=raised)
        if difference:
            return f"op {index} {want['op']}: {difference}"
    return ""


def _calls_differ(wanted: dict[str, int], got: dict[str, int], *, fewer_is_fine: bool) -> str:
    same = wanted.keys() == got.keys() and all(
        got[name] == wanted[name] or (fewer_is_fine and got[name] < wanted[name]) for name in wanted
    )
    return "" if same else f"factory calls: wanted {wanted}, got {got}"


ADAPTERS: Final = {
    "insika_tool_catalog_all": Adapter(catalog_all, ERRORS),
    "insika_tool_catalog_lifecycle": Adapter(lifecycle, ERRORS, same_life),
    "insika_tool_catalog_prompt": Adapter(prompt, ERRORS, same_prompt),
    "insika_tool_catalog_search": Adapter(search, ERRORS),
    "insika_tool_catalog_subset": Adapter(subset, ERRORS),
}
