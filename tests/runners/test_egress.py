from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.runners import egress, egress_adapter

ALLOW = json.dumps({"id": "a", "url": "http://example.com/", "expect": "allow", "category": "positive"}).encode()
BLOCK = json.dumps({"id": "b", "url": "http://127.0.0.1/", "expect": "block", "category": "ipv4-special"}).encode()


def wrong_about_loopback(vector: egress.Vector) -> list[str]:
    return ["it was allowed"] if vector["expect"] == "block" else []


def test_a_vector_that_the_guard_gets_wrong_is_named_with_its_line() -> None:
    report = egress.run([ALLOW, b"", BLOCK], wrong_about_loopback)
    assert list(report.lines()) == ["FAILED line 3: 'b': it was allowed", "1 passed, 1 failed"]


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
    report = egress.run([ALLOW, line], wrong_about_loopback)
    (failure,) = report.failures
    assert failure.startswith("FAILED line 2: malformed: ")


def test_a_file_without_vectors_fails() -> None:
    assert egress.run([b"", b"  "], wrong_about_loopback).failures


def test_the_exit_code_tells_failures_from_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(b"nonsense\n")
    assert egress.main([str(broken)]) == 1
    assert egress.main([str(tmp_path / "missing.jsonl")]) == 2
    assert egress.main([]) == 2


def test_the_guard_does_with_every_vector_what_it_expects(data: Path) -> None:
    lines = (data / "egress_vectors.jsonl").read_bytes().split(b"\n")
    assert list(egress.run(lines, egress_adapter.check).lines()) == ["277 passed, 0 failed"]


REDIRECT = {
    "url": "http://example.com/",
    "resolves_to": ["93.184.215.14"],
    "redirect_to": "http://other.example/",
    "redirect_resolves_to": ["1.1.1.1"],
    "must_strip": ["Authorization"],
    "must_connect_only": ["93.184.215.14", "1.1.1.1"],
    "expect": "allow",
}
RETRY = {
    "url": "http://example.com/",
    "resolves_to": ["93.184.215.14"],
    "connect_fails": ["93.184.215.14"],
    "resolves_to_next": ["127.0.0.1"],
    "must_connect_only": ["93.184.215.14"],
    "expect": "block",
}


@pytest.mark.parametrize(
    "vector",
    [
        REDIRECT,
        REDIRECT | {"redirect_to": "/next", "redirects": 5, "must_strip": []},
        REDIRECT | {"redirect_to": "/next", "redirects": 6, "must_strip": [], "expect": "block"},
        REDIRECT | {"redirect_resolves_to": ["1.1.1.1", "10.0.0.5"], "expect": "block"},
        REDIRECT | {"status": 307, "method": "POST"},
        RETRY,
        RETRY | {"resolves_to": ["93.184.215.14", "1.1.1.1"], "must_connect_only": ["93.184.215.14", "1.1.1.1"]}
        | {"expect": "allow"},
    ],
    ids=["stripped", "hops", "hops too many", "mixed answers", "307", "retry", "next address"],
)  # fmt: skip
def test_redirects_and_retries_are_run_as_scripted(vector: egress.Vector) -> None:
    assert egress_adapter.check(vector) == []


@pytest.mark.parametrize(
    ("vector", "problem"),
    [
        (REDIRECT | {"expect": "block"}, "it was allowed"),
        (REDIRECT | {"must_connect_only": ["93.184.215.14"]}, "it connected to 1.1.1.1"),
        (REDIRECT | {"redirect_to": "/next"}, "Authorization was sent on"),
        (REDIRECT | {"redirect_to": "http://10.0.0.5/"}, "allow is expected, and block"),
        (RETRY | {"resolves_to_next": ["1.1.1.1"]}, "it connected to 1.1.1.1"),
        (REDIRECT | {"policy": "all-is-well"}, "'all-is-well' is none of those"),
    ],
)
def test_the_adapter_sees_what_is_wrong(vector: egress.Vector, problem: str) -> None:
    assert problem in "; ".join(egress_adapter.check(vector))
