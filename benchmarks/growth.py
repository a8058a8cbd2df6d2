"""Catalogs of any size, grown from real definitions: their words, sentences and parameters, mixed anew by a seed.

No definition is copied: a name takes its parts from several, a description its sentences, some of their words are
replaced by others as common as they are, and new words keep coming at the rate at which they do in the real ones.
"""

from __future__ import annotations

import gc
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pegboard import Context, Tool

_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")
_WORD: Final = re.compile(r"[A-Za-z]{4,}")
_PART: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_REPLACED: Final = 0.15
"""The share of the longer words of a sentence that are replaced."""
_NEW: Final = 0.02
"""The share of replacements that are words nobody has seen: real catalogs bring some 3 new words a definition."""
_NEW_IN_NAME: Final = 0.15
_LONGEST: Final = 64


@dataclass(frozen=True)
class Stock:
    """What real definitions consist of, each as often as it stands there. Immutable."""

    names: Sequence[Sequence[str]]
    sentences: Sequence[Sequence[str]]
    words: Sequence[str]
    parameters: Sequence[tuple[str, Any]]
    sizes: Sequence[int]
    categories: Sequence[str]


async def _no_handler(arguments: dict[str, Any], context: Context) -> None:
    return None


def grown(shared: Path, count: int, seed: int = 1) -> list[Tool]:
    """``count`` tools out of the definitions in ``shared``. Equal arguments give equal tools."""
    stock, chance = stocked(shared), random.Random(seed)
    taken: set[str] = set()
    with _uncollected():
        return [_tool(stock, chance, taken) for _ in range(count)]


@contextmanager
def _uncollected() -> Iterator[None]:
    """No garbage collection: there is none, and of a million tools it takes as long as growing them."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def stocked(shared: Path) -> Stock:
    """Take the real definitions apart."""
    names, sentences, words, parameters, sizes, categories = [], [], [], [], [], []
    for told in _definitions(shared):
        names.append(_PART.findall(told["name"]) or ["tool"])
        text = str(told.get("description") or "")
        sentences.append(_SENTENCE.split(text))
        words += _WORD.findall(text)
        schema = told.get("inputSchema") or told.get("input_schema") or {}
        found = list((schema.get("properties") or {}).items())
        parameters += found
        sizes.append(len(found))
        categories.append(told.get("category") or "")
    return Stock(names, sentences, words, parameters, sizes, categories)


def _definitions(shared: Path) -> Iterator[Mapping[str, Any]]:
    for path in sorted((shared / "corpora" / "mcp").glob("*.json")):
        yield from json.loads(path.read_text(encoding="utf-8"))["tools"]
    for path in sorted((shared / "retrieval").glob("*/tools.jsonl")):
        with path.open(encoding="utf-8") as file:
            yield from map(json.loads, file)


def _tool(stock: Stock, chance: random.Random, taken: set[str]) -> Tool:
    name = _name(stock, chance, taken)
    told = chance.choice(stock.sentences)
    chosen = [chance.choice(chance.choice(stock.sentences)) if chance.random() < 0.5 else one for one in told]
    properties = dict(chance.choices(stock.parameters, k=chance.choice(stock.sizes)))
    return Tool(
        name=name,
        source=f"source{chance.randrange(500)}",
        description=" ".join(_reworded(sentence, stock, chance) for sentence in chosen),
        category=chance.choice(stock.categories) or None,
        input_schema={"type": "object", "properties": properties},
        handler=_no_handler,
    )


def _name(stock: Stock, chance: random.Random, taken: set[str]) -> str:
    first, second = chance.choice(stock.names), chance.choice(stock.names)
    parts = [*first[: max(1, len(first) // 2)], *second[len(second) // 2 :]]
    if chance.random() < _NEW_IN_NAME:
        parts.append(_new_word(stock, chance))
    name = "_".join(parts).lower()[: _LONGEST - 8]
    while name in taken:
        name = f"{name[: _LONGEST - 8]}_{chance.choice(stock.words).lower()[:6]}"
    taken.add(name)
    return name


def _reworded(sentence: str, stock: Stock, chance: random.Random) -> str:
    def other(match: re.Match[str]) -> str:
        if chance.random() >= _REPLACED:
            return match.group()
        return _new_word(stock, chance) if chance.random() < _NEW else chance.choice(stock.words)

    return _WORD.sub(other, sentence)


def _new_word(stock: Stock, chance: random.Random) -> str:
    """The front of one word and the back of another."""
    front, back = chance.choice(stock.words).lower(), chance.choice(stock.words).lower()
    return front[: len(front) // 2 + 1] + back[len(back) // 2 :]
