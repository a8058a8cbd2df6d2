from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run, client_file, page

pytestmark = pytest.mark.usefixtures("shop")

NAMES = ["broken", "halt", "hostile", "picture", "refund", "refuse", "slow", "track"]


def test_list_prints_a_tool_a_line_sorted_by_name(pegboard: Run) -> None:
    done = pegboard("list")
    assert (done.code, [line.split()[0] for line in done.lines]) == (0, NAMES)
    assert "refund   Refund an order." in done.lines


def test_what_python_tools_print_goes_to_stderr(pegboard: Run) -> None:
    done = pegboard("call", "refund", "order=7", "amount=1.5")
    assert done.out == "refunded 1.5 of 7 for None\n"
    assert "printed while loading" in done.err
    assert "printed while running" in done.err


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["--category", "shop"], ["refund"]),
        (["--tag", "orders"], ["refund", "track"]),
        (["--source", "tools.py"], NAMES),
        (["--tag", "orders", "--category", "shop"], ["refund"]),
    ],
)
def test_list_can_be_narrowed_down(pegboard: Run, words: list[str], names: list[str]) -> None:
    assert [tool["name"] for tool in pegboard("list", "--json", *words).json["tools"]] == names


def test_nothing_to_list_is_said_and_has_its_own_code(pegboard: Run) -> None:
    done = pegboard("list", "--tag", "nobody")
    assert (done.code, done.out) == (4, "")
    assert "Sources that are ready: 1 of 1." in done.err
    assert pegboard("list", "--tag", "nobody", "--json").json == {
        "tools": [],
        "total": 0,
        "skills": 0,
        "not_ready": [],
    }


def test_find_takes_a_need_in_plain_words_and_puts_the_best_first(pegboard: Run) -> None:
    done = pegboard("find", "where", "is", "an", "order", "--limit", "1")
    assert (done.code, done.lines) == (0, ["track  Tell where an order is."])


def test_find_in_json_has_the_score_and_its_reason(pegboard: Run) -> None:
    told = pegboard("find", "--json", "refund", "an order", "--detail", "full").json
    assert told["query"] == "refund an order"
    assert told["tools"][0]["name"] == "refund"
    assert {"score", "reason", "inputSchema"} <= told["tools"][0].keys()


def test_find_in_more_detail_names_the_parameters(pegboard: Run) -> None:
    done = pegboard("find", "refund", "--detail", "detailed", "--limit", "1")
    assert "The order's number." in done.out
    assert "array of string" in done.out


def test_finding_nothing_has_its_own_code(pegboard: Run) -> None:
    done = pegboard("find", "zzzz")
    assert (done.code, done.out) == (4, "")
    assert (
        "No tool fits. Words that no tool knows: zzzz. There are tools of these categories: shop. Sources" in done.err
    )
    found = pegboard("find", "zzzz", "--json").json
    assert (found["unmatched_terms"], found["categories"]) == (["zzzz"], ["shop"])


def test_what_is_found_and_not_shown_says_how_sure_it_is(shop: Path, pegboard: Run) -> None:
    (shop / "pegboard.toml").write_text('[[python]]\nfile = "tools.py"\n\n[limits]\nno_match_below = 0.99\n')
    done = pegboard("find", "order zzzz")
    assert (done.code, done.out) == (4, "")
    assert re.search(r"The nearest is \d\d% likely to be right, no_match_below is 99%\. Words .*: zzzz\.", done.err)
    assert "Nearest categories: shop." in done.err
    assert {one["name"] for one in pegboard("find", "order zzzz", "--json").json["nearest"]} <= {"refund", "track"}


def test_an_ask_without_a_word_that_says_what_is_needed_is_told_so(pegboard: Run) -> None:
    done = pegboard("find", "who", "would", "you")
    assert done.code == 4
    assert "no word of the query says what is needed" in done.err
    assert "Words that no tool knows" not in done.err


