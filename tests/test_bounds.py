"""Keeping results within their size."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pegboard.bounds import bounded, size
from pegboard.tools import MISSING, ToolResult, text_block


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
    assert [block["type"] for block in kept.content] == ["text", "text"]
    assert "2 of 3 content blocks left out" in kept.text


def test_structured_content_that_does_not_fit_is_left_out_and_named() -> None:
    kept = bounded(ToolResult(content=(text_block("short"),), structured={"rows": ["x" * 50] * 100}), 1_000)
    assert kept.structured is MISSING
    assert "structured content left out" in kept.text


@given(st.lists(st.text(max_size=300), max_size=8), st.integers(min_value=300, max_value=1_000))
def test_no_result_is_longer_than_its_limit(texts: list[str], limit: int) -> None:
    result = ToolResult(content=tuple(text_block(text) for text in texts), structured={"texts": texts})
    assert size(bounded(result, limit), limit) <= limit
