"""What importing, and each command, loads: seen in a fresh interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import pegboard

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = """
import json, sys
before = set(sys.modules)
{code}
print(json.dumps(sorted(set(sys.modules) - before)), file=sys.__stderr__)
"""
COMMAND = "from pegboard.cli.app import run\nrun({words!r})"

LIBRARIES = frozenset(
    [
        "aiosqlite",
        "alembic",
        "griffe",
        "httpcore2",
        "httpx2",
        "jsonpath",
        "jsonschema_rs",
        "mcp",
        "mcp_types",
        "pydantic",
        "pydantic_core",
        "rich",
        "sqlalchemy",
        "starlette",
        "tomlkit",
        "uvicorn",
        "watchfiles",
        "yaml",
    ]
)
"""What no command loads that only tells what is known already."""

PARTS = frozenset(("checking.scanning", "evaluation", "explaining", "gateway", "net", "sources.python"))
"""Parts of our own that are not for these commands, below ``pegboard``."""

SKILLS = frozenset(("skills.catalog", "skills.loading", "skills.front_matter", "sources.mcp.skill_offers"))
"""What reads skills: not needed where there are none."""

WORK = frozenset(("board", "config", "dispatch", "metatools", "peg", "search", "sources", "stores"))
"""What a command works with, and help does without."""


def loaded_by(code: str, folder: Path | None = None) -> set[str]:
    """The modules that a piece of code adds to a fresh interpreter, and the packages around them."""
    program = [sys.executable, "-W", "error", "-c", PROGRAM.format(code=code)]
    environ = {**os.environ, **({} if folder is None else {"HOME": str(folder), "XDG_STATE_HOME": str(folder)})}
    environ.pop("XDG_CONFIG_HOME", None)
    found = subprocess.run(
        program, capture_output=True, text=True, check=True, timeout=60, cwd=folder or ROOT, env=environ
    )
    return set(json.loads(found.stderr.splitlines()[-1]))


def libraries(modules: set[str]) -> set[str]:
    """The packages among modules that are not Python's own."""
    return {name.partition(".")[0] for name in modules} - sys.stdlib_module_names


def ours(parts: frozenset[str]) -> set[str]:
    return {f"pegboard.{part}" for part in parts}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a configuration of one upstream, whose list a command has kept."""
    folder = tmp_path_factory.mktemp("place")
    tools = [{"name": "track", "description": "Tell where an order is.", "inputSchema": {"type": "object"}}]
    recording = {"initialize": {"serverInfo": {"name": "shop", "version": "1"}}, "tools": tools}
    (folder / "shop.json").write_text(json.dumps(recording), "utf-8")
    arguments = json.dumps([str(ROOT / "tests" / "fixtures" / "recorded_server.py"), str(folder / "shop.json")])
    upstream = f"[upstreams.shop]\ncommand = {json.dumps(sys.executable)}\nargs = {arguments}\n"
    (folder / "pegboard.toml").write_text(upstream, "utf-8")
    assert "mcp" in libraries(loaded_by(COMMAND.format(words=["find", "where is my order"]), folder))
    return folder


def test_import_pegboard_loads_no_module_of_a_name_that_is_not_used() -> None:
    found = loaded_by("import pegboard")
    assert libraries(found) == {"pegboard"}
    assert {name for name in found if name.startswith("pegboard.")} == {"pegboard.late", "pegboard.version"}


@pytest.mark.parametrize("names", ["Pegboard, ToolRegistry", "Tool, ToolResult, Context, Policy, Receipt"])
def test_the_names_of_the_core_load_the_standard_library_alone(names: str) -> None:
    assert libraries(loaded_by(f"from pegboard import {names}")) == {"pegboard"}


def test_every_public_name_is_found_where_it_is_looked_for() -> None:
    assert set(pegboard.__all__) <= set(dir(pegboard))
    assert all(hasattr(pegboard, name) for name in pegboard.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        pegboard.nothing  # noqa: B018


@pytest.mark.parametrize("module", ["addresses", "egress", "redirects", "refusals", "urls", "decoding"])
def test_the_rules_for_outgoing_http_load_no_http_library(module: str) -> None:
    assert libraries(loaded_by(f"import pegboard.net.{module}")) == {"pegboard"}


def test_the_version_loads_nothing_of_what_commands_do() -> None:
    found = loaded_by(COMMAND.format(words=["--version"]))
    assert not (LIBRARIES | {"numpy", "asyncio"}) & {name.partition(".")[0] for name in found}
    assert not ours(WORK) & found


@pytest.mark.parametrize("words", [["--help"], ["find", "--help"], ["tools", "add", "-h"]], ids=" ".join)
def test_help_loads_no_library_that_commands_work_with(words: Sequence[str]) -> None:
    assert not (LIBRARIES | {"numpy"}) & libraries(loaded_by(COMMAND.format(words=words)))


def test_a_command_loads_no_other_command() -> None:
    found = {name for name in loaded_by(COMMAND.format(words=["find", "--help"])) if name.startswith("pegboard.cli.")}
    assert "pegboard.cli.finding" in found
    assert not {f"pegboard.cli.{name}" for name in ("serve", "demo", "checking", "evaluating", "authoring")} & found


@pytest.mark.parametrize(
    ("words", "also"),
    [
        (["list"], {"numpy"}),
        (["list", "--json"], {"numpy"}),
        (["find", "where is my order"], set()),
        (["find", "order", "--limit", "5", "--detail", "full", "--json", "--wait", "3"], set()),
        (["show", "shop__track"], {"numpy"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_known_already_is_told_without(words: Sequence[str], also: set[str], place: Path) -> None:
    found = loaded_by(COMMAND.format(words=words), place)
    assert "pegboard.board" in found
    assert not (LIBRARIES | also) & libraries(found)
    assert not ours(PARTS | SKILLS) & found


def test_what_is_loaded_late_would_be_seen() -> None:
    assert "pydantic" in libraries(loaded_by("import pydantic"))
