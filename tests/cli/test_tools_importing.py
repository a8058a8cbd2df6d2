"""``pegboard tools import-openapi``: definitions that the user then owns, and a report of what was set aside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "servers": [{"url": "https://shop.example.com/v1"}],
    "security": [{"key": []}],
    "components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
    "paths": {
        "/orders/{id}": {
            "get": {
                "operationId": "getOrder",
                "tags": ["orders"],
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
            },
            "delete": {
                "operationId": "dropOrder",
                "parameters": [{"$ref": "https://elsewhere.example.com/p.json#/id"}],
            },
        },
    },
}


@pytest.fixture
def document(here: Path) -> Path:
    """The current folder, with a document."""
    path = here / "shop.json"
    path.write_text(json.dumps(DOCUMENT), "utf-8")
    return path


@pytest.mark.parametrize("ending", ["toml", "yaml", "json"])
def test_operations_become_a_file_of_definitions(pegboard: Run, document: Path, ending: str) -> None:
    made = pegboard("tools", "import-openapi", "shop.json", "--secret", "key=SHOP_KEY", "--output", f"tools.{ending}")
    assert made.code == 0
    assert made.out == f"Shop: 1 tool, 1 set aside, in tools.{ending}\n"
    assert "dropOrder" in made.err or "DELETE /orders/{id}" in made.err
    assert "SHOP_KEY" in Path(f"tools.{ending}").read_text("utf-8")
    assert pegboard("tools", "check", f"tools.{ending}").out == f"tools.{ending}: 1 tool\n"


def test_a_file_that_is_there_is_written_over_only_when_asked(pegboard: Run, document: Path) -> None:
    Path("tools.yaml").write_text("mine", "utf-8")
    assert pegboard("tools", "import-openapi", "shop.json", "--output", "tools.yaml").code == 2
    assert Path("tools.yaml").read_text("utf-8") == "mine"
    assert pegboard("tools", "import-openapi", "shop.json", "--output", "tools.yaml", "--force").code == 0


def test_without_a_file_the_definitions_go_to_stdout_and_all_else_to_stderr(pegboard: Run, document: Path) -> None:
    made = pegboard("tools", "import-openapi", "shop.json", "--format", "json")
    assert [tool["name"] for tool in json.loads(made.out)["tools"]] == ["getOrder"]
    assert "elsewhere.example.com" in made.err


def test_filters_that_leave_nothing_and_documents_that_are_none_have_codes_of_their_own(
    pegboard: Run, document: Path
) -> None:
    assert pegboard("tools", "import-openapi", "shop.json", "--tag", "nothing").code == 4
    Path("no.json").write_text("{}", "utf-8")
    refused = pegboard("tools", "import-openapi", "no.json")
    assert refused.code == 3
    assert "openapi" in refused.err
