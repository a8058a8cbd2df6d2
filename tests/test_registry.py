"""Registries: batches, factories, sources."""

from __future__ import annotations

from typing import Any

import pytest

from pegboard.context import Context
from pegboard.errors import CollisionError, DefinitionError, InvalidNameError, InvalidSchemaError
from pegboard.registry import Changes, Problem, ToolRegistry
from pegboard.tools import Tool


async def nothing(arguments: dict[str, Any], context: Context) -> None:
    return None


def make(name: str, description: str = "", source: str = "python") -> Tool:
    return Tool(name=name, description=description, handler=nothing, source=source)


def names(registry: ToolRegistry) -> list[str]:
    return [tool.name for tool in registry.tools()]


def test_tools_keep_the_order_of_registration() -> None:
    registry = ToolRegistry()
    registry.register(make("b"), make("a"))
    assert names(registry) == ["b", "a"]


def test_a_batch_with_a_taken_name_registers_nothing() -> None:
    registry = ToolRegistry()
    registry.register(make("a"))
    with pytest.raises(CollisionError, match="'a'"):
        registry.register(make("b"), make("a", source="other"))
    assert names(registry) == ["a"]
    assert registry.version == 1


def test_a_batch_that_names_a_tool_twice_registers_nothing() -> None:
    registry = ToolRegistry()
    with pytest.raises(CollisionError):
        registry.register(make("b"), make("b"))
    assert names(registry) == []


def test_a_collision_names_both_sources_and_the_way_out() -> None:
    registry = ToolRegistry()
    registry.register(make("a", source="east"))
    with pytest.raises(CollisionError, match=r"'east'.*'west'.*prefix"):
        registry.register(make("a", source="west"))


def test_what_is_no_tool_is_refused_with_the_fix() -> None:
    with pytest.raises(DefinitionError, match="@tool"):
        ToolRegistry().register(print)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("schema", "word"),
    [
        ({"type": "object", "properties": {"n": {"type": "intager"}}}, "intager"),
        ({"type": "object", "$ref": "#"}, "itself"),
        ({"type": "object", "properties": {"x": {"$ref": "file:///etc/passwd"}}}, "file:///etc/passwd"),
        ({"type": "array"}, "object"),
    ],
)
def test_a_schema_that_nothing_could_be_held_against_is_refused_and_named(schema: dict[str, Any], word: str) -> None:
    registry = ToolRegistry()
    tool = make("odd").with_(input_schema=schema)
    with pytest.raises(InvalidSchemaError, match="'odd'") as refused:
        registry.register(make("good"), tool)
    assert word in str(refused.value)
    assert names(registry) == []
    registry.register_factory("odd", lambda: tool)
    assert names(registry) == []
    assert word in registry.problems()[0].reason


def test_names_are_told_without_making_anything() -> None:
    registry = ToolRegistry("mine")
    registry.register(make("a", source="east"))
    registry.register_factory("b", lambda: pytest.fail("made"))
    assert registry.names() == {"a": "east", "b": "mine"}


def test_a_factory_is_called_on_the_first_look_once() -> None:
    calls: list[str] = []
    registry = ToolRegistry()

    def build() -> Tool:
        calls.append("made")
        return make("a", f"made {len(calls)}")

    registry.register_factory("a", build)
    assert calls == []
    assert registry.tools() == registry.tools()
    assert calls == ["made"]
    registry.reload()
    assert calls == ["made"]
    assert [tool.description for tool in registry.tools()] == ["made 2"]


def test_a_failing_factory_is_set_aside_with_its_reason_and_tried_again_after_reload() -> None:
    registry = ToolRegistry()
    broken = [True]

    def build() -> Tool:
        if broken[0]:
            raise RuntimeError("no database")
        return make("b")

    registry.register(make("a"))
    registry.register_factory("b", build)
    assert names(registry) == ["a"]
    (problem,) = registry.problems()
    assert problem.name == "b"
    assert "no database" in problem.reason
    broken[0] = False
    assert names(registry) == ["a"]
    registry.reload()
    assert names(registry) == ["a", "b"]
    assert registry.problems() == ()


def test_a_strict_factory_raises_to_whoever_looks() -> None:
    registry = ToolRegistry()

    def build() -> Tool:
        raise RuntimeError("no database")

    registry.register_factory("b", build, strict=True)
    with pytest.raises(RuntimeError, match="no database"):
        registry.tools()


def test_a_factory_needs_a_legal_and_free_name() -> None:
    registry = ToolRegistry()
    registry.register(make("a"))
    with pytest.raises(InvalidNameError):
        registry.register_factory("a b", lambda: make("a"))
    with pytest.raises(CollisionError):
        registry.register_factory("a", lambda: make("a"))


def test_a_source_is_replaced_in_its_place() -> None:
    registry = ToolRegistry()
    registry.replace_source("one", [make("a", source="one"), make("b", source="one")])
    registry.replace_source("two", [make("c", source="two")])
    changes = registry.replace_source("one", [make("b", "new", source="one"), make("d", source="one")])
    assert changes == Changes(added=("d",), removed=("a",), changed=("b",))
    assert names(registry) == ["b", "d", "c"]


