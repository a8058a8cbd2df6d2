"""What a run of the conformance suite means."""

from __future__ import annotations

import pytest

from tests.conformance.__main__ import REVISIONS
from tests.conformance.report import explanation, figures
from tests.conformance.suite import expected_file
from tests.conformance.verdict import Check, judge, read_expected

GOOD = [Check("ping", "ping", "SUCCESS"), Check("ping", "wire", "SUCCESS"), Check("ping", "note", "INFO")]
BAD = Check("prompts", "list", "FAILURE", "Method not found")
DOUBTFUL = Check("tools", "order", "WARNING", "another order")

FILE = """# About this file.
server:
  # Prompts are not
  # offered.
  - prompts:list
  - prompts:get

  # Tasks are not offered.
  - tasks
"""


def test_all_that_pass_are_counted_and_nothing_else_is_told() -> None:
    verdict = judge(GOOD, (), ())
    assert (verdict.passed, verdict.scored, verdict.others) == (2, 2, 0)
    assert verdict.as_expected
    assert figures(verdict) == "2 of 2 scored checks pass"


@pytest.mark.parametrize("check", [BAD, DOUBTFUL])
def test_a_failure_or_a_warning_that_is_not_expected_is_a_surprise(check: Check) -> None:
    verdict = judge([*GOOD, check], (), ())
    assert verdict.surprises == (check,)
    assert not verdict.as_expected
    assert f"! FAILS, and should not: {check.place}: {check.message}" in figures(verdict)


@pytest.mark.parametrize("place", ["prompts:list", "prompts"])
def test_an_expected_failure_is_no_surprise(place: str) -> None:
    verdict = judge([*GOOD, BAD], (place,), ())
    assert verdict.expected == (place,)
    assert verdict.as_expected
    assert (verdict.passed, verdict.scored) == (2, 3)


def test_an_entry_for_one_check_leaves_the_others_of_its_scenario_enforced() -> None:
    other = Check("prompts", "wire", "FAILURE", "broken")
    assert judge([BAD, other], ("prompts:list",), ()).surprises == (other,)


@pytest.mark.parametrize("place", ["ping:ping", "ping", "gone", "gone:away"])
def test_an_entry_that_no_longer_fails_or_is_not_run_is_stale(place: str) -> None:
    verdict = judge(GOOD, (place,), ())
    assert verdict.stale == (place,)
    assert not verdict.as_expected
    assert f"! NO LONGER FAILS, take it off the list: {place}" in figures(verdict)


@pytest.mark.parametrize("status", ["SKIPPED", "INFO", None])
def test_an_entry_that_was_not_come_to_is_not_stale(status: str | None) -> None:
    checks = [*GOOD, *([Check("ping", "later", status)] if status else [])]
    assert judge(checks, ("ping:later",), ()).as_expected


def test_a_check_that_fails_once_of_twice_fails() -> None:
    twice = [Check("ping", "id", "SUCCESS"), Check("ping", "id", "FAILURE")]
    assert judge(twice, ("ping:id",), ()).expected == ("ping:id",)
    assert judge(twice, ("ping:id",), ()).stale == ()


def test_what_is_not_scored_is_counted_apart_and_judged_all_the_same() -> None:
    verdict = judge([*GOOD, BAD], (), ("prompts",))
    assert (verdict.passed, verdict.scored, verdict.others_passed, verdict.others) == (2, 2, 0, 1)
    assert verdict.surprises == (BAD,)


def test_a_file_gives_each_entry_the_reason_above_it() -> None:
    reasons = read_expected(FILE)
    assert reasons == {
        "prompts:list": "Prompts are not offered.",
        "prompts:get": "Prompts are not offered.",
        "tasks": "Tasks are not offered.",
    }
    assert explanation(reasons).splitlines()[:2] == ["  Prompts are not offered.", "    - prompts:list"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no line 'server:'"),
        ("# x\nserver:\n  - prompts:list\n", "a reason and what fails"),
        ("# x\nserver:\n  # why\n", "a reason and what fails"),
        ("# x\nserver:\n  # why\n  - prompts: list\n", "is neither"),
        ("# x\nserver:\n  # why\n  - prompts:list # more\n", "is neither"),
        ("# x\nserver:\n  # why\n  - a:b\n\n  # because\n  - a:b\n", "two groups"),
    ],
)
def test_a_file_that_says_less_or_more_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_expected(text)


@pytest.mark.parametrize("revision", REVISIONS)
def test_our_files_can_be_read(revision: str) -> None:
    assert read_expected(expected_file(revision).read_text("utf-8"))
