"""The ledger of evidence: which ids a conversation was shown."""

from __future__ import annotations

from typing import Any

import pytest

from pegboard.http_tools.evidence import EVIDENCE_KEY
from pegboard.http_tools.ledger import KEPT, EvidenceLedger
from pegboard.tools import ToolResult


def test_ids_are_kept_once_in_the_order_they_came_first_as_text() -> None:
    ledger = EvidenceLedger(["b"])
    ledger.record(["a", "b", 7, None, "7"])
    ledger.record("c")
    assert ledger.ids == ("b", "a", "7", "c")
    assert 7 in ledger
    assert "d" not in ledger


def test_the_last_thousand_are_kept() -> None:
    ledger = EvidenceLedger(range(KEPT))
    ledger.record(range(KEPT, KEPT + 5))
    ledger.record([f"x{n}" for n in range(3)])
    assert len(ledger.ids) == KEPT
    assert ledger.ids[-1] == "x2"
    assert "7" not in ledger
    assert "8" in ledger


def test_evidence_of_results_is_recorded_and_others_change_nothing() -> None:
    ledger = EvidenceLedger()
    ledger.take(ToolResult(content=(), meta={EVIDENCE_KEY: {"kind": "k", "ids": ["a"], "attachments": []}}))
    ledger.take(ToolResult(content=()))
    assert ledger.ids == ("a",)


def test_what_is_new_is_handed_on_once_and_again_after_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    told: list[dict[str, Any]] = []

    def failing(one: dict[str, Any]) -> None:
        raise OSError("full")

    ledger = EvidenceLedger(["old"])
    assert ledger.flush(told.append)
    ledger.record("new")
    ledger.note_ungrounded()
    assert not ledger.flush(failing)
    assert "could not be kept" in caplog.text
    assert ledger.flush(told.append)
    assert ledger.flush(told.append)
    assert told == [{"ids": ["new"], "ungrounded": 1}]
    assert ledger.ids == ("old", "new")
