"""Registries under any sequence of changes: names stay unique, and a change that fails changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pegboard import Tool, ToolRegistry
from pegboard.errors import DefinitionError
from tests.support import make

NAMES = st.sampled_from(["a", "b", "c", "d"])
SOURCES = st.sampled_from(["python", "one", "two"])
BROKEN_SCHEMA = {"type": "object", "properties": {"x": {"type": "strng"}}}

TOOLS = st.one_of(
    st.builds(make, NAMES, source=SOURCES),
    st.builds(make, NAMES, st.just("changed"), source=SOURCES),
    st.builds(make, NAMES, source=SOURCES, requires=st.just(lambda: False)),
    st.builds(make, NAMES, source=SOURCES, input_schema=st.just(BROKEN_SCHEMA)),
)
BATCHES = st.lists(TOOLS, max_size=4)


def no_tool() -> Tool:
    raise OSError("no network")


MAKERS: dict[str, Callable[[], Any]] = {"well": lambda: make("x"), "fails": no_tool, "gives none": lambda: None}

CHANGES = st.one_of(
    st.builds(lambda tools: lambda registry: registry.register(*tools), BATCHES),
    st.builds(lambda name: lambda registry: registry.unregister(name), NAMES),
    st.builds(lambda source, tools: lambda registry: registry.replace_source(source, tools), SOURCES, BATCHES),
    st.builds(
        lambda name, kind: lambda registry: registry.register_factory(name, MAKERS[kind]),
        NAMES,
        st.sampled_from([*MAKERS]),
    ),
    st.just(lambda registry: registry.reload()),
    st.just(lambda registry: registry.tools()),
)


def state(registry: ToolRegistry) -> Any:
    return registry.version, registry.names(), registry.tools(), registry.problems()


@given(st.lists(CHANGES, max_size=12))
def test_names_stay_unique_and_a_change_that_fails_changes_nothing(
    changes: list[Callable[[ToolRegistry], Any]],
) -> None:
    registry = ToolRegistry()
    told: list[int] = []
    registry.on_change(lambda: told.append(registry.version))
    for change in changes:
        before = state(registry)
        try:
            change(registry)
        except DefinitionError:
            assert state(registry) == before
        names = [tool.name for tool in registry.tools()]
        assert len(set(names)) == len(names)
        assert [name for name in registry.names() if name in names] == names
        assert registry.version == before[0] or state(registry) != before
    assert told == [*range(1, registry.version + 1)]


@given(st.lists(CHANGES, max_size=6), SOURCES, BATCHES)
def test_a_source_is_replaced_whole_and_no_other_is_touched(
    changes: list[Callable[[ToolRegistry], Any]], source: str, tools: list[Tool]
) -> None:
    registry = ToolRegistry()
    for change in changes:
        try:
            change(registry)
        except DefinitionError:
            continue
    others = [tool for tool in registry.tools() if registry.names()[tool.name] != source]
    told = [problem for problem in registry.problems() if problem.source != source]
    done = registry.replace_source(source, tools)
    brought = {tool.name for tool in registry.tools() if tool.source == source}
    aside = {problem.name for problem in registry.problems() if problem.source == source}
    assert {tool.name for tool in tools} <= brought | aside
    assert {*done.added, *done.changed} <= brought
    assert [tool for tool in registry.tools() if tool in others] == others
    assert [problem for problem in registry.problems() if problem.source != source] == told
    assert not registry.replace_source(source, tools)
