"""Finding the tests that prove what a vector only says in words."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

TESTS: Final = Path(__file__).resolve().parents[2]
_MARK: Final = re.compile(r"pytest\.mark\.golden\(\s*((?:[\"'][^\"']+[\"']\s*,?\s*)+)\)")
_ID: Final = re.compile(r"[\"']([^\"']+)[\"']")


@cache
def proven(tests: Path = TESTS) -> frozenset[str]:
    """The ids that stand in a mark ``pytest.mark.golden("<kind>/<name>", ...)`` of a test file."""
    return frozenset(
        found
        for path in tests.rglob("test_*.py")
        for mark in _MARK.finditer(path.read_text(encoding="utf-8"))
        for found in _ID.findall(mark[1])
    )
