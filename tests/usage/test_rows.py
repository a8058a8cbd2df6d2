"""A row of what was learned."""

from __future__ import annotations

from pegboard.usage.rows import HALF_LIFE, Row

DAY = 20_000


def test_a_clock_that_goes_back_makes_nothing_more() -> None:
    row = Row("refund", "money", "", 1.0, DAY)
    assert row.on(DAY - 100, HALF_LIFE) == 1.0
    assert row.used(1.0, DAY - 100, HALF_LIFE) == Row("refund", "money", "", 2.0, DAY)
