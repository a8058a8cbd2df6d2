from __future__ import annotations

import json
from pathlib import Path
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.tokens import count_tokens, definition_cost

CREATE_ISSUE = {
    "name": "create_issue",
    "description": "Create a new issue in a repository.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "owner": {"type": "string", "description": "Owner of the repository"},
            "repo": {"type": "string"},
            "title": {"type": "string"},
            "labels": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["owner", "repo", "title"],
    },
}
PYTHON = """\
def merge_sorted(left: list[int], right: list[int]) -> list[int]:
    result = []
    while left and right:
        result.append((left if left[0] <= right[0] else right).pop(0))
    return result + left + right
"""
MARKDOWN = """\
# Usage

- Run `pegboard check` first.
- Then open **docs/index.md** and read on.

| name | what |
| --- | --- |
| find | search |
"""


@pytest.mark.parametrize(
    ("text", "o200k"),
    [
        ("Hello, world!", 4),
        ("The quick brown fox jumps over the lazy dog.", 10),
        (PYTHON, 57),
        (MARKDOWN, 39),
        ("列出指定仓库中的所有文件,并按名称排序。如果没有权限,则返回错误信息。", 22),
        ("指定されたフォルダーにあるファイルの一覧を取得し、名前の順に並べて返します。", 25),
        ("지정한 폴더에 있는 파일 목록을 가져와 이름순으로 정렬하여 반환합니다.", 22),
        ("Возвращает список файлов в указанной папке, упорядоченный по имени.", 18),
        ("Renvoie la liste des fichiers du dossier demandé, triés par nom, et signale les accès refusés.", 23),
        ("XMLHttpRequest parseHTMLDocument getUserByID snake_case_name kebab-case-name SCREAMING_SNAKE_CASE", 24),
        ("2026-11-29T21:30:00Z 192.0.2.1 3.14159 1,234,567", 32),
    ],
)
def test_a_text_costs_about_what_a_real_tokenizer_counts(text: str, o200k: int) -> None:
    assert count_tokens(text) == pytest.approx(o200k, rel=0.25, abs=1)


def test_a_definition_costs_what_its_compact_json_costs() -> None:
    compact = json.dumps(CREATE_ISSUE, separators=(",", ":"))
    assert definition_cost(CREATE_ISSUE) == count_tokens(compact) == pytest.approx(75, rel=0.05)


def test_real_listings_are_estimated_within_five_percent(shared: Path, data: Path) -> None:
    counted: dict[str, list[int]] = json.loads((data / "o200k_mcp.json").read_text())
    tools, listings = [], []
    for name, true in counted.items():
        served = json.loads((shared / "corpora" / "mcp" / f"{name}.json").read_text("utf-8"))["tools"]
        guessed = [definition_cost(tool) for tool in served]
        tools += [abs(guess / count - 1) for guess, count in zip(guessed, true, strict=True)]
        listings.append(abs(sum(guessed) / sum(true) - 1))
    assert mean(tools) < 0.03
    assert max(tools) < 0.15
    assert mean(listings) < 0.02
    assert max(listings) < 0.08


def test_the_empty_text_alone_costs_nothing() -> None:
    assert count_tokens("") == 0
    assert count_tokens(" ") == 1
    assert count_tokens("\u1ebf") == 1


@given(st.text())
def test_no_text_costs_more_tokens_than_it_has_bytes(text: str) -> None:
    assert (count_tokens(text) > 0) is bool(text)
    assert count_tokens(text) <= len(text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("unit", ["A", "ab", " ", "\n ", "-", "é", " -", "{", "!?", "漢", "\U0001f600"])
def test_cost_grows_with_length_whatever_the_text_repeats(unit: str) -> None:
    assert count_tokens(unit * 100_000) > 50 * count_tokens(unit * 100)


def test_a_common_word_is_one_token() -> None:
    assert count_tokens("one two three") == 3
