from __future__ import annotations

import pytest

from tests.conformance.client_suite import score

WELL = "Test Results:\nPassed: 3/3, 0 failed, 0 warnings\n"


def test_a_scenario_that_went_well_tells_nothing_more() -> None:
    found = score("initialize", 0, WELL)
    assert (found.passed, found.checks, found.told) == (3, 3, "")


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (1, WELL),
        (0, WELL.replace("3/3, 0", "2/3, 1")),
        (0, WELL.replace("0 warnings", "1 warnings")),
        (0, WELL.replace("3/3", "0/0")),
        (0, "nothing came of it"),
    ],
)
def test_anything_else_is_a_failure_with_the_suites_own_words(code: int, told: str) -> None:
    assert score("initialize", code, told).told == told