def test_a_misspelt_word_is_told_with_what_it_was_read_as(pegboard: Run) -> None:
    done = pegboard("find", "refnud", "--explain")
    assert done.lines[-1].split() == ["refnud", "refnud", "no", "tool;", "read", "as", "refund"]
    assert pegboard("find", "refnud", "--explain", "--json").json["words"][0]["read_as"] == ["refund"]


@pytest.mark.parametrize("limit", ["-1", "0", "1.5", "many"])
def test_a_limit_that_cannot_be_is_refused_by_name(pegboard: Run, limit: str) -> None:
    done = pegboard("find", "x", "--limit", limit)
    assert (done.code, done.out) == (2, "")
    assert "--limit" in done.err


def test_a_huge_limit_is_capped_and_said(pegboard: Run) -> None:
    done = pegboard("find", "order", "--limit", "5000")
    assert done.code == 0
    assert "limit 5000 was capped at 100" in done.err


def test_a_blank_need_is_refused(pegboard: Run) -> None:
    done = pegboard("find", " ")
    assert done.code == 2
    assert "pegboard list" in done.err


def test_show_tells_parameters_facts_and_cost(pegboard: Run) -> None:
    done = pegboard("show", "refund")
    assert done.code == 0
    assert done.lines[0] == "refund"
    assert "[bold]No markup[/bold]" in done.out
    assert any(line.split() == ["amount", "number", "required"] for line in done.lines)
    assert pegboard("show", "refund", "--json").json["definitionTokens"] > 0


def test_meta_tools_can_be_shown_and_called(pegboard: Run) -> None:
    assert pegboard("show", "find_tools").code == 0
    assert '"refund"' in pegboard("call", "find_tools", "query=refund").out


def test_a_name_that_is_not_there_is_answered_with_those_close_by(pegboard: Run) -> None:
    for words in (["show", "refunds"], ["call", "refunds"]):
        done = pegboard(*words)
        assert (done.code, done.out) == (4, "")
        assert "Did you mean refund" in done.err
    error = pegboard("show", "refunds", "--json").json["error"]
    assert (error["code"], error["not_ready"]) == ("not_found", [])


@pytest.mark.parametrize(
    "words",
    [
        ["order=A-7", "amount=2.5", 'reasons=["late"]'],
        ['order:="A-7"', "amount:=2.5", 'reasons:=["late"]'],
        ['{"order": "A-7", "amount": 2.5, "reasons": ["late"]}'],
    ],
)
def test_arguments_can_be_written_in_three_ways(pegboard: Run, words: list[str]) -> None:
    assert pegboard("call", "refund", *words).out == "refunded 2.5 of A-7 for ['late']\n"


