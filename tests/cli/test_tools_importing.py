"""``pegboard tools import-openapi``: definitions to own, and the report of what did not become one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pegboard.http_tools.files import load_file
from tests.cli.conftest import Run

DOCUMENT = {
    "openapi": "3.0.3",
    "info": {"title": "Shop", "version": "1"},
    "servers": [{"url": "https://{region}.shop.example", "variables": {"region": {"default": "eu"}}}],
    "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
    "security": [{"key": []}],
    "paths": {
        "/orders": {
            "get": {"operationId": "listOrders", "tags": ["orders"], "parameters": []},
            "post": {
                "operationId": "addOrder",
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {
                                    "first-name": {"type": "string", "nullable": True, "enum": ["a", None]},
                                    "kids": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                                },
                            }
                        }
                    }
                },
            },
        },
        "/orders/{id}": {"get": {"operationId": "lost"}},
        "/health": {"get": {}},
    },
}


@pytest.fixture
def shop(here: Path) -> Path:
    """The current folder, with a document."""
    (here / "shop.json").write_text(json.dumps(DOCUMENT), "utf-8")
    return here


@pytest.mark.parametrize("ending", ["yaml", "json"])
def test_the_file_that_is_written_has_the_tools_whole(shop: Path, pegboard: Run, ending: str) -> None:
    done = pegboard("tools", "import-openapi", "shop.json", "--output", f"tools.{ending}", "--secret", "key=SHOP_KEY")
    assert done.code == 0
    assert done.lines == [f"Shop: 3 tools, 1 set aside, in tools.{ending}"]
    assert "GET /orders/{id} (lost) was set aside: its path has {id}" in done.err
    assert "GET /health (get_health): it has no operationId" in done.err
    loaded = load_file(shop / f"tools.{ending}")
    assert not loaded.problems
    by_name = {one.name: one for one in loaded.definitions}
    assert list(by_name) == ["listOrders", "addOrder", "get_health"]
    assert by_name["addOrder"].request.body == {"first-name": "{{first-name}}", "kids": "{{kids}}"}
    assert by_name["addOrder"].parameters["properties"]["first-name"]["type"] == ["string", "null"]
    assert by_name["listOrders"].request.auth[0].secret == "SHOP_KEY"
    assert by_name["listOrders"].request.url == "https://eu.shop.example/orders"
    assert pegboard("tools", "check", f"tools.{ending}").code == 0


def test_toml_is_written_where_it_can_say_everything(shop: Path, pegboard: Run) -> None:
    done = pegboard("tools", "import-openapi", "shop.json", "-o", "tools.toml")
    assert done.code != 0
    assert "YAML or JSON" in done.err
    assert not (shop / "tools.toml").exists()
    assert pegboard("tools", "import-openapi", "shop.json", "-o", "tools.toml", "--exclude", "addOrder").code == 0
    assert len(load_file(shop / "tools.toml").definitions) == 2


def test_stdout_has_the_definitions_alone(shop: Path, pegboard: Run) -> None:
    done = pegboard("tools", "import-openapi", "shop.json", "--format", "json", "--tag", "orders")
    assert [tool["name"] for tool in json.loads(done.out)["tools"]] == ["listOrders"]
    assert "1 tool, 3 left out by filters" in done.err


def test_the_json_document_accounts_for_every_operation(shop: Path, pegboard: Run) -> None:
    told: Any = pegboard("tools", "import-openapi", "shop.json", "--json", "--method", "get").json
    assert [one["name"] for one in told["tools"]] == ["listOrders", "get_health"]
    assert [one["operation_id"] for one in told["set_aside"]] == ["lost"]
    assert [one["reason"] for one in told["left_out"]] == ["POST is not among the methods"]
    assert [one["name"] for one in told["definitions"]] == ["listOrders", "get_health"]


def test_a_file_that_is_there_is_written_over_only_when_asked(shop: Path, pegboard: Run) -> None:
    (shop / "mine.yaml").write_text("mine", "utf-8")
    assert pegboard("tools", "import-openapi", "shop.json", "-o", "mine.yaml").code == 2
    assert (shop / "mine.yaml").read_text("utf-8") == "mine"
    assert pegboard("tools", "import-openapi", "shop.json", "-o", "mine.yaml", "--force").code == 0


def test_no_file_is_written_where_no_operation_became_a_tool(shop: Path, pegboard: Run) -> None:
    assert pegboard("tools", "import-openapi", "shop.json", "--include", "nothing", "--output", "none.yaml").code == 4
    assert not Path("none.yaml").exists()


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("gone.json",), 3, "no such file"),
        (("shop.json", "--server-variable", "region"), 2, "NAME=VALUE"),
        (("shop.json", "--server-variable", "regoin=us"), 3, "'regoin'"),
        (("shop.json", "--secret", "kee=K"), 3, "Did you mean 'key'"),
        (("shop.json", "--server", "shop.example"), 3, "cannot be used"),
        (("shop.json", "--tag", "nothing"), 4, "4 left out"),
        (("http://127.0.0.1:1/openapi.json",), 1, "reach"),
        (("ftp://shop.example/openapi.json",), 3, "cannot be used"),
        (("shop.json", "-o", "no/such/folder/x.yaml"), 3, "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_told(shop: Path, pegboard: Run, words: tuple[str, ...], code: int, told: str) -> None:
    done = pegboard("tools", "import-openapi", *words)
    assert (done.code, told in done.err) == (code, True), done.err
