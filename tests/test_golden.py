"""The golden vectors hold, and their runner can tell when they do not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.runners.deviations import GOLDEN, Rule
from tests.runners.golden.__main__ import main
from tests.runners.golden.adapter import Adapter, NotBuiltError
from tests.runners.golden.adapters import ADAPTERS
from tests.runners.golden.outcome import Comparison, Raised, facts
from tests.runners.golden.run import Verdict, run_file
from tests.runners.golden.vectors import Case, read_file

FOLDER = Path(__file__).resolve().parent / "data" / "golden"
RIGHT: dict[str, Any] = {
    "id": "insika_tool_catalog_subset/right",
    "input": {"tools": [{"name": "a", "description": "A"}], "names": ["a"]},
    "expected": {"returns": ["a"]},
}

UNSEEN = [
    Case(
        "insika_schema_guard_violation",
        {"input": {"schema": {"properties": {"n": {"type": "integer"}}}, "args": {"n": 3.0}}},
    ),
    Case("insika_coercion", {"input": {"op": "utf8", "value": {"a": [1]}}}),
]
"""What the decisions settle and no vector shows."""


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_the_vectors_of_every_file_that_is_built_hold(path: Path) -> None:
    judged = run_file(read_file(path))
    built = [one for one in judged if one.verdict is not Verdict.NOT_BUILT]
    if not built:
        pytest.skip(f"{judged[0].why}: {len(judged)} cases")
    wrong = [f"{one.id}: {one.why}" for one in built if one.verdict in (Verdict.FAILED, Verdict.NEEDS_TEST)]
    assert not wrong, "\n".join(wrong)


def test_every_rule_of_deviation_fits_some_vector() -> None:
    built = [
        (case, ADAPTERS[file.kinds[0]])
        for file in map(read_file, sorted(FOLDER.glob("*.json")))
        for case in file.cases
        if file.kinds[0] in ADAPTERS
    ]
    built += [(case, ADAPTERS[case.kind]) for case in UNSEEN]
    for rule in GOLDEN:
        assert any(rule.applies(case) and fits(rule, case, adapter) for case, adapter in built), rule.name


def fits(rule: Rule, case: Case, adapter: Adapter) -> bool:
    """Whether a rule says what Pegboard does with a vector."""
    try:
        return rule.holds(case, adapter.outcome(case.input))
    except NotBuiltError:
        return False


def written(folder: Path, *cases: dict[str, Any], stem: str = "insika_tool_catalog_subset") -> Path:
    (folder / f"{stem}.json").write_text(json.dumps({"system": "x", "cases": list(cases)}), encoding="utf-8")
    return folder


def test_a_folder_outside_the_repository_is_run_as_a_program(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.runners.golden", str(written(tmp_path, RIGHT))]
    ran = subprocess.run(command, cwd=FOLDER.parents[2], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == (
        "1 passed, 0 failed, 0 deliberately different, 0 not built, 0 need a test of ours"
    )


def test_a_vector_that_does_not_hold_is_told_and_fails_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = {**RIGHT, "id": "insika_tool_catalog_subset/broken", "expected": {"returns": ["b"]}}
    assert main([str(written(tmp_path, RIGHT, broken))]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("FAILED insika_tool_catalog_subset/broken: ")
    assert lines[-1].startswith("1 passed, 1 failed,")


def test_an_error_where_a_value_is_expected_fails_the_run(tmp_path: Path) -> None:
    broken = {**RIGHT, "input": {"names": ["a"]}}
    assert main([str(written(tmp_path, broken))]) == 1


def test_an_unknown_kind_is_counted_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unknown = {**RIGHT, "id": "some_other_thing/a"}
    assert main([str(written(tmp_path, unknown, {**unknown, "id": "some_other_thing/b"}, stem="other"))]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "not built: some_other_thing: 2",
        "0 passed, 0 failed, 0 deliberately different, 2 not built, 0 need a test of ours",
    ]


def test_a_file_is_known_by_what_its_cases_say_whatever_it_is_called(tmp_path: Path) -> None:
    assert main([str(written(tmp_path, {**RIGHT, "expected": {"returns": []}}, stem="renamed"))]) == 1


def test_words_without_a_test_of_ours_are_listed_and_fail_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    in_words = {**RIGHT, "id": "insika_tool_catalog_subset/in_words", "improve": "say why"}
    assert main([str(written(tmp_path, in_words))]) == 0
    assert "needs a test of ours: insika_tool_catalog_subset/in_words: say why" in capsys.readouterr().out


def test_a_rule_excuses_only_what_it_says_that_we_do_instead(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = {"tools": [{"name": "a b", "description": "A"}], "names": ["a b"]}
    refused = {**RIGHT, "id": "insika_tool_catalog_subset/refused", "input": named, "expected": {"returns": ["a b"]}}
    assert main([str(written(tmp_path, refused))]) == 0
    assert "deliberately different: illegal names are refused" in capsys.readouterr().out
    ranked = {
        "id": "gonk_bm25_search/not_refused",
        "input": {"query": "x", "tools": [{"name": "a b", "description": "x"}]},
        "expected": {"returns": []},
    }
    assert main([str(written(tmp_path, ranked))]) == 1


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("{", "not JSON"),
        ("[]", "a list 'cases'"),
        ('{"cases": []}', "no cases"),
        ('{"cases": [{}]}', "'id'"),
        ('{"cases": [{"id": "a/b"}]}', "'input'"),
        ('{"cases": [{"id": "a/b", "input": {}, "expected": {}}]}', "returns"),
        ("[" * 100_000, "not JSON"),
    ],
    ids=["broken", "list", "empty", "no id", "no input", "no outcome", "deep"],
)
def test_a_malformed_file_is_told_and_fails_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, what: str
) -> None:
    written(tmp_path, RIGHT)
    (tmp_path / "malformed.json").write_text(content, encoding="utf-8")
    assert main([str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("FAILED malformed.json: malformed: ")
    assert what in lines[0]
    assert lines[-1].startswith("1 passed, 1 failed")


def test_a_folder_without_vectors_fails(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 1
    assert main([str(tmp_path / "nowhere")]) == 2
    assert main([]) == 2


def test_numbers_agree_to_a_billionth_of_their_size() -> None:
    comparison = Comparison()
    assert comparison.value({"score": 3.8640644979}, {"score": 3.8640644979 * (1 + 5e-10)}) == ""
    assert comparison.value({"score": 3.8640644979}, {"score": 3.8640644979 * (1 + 5e-9)}) != ""
    assert comparison.value(1, True) != ""
    assert comparison.value(10, 10.0) == ""


def test_an_error_has_to_name_what_the_expected_message_names() -> None:
    expected = {"raises": {"class": "Error", "message": "Tool already registered: a"}}
    comparison = Comparison(errors={"Error": ValueError}, values={"name": "a", "other": "registry"})
    assert facts(expected["raises"]["message"], comparison.values) == ["a"]
    assert comparison.outcome(expected, Raised(ValueError("'a' is taken"))) == ""
    assert comparison.outcome(expected, Raised(ValueError("taken"))) != ""
    assert comparison.outcome(expected, Raised(TypeError("'a' is taken"))) != ""


def test_every_adapter_says_what_it_maps() -> None:
    silent = [kind for kind, adapter in ADAPTERS.items() if not adapter.run.__doc__]
    assert not silent
