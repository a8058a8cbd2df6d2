"""What was learned as text, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pegboard.errors import DefinitionError
from pegboard.stores import SqlUsageStore
from pegboard.usage.export import from_text, to_text
from pegboard.usage.learning import Usage
from pegboard.usage.rows import LAST_DAY, MOST, Row, day_of
from pegboard.usage.store import MemoryUsageStore

TODAY = 20_000
LINE = {"tenant": None, "tool": "refund", "word": "money", "principal": "", "uses": 1.0, "day": "2024-10-04"}
NAMES = st.text("abcäöü漢字 -_", min_size=1, max_size=8).filter(lambda text: text.strip() != "")
ROWS = st.builds(
    Row, NAMES, NAMES, st.text("abc", max_size=4), st.integers(1, 300).map(lambda n: n / 100), st.integers(0, TODAY)
)


@settings(max_examples=60)
@given(
    st.dictionaries(
        st.sampled_from(["", "tenant:", "tenant:a", "tenant:" + "b" * 300]), st.lists(ROWS, min_size=1, max_size=5)
    )
)
def test_what_is_written_is_read_back(rows: dict[str, list[Row]]) -> None:
    text = to_text(rows)
    back = from_text(text, "file", TODAY)
    ordered = {space: sorted(of_space, key=lambda row: row.pair) for space, of_space in sorted(rows.items())}
    assert back == ordered
    assert to_text(back) == text


def test_a_line_tells_what_it_means() -> None:
    text = to_text({"": [Row("refund", "money", "", 1.0, TODAY)]})
    assert json.loads(text) == LINE


def test_a_day_to_come_counts_as_today_and_uses_up_to_a_bound() -> None:
    line = json.dumps(LINE | {"day": "2999-01-01", "uses": 1000})
    assert from_text(f"\n{line}\n\n", "file", TODAY) == {"": [Row("refund", "money", "", MOST, TODAY)]}


@pytest.mark.parametrize("day", [-(10**13), -1, 0, LAST_DAY, LAST_DAY + 1, 10**13])
def test_rows_of_a_day_without_a_date_are_of_the_nearest_that_has_one(day: int) -> None:
    text = to_text({"": [Row("refund", "money", "", 1e-9, day)]})
    (row,) = from_text(text, "file", LAST_DAY)[""]
    assert row.day == min(max(day, 0), LAST_DAY)
    assert to_text({"": [row]}) == text
    assert from_text(text, "file", -5) == {"": [Row("refund", "money", "", row.uses, 0)]}


@pytest.mark.anyio
@pytest.mark.parametrize(
    "now", [1e18, -1.0, -5e9, 1.8e9, float("inf"), float("-inf"), float("nan"), 1.7976931348623157e308]
)
async def test_what_is_learned_is_told_and_read_back_whatever_the_clock_says(now: float, tmp_path: Path) -> None:
    for store in (MemoryUsageStore(), SqlUsageStore(tmp_path / "boards.sqlite3")):
        usage = Usage(store, clock=lambda: now)
        usage.learn(None, "refund", ("money",))
        await usage.close()
        rows = await store.everything()
        text = to_text(rows)
        assert text.count("\n") == 1
        assert from_text(text, "file", day_of(now)) == {space: list(found) for space, found in rows.items()}
        await store.close()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"tool": ""}, '"tool" is ""'),
        ({"tool": None}, '"tool" is null'),
        ({"word": " "}, '"word" is " "'),
        ({"word": "x" * 201}, '"word" is'),
        ({"principal": None}, '"principal" is null'),
        ({"tenant": 7}, '"tenant" is 7'),
        ({"uses": 0}, '"uses" is 0'),
        ({"uses": True}, '"uses" is true'),
        ({"uses": 10**400}, '"uses" is 1'),
        ({"uses": "1"}, '"uses" is "1"'),
        ({"day": "yesterday"}, '"day" is "yesterday"'),
        ({"day": "1969-12-31"}, '"day" is "1969-12-31"'),
        ({"tool": "\ud800"}, '"tool" is "\\ud800"'),
    ],
)
def test_a_line_that_is_wrong_is_named_with_what_is_wrong(change: dict[str, Any], told: str) -> None:
    text = json.dumps(LINE) + "\n" + json.dumps(LINE | change)
    with pytest.raises(DefinitionError) as caught:
        from_text(text, "file", TODAY)
    assert str(caught.value).startswith(f"file:2: {told}")
    assert caught.value.hint


@pytest.mark.parametrize("key", ["tool", "word", "principal", "uses", "day"])
def test_what_a_line_lacks_is_told_as_missing(key: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        from_text(json.dumps({name: value for name, value in LINE.items() if name != key}), "file", TODAY)
    assert caught.value.message == f'file:1: "{key}" is missing.'
    assert "Give " in caught.value.hint


@pytest.mark.parametrize("line", ["nothing", "[1]", "{", "NaN"])
def test_what_is_no_object_is_refused(line: str) -> None:
    with pytest.raises(DefinitionError, match="file:1: this is no JSON object"):
        from_text(line, "file", TODAY)
