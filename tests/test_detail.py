"""How much is told of one tool."""

from __future__ import annotations

from typing import Any

import pytest

from pegboard.detail import Detail, describe, explained, first_sentence, full, summary
from pegboard.tools import Approval
from tests.support import make

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
REFUND = make("refund", "Refund an order. It cannot be taken back.", input_schema=SCHEMA, tags=("money",))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Refund an order. It cannot be taken back.", "Refund an order."),
        ("Refund an\n  order", "Refund an order"),
        ("Wait! Then go.", "Wait!"),
        ("Takes v1.2 files. No others.", "Takes v1.2 files."),
        ("退款。不可撤销。", "退款。"),
        ("", ""),
    ],
)
def test_the_first_sentence_stands_on_one_line(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence


def test_a_sentence_without_an_end_is_cut() -> None:
    cut = first_sentence("x" * 1_000)
    assert len(cut) == 200
    assert cut.endswith("…")


def test_each_level_tells_more() -> None:
    brief = {"name": "refund", "kind": "tool", "description": "Refund an order."}
    assert describe(REFUND, Detail.BRIEF) == brief
    parameters = [{"name": "id", "type": "integer", "required": True, "description": ""}]
    whole = brief | {"description": REFUND.description}
    assert describe(REFUND, Detail.DETAILED) == whole | {"parameters": parameters}
    assert describe(REFUND, Detail.FULL) == whole | {"inputSchema": SCHEMA}


def test_a_list_tells_where_a_tool_belongs() -> None:
    assert summary(REFUND, "python") == {
        "name": "refund",
        "kind": "tool",
        "description": "Refund an order.",
        "visibility": "on-demand",
        "tags": ["money"],
    }


def test_what_is_not_set_is_left_out() -> None:
    assert "category" not in full(REFUND, "python")
    assert "approval" not in explained(REFUND, "python")
    assert full(REFUND.with_(category="shop"), "python")["category"] == "shop"


def test_everything_is_told_of_one_tool() -> None:
    told = explained(REFUND.with_(approval=Approval.WRITE, cost="low", timeout=5.0), "python")
    assert (told["approval"], told["cost"], told["timeout"]) == ("write", "low", 5.0)
    assert told["definitionTokens"] > 10
    ruled = explained(REFUND.with_(approval=lambda arguments: Approval.READ), "python")
    assert ruled["approval"] == "depends on the arguments"
