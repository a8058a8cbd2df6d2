"""Keeping results within their size."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.bounds import SHORTENED_KEY, bounded, outcome_of, size
from pegboard.tools import MISSING, Halt, ToolResult, text_block
from pegboard.values import NotJsonError
from tests.test_tools import JSON


def test_a_result_that_fits_is_given_as_it_is() -> None:
    result = ToolResult(content=(text_block("x" * 100),))
    assert bounded(result, 100) is result


def test_a_long_text_is_cut_and_the_answer_says_so() -> None:
    kept = bounded(ToolResult(content=(text_block("x" * 5_000),)), 1_000)
    assert len(kept.text) <= 1_000
    assert "Shortened to 1000 characters" in kept.text
    assert "5000" in kept.text


def test_a_text_is_cut_at_a_line_break() -> None:
    text = "\n".join(f"line {number}" for number in range(1_000))
    first = bounded(ToolResult(content=(text_block(text),)), 1_000).content[0]["text"]
    assert text.startswith(first + "\n")


def test_later_blocks_are_left_out_whole() -> None:
    picture = {"type": "image", "data": "A" * 2_000, "mimeType": "image/png"}
    kept = bounded(ToolResult(content=(text_block("first"), picture, text_block("last"))), 1_000)
    assert kept.content[:2] == (text_block("first"), text_block("last"))
    assert "1 of 3 content blocks left out" in kept.text


def test_of_many_blocks_the_first_that_fit_are_kept() -> None:
    kept = bounded(ToolResult(content=tuple(text_block(f"block {n:05}") for n in range(10_000))), 1_000)
    assert [block["text"] for block in kept.content[:3]] == ["block 00000", "block 00001", "block 00002"]
    assert "of 10000 content blocks left out" in kept.text


def test_structured_content_and_its_text_lose_the_same_whole_items() -> None:
    rows = [{"id": number, "name": f"row {number}"} for number in range(1_000)]
    whole = {"rows": rows, "total": 1_000, "next": None}
    for text in (json.dumps(whole), json.dumps(whole, indent=2)):
        kept = bounded(ToolResult(content=(text_block(text),), structured=whole), 2_000)
        assert json.loads(kept.content[0]["text"]) == kept.structured
        shown = kept.structured["rows"]
        assert 10 < len(shown) < 1_000
        assert shown == rows[: len(shown)]
        assert kept.structured["total"] == 1_000
        assert f"{1_000 - len(shown)} of 1000 items of rows left out" in kept.text
        entry = {"at": "rows", "kept": len(shown), "count": 1_000, "unit": "items"}
        assert kept.meta[SHORTENED_KEY] == {"limit": 2_000, "left_out": [entry]}


def test_a_text_of_its_own_beside_structured_content_is_kept() -> None:
    kept = bounded(ToolResult(content=(text_block("short"),), structured={"rows": ["x" * 50] * 100}), 1_000)
    assert kept.content[0] == text_block("short")
    assert 5 < len(kept.structured["rows"]) < 100


def test_a_text_that_is_json_stays_json() -> None:
    kept = bounded(ToolResult(content=(text_block(json.dumps(list(range(10_000)))),)), 1_000)
    shown = json.loads(kept.content[0]["text"])
    assert shown == list(range(len(shown)))
    assert f"{10_000 - len(shown)} of 10000 items of the result left out" in kept.text


def test_a_text_that_fits_once_its_blanks_are_gone_loses_nothing_else() -> None:
    value = {"a": list(range(50))}
    kept = bounded(ToolResult(content=(text_block(json.dumps(value, indent=40)),)), 1_000)
    assert json.loads(kept.content[0]["text"]) == value
    assert "the blanks of a text that is JSON" in kept.text


@pytest.mark.parametrize("text", ["[1, 2", "{" * 3_000, "[" * 20_000, '{"a": 1} and more' + "x" * 2_000])
def test_a_text_that_only_looks_like_json_is_cut_like_any_other(text: str) -> None:
    kept = bounded(ToolResult(content=(text_block(text + "\n" + text * 10),)), 1_000)
    assert text.startswith(kept.content[0]["text"][: len(text)])
    assert "cut to" in kept.text or len(text) < 100


def test_structured_content_that_its_schema_allows_only_whole_is_an_error_without_it() -> None:
    result = ToolResult(content=(text_block("short"),), structured={"rows": list(range(1_000))})
    kept = bounded(result, 1_000, fits=lambda value: False)
    assert (kept.structured, kept.is_error) == (MISSING, True)
    assert "its schema allows no shorter one" in kept.text
    assert kept.content[0] == text_block("short")


def test_members_beside_the_content_count_too() -> None:
    result = ToolResult(content=(text_block("short"),), meta={"big": "x" * 5_000}, extra={"vendor": "y" * 5_000})
    kept = bounded(result, 1_000)
    assert kept.content[0] == text_block("short")
    assert set(kept.meta) == {SHORTENED_KEY}
    assert kept.extra == {}
    assert size(kept, 1_000) <= 1_000


def test_what_stands_beside_a_text_counts_too() -> None:
    block = {"type": "text", "text": "x", "annotations": {"note": "y" * 5_000}}
    assert bounded(ToolResult(content=(block,)), 1_000).content[0]["text"].startswith("[Shortened")


# Values of handlers.


def test_a_small_value_is_a_result_as_it_is() -> None:
    assert outcome_of({"a": {1}}, 1_000) == ToolResult.of({"a": [1]})
    assert outcome_of("text", 1_000) == ToolResult(content=(text_block("text"),))


def test_of_a_large_value_only_what_is_kept_is_read() -> None:
    class Counting(list[int]):
        read = 0

        def __iter__(self) -> Iterator[int]:
            for item in super().__iter__():
                Counting.read += 1
                yield item

    result = outcome_of({"rows": Counting(range(1_000_000)), "total": 1_000_000}, 10_000)
    assert isinstance(result, ToolResult)
    assert result.structured["total"] == 1_000_000
    assert json.loads(result.content[0]["text"]) == result.structured
    assert Counting.read < 50_000


def test_a_large_list_is_a_text_with_its_first_items() -> None:
    result = outcome_of([{"when": dt.date(2024, 1, 1)}] * 1_000, 1_000)
    assert isinstance(result, ToolResult)
    assert result.structured is MISSING
    assert json.loads(result.content[0]["text"])[0] == {"when": "2024-01-01"}
    assert "of 1000 items of the result left out" in result.text


def test_a_halt_is_bounded_with_what_it_says() -> None:
    halt = outcome_of(Halt(result=ToolResult(content=(text_block("x" * 5_000),)), say="y" * 5_000), 1_000)
    assert isinstance(halt, Halt)
    assert halt.say is not None
    assert len(halt.say) == 1_000
    assert size(halt.result, 1_000) <= 1_000


HOSTILE: list[Any] = []
for _ in range(10_000):
    HOSTILE = [HOSTILE]
RING: dict[str, Any] = {}
RING["in"] = [RING]


@pytest.mark.parametrize("value", [HOSTILE, RING, {"a": HOSTILE}, {"a": [1, {"b": object()}]}], ids=range(4))
def test_what_has_no_end_or_no_form_is_refused(value: Any) -> None:
    for given_ in (value, ToolResult(structured=value)):
        with pytest.raises(NotJsonError):
            outcome_of(given_, 100_000)


@pytest.mark.parametrize(
    "value",
    [
        {"x" * 5_000: 1},
        {number: number for number in range(100_000)},
        {f"k{number}": "x" * 200 for number in range(5_000)},
        [["x" * 50_000]] * 1_000,
        {"rows": [{"body": "y" * 100_000}]},
        [[["z" * 300] * 100] * 100] * 100,
        {"text": '"' * 100_000},
        {"bad": "\ud800" * 100_000, "nan": float("nan")},
        {"n": 10**4_200},
    ],
    ids=range(9),
)
def test_whatever_its_shape_a_value_ends_within_its_size(value: Any) -> None:
    result = outcome_of(value, 2_000)
    assert isinstance(result, ToolResult)
    assert size(result, 2_000) <= 2_000
    assert "Shortened" in result.text
    json.dumps(result.to_wire())


def test_a_large_text_inside_a_value_is_cut_and_its_place_is_told() -> None:
    page = "\n".join(f"line {number}" for number in range(10_000))
    result = outcome_of({"url": "https://example.com", "pages": [{"body": page}]}, 4_000)
    assert isinstance(result, ToolResult)
    assert result.structured["url"] == "https://example.com"
    body = result.structured["pages"][0]["body"]
    assert page.startswith(body + "\n")
    assert f"pages[0].body cut to {len(body)} of {len(page)} characters" in result.text


@given(JSON, st.integers(min_value=300, max_value=2_000))
def test_shortened_values_keep_to_their_size(value: Any, limit: int) -> None:
    result = outcome_of([value] * 50, limit)
    assert isinstance(result, ToolResult)
    assert size(result, limit) <= limit
    json.loads(result.content[0]["text"])


@given(st.lists(st.text(max_size=300), max_size=8), st.integers(min_value=300, max_value=1_000))
def test_no_result_is_longer_than_its_limit(texts: list[str], limit: int) -> None:
    result = ToolResult(content=tuple(text_block(text) for text in texts), structured={"texts": texts})
    assert size(bounded(result, limit), limit) <= limit
