"""Listings in files: what one writes is read back, and what is none is passed over."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pegboard.config.kept_listings import Record
from pegboard.sources.mcp.listing import Listing

TOOL = {"name": "send", "inputSchema": {"type": "object"}}


def test_a_record_is_read_as_it_was_written() -> None:
    record, content = Record.written("mail", Listing(tools=[TOOL]), 1_700_000_000.5)
    read = Record.read(content)
    assert read is not None
    assert (read.at, read.id, list(read.listing.tools)) == (record.at, record.id, [TOOL])


@pytest.mark.parametrize("head", [b"", b"[1]", b"[" * 100_000, b"\xff", b"null"])
def test_a_head_that_is_none_is_passed_over(head: bytes) -> None:
    assert Record.read(head) is None


@pytest.mark.parametrize("change", [{"at": 10**400}, {"at": "now"}, {"id": 5}, {"listing": None}, {"listing": []}])
def test_a_head_of_other_values_is_passed_over(change: dict[str, Any]) -> None:
    _, content = Record.written("mail", Listing(tools=[]), 1.0)
    told = json.loads(content)
    assert Record.read(json.dumps(told).encode()) is not None
    assert Record.read(json.dumps(told | change).encode()) is None
