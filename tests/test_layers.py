"""Imports go only to earlier lines of the list below; a package counts as one line with all its modules."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

CORE = (
    "errors",
    "version",
    "late",
    "late_fields",
    "limits",
    "lines",
    "listeners",
    "texts",
    "unescaping",
    "masking",
    "threads",
    "frozen",
    "resource",
    "naming",
    "places",
    "pointing",
    "opening",
    "documents",
    "values",
    "tokens",
    "tool_fields",
    "tools",
    "requirements",
    "unwrapping",
    "shortening",
    "bounds",
    "paging",
    "tiers",
    "auth",
    "context_map",
    "rules",
    "schema",
    "detail",
    "budget",
    "context",
    "receipts",
    "pins",
    "pin_store",
    "drift",
    "boundary",
    "search",
    "admission",
    "factory",
    "hindrances",
    "registry",
    "skill_source",
    "skill_choice",
    "skill_prompt",
    "source_set",
    "catalog",
    "composition",
    "handling",
    "rights",
    "view",
    "finding",
    "usage",
    "approval",
    "dispatch",
    "metatools",
    "skill_tools",
    "board_tools",
    "profiles",
    "prefix",
    "turn",
    "keeping",
    "quarantine",
    "last_used",
    "board_skills",
    "board_calls",
    "board",
    "preparing",
    "peg_status",
    "given",
    "peg",
    "explaining",
)
FEATURES = ("skills", "net", "http_tools", "checking")
EDGES = ("sources", "stores", "encoders", "providers", "gateway", "evaluation")
TOP = ("config", "inspector", "cli", "testing")

ORDER = (*CORE, *FEATURES, *EDGES, *TOP)
STRANGERS = frozenset({"sources", "stores", "providers", "gateway"})
"""They never import one another, whatever their order."""
FREE = frozenset({"cli", "testing", "__main__"})
"""They import anything."""
FACADE = "__init__"
"""``pegboard`` itself: the names that users import. Above the core, and below nothing but the free ones."""

SOURCES = Path(__file__).resolve().parent.parent / "src" / "pegboard"


def line_of(file: Path) -> str:
    """The line of the list that a file belongs to."""
    return file.relative_to(SOURCES).parts[0].removesuffix(".py")


def arrows(tree: ast.AST, module: str) -> Iterator[tuple[int, str]]:
    """Each import of our own: the number of its line in the file, and the line of the list that it points to."""
    for node in imports(tree):
        for target in targets(node, module):
            package, _, rest = target.partition(".")
            if package == "pegboard":
                line = rest.partition(".")[0]
                yield node.lineno, line if is_module(line) else FACADE


def is_module(name: str) -> bool:
    """Whether ``pegboard.<name>`` is a module, and not a name that ``pegboard`` exports."""
    return name in ORDER or (bool(name) and (SOURCES / name).is_dir()) or (SOURCES / f"{name}.py").is_file()


def imports(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom | ast.Call]:
    """Every import in a node, those inside functions and calls of ``import_module`` too.

    What stands under ``if TYPE_CHECKING`` is left out: it never runs.
    """
    match node:
        case ast.Import() | ast.ImportFrom():
            yield node
        case ast.Call() if ast.unparse(node.func) in ("import_module", "importlib.import_module"):
            yield node
    children: Iterable[ast.AST] = ast.iter_child_nodes(node)
    if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
        children = node.orelse
    for child in children:
        yield from imports(child)


def targets(node: ast.Import | ast.ImportFrom | ast.Call, module: str) -> Iterator[str]:
    """The dotted names that an import asks for."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.Call):
        if node.args and isinstance(node.args[0], ast.Constant):
            yield str(node.args[0].value)
    else:
        package = module.split(".")[: -node.level] if node.level else []
        base = ".".join([*package, *([node.module] if node.module else [])])
        yield from (f"{base}.{alias.name}" for alias in node.names)


def objection(origin: str, target: str) -> str:
    """Why ``origin`` may not import ``target``; empty when it may."""
    if origin in FREE or origin == target:
        return ""
    if origin == FACADE:
        return "" if target in (*CORE, *FEATURES, *EDGES, "config") else f"pegboard itself may not import {target}"
    if target == FACADE:
        return "inside the package, import from the module that defines the name, not from pegboard"
    if {origin, target} <= STRANGERS:
        return f"{origin} and {target} never import one another: what both need belongs in the core or in a feature"
    if ORDER.index(target) > ORDER.index(origin):
        return f"{target} stands below {origin} in the list: turn the arrow round, or move what both need further up"
    return ""


def files() -> list[Path]:
    return sorted(SOURCES.rglob("*.py"))


def module_of(file: Path) -> str:
    return ".".join(["pegboard", *file.relative_to(SOURCES).with_suffix("").parts])


def test_no_line_stands_in_the_list_twice() -> None:
    assert len(set(ORDER)) == len(ORDER)


def test_every_module_has_a_line_in_the_list() -> None:
    unknown = {line_of(file) for file in files()} - {*ORDER, *FREE, FACADE}
    assert not unknown, (
        f"src/pegboard has {sorted(unknown)}, which no list in {Path(__file__).name} names. "
        "Add each where its imports allow, as far up as possible."
    )


def test_no_import_points_further_down_the_list() -> None:
    wrong = []
    for file in files():
        origin = line_of(file)
        for number, target in arrows(ast.parse(file.read_text("utf-8")), module_of(file)):
            why = objection(origin, target) if {origin, target} <= {*ORDER, *FREE, FACADE} else ""
            if why:
                wrong.append(f"src/pegboard/{file.relative_to(SOURCES)}:{number}: {why}")
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    "code",
    [
        "from pegboard.board import Board",
        "from pegboard import board",
        "import pegboard.board as b",
        "from .board import Board",
        "from . import board",
        "def f():\n    from pegboard.board import Board",
        "if TYPE_CHECKING:\n    pass\nelse:\n    import pegboard.board",
        "import importlib\nimportlib.import_module('pegboard.board')",
    ],
)
def test_an_arrow_down_the_list_is_seen_however_it_is_written(code: str) -> None:
    assert [target for _, target in arrows(ast.parse(code), "pegboard.registry")] == ["board"]
    assert objection("registry", "board")


def test_imports_for_type_checkers_alone_are_free() -> None:
    code = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pegboard.board import Board"
    assert not list(arrows(ast.parse(code), "pegboard.registry"))


@pytest.mark.parametrize(
    ("origin", "target", "allowed"),
    [
        ("board", "errors", True),
        ("gateway", "board", True),
        ("gateway", "net", True),
        ("gateway", "sources", False),
        ("stores", "sources", False),
        ("http_tools", "net", True),
        ("net", "http_tools", False),
        ("config", "gateway", True),
        ("gateway", "config", False),
        ("cli", "testing", True),
        ("board", FACADE, False),
        (FACADE, "board", True),
        (FACADE, "cli", False),
    ],
)
def test_the_rules_say_what_the_list_means(origin: str, target: str, allowed: bool) -> None:
    assert bool(objection(origin, target)) is not allowed
