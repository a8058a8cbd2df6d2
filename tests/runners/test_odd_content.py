"""Folders and files from elsewhere with odd content: a line for each failure, the counts last, and a run that ends."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.runners import egress
from tests.runners.cases.__main__ import main as cases
from tests.runners.files import one_line
from tests.runners.golden.__main__ import main as golden

Main = Callable[[list[str]], int]

ODD_FILES: dict[str, bytes] = {
    "broken.json": b"{",
    "empty.json": b"",
    "list.json": b"[1, 2]",
    "deep.json": b"[" * 100_000,
    "wide.json": b"\xff\xfe\x00",
}
VECTOR: dict[str, Any] = {"id": "gonk_bm25_search/a", "input": {}, "expected": {"returns": 1}}


def write(folder: Path, name: str, value: Any) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps(value))


def outcome(main: Main, path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    code = main([str(path)])
    return code, capsys.readouterr().out.splitlines()


def test_each_odd_file_of_vectors_is_one_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, content in ODD_FILES.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "loop.json").symlink_to("loop.json")
    write(tmp_path, "alternatives.json", {"cases": [{**VECTOR, "expected_alt": 5}]})
    write(tmp_path, "input.json", {"cases": [VECTOR, {**VECTOR, "input": {"tools": 5}}]})
    code, lines = outcome(golden, tmp_path, capsys)
    assert code == 1
    assert lines[-1].startswith(f"0 passed, {len(ODD_FILES) + 6} failed")
    assert len(lines) == len(ODD_FILES) + 7
    assert all(line.startswith("FAILED ") for line in lines[:-1])


def test_each_odd_case_is_one_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, content in ODD_FILES.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "case.json").write_bytes(content)
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "case.json")
    write(tmp_path / "one_of", "case.json", {"steps": [{"do": "find_tools", "expect": {"one_of": 5}}]})
    write(tmp_path / "file", "case.json", {"steps": [{"do": "catalog", "file": [None]}]})
    code, lines = outcome(cases, tmp_path, capsys)
    assert code == 1
    assert lines[-1].startswith(f"0 passed, {len(ODD_FILES) + 3} failed")
    assert len(lines) == len(ODD_FILES) + 4


@pytest.mark.parametrize("main", [golden, cases, egress.main])
def test_what_is_not_there_is_told_with_the_counts(
    main: Main, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines = outcome(main, tmp_path / "missing", capsys)
    assert code == 2
    assert lines[0].startswith(f"FAILED {tmp_path / 'missing'}: ")
    assert lines[-1].startswith("0 passed, 1 failed")


def test_a_pipe_is_no_file_of_vectors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert outcome(egress.main, tmp_path / "pipe", capsys)[0] == 2


@pytest.mark.parametrize("odd", [{"env": 5}, {"policy": 5}, {"headers": [1]}, {"resolves_to": {"a": [5]}}])
def test_an_odd_vector_costs_itself_alone(odd: dict[str, Any]) -> None:
    vectors = [{"url": "https://a.example/", "expect": "allow", "resolves_to": ["93.184.216.34"], **odd}]
    vectors.append({"url": "http://127.0.0.1/", "expect": "block"})

    def run(kept: list[dict[str, Any]]) -> list[str]:
        from tests.runners import egress_adapter

        lines = [json.dumps(one).encode() for one in kept]
        return list(egress.run(lines, egress_adapter.check).lines())

    assert run(vectors)[-1] == "1 passed, 1 failed"


def test_what_is_told_stays_on_one_line_and_can_be_shown() -> None:
    assert one_line("a\nb\x1b[31m\ud800é") == "a\\nb\\x1b[31m\\ud800é"
