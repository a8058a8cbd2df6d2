"""Registries: where tools are put, and by whom.

A registry validates a change whole, then swaps. Factories make their tool on the first look, once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Protocol

from pegboard.errors import CollisionError, DefinitionError
from pegboard.listeners import Listeners, Unsubscribe
from pegboard.naming import check_name
from pegboard.requirements import admitted
from pegboard.tools import EMPTY_SCHEMA, Tool

logger = logging.getLogger(__name__)

Make = Callable[[], Tool]

SourceState = Literal["idle", "starting", "ready", "failed", "stopped"]
"""``idle``: not begun. ``failed``: at its last try; whether there is a next one is the source's own affair."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One tool that was set aside. Immutable. ``reason`` says what is wrong and how to mend it."""

    source: str
    name: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class SourceStatus:
    """How a source is doing. Immutable: one moment's answer.

    ``reason`` says why it is in its ``state``, and what to do, in one line.
    ``starts`` counts how often its process was started; ``notes`` are things worth knowing that stop nothing.
    ``always_visible`` says whether its tools may be listed from the start.
    """

    name: str
    kind: str
    state: SourceState
    reason: str = ""
    tools: int = 0
    starts: int = 0
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    always_visible: bool = False


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


@dataclass
class _Factory:
    """A tool that is not made yet. Belongs to its registry."""

    make: Make
    strict: bool
    tool: Tool | None = None
    failure: Problem | None = None

    @property
    def pending(self) -> bool:
        return self.tool is None and self.failure is None


@dataclass
class _State:
    """All that a registry holds; replaced whole, never changed in part. ``made`` are its tools, once asked for."""

    tools: dict[str, Tool | _Factory] = field(default_factory=dict)
    problems: dict[str, tuple[Problem, ...]] = field(default_factory=dict)
    made: tuple[Tool, ...] | None = None

    @cached_property
    def factories(self) -> tuple[_Factory, ...]:
        """Those among the tools."""
        return tuple(held for held in self.tools.values() if isinstance(held, _Factory))


class ToolRegistry:
    """A mutable set of tools of one or more sources. Process-wide; used from one event loop.

        registry = ToolRegistry()
        registry.register(search_orders, refund)

    Names are unique within it. ``version`` counts changes, from 0.
    """

    def __init__(self, name: str = "python") -> None:
        self.name = name
        self.version = 0
        self._state = _State()
        self._listeners = Listeners[[]]()

    def register(self, *tools: Tool) -> None:
        """Add tools, in order: all of them or, on any mistake, none. One whose ``requires`` does not hold is set aside.

        Raises CollisionError when a name is taken, in the registry or within the batch, InvalidSchemaError for a schema
        that no argument could be held against, and DefinitionError for what is no tool.
        """
        merged = dict(self._state.tools)
        aside: list[Problem] = []
        for tool in tools:
            if not isinstance(tool, Tool):
                raise DefinitionError(
                    f"{tool!r} is not a tool.",
                    hint="Decorate the function with @tool, or pass pegboard.tool(function).",
                )
            taken = admitted(tool)
            if isinstance(taken, str):
                aside.append(Problem(source=tool.source, name=tool.name, reason=taken))
                continue
            if tool.name in merged:
                raise _collision(tool, merged[tool.name])
            _check_schemas(tool)
            merged[tool.name] = taken
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
            raise CollisionError(
                f"The tool name {name!r} is taken in registry {self.name!r}.", hint="Rename one of them."
            )
        self._swap(_State({**self._state.tools, name: _Factory(make, strict)}, self._state.problems))

    def replace_source(self, source: str, tools: Iterable[Tool], problems: Iterable[Problem] = ()) -> Changes:
        """Put ``tools`` in place of everything ``source`` had; its position among the sources is kept.

        Of two tools with one name the first stays and the other is set aside. Nothing happens, and nobody is told,
        when all tools are equal to those that were there and have their handlers. Raises DefinitionError for an empty
        name.
        """
        if not source.strip():
            raise DefinitionError("A source's name is empty.", hint="Name it after where its tools come from.")
        fresh, aside = self._admit(source, tools)
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
        rebuilt: dict[str, Tool | _Factory] = {
            name: _Factory(held.make, held.strict) if isinstance(held, _Factory) else held
            for name, held in self._state.tools.items()
        }
        self._swap(_State(rebuilt, self._state.problems))

    def names(self) -> dict[str, str]:
        """The name of every tool and its source, in registration order. Makes nothing."""
        return {name: _source_of(held) or self.name for name, held in self._state.tools.items()}

    def tools(self) -> tuple[Tool, ...]:
        """Every tool, in registration order. Makes what factories have not made yet."""
        state = self._state
        if state.made is None:
            made = (_made(self.name, name, held) for name, held in state.tools.items())
            state.made = tuple(tool for tool in made if tool is not None)
        return state.made

    def problems(self) -> tuple[Problem, ...]:
        """Everything that was set aside, and why."""
        of_factories = tuple(factory.failure for factory in self._state.factories if factory.failure)
        return of_factories + tuple(problem for group in self._state.problems.values() for problem in group)

    def on_change(self, listener: Callable[[], None]) -> Unsubscribe:
        """Call ``listener()`` after every change. Returns a function that stops it."""
        return self._listeners.add(listener)

    def _admit(self, source: str, tools: Iterable[Tool]) -> tuple[dict[str, Tool], list[Problem]]:
        fresh: dict[str, Tool] = {}
        aside: list[Problem] = []
        for tool in tools:
            taken = admitted(tool)
            owner = fresh.get(tool.name) or self._state.tools.get(tool.name)
            if isinstance(taken, str):
                aside.append(Problem(source=source, name=tool.name, reason=taken))
            elif owner is not None and (tool.name in fresh or _source_of(owner) != source):
                aside.append(Problem(source=source, name=tool.name, reason=str(_collision(tool, owner))))
            else:
                fresh[tool.name] = taken
        return fresh, aside

    def _swap(self, state: _State) -> None:
        self._state = state
        self.version += 1
        self._listeners.tell()


