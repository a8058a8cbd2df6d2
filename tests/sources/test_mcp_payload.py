from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.types import methods

from pegboard import Approval, Context, Visibility
from pegboard.naming import is_legal
from pegboard.sources.mcp import Intake, StdioSpec, tools_from_payload
from pegboard.tools import Handler, OutputCheck
from tests.sources.servers import tool


def handler_of(bare_name: str) -> Handler:
    async def handler(arguments: dict[str, Any], context: Context) -> str:
        return bare_name

    return handler


def intake(*raw: Any, **spec: Any) -> Intake:
    fields: dict[str, Any] = {"name": "up", "prefix": False} | spec
    return tools_from_payload(fields["name"], raw, StdioSpec(command="server", **fields), handler_of)


def test_a_tool_keeps_its_definition_and_gets_a_prefixed_name() -> None:
    raw = tool(
        "rm",
        title="Remove a file",
        annotations={"destructiveHint": True, "readOnlyHint": False},
        outputSchema={"type": "object"},
        _meta={"v": 2},
        icons=[{"src": "data:,"}],
        futureField={"x": 1},
    )
    [made] = intake(raw, name="my files", prefix=None).tools
    assert made.name == "my_files__rm"
    assert made.bare_name == "rm"
    assert made.source == "my files"
    assert made.shown == raw | {"name": "my_files__rm"}
    assert (made.title, made.annotations, made.output_schema) == (raw["title"], raw["annotations"], {"type": "object"})
    assert made.definition == raw


@pytest.mark.anyio
async def test_a_tool_calls_its_upstream_by_the_upstreams_own_name() -> None:
    for made in intake(tool("add:item"), tool("get.item"), tool("list/items"), tool("löschen")).tools:
        assert is_legal(made.name)
        assert await made.handler({}, Context(tool=made.name, call_id="1")) == made.bare_name


def test_names_that_models_cannot_use_are_made_legal_and_stay_apart() -> None:
    found = intake(tool("a.b"), tool("a:b"), tool("a_b"), tool("x" * 70), tool("x" * 71), prefix=None)
    names = [made.name for made in found.tools]
    assert len(set(names)) == 5
    assert all(is_legal(name) for name in names)
    assert not found.problems


