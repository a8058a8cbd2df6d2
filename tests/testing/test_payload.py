"""Catalogs from recorded payloads, of servers that exist and of one that does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pegboard import Pegboard, ToolRegistry, ToolResult
from pegboard.naming import is_legal
from pegboard.testing import catalog_from_payload

LISTED = [
    {"name": "create.issue", "description": "Open an issue.", "inputSchema": {"type": "object"}},
    {"name": "broken", "inputSchema": {"type": "object", "properties": {"n": {"type": "int"}}}},
    {"name": "close", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}},
]


def test_tools_get_legal_names_with_the_upstreams_name_before_them() -> None:
    catalog, _ = catalog_from_payload("github", LISTED)
    assert [tool.bare_name for tool in catalog.all()] == ["create.issue", "close"]
    assert all(is_legal(tool.name) and tool.name.startswith("github__") for tool in catalog.all())


def test_a_tool_that_cannot_be_offered_is_set_aside_with_its_reason() -> None:
    catalog, problems = catalog_from_payload("github", LISTED)
    assert [problem.name for problem in problems] == ["broken"]
    assert "int" in problems[0].reason
    assert catalog.problems == problems


@pytest.mark.anyio
async def test_a_call_says_that_there_is_no_server() -> None:
    catalog, _ = catalog_from_payload("github", LISTED)
    registry = ToolRegistry()
    registry.register(*catalog.all())
    board = await Pegboard([registry]).open()
    result = await board.call("github__close", {"n": 1})
    assert isinstance(result, ToolResult)
    assert result.is_error
    assert "no server" in result.text


def test_every_tool_of_the_public_servers_gets_a_unique_legal_name_or_a_reason(shared: Path) -> None:
    files = sorted((shared / "corpora" / "mcp").glob("*.json"))
    names: list[str] = []
    listed = aside = 0
    for file in files:
        told = json.loads(file.read_bytes())
        catalog, problems = catalog_from_payload(file.stem, told["tools"])
        assert len(catalog) + len(problems) == len(told["tools"]), file.name
        assert all(problem.reason for problem in problems)
        names += [tool.name for tool in catalog.all()]
        listed, aside = listed + len(told["tools"]), aside + len(problems)
    assert listed > 1_000
    assert all(is_legal(name) for name in names)
    assert len(set(names)) == len(names)
    assert aside <= 0.005 * listed, f"{aside} of {listed} set aside"
