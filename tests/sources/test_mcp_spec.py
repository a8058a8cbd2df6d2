from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard import Approval, Visibility
from pegboard.errors import ConfigError
from pegboard.sources.mcp import StdioSpec, prefix_of


def spec(name: str = "up", **fields: Any) -> StdioSpec:
    return StdioSpec(name=name, command="server", **fields)


def test_the_prefix_is_made_from_the_name_unless_given() -> None:
    assert spec("github").tool_prefix == "github"
    assert spec("My notes / 2").tool_prefix == "My_notes_2"
    assert spec("github", prefix="gh").tool_prefix == "gh"
    assert spec("github", prefix=False).tool_prefix == ""


@given(st.text(min_size=1))
def test_any_name_gives_a_prefix_that_is_legal_short_and_always_the_same(name: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,24}", prefix_of(name))
    assert prefix_of(name) == prefix_of(name)


def test_long_and_unwritable_names_keep_prefixes_of_their_own() -> None:
    long = "a server with a name that goes on and on "
    assert prefix_of(long + "one") != prefix_of(long + "two")
    assert prefix_of("服务器") != prefix_of("サーバー")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"prefix": "a.b"}, "Write 'a_b'"),
        ({"name": "  "}, "name is empty"),
        ({"visibility": "hidden"}, "always, on-demand"),
        ({"visibility": {"a*": "hidden"}}, "always, on-demand"),
        ({"approval": "admin"}, "read, write, exec"),
        ({"output_check": "loud"}, "off, warn, strict"),
        ({"concurrency": 0}, "lets no call through. Give a whole number from 1"),
    ],
)
def test_a_mistake_in_a_spec_is_named_with_its_fix(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        spec(**fields)


def test_include_and_exclude_are_globs_on_the_upstreams_own_names() -> None:
    chosen = spec(include=["get.*", "list"], exclude=["*.secret"])
    assert [name for name in ("get.a", "get.secret", "list", "LIST", "put") if not chosen.left_out(name)] == [
        "get.a",
        "list",
    ]


def test_visibility_and_approval_are_for_all_tools_or_by_glob_the_first_match_counting() -> None:
    one = spec(visibility="always", approval="read")
    assert (one.visibility_of("x"), one.approval_of("x")) == (Visibility.ALWAYS, Approval.READ)
    by_glob = spec(visibility={"get_*": "always", "*": "on-demand"}, approval={"get_*": Approval.READ, "del*": "exec"})
    assert by_glob.visibility_of("get_x") is Visibility.ALWAYS
    assert by_glob.visibility_of("put_x") is Visibility.ON_DEMAND
    assert by_glob.approval_of("get_x") is Approval.READ
    assert by_glob.approval_of("delete") is Approval.EXEC
    assert by_glob.approval_of("put_x") is None


def test_the_repr_shows_no_secrets() -> None:
    shown = repr(spec(args=["--key", "hunter2"], env={"TOKEN": "hunter3"}))
    assert "hunter" not in shown
