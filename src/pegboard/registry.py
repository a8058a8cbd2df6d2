"""Registries: where tools are put, and by whom.

A registry validates a change whole, then swaps. Factories make their tool on the first look, once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, Protocol

from pegboard.admission import check_tool
from pegboard.errors import CollisionError, DefinitionError
from pegboard.factory import Factory, Make
from pegboard.listeners import Listeners, Unsubscribe
from pegboard.naming import check_name
from pegboard.requirements import admitted
from pegboard.tools import Tool

SourceState = Literal["idle", "starting", "ready", "failed", "stopped"]
"""``idle``: not begun. ``failed``: at its last try; whether there is a next one is the source's own affair."""

Nature = Literal["code", "overlay", "data", "upstream"]
"""What a registry's tools are: functions; definitions that were added while Pegboard runs; definitions of files and
documents; what another server offers."""

YIELDS: Final[Mapping[Nature, tuple[Nature, ...]]] = {"overlay": ("code",), "data": ("code", "overlay")}
"""Before which natures' tools of the same name a tool yields, wherever in the order these stand."""

AWAY: Final[Mapping[str, str]] = {
    "idle": "has not been started",
    "starting": "is still starting",
    "failed": "failed",
    "stopped": "was stopped",
}
"""The states in which a source may lack its tools, in words."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One tool that was set aside. Immutable. ``reason`` says what is wrong, ``mend`` how to mend it.

    ``name`` is what it would be called by, as far as that is known. A reason may say how to mend it itself; ``mend`` is
    "" then.
    """

    source: str
    name: str
    reason: str
    mend: str = ""

    def __str__(self) -> str:
        return f"{self.reason} {self.mend}".rstrip()

    def to_json(self) -> dict[str, str]:
        """The problem as a JSON object."""
        told = {"source": self.source, "name": self.name, "reason": self.reason}
        return told | ({"mend": self.mend} if self.mend else {})


@dataclass(frozen=True, kw_only=True)
class SourceStatus:
    """How a source is doing. Immutable: one moment's answer.

    ``reason`` says why it is in its ``state``, and what to do, in one line. ``next_try`` is in how many seconds it is
    tried again by itself, as long as the process lives; None where it is not.
    ``starts`` counts how often its process was started; ``notes`` are things worth knowing that stop nothing.
    ``always_visible`` says whether its tools may be listed from the start. ``prefix`` stands before their names, with
    ``__``; ``excluded`` are those left out on purpose, by the source's own names, each with what leaves it out.
    """

    name: str
    kind: str
    state: SourceState
    reason: str = ""
    tools: int = 0
    skills: int = 0
    starts: int = 0
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    always_visible: bool = False
    prefix: str = ""
    excluded: Mapping[str, str] = field(default_factory=dict)
    next_try: float | None = None


class Source(Protocol):
    """Something that brings tools over time: an upstream server, a file of Python tools. Process-wide.

    It owns ``registry`` and puts its tools there with ``replace_source``.
    """

    @property
    def name(self) -> str: ...
    @property
    def registry(self) -> ToolRegistry: ...

    async def start(self) -> None:
        """Begin in the background; return at once."""

    async def ready(self) -> None:
        """Return when the first listing has come or the first try has failed."""

    async def stop(self) -> None:
        """Stop, and wait until everything it started has ended."""

    def status(self) -> SourceStatus:
        """How it is doing now."""
        ...


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What a replacement did, as names in registration order. Immutable."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


Held = Tool | Factory


@dataclass
class _State:
    """All that a registry holds; replaced whole, never changed in part. ``made`` are its tools, once asked for."""

    tools: dict[str, Held] = field(default_factory=dict)
    problems: dict[str, tuple[Problem, ...]] = field(default_factory=dict)
    made: tuple[Tool, ...] | None = None

    @cached_property
    def factories(self) -> tuple[Factory, ...]:
        """Those among the tools."""
        return tuple(held for held in self.tools.values() if isinstance(held, Factory))