def test_one_bad_tool_costs_only_itself() -> None:
    found = intake(
        tool("good_a"),
        tool("bad_root", inputSchema={"type": "string"}),
        tool("bad_type", inputSchema={"type": "object", "properties": {"n": {"type": "int"}}}),
        {"name": "no_schema"},
        tool("null_schema", inputSchema=None),
        tool("text_schema", inputSchema="object"),
        tool("far_reference", inputSchema={"type": "object", "$ref": "https://example.com/schema.json"}),
        tool("loop", inputSchema={"type": "object", "$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}),
        {"name": "", "inputSchema": {"type": "object"}},
        {"name": 7, "inputSchema": {"type": "object"}},
        {"inputSchema": {"type": "object"}},
        "not an object",
        None,
        tool("good_b"),
    )
    assert [made.name for made in found.tools] == ["good_a", "good_b"]
    reasons = {problem.name: problem.reason for problem in found.problems}
    assert {"bad_root", "bad_type", "no_schema", "null_schema", "text_schema", "far_reference", "loop"} <= set(reasons)
    assert len(found.problems) == 12
    assert "string" in reasons["bad_root"]
    assert "properties/n" in reasons["bad_type"]
    assert "no inputSchema" in reasons["no_schema"]
    assert all(problem.source == "up" and problem.reason for problem in found.problems)


def test_a_schema_that_refers_to_itself_as_trees_do_is_taken() -> None:
    node = {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}
    schema = {"type": "object", "properties": {"root": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}}
    [made] = intake(tool("tree", inputSchema=schema)).tools
    assert made.input_schema == schema


def test_a_missing_root_type_is_mended_and_noted() -> None:
    schema = {"properties": {"a": {"type": "string"}}, "required": ["a"]}
    found = intake(tool("one", inputSchema=schema), tool("two", inputSchema={"type": ["object", "null"]}), tool("ok"))
    one, two, _ = found.tools
    assert one.input_schema == {"type": "object"} | schema
    assert two.input_schema == {"type": "object"}
    assert one.definition is not None
    assert one.definition["inputSchema"] == one.input_schema
    [note] = found.notes
    assert "(one, two)" in note
    assert not found.problems


def test_a_bad_output_schema_is_left_out_and_the_tool_kept() -> None:
    found = intake(tool("a", outputSchema={"type": "objekt"}), tool("b", outputSchema=[]), tool("c", outputSchema=None))
    assert [made.name for made in found.tools] == ["a", "b", "c"]
    assert all(made.output_schema is None and "outputSchema" not in made.shown for made in found.tools)
    assert not found.problems
    assert "outputSchema" in " ".join(found.notes)


@pytest.mark.parametrize(
    "members",
    [
        {"annotations": "read only"},
        {"annotations": {"readOnlyHint": "yes"}},
        {"annotations": {"title": 5}},
        {"title": 5},
        {"description": ["a"]},
        {"icons": "icon.png"},
        {"icons": [{"src": "a", "sizes": "48x48"}]},
        {"icons": [{"sizes": []}]},
        {"execution": {"taskSupport": "never"}},
        {"_meta": []},
    ],
)
def test_members_that_mcp_does_not_allow_are_left_out_and_noted(members: dict[str, Any]) -> None:
    found = intake(tool("a", **members))
    [made] = found.tools
    [key] = members
    assert key not in made.shown or key == "description"
    [note] = found.notes
    assert key in note
    assert_allowed_on_the_wire(made.shown)


def assert_allowed_on_the_wire(shown: Any) -> None:
    """Both revisions' own schemas take the definition."""
    page = {"tools": [shown], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    methods.validate_server_result("tools/list", "2026-07-28", page)
    if "outputSchema" not in shown:
        methods.validate_server_result("tools/list", "2025-11-25", page)


ODD = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.lists(st.text(max_size=3), max_size=2)
MEMBER = ODD | st.dictionaries(
    st.sampled_from(["title", "readOnlyHint", "src", "sizes", "theme", "taskSupport", "type"]), ODD, max_size=3
)
KEYS = ["title", "description", "annotations", "icons", "execution", "_meta", "outputSchema", "other"]


@given(st.dictionaries(st.sampled_from(KEYS), MEMBER | st.lists(MEMBER, max_size=2)))
def test_whatever_a_server_sends_what_is_kept_is_allowed_on_the_wire(members: dict[str, Any]) -> None:
    for made in intake(tool("a", **members)).tools:
        assert_allowed_on_the_wire(made.shown)


def test_of_two_tools_with_one_name_the_first_is_kept() -> None:
    found = intake(tool("a", description="first"), tool("a", description="second"))
    assert [made.description for made in found.tools] == ["first"]
    [problem] = found.problems
    assert problem.name == "a"
    assert "came before it" in problem.reason


def test_excluded_tools_are_not_there_and_are_no_problem() -> None:
    found = intake(tool("get"), tool("put"), tool("del", inputSchema=None), exclude=["del"], include=["[gd]*"])
    assert [made.name for made in found.tools] == ["get"]
    assert not found.problems
    assert not found.notes


def test_a_pattern_that_matches_nothing_is_noted() -> None:
    [note] = intake(tool("search"), include=["serch", "*"]).notes
    assert "'serch' matches none" in note


def test_visibility_approval_and_time_limit_come_from_the_spec_alone() -> None:
    raw = tool("a", annotations={"readOnlyHint": True})
    [made] = intake(raw, visibility="always", approval="exec", call_timeout=5.0).tools
    assert (made.visibility, made.approval, made.timeout) == (Visibility.ALWAYS, Approval.EXEC, 5.0)
    [made] = intake(raw).tools
    assert (made.visibility, made.approval, made.timeout) == (Visibility.ON_DEMAND, None, None)


def test_limits_and_checks_of_the_spec_are_those_of_every_tool() -> None:
    [made] = intake(tool("a"), concurrency=2, output_check="strict").tools
    assert (made.source_concurrency, made.concurrency, made.output_check) == (2, None, OutputCheck.STRICT)
    [made] = intake(tool("a")).tools
    assert (made.source_concurrency, made.output_check) == (None, OutputCheck.WARN)


def test_a_problem_with_a_hostile_name_is_shown_on_one_short_line() -> None:
    found = intake(tool("a\x1b[2J\n" + "b" * 10_000, inputSchema=None))
    [problem] = found.problems
    assert len(problem.name) < 200
    assert "\x1b" not in problem.name + problem.reason
    assert "\n" not in problem.name + problem.reason


def test_every_tool_of_the_corpus_gets_a_name_of_its_own_or_a_reason(shared: Path) -> None:
    names: set[str] = set()
    total = aside = 0
    for file in sorted((shared / "corpora" / "mcp").glob("*.json")):
        raw = json.loads(file.read_text("utf-8"))
        found = intake(*raw["tools"], name=file.stem, prefix=None)
        assert len(found.tools) + len(found.problems) == len(raw["tools"])
        fresh = {made.name for made in found.tools}
        assert not fresh & names
        assert all(is_legal(name) for name in fresh)
        for made in found.tools:
            assert_allowed_on_the_wire(made.shown)
        names |= fresh
        total += len(raw["tools"])
        aside += len(found.problems)
    assert total == 1_995
    assert aside <= total * 0.005
