"""Limits: numbers that can bound something."""

from __future__ import annotations

from dataclasses import fields
from math import inf, nan

import pytest

from pegboard import Limits
from pegboard.errors import ConfigError


@pytest.mark.parametrize("value", [0, -1, nan, inf])
def test_a_number_that_bounds_nothing_is_refused_by_name(value: float) -> None:
    with pytest.raises(ConfigError, match=f"The limit call_timeout is {value}.*above 0"):
        Limits(call_timeout=value)
    with pytest.raises(ConfigError, match="The limit page is"):
        Limits(page=value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [-0.1, 1.1, nan, inf])
def test_a_confidence_is_from_0_to_1(value: float) -> None:
    with pytest.raises(ConfigError, match=f"The limit no_match_below is {value}.*0 to 1"):
        Limits(no_match_below=value)
    assert [Limits(no_match_below=edge).no_match_below for edge in (0, 1)] == [0, 1]


@pytest.mark.parametrize("name", [one.name for one in fields(Limits)])
def test_every_limit_says_what_it_bounds(name: str) -> None:
    assert f"``{name}``" in (Limits.__doc__ or "")