def test_an_equal_listing_changes_nothing_and_tells_nobody() -> None:
    registry = ToolRegistry()
    told: list[int] = []
    registry.on_change(lambda: told.append(registry.version))
    registry.replace_source("one", [make("a", source="one")])
    assert not registry.replace_source("one", [make("a", source="one")])
    assert told == [1]


def test_an_equal_definition_with_another_handler_is_a_change() -> None:
    async def other(arguments: dict[str, Any], context: Context) -> str:
        return "other"

    registry = ToolRegistry()
    registry.replace_source("one", [make("a", source="one")])
    assert registry.replace_source("one", [make("a", source="one").with_(handler=other)]).changed == ("a",)
    assert [tool.handler for tool in registry.tools()] == [other]


def test_a_source_may_not_take_a_name_of_another_and_the_rest_goes_on() -> None:
    registry = ToolRegistry()
    registry.replace_source("one", [make("a", source="one")])
    registry.replace_source("two", [make("a", source="two"), make("b", source="two")])
    assert names(registry) == ["a", "b"]
    (problem,) = registry.problems()
    assert (problem.source, problem.name) == ("two", "a")


def test_problems_of_a_source_are_those_of_its_last_listing() -> None:
    registry = ToolRegistry()
    bad = Problem(source="one", name="x", reason="bad schema")
    registry.replace_source("one", [], [bad])
    assert registry.problems() == (bad,)
    registry.replace_source("one", [])
    assert registry.problems() == ()


def test_listeners_hear_every_change_until_they_leave() -> None:
    registry = ToolRegistry()
    told: list[str] = []
    leave = registry.on_change(lambda: told.append("changed"))
    registry.register(make("a"))
    assert registry.unregister("a")
    assert not registry.unregister("a")
    leave()
    registry.register(make("b"))
    assert told == ["changed", "changed"]


def test_a_source_brings_its_tools_under_its_own_name() -> None:
    registry = ToolRegistry()
    registry.replace_source("one", [make("a", source="elsewhere")])
    assert [tool.source for tool in registry.tools()] == ["one"]
    registry.replace_source("one", [])
    assert registry.tools() == ()


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (make("bad").with_(input_schema={"type": "object", "properties": {"x": {"type": "strng"}}}), "strng"),
        (make("bad").with_(output_schema={"type": "strng"}), "output schema"),
        (make("bad").with_(annotations={"x": {"y": object()}}), "x/y: a Python object"),
        (make("bad").with_(hints={"mcp": float("nan")}), "NaN"),
        ("a text", "is not a tool"),
    ],
)
def test_what_cannot_be_listed_or_checked_is_refused_and_set_aside_from_a_source(bad: Any, why: str) -> None:
    registry = ToolRegistry()
    with pytest.raises(DefinitionError, match=why):
        registry.register(make("good"), bad)
    assert registry.version == 0
    registry.replace_source("one", [bad, make("good")])
    assert names(registry) == ["good"]
    (problem,) = registry.problems()
    assert why in problem.reason
    assert problem.name in ("bad", "'a text'")


def test_registering_nothing_changes_nothing() -> None:
    registry = ToolRegistry()
    registry.register()
    registry.reload()
    assert registry.version == 0


def test_a_factory_may_look_at_the_registry_it_belongs_to() -> None:
    registry = ToolRegistry()
    registry.register(make("a"))
    calls: list[int] = []

    def index() -> Tool:
        calls.append(1)
        return make("index", f"Knows {', '.join(names(registry))}.")

    registry.register_factory("index", index)
    assert [tool.description for tool in registry.tools()] == ["", "Knows a."]
    assert (names(registry), len(calls)) == (["a", "index"], 1)


def test_a_strict_factory_that_failed_is_tried_again_on_the_next_look() -> None:
    answers: list[Tool | OSError] = [OSError("no network"), make("a")]

    def make_it() -> Tool:
        answer = answers.pop(0)
        if isinstance(answer, OSError):
            raise answer
        return answer

    registry = ToolRegistry()
    registry.register_factory("a", make_it, strict=True)
    with pytest.raises(OSError, match="no network"):
        registry.tools()
    assert names(registry) == ["a"]


class _Speechless(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(("error", "told"), [(SystemExit(3), "SystemExit: 3"), (_Speechless(), "_Speechless")])
def test_a_factory_or_requirement_that_ends_oddly_is_set_aside_alone(error: BaseException, told: str) -> None:
    def ends() -> Any:
        raise error

    registry = ToolRegistry()
    registry.register_factory("made", ends)
    registry.register(make("needy").with_(requires=ends), make("good"))
    assert names(registry) == ["good"]
    assert [told in problem.reason for problem in registry.problems()] == [True, True]


def test_a_requirement_may_register_tools_itself() -> None:
    registry = ToolRegistry()

    def prepared() -> bool:
        registry.register(make("helper"))
        return True

    registry.register(make("main").with_(requires=prepared))
    assert names(registry) == ["helper", "main"]