class ToolRegistry:
    """A mutable set of tools of one or more sources. Process-wide; used from one event loop.

        registry = ToolRegistry()
        registry.register(search_orders, refund)

    Names are unique within it. ``version`` counts changes, from 0; ``nature`` says what its tools are.
    """

    def __init__(self, name: str = "python", *, nature: Nature = "code") -> None:
        self.name = name
        self.nature: Nature = nature
        self.version = 0
        self._state = _State()
        self._listeners = Listeners[[]]()

    def register(self, *tools: Tool) -> None:
        """Add tools, in order: all of them or, on any mistake, none. One whose ``requires`` does not hold is set aside.

        Raises CollisionError when a name is taken, in the registry or within the batch, InvalidSchemaError for a schema
        that no argument could be held against, and DefinitionError for what is no tool.
        """
        asked = [(tool, admitted(tool)) for tool in map(check_tool, tools)]  # a requirement may register tools itself
        merged = dict(self._state.tools)
        aside: list[Problem] = []
        for tool, taken in asked:
            if isinstance(taken, str):
                aside.append(Problem(source=tool.source, name=tool.name, reason=taken))
            elif tool.name in merged:
                raise name_taken(tool.name, tool.source, _owner(merged[tool.name]))
            else:
                merged[tool.name] = taken
        if tools:
            self._swap(_State(merged, _retold(self._state.problems, tools, aside)))

    def register_factory(self, name: str, make: Make, *, strict: bool = False) -> None:
        """Add a tool that ``make()`` builds on the first look at the registry, once.

        A factory that fails then is set aside with its reason; with ``strict`` its error is raised to whoever looked.
        Raises InvalidNameError, DefinitionError when ``make`` cannot be called, and CollisionError when the name is
        taken.
        """
        check_name(name)
        if not callable(make):
            raise DefinitionError(
                f"The factory of tool {name!r} is {type(make).__name__}, not a function.",
                hint="Pass a function that takes nothing and gives the tool.",
            )
        if name in self._state.tools:
            raise name_taken(name, self.name, _owner(self._state.tools[name]))
        self._swap(_State({**self._state.tools, name: Factory(name, make, strict)}, self._state.problems))

    def replace_source(
        self, source: str, tools: Iterable[Tool], problems: Iterable[Problem] = (), *, checked: bool = False
    ) -> Changes:
        """Put ``tools`` in place of everything ``source`` had; its position among the sources is kept.

        They become tools of ``source``, whatever they say. One that ``register`` would refuse is set aside, and so is
        the later of two with one name; ``checked`` says that the source has looked at schemas and definitions itself.
        Nothing happens, and nobody is told, when all tools are equal to those that were there and have their handlers.
        Raises DefinitionError for an empty name.
        """
        if not source.strip():
            raise DefinitionError("A source's name is empty.", hint="Name it after where its tools come from.")
        fresh, aside = self._admit(source, tools, checked=checked)
        before = {name: tool for name, tool in self._state.tools.items() if _source_of(tool) == source}
        all_problems = (*problems, *aside)
        changes = _compare(before, fresh)
        reordered = [*before] != [*fresh]
        if not changes and not reordered and all_problems == self._state.problems.get(source, ()):
            return changes
        self._swap(
            _State(_spliced(self._state.tools, source, fresh), {**self._state.problems, source: tuple(all_problems)})
        )
        return changes

    def unregister(self, name: str) -> bool:
        """Remove one tool. False when there is none of that name."""
        if name not in self._state.tools:
            return False
        self._swap(_State({k: v for k, v in self._state.tools.items() if k != name}, self._state.problems))
        return True

    def reload(self) -> None:
        """Forget what factories made (and how they failed): the next look makes everything anew."""
        if self._state.factories:
            rebuilt = {
                name: held if isinstance(held, Tool) else held.anew() for name, held in self._state.tools.items()
            }
            self._swap(_State(rebuilt, self._state.problems))

    def names(self) -> dict[str, str]:
        """The name of every tool and its source, in registration order. Makes nothing."""
        return {name: _source_of(held) or self.name for name, held in self._state.tools.items()}

    def tools(self) -> tuple[Tool, ...]:
        """Every tool, in registration order. Makes what factories have not made yet."""
        state = self._state
        if state.made is None:
            made = (held if isinstance(held, Tool) else held.look() for held in state.tools.values())
            state.made = tuple(tool for tool in made if tool is not None)
        return state.made

    def problems(self) -> tuple[Problem, ...]:
        """Everything that was set aside, and why."""
        of_factories = tuple(
            Problem(source=self.name, name=factory.name, reason=factory.failure)
            for factory in self._state.factories
            if factory.failure
        )
        return of_factories + tuple(problem for group in self._state.problems.values() for problem in group)

    def on_change(self, listener: Callable[[], None]) -> Unsubscribe:
        """Call ``listener()`` after every change. Returns a function that stops it."""
        return self._listeners.add(listener)

    def _admit(self, source: str, tools: Iterable[Tool], *, checked: bool) -> tuple[dict[str, Tool], list[Problem]]:
        fresh: dict[str, Tool] = {}
        aside: list[Problem] = []
        for tool in tools:
            try:
                taken = admitted(_of(source, tool if checked else check_tool(tool)))
                owner = fresh.get(tool.name) or self._state.tools.get(tool.name)
                if owner is not None and (tool.name in fresh or _source_of(owner) != source):
                    raise name_taken(tool.name, source, _owner(owner))
            except DefinitionError as error:
                taken = str(error)
            if isinstance(taken, str):
                aside.append(Problem(source=source, name=_name(tool), reason=taken))
            else:
                fresh[tool.name] = taken
        return fresh, aside

    def _swap(self, state: _State) -> None:
        self._state = state
        self.version += 1
        self._listeners.tell()