def test_arguments_can_come_from_stdin(pegboard: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO('{"order": "A-7"}'))
    assert pegboard("call", "track", "-").json == {"order": "A-7", "where": "on its way"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["order=7", "amount=much"], "amount: expected number"),
        (["order=7"], "amount"),
        (["order"], "neither key=value"),
        (["{broken"], "not JSON"),
    ],
)
def test_wrong_arguments_are_named_and_nothing_runs(pegboard: Run, words: list[str], said: str) -> None:
    done = pegboard("call", "refund", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "printed while running" not in done.err


def test_a_tools_own_failure_goes_to_stderr_without_its_control_characters(pegboard: Run) -> None:
    done = pegboard("call", "refuse")
    assert (done.code, done.out) == (1, "")
    assert r"Error: not \x1b[31mtoday" in done.err


def test_a_failure_in_json_is_the_whole_result(pegboard: Run) -> None:
    done = pegboard("call", "refuse", "--json")
    assert (done.code, done.json["isError"]) == (1, True)


def test_an_unexpected_exception_of_a_tool_can_be_looked_up(
    pegboard: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    done = pegboard("call", "broken")
    assert (done.code, done.out) == (70, "")
    assert "the reason" not in done.err
    [log] = tmp_path.glob("pegboard-*.log")
    assert str(log) in done.err
    assert "KeyError: 'the reason'" in log.read_text("utf-8")


def test_debug_shows_an_unexpected_exception_at_once(pegboard: Run) -> None:
    assert "KeyError: 'the reason'" in pegboard("call", "broken", "--debug").err


def test_progress_goes_to_stderr(pegboard: Run) -> None:
    done = pegboard("call", "slow")
    assert done.out == "done\n"
    assert "slow: 1 of 2: half way" in done.err


def test_what_is_no_text_is_named(pegboard: Run) -> None:
    assert pegboard("call", "picture").out == "[image: image/png, 3 bytes; --json prints all of it]\n"


def test_a_halt_prints_what_is_to_be_said(pegboard: Run) -> None:
    assert pegboard("call", "halt").lines == ["paid", "Thank you."]
    assert pegboard("call", "halt", "--json").json["_meta"]["dev.pegboard/halt"] == {"say": "Thank you."}


def test_descriptions_cannot_steer_a_terminal(pegboard: Run) -> None:
    for words in (["list"], ["show", "hostile"], ["list", "--json"], ["find", "something", "--detail", "full"]):
        assert "\x1b" not in pegboard(*words).out


def test_output_of_a_tool_is_raw_in_a_pipe(pegboard: Run) -> None:
    assert pegboard("call", "hostile").out == "\x1b]0;owned\x07done\n"


def test_without_any_configuration_the_places_are_named(pegboard: Run, here: Path) -> None:
    (here / "pegboard.toml").unlink()
    done = pegboard("list")
    assert (done.code, done.out) == (3, "")
    assert str(here / "pegboard.toml") in done.err
    assert "--from FILE" in done.err
    assert pegboard("--json", "list").json["error"]["code"] == "invalid_configuration"


def test_from_loads_the_clients_files_alone(pegboard: Run, here: Path) -> None:
    file = client_file(here, files=page("read", "write"))
    done = pegboard("list", "--from", str(file))
    assert [line.split()[0] for line in done.lines] == ["files__read", "files__write"]
    both = pegboard("list", "--from", str(file), "--config", "pegboard.toml")
    assert len(both.lines) == len(NAMES) + 2


def test_a_source_that_failed_is_named_with_its_reason(pegboard: Run, here: Path) -> None:
    file = client_file(here, files=page("read"), gone={"quit_at": "initialize", "quit_code": 3})
    done = pegboard("list", "--from", str(file))
    assert (done.code, done.lines) == (0, ["files__read  Does read."])
    assert "Warning: gone is not ready: failed:" in done.err
    assert "Next try" not in done.err  # this process ends, and tries nothing again
    assert "Mend what the reason says, and run this again." in done.err
    assert "exit code 3" in done.err
    [gone] = pegboard("find", "read", "--from", str(file), "--json").json["not_ready"]
    assert (gone["name"], gone["state"]) == ("gone", "failed")


def test_nothing_is_away_rather_than_missing_while_a_source_is_not_ready(pegboard: Run, here: Path) -> None:
    file = client_file(here, silent={"silent_at": "initialize"})
    for words in (["list"], ["find", "read"], ["show", "silent__read"], ["call", "silent__read"]):
        done = pegboard(*words, "--from", str(file), "--wait", "0.2")
        assert (done.code, done.out) == (5, "")
        assert "silent is not ready: starting" in done.err
        assert "Run this again, with more time to start: --wait SECONDS." in done.err


def test_a_call_does_not_wait_for_upstreams_that_it_does_not_need(pegboard: Run, here: Path) -> None:
    file = client_file(here, files=page("read"), silent={"silent_at": "initialize"})
    done = pegboard("call", "files__read", "--from", str(file), "--wait", "1000")
    assert (done.code, done.out) == (0, "ok\n")


def test_an_upstream_that_breaks_off_is_away(pegboard: Run, here: Path) -> None:
    file = client_file(here, files=page("read") | {"calls": {"read": {"quit": 1}}})
    done = pegboard("call", "files__read", "--from", str(file))
    assert (done.code, done.out) == (5, "")
    assert "broke off" in done.err


def test_a_wait_that_cannot_be_is_refused_by_name(pegboard: Run) -> None:
    done = pegboard("list", "--wait", "-1")
    assert done.code == 2
    assert "--wait" in done.err
