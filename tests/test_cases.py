"""The cases hold, and their runner can tell when they do not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.runners.cases.__main__ import main
from tests.runners.cases.case import Case, folders
from tests.runners.cases.configuration import Configuration
from tests.runners.cases.matching import has, holds
from tests.runners.cases.run import Verdict, run_case
from tests.runners.cases.using import computed
from tests.runners.deviations import settings_of

FOLDER = Path(__file__).resolve().parent / "data" / "cases"
CATALOG = [{"name": "send_mail", "description": "Send a message."}, {"name": "add", "description": "Sum up."}]
SEARCH: list[dict[str, Any]] = [
    {"do": "catalog", "file": "catalog.json"},
    {"do": "search", "query": "mail", "expect": {"first": "send_mail"}},
]


@pytest.mark.parametrize("folder", folders(FOLDER), ids=lambda folder: folder.name)
def test_every_case_that_is_built_holds(folder: Path) -> None:
    judged = run_case(folder)
    if judged.verdict is Verdict.NOT_BUILT:
        pytest.skip(f"needs {judged.why}")
    assert judged.verdict is Verdict.PASSED, judged.why


def written(folder: Path, steps: Any, name: str = "X1") -> Path:
    case = folder / name
    case.mkdir(parents=True)
    (case / "catalog.json").write_text(json.dumps(CATALOG), encoding="utf-8")
    (case / "case.json").write_text(json.dumps({"id": name, "kind": "k", "title": "t", "steps": steps}))
    return folder


def with_expectation(**expect: Any) -> list[dict[str, Any]]:
    return [SEARCH[0], {**SEARCH[1], "expect": expect}]


def test_a_folder_outside_the_repository_is_run_as_a_program(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.runners.cases", str(written(tmp_path, SEARCH))]
    ran = subprocess.run(command, cwd=FOLDER.parents[2], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.splitlines()[-1] == "1 passed, 0 failed, 0 not built"


def test_an_expectation_that_is_not_met_is_told_and_fails_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(written(tmp_path, with_expectation(first="add")))]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("FAILED X1: step 1 (search): first: ")
    assert lines[-1] == "0 passed, 1 failed, 0 not built"


def test_alternatives_fail_only_together(tmp_path: Path) -> None:
    written(tmp_path, with_expectation(one_of=[{"first": "add"}, {"first": "send_mail"}]), "met")
    written(tmp_path, with_expectation(one_of=[{"first": "add"}, {"n": 7}]), "unmet")
    assert run_case(tmp_path / "met").verdict is Verdict.PASSED
    assert run_case(tmp_path / "unmet").verdict is Verdict.FAILED


@pytest.mark.parametrize(
    ("steps", "missing"),
    [
        ([{"do": "embedder", "file": "e.json"}], "embedder with 'file'"),
        ([{"do": "dance"}], "the step 'dance'"),
        ([{**SEARCH[1], "mode": "psychic"}], "mode 'psychic'"),
        (with_expectation(shines=True), "the expectation 'shines'"),
        (with_expectation(one_of=[{"first": "send_mail"}, {"shines": True}]), "the expectation 'shines'"),
        ([{"do": "call", "tool": "add", "via": "pigeon"}], "via 'pigeon'"),
        ([{"do": "raw_http", "as": who, "rpc": "tools/list"} for who in ("ann", "bob")], "sign-in over HTTP"),
    ],
    ids=["field", "step", "mode", "expectation", "alternative", "value", "callers"],
)
def test_what_is_not_understood_is_told_by_name_and_never_passed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], steps: Any, missing: str
) -> None:
    assert main([str(written(tmp_path, steps))]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"not built: X1: needs {missing}", "0 passed, 0 failed, 1 not built"]


def test_an_upstream_over_http_is_called_through_the_gateway_over_http(tmp_path: Path) -> None:
    headers = {"X-Custom": "of-the-client"}
    steps: list[dict[str, Any]]
    steps = [
        {"do": "secrets", "values": {"KEY": "operator-key"}},
        {"do": "http_upstream", "name": "up", "script": "up.json", "headers": {"X-Key": "{{secret.KEY}}"}},
        {"do": "serve_http"},
        {"do": "open_session", "extra_headers": headers, "save": "s"},
        {
            "do": "raw_http",
            "extra_headers": headers,
            "session": "s",
            "rpc": "tools/call",
            "tool": "far",
            "expect": {"no_error": True, "result_text": "from afar"},
        },
        {"do": "expect", "expect": {"http_upstream_log_excludes": {"up": "of-the-client"}, "upstream_calls": 1}},
    ]
    far = {"name": "far", "inputSchema": {"type": "object"}}
    for name, excluded in (("met", "of-the-client"), ("unmet", "operator-key")):
        steps[-1]["expect"] = {"http_upstream_log_excludes": {"up": excluded}, "upstream_calls": 1}
        folder = written(tmp_path, steps, name)
        (folder / name / "up.json").write_text(json.dumps({"tools": [far], "calls": {"far": "from afar"}}))
    assert run_case(tmp_path / "met").why == ""
    assert "got" in run_case(tmp_path / "unmet").why


POLICY = {"ann": {"discover": ["*"], "invoke": ["a*"]}, "bob": {"discover": ["send_*"], "invoke": ["send_*"]}}


def by_command(tool: str, who: str | None, **expect: Any) -> dict[str, Any]:
    asked = {"as": who} if who else {}
    return {"do": "call", "via": "cli", "tool": tool, **asked, "expect": expect}


def test_the_command_line_really_runs_under_the_cases_policy(tmp_path: Path) -> None:
    called = {"is_error": False, "raw_result": {"structuredContent": {"n": 1}}}
    steps = [
        SEARCH[0],
        {"do": "policy", "file": "policy.json"},
        by_command("send_mail", "ann", is_error=True, not_called=True, message_contains="not allowed"),
        by_command("add", "bob", is_error=True, not_called=True, message_contains="No tool is named 'add'"),
        {**by_command("add", "ann", **called), "args": {"n": 1}},
    ]
    folder = written(tmp_path, steps)
    (folder / "X1" / "policy.json").write_text(json.dumps(POLICY))
    judged = run_case(folder / "X1")
    assert judged.verdict is Verdict.PASSED, judged.why


def test_a_command_that_reaches_a_handler_is_seen(tmp_path: Path) -> None:
    judged = run_case(written(tmp_path, [SEARCH[0], by_command("add", None, not_called=True)]) / "X1")
    assert judged.verdict is Verdict.FAILED
    assert "handlers were called: [('add', {})]" in judged.why


PINNED: list[dict[str, Any]] = [
    {"do": "catalog", "file": "catalog.json"},
    {"do": "pin_commit_loop", "session": "s", "tools": "add", "count": 1},
    {"do": "restart"},
]


@pytest.mark.parametrize(
    ("step", "failure"),
    [
        ({"do": "resume", "session": "s", "expect": {"order": ["send_mail"]}}, "the order is ['add']"),
        ({"do": "resume", "session": "s", "expect": {"pins_total": 2}}, "pins are {"),
        ({"do": "resume", "session": "s", "expect": {"state_parses": False}}, "everything can be read"),
        ({"do": "write_file", "state": "{", "expect": {"status_mentions": "unicorns"}}, "has no ['unicorns']"),
        (
            {"do": "parallel_processes", "n": 2, "each": {"do": "wait", "s": "for ever"}},
            "exit codes are [1, 1]",
        ),
        ({"do": "parallel_processes", "n": 2, "each": {"do": "restart"}, "expect": {"pins_total": 3}}, "pins are {"),
    ],
    ids=["order", "total", "parses", "status", "fails", "parallel"],
)
def test_what_is_kept_is_looked_at(tmp_path: Path, step: dict[str, Any], failure: str) -> None:
    judged = run_case(written(tmp_path, [*PINNED, step]) / "X1")
    assert judged.verdict is Verdict.FAILED
    assert failure in judged.why


def test_a_step_that_raises_fails_the_case_with_its_error(tmp_path: Path) -> None:
    judged = run_case(written(tmp_path, [{"do": "catalog", "file": "not_there.json"}]) / "X1")
    assert judged.verdict is Verdict.FAILED
    assert "step 0 (catalog): FileNotFoundError" in judged.why


def test_a_case_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    judged = run_case(written(tmp_path, [{"do": "wait", "s": 600}]) / "X1", seconds=3)
    assert judged.verdict is Verdict.FAILED
    assert "not done after 3 s" in judged.why


@pytest.mark.parametrize("content", ["{", "[]", '{"steps": []}', '{"steps": [{"expect": {}}]}'])
def test_a_malformed_case_is_told_and_fails_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    (tmp_path / "X1").mkdir()
    (tmp_path / "X1" / "case.json").write_text(content)
    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().out.startswith("FAILED X1: malformed: case.json: ")


def test_a_folder_without_cases_fails(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 1
    assert main([str(tmp_path / "nowhere")]) == 2
    assert main([]) == 2


def test_functions_of_a_file_may_take_what_the_file_itself_defines(tmp_path: Path) -> None:
    steps = [
        {"do": "python_tools", "file": "tools.py"},
        {"do": "call", "tool": "far", "args": {"p": {"x": 2}}, "expect": {"result_text": "Point(x=2)"}},
    ]
    tools = (
        "from __future__ import annotations\n"
        "import dataclasses\n"
        "@dataclasses.dataclass\n"
        "class Point:\n"
        "    x: int\n"
        "def far(p: Point) -> str:\n"
        "    return str(p)\n"
        "REGISTER = [('far', far)]\n"
    )
    case = written(tmp_path, steps) / "X1"
    (case / "tools.py").write_text(tools, "utf-8")
    assert run_case(case).why == ""


@pytest.mark.parametrize(
    ("path", "equals", "halts"),
    [
        ("ok", True, True),
        ("$.ok", True, True),
        ("ok", 1, False),
        ("order.lines.1.state", "sent", True),
        ("order.lines.2", None, False),
        ("order", {}, False),
    ],
)
def test_a_tool_of_a_catalog_halts_on_what_its_result_holds(
    tmp_path: Path, path: str, equals: Any, halts: bool
) -> None:
    given = {"ok": True, "order": {"lines": [{}, {"state": "sent"}]}}
    steps = [SEARCH[0], {"do": "batch", "calls": [["send_mail", given], ["end", given]], "expect": {"halted": halts}}]
    case = written(tmp_path, steps) / "X1"
    halt_when = {"path": path, "equals": equals}
    (case / "catalog.json").write_text(json.dumps([*CATALOG, {"name": "end", "halt_when": halt_when}]), "utf-8")
    assert run_case(case).verdict is Verdict.PASSED
    steps[1]["expect"] = {"halted_by": "send_mail", "results": 2}
    written(tmp_path, steps, "X2")
    assert run_case(tmp_path / "X2").why.startswith("step 1 (batch): halted_by: ")


def test_a_long_result_is_expected_with_room_for_it() -> None:
    def limits(wanted: int) -> dict[str, Any]:
        steps = ({"do": "call", "tool": "t", "expect": {"result_min_chars": wanted}},)
        return settings_of(Case(folder=Path(), id="x", kind="k", title="t", steps=steps))

    assert limits(400_000)["result_chars"] > 400_000
    assert limits(1_000) == {}


def test_the_configuration_is_written_as_toml(tmp_path: Path) -> None:
    import tomllib

    configuration = Configuration(tmp_path)
    keys = {"command": "a", "args": ['say "ö"\n', "\\"], "env": {"K": "v"}, "prefix": False}
    configuration.upstreams["my.name"] = keys
    configuration.limits["call_timeout"] = 0.5
    configuration.python.append("tools.py")
    assert tomllib.loads(configuration.text()) == {
        "store": {"path": str(tmp_path / "state" / "boards.sqlite3")},
        "limits": {"call_timeout": 0.5},
        "upstreams": {"my.name": keys},
        "python": [{"file": "tools.py"}],
    }


def test_at_least_what_is_expected_is_there() -> None:
    whole = {"a": {"b": [1, {"c": None, "d": 2}]}, "e": True}
    assert has(whole, {"a": {"b": [1, {"c": None}]}})
    assert not has(whole, {"a": {"b": [1]}})
    assert not has(whole, {"e": 1})
    assert holds(whole, {"d": 2})
    assert not holds(whole, {"d": 3})


def test_only_sums_are_computed() -> None:
    assert computed("(20 - i) * 0.05", i=10) == 0.5
    assert computed("i", i=3) == 3
    with pytest.raises(ValueError, match="not a sum"):
        computed("__import__('os')", i=0)
