"""Tools of which the definition is read when it is first looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pegboard import Tool
from pegboard.tools import Visibility

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"order": {"type": "string"}}}


async def run(arguments: Any, context: Any) -> str:
    return ""


def whole() -> Tool:
    return Tool(
        name="shop__refund",
        bare_name="refund",
        source="shop",
        description="Refund an order.",
        title="Refund",
        input_schema=SCHEMA,
        visibility=Visibility.ALWAYS,
        handler=run,
    )


def late(read: Callable[[], Tool] = whole) -> Tool:
    known = {"name": "shop__refund", "bare_name": "refund", "source": "shop"}
    return Tool.late(read, **known, visibility=Visibility.ALWAYS, handler=run, stamp=b"known")


def test_it_equals_the_tool_that_was_made_whole() -> None:
    assert (late(), late().digest, late().shown, repr(late())) == (
        whole(),
        whole().digest,
        whole().shown,
        repr(whole()),
    )
    assert late() != replace(whole(), description="Another.")


def test_its_definition_is_read_once_and_not_for_what_is_known() -> None:
    times: list[int] = []

    def read() -> Tool:
        times.append(1)
        return whole()

    tool = late(read)
    assert (tool.name, tool.source, tool.visibility, tool.tags, tool.hints, tool.requires) == (
        ("shop__refund", "shop", Visibility.ALWAYS, (), {}, None)
    )
    assert times == []
    assert (tool.description, tool.title, tool.input_schema, tool.annotations) == (
        ("Refund an order.", "Refund", SCHEMA, None)
    )
    assert times == [1]


def test_a_copy_with_changes_is_whole_and_known_by_nothing() -> None:
    copy = late().with_(description="Another.")
    assert (copy.description, copy.input_schema, copy.stamp, late().stamp) == ("Another.", SCHEMA, None, b"known")


def test_what_cannot_be_read_says_so_at_every_look() -> None:
    def broken() -> Tool:
        raise ValueError("broken")

    tool = late(broken)
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            _ = tool.description


def test_the_class_has_its_defaults_as_before() -> None:
    assert Tool.title is None
    with pytest.raises(AttributeError, match="description"):
        _ = Tool.description  # type: ignore[misc]
