"""The kinds of questions that are looked at by themselves: language, source, length. Pure functions."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from pegboard.evaluation.datasets import DataSet, Question
from pegboard.search.text import words

# How Unicode's names of letters begin, and what the script is called here.
_SCRIPTS: Final[Mapping[str, str]] = {
    "CJK": "Han",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
}

_DENSE: Final = frozenset({"Han", "Japanese", "Korean", "Thai", "Lao", "Khmer", "Myanmar"})
_BANDS: Final = ((3, "1-3 words"), (7, "4-7 words"), (15, "8-15 words"), (31, "16-31 words"))
_LONGEST: Final = "32 words and more"

NONE: Final = "none"
SEVERAL: Final = "several"


def language(question: Question) -> str:
    """The language that the question is said to be in, else the script of most of its words.

    Text with kana is Japanese, however many of its characters it shares with Chinese.
    """
    if question.language:
        return question.language
    scripts: Counter[str] = Counter()
    for word in words(question.text):
        for script in {_script(char) for char in word.text if char.isalpha()}:
            scripts[script] += _weight(word.text)
    if "Japanese" in scripts:
        return "Japanese"
    return min(scripts, key=lambda script: (-scripts[script], script), default=NONE)


def length(question: Question) -> str:
    """The band that the number of its words is in; of scripts without blanks, two characters count as a word."""
    count = sum(_weight(word.text) for word in words(question.text))
    return next((label for most, label in _BANDS if count <= most), _LONGEST)


def _script(char: str) -> str:
    first = unicodedata.name(char, "unknown").split()[0]
    return _SCRIPTS.get(first, first.capitalize())


def _weight(word: str) -> int:
    """How many words a run of characters stands for."""
    return -(-len(word) // 2) if not word.isascii() and _script(word[0]) in _DENSE else 1


def source(question: Question, data: DataSet) -> str:
    """The source that the question names, else that of its right tools."""
    if question.source:
        return question.source
    sources = {data.source_of(name) for name in question.relevant} - {""}
    return next(iter(sources), NONE) if len(sources) < 2 else SEVERAL


KINDS: Final[Mapping[str, Callable[[Question, DataSet], str]]] = {
    "language": lambda question, data: language(question),
    "source": source,
    "length": lambda question, data: length(question),
}
"""By what questions are told apart."""


def in_order(kind: str, labels: Iterable[str]) -> list[str]:
    """The labels of a kind as a reader expects them: bands by length, others by name."""
    bands = [*(label for _, label in _BANDS), _LONGEST]
    return sorted(labels, key=bands.index if kind == "length" else None)
