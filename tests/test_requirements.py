"""Tools that need something to be there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pegboard import Pegboard, Tool, ToolRegistry, ToolResult, tool
from pegboard.errors import CollisionError, DefinitionError
from pegboard.requirements import admitted
from tests.support import make


def git_is_installed() -> bool:
    return False


def broken() -> bool:
    raise OSError("no path")


def names(registry: ToolRegistry) -> list[str]:
    return [held.name for held in registry.tools()]


@pytest.mark.parametrize("answer", [True, "/usr/bin/git", 1])
def test_a_tool_whose_requirement_holds_is_taken_as_it_is(answer: Any) -> None:
    asked = make("blame", "Tell who wrote a line.", requires=lambda: answer, degraded_description="Git is missing.")
    assert admitted(asked) is asked


@pytest.mark.parametrize(
    ("requires", "words"),
    [
        (git_is_installed, ["git_is_installed() does not hold"]),
        (lambda: None, ["Its requirement does not hold"]),
        (broken, ["broken()", "OSError: no path"]),
    ],
)
def test_a_tool_whose_requirement_does_not_hold_is_set_aside_with_the_reason(
    requires: Callable[[], Any], words: list[str]
) -> None:
    registry = ToolRegistry()
    registry.register(make("log"), make("blame", requires=requires))
    assert names(registry) == ["log"]
    (problem,) = registry.problems()
    assert (problem.source, problem.name) == ("python", "blame")
    assert all(word in problem.reason for word in words)
    assert Pegboard([registry]).status()["set_aside"][0]["name"] == "blame"


def test_what_is_set_aside_takes_nobodys_name() -> None:
    registry = ToolRegistry()
    registry.register(make("blame", "One."))
    registry.register(make("blame", "Another.", requires=git_is_installed))
    assert [held.description for held in registry.tools()] == ["One."]
    registry.replace_source("east", [make("blame", source="east", requires=git_is_installed)])
    assert [problem.source for problem in registry.problems()] == ["python", "east"]


def test_a_requirement_does_not_excuse_a_batch_with_a_mistake() -> None:
    registry = ToolRegistry()
    with pytest.raises(CollisionError):
        registry.register(make("blame", requires=git_is_installed), make("log"), make("log"))
    assert (names(registry), registry.problems()) == ([], ())


def test_a_requirement_is_asked_once_and_again_when_the_tool_is_registered_again() -> None:
    asked: list[bool] = []

    def there() -> bool:
        asked.append(len(asked) > 0)
        return asked[-1]

    registry = ToolRegistry()
    registry.register(make("blame", requires=there))
    assert (names(registry), names(registry), len(asked)) == ([], [], 1)
    registry.register(make("blame", requires=there))
    assert (names(registry), registry.problems()) == (["blame"], ())


def test_a_source_brings_its_tools_when_they_can_be_there() -> None:
    there = [False]
    listed = [make("blame", source="east", requires=lambda: there[0]), make("log", source="east")]
    registry = ToolRegistry()
    assert registry.replace_source("east", listed).added == ("log",)
    assert not registry.replace_source("east", listed)
    there[0] = True
    assert registry.replace_source("east", listed).added == ("blame",)
    assert registry.problems() == ()


def test_what_a_factory_makes_is_asked_too_and_again_after_reload() -> None:
    there = [False]
    registry = ToolRegistry()
    registry.register_factory("blame", lambda: make("blame", requires=lambda: there[0]), strict=True)
    assert names(registry) == []
    there[0] = True
    assert names(registry) == []
    assert [problem.name for problem in registry.problems()] == ["blame"]
    registry.reload()
    assert (names(registry), registry.problems()) == (["blame"], ())


@pytest.mark.anyio
async def test_a_tool_with_another_description_for_that_stays_and_may_be_called() -> None:
    @tool(requires=git_is_installed, degraded_description="Find files by name. Their history needs git.")
    def find_files(name: str) -> str:
        """Find files by name and history."""
        return f"{name} found"

    registry = ToolRegistry()
    registry.register(find_files)
    (held,) = registry.tools()
    assert held.description == held.shown["description"] == "Find files by name. Their history needs git."
    assert held.digest != find_files.digest
    assert registry.problems() == ()
    result = await (await Pegboard([registry]).open()).call("find_files", {"name": "a"})
    assert isinstance(result, ToolResult)
    assert result.text == "a found"


def test_a_definition_that_is_shown_as_it_came_gets_the_other_description() -> None:
    came = {"name": "x", "description": "Whole.", "inputSchema": {"type": "object"}, "vendor": 1}
    taken = admitted(make("x", "Whole.", definition=came, requires=git_is_installed, degraded_description="Half."))
    assert isinstance(taken, Tool)
    assert taken.shown == came | {"description": "Half."}


@pytest.mark.parametrize("requires", [False, True, "git"])
def test_what_is_no_function_cannot_be_required(requires: Any) -> None:
    with pytest.raises(DefinitionError, match=r"The requires of tool 'blame' cannot be .* Pass a function"):
        make("blame", requires=requires)