def _collision(tool: Tool, owner: Tool | _Factory) -> CollisionError:
    taken_by = _source_of(owner) or "a factory"
    return CollisionError(
        f"Two tools are named {tool.name!r}: one of {taken_by!r}, one of {tool.source!r}.",
        hint="Rename one of them, or give one source a prefix.",
    )


def _check_schemas(tool: Tool) -> None:
    if tool.input_schema is EMPTY_SCHEMA and tool.output_schema is None:
        return
    from pegboard.schema import check_schema

    check_schema(tool.input_schema, what=f"the input schema of tool {tool.name!r}")
    if tool.output_schema is not None:
        check_schema(tool.output_schema, what=f"the output schema of tool {tool.name!r}", root_object=False)


def _source_of(held: Tool | _Factory) -> str | None:
    return held.source if isinstance(held, Tool) else None


def _compare(before: dict[str, Tool | _Factory], after: dict[str, Tool]) -> Changes:
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


def _spliced(tools: dict[str, Tool | _Factory], source: str, fresh: dict[str, Tool]) -> dict[str, Tool | _Factory]:
    """``tools`` with those of ``source`` replaced where the first of them stood (at the end if it had none)."""
    result: dict[str, Tool | _Factory] = {}
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


def _made(registry: str, name: str, held: Tool | _Factory) -> Tool | None:
    if isinstance(held, Tool):
        return held
    if held.pending:
        try:
            made = admitted(_named(held.make(), name))
        except Exception as error:
            if held.strict:
                raise
            logger.warning("the factory of tool %r in registry %r failed", name, registry, exc_info=True)
            reason = f"Its factory failed with {type(error).__name__}: {error}. Mend the factory, then reload."
            held.failure = Problem(source=registry, name=name, reason=reason)
            return None
        if isinstance(made, Tool):
            held.tool = made
        else:
            held.failure = Problem(source=registry, name=name, reason=made)
    return held.tool


def _named(tool: Tool, name: str) -> Tool:
    if not isinstance(tool, Tool):
        raise DefinitionError(f"The factory gave {type(tool).__name__}, not a tool.")
    _check_schemas(tool)
    return tool if tool.name == name else tool.with_(name=name)
