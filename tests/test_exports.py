"""The names that ``pegboard`` exports: few, pinned here, each explained where it stands and in the documentation."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import pegboard

PUBLIC = [
    "Action",
    "AllowAll",
    "Approval",
    "ApprovalRequest",
    "Bm25Ranker",
    "Board",
    "CallFacts",
    "CallPolicy",
    "Catalog",
    "Context",
    "Decision",
    "FileGrant",
    "Halt",
    "HybridRanker",
    "Ledger",
    "LexicalRanker",
    "Limits",
    "Listing",
    "MemoryPinStore",
    "Pegboard",
    "PegboardError",
    "PinDiff",
    "PinStore",
    "Policy",
    "Principal",
    "Progress",
    "Ranked",
    "Ranker",
    "Receipt",
    "ReceiptFile",
    "ReceiptSink",
    "Resource",
    "Rule",
    "RulePolicy",
    "Sandbox",
    "Skill",
    "SkillCatalog",
    "SkillChoice",
    "SkillRoot",
    "Source",
    "SourceStatus",
    "SubstringRanker",
    "Tool",
    "ToolError",
    "ToolRegistry",
    "ToolResult",
    "Touches",
    "Turn",
    "Verdict",
    "Visibility",
    "Workspace",
    "__version__",
    "fingerprint",
    "invalidation_reason",
    "tool",
]
EXPLAINED = [name for name in PUBLIC if not name.startswith("__")]


@pytest.fixture(scope="module")
def pages(root: Path) -> str:
    """The text of the README and of all pages under docs/, decisions left out."""
    files = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    return "\n".join(file.read_text("utf-8") for file in files if file.parent.name != "decisions")


def test_the_public_names_are_these_and_no_others() -> None:
    assert pegboard.__all__ == PUBLIC == sorted(PUBLIC)


def test_the_table_of_public_names_has_them_all(root: Path) -> None:
    table = (root / "docs" / "quickstart.md").read_text("utf-8").partition("## The public names")[2]
    told = [
        name
        for row in table.splitlines()
        if row.startswith("| `")
        for name in re.findall("`(.*?)`", row[: row.index(" | ")])
    ]
    assert sorted(told) == PUBLIC


@pytest.mark.parametrize("name", EXPLAINED)
def test_a_public_name_has_a_docstring_of_its_own(name: str) -> None:
    text = getattr(pegboard, name).__doc__ or ""
    assert text.strip(), f"pegboard.{name} has no docstring"
    assert not text.startswith(f"{name}("), f"pegboard.{name} has only the docstring that dataclass makes"


def test_every_public_name_is_in_the_documentation(pages: str) -> None:
    missing = [name for name in EXPLAINED if not re.search(rf"\b{name}\b", pages)]
    assert not missing, "say in README.md or docs/ what these are for"


def test_the_version_is_that_of_the_project(root: Path) -> None:
    assert tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"] == pegboard.__version__
