from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.runners import egress

ALLOW = json.dumps({"id": "a", "url": "http://example.com/", "expect": "allow", "category": "positive"}).encode()
BLOCK = json.dumps({"id": "b", "url": "http://127.0.0.1/", "expect": "block", "category": "ipv4-special"}).encode()


def wrong_about_loopback(vector: egress.Vector) -> list[str]:
    return ["it was allowed"] if vector["expect"] == "block" else []


def test_without_a_guard_vectors_are_counted_by_category_and_none_passes() -> None:
    report = egress.run([ALLOW, BLOCK, BLOCK], None)
    assert list(report.lines()) == [
        "not built: egress guard: ipv4-special: 2",
        "not built: egress guard: positive: 1",
        "0 passed, 0 failed, 3 not built",
    ]


def test_a_vector_that_the_guard_gets_wrong_is_named_with_its_line() -> None:
    report = egress.run([ALLOW, b"", BLOCK], wrong_about_loopback)
    assert list(report.lines()) == ["FAILED line 3: 'b': it was allowed", "1 passed, 1 failed, 0 not built"]


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        b'{"expect": "allow"}',
        b'{"url": 7, "expect": "allow"}',
        b'{"url": "http://example.com/", "expect": "maybe"}',
    ],
)
def test_a_malformed_line_is_a_failure_with_its_number(line: bytes) -> None:
    report = egress.run([ALLOW, line], None)
    (failure,) = report.failures
    assert failure.startswith("FAILED line 2: malformed: ")


def test_a_file_without_vectors_fails() -> None:
    assert egress.run([b"", b"  "], None).failures


def test_the_exit_code_tells_failures_from_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(b"nonsense\n")
    assert egress.main([str(broken)]) == 1
    assert egress.main([str(tmp_path / "missing.jsonl")]) == 2
    assert egress.main([]) == 2


def test_our_own_vectors_are_all_well_formed(data: Path) -> None:
    report = egress.run((data / "egress_vectors.jsonl").read_bytes().split(b"\n"), None)
    assert report.failures == []
    assert report.not_built.total() == 277