def name_taken(name: str, source: str, owner: str, *, fix: str = "") -> CollisionError:
    """The error for a name of ``source`` that ``owner`` has, in words such as ``a tool of source 'shop'``."""
    return CollisionError(
        f"The tool name {name!r} of source {source!r} is already used by {owner}.",
        hint=fix or f"Rename one of the two, or give source {source!r} a prefix.",
    )


def _name(tool: object) -> str:
    return tool.name if isinstance(tool, Tool) else f"{tool!r:.60}"


def _of(source: str, tool: Tool) -> Tool:
    return tool if tool.source == source else tool.with_(source=source)


def _owner(held: Held) -> str:
    return f"a tool of source {held.source!r}" if isinstance(held, Tool) else "a factory"


def _source_of(held: Held) -> str | None:
    return held.source if isinstance(held, Tool) else None


def _compare(before: dict[str, Held], after: dict[str, Tool]) -> Changes:
    def differs(name: str) -> bool:
        old, new = before[name], after[name]
        if not isinstance(old, Tool) or old.handler is not new.handler:
            return True
        # Equal values may be spelt differently: 1 and true are equal in Python, not in a definition.
        return old.digest != new.digest or old != new

    return Changes(
        added=tuple(name for name in after if name not in before),
        removed=tuple(name for name in before if name not in after),
        changed=tuple(name for name in after if name in before and differs(name)),
    )


def _retold(
    problems: dict[str, tuple[Problem, ...]], tools: Iterable[Tool], aside: Iterable[Problem]
) -> dict[str, tuple[Problem, ...]]:
    """The problems by source, with what was told of ``tools`` replaced by ``aside``."""
    names = {(tool.source, tool.name) for tool in tools}
    told = {
        source: tuple(problem for problem in group if (source, problem.name) not in names)
        for source, group in problems.items()
    }
    for problem in aside:
        told[problem.source] = (*told.get(problem.source, ()), problem)
    return told


def _spliced(tools: dict[str, Held], source: str, fresh: dict[str, Tool]) -> dict[str, Held]:
    """``tools`` with those of ``source`` replaced where the first of them stood (at the end if it had none)."""
    result: dict[str, Held] = {}
    placed = False
    for name, held in tools.items():
        if _source_of(held) != source:
            result[name] = held
        elif not placed:
            result.update(fresh)
            placed = True
    if not placed:
        result.update(fresh)
    return result
