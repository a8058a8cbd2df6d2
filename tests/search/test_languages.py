"""Other languages than English, held against a search for whole words, on small catalogs written by hand."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import pytest

from pegboard.evaluation.metrics import ndcg
from pegboard.search import LexicalRanker
from tests.search.things import Thing

FOLDER: Final = Path(__file__).parents[1] / "data" / "languages"
LANGUAGES: Final = sorted(file.stem for file in FOLDER.glob("*.json"))


def read(language: str) -> tuple[Mapping[str, str], Sequence[tuple[str, str]]]:
    """Descriptions by tool, and asks with the tool that is right for each."""
    told: dict[str, Any] = json.loads((FOLDER / f"{language}.json").read_text("utf-8"))
    return told["tools"], [(ask, right) for ask, right in told["asks"]]


def whole_words(ask: str, tools: Mapping[str, str]) -> list[str]:
    """The order that Okapi BM25 gives with what stands between blanks as its terms, case apart."""
    texts = {name: f"{name} {told}".casefold().split() for name, told in tools.items()}
    having = Counter(word for text in texts.values() for word in set(text))
    average = fmean(map(len, texts.values()))
    scores = {
        name: sum(
            math.log(1 + (len(texts) - having[word] + 0.5) / (having[word] + 0.5))
            * (2.2 * text.count(word) / (text.count(word) + 1.2 * (0.25 + 0.75 * len(text) / average)))
            for word in dict.fromkeys(ask.casefold().split())
        )
        for name, text in texts.items()
    }
    return sorted((name for name, score in scores.items() if score), key=lambda name: (-scores[name], name))


def test_these_languages_are_held_against_it() -> None:
    assert LANGUAGES == ["ar", "de", "es", "fr", "hi", "ja", "ko", "pt", "ru", "th", "zh"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_language_is_found_worse_than_by_whole_words(language: str) -> None:
    tools, asks = read(language)
    entries = [Thing(name, told) for name, told in tools.items()]
    assert {right for _, right in asks} == tools.keys()
    ours = [[one.entry.name for one in LexicalRanker().rank(ask, entries)] for ask, _ in asks]
    theirs = [whole_words(ask, tools) for ask, _ in asks]
    grades = [{right: 1.0} for _, right in asks]
    assert fmean(map(ndcg, ours, grades)) >= fmean(map(ndcg, theirs, grades))
