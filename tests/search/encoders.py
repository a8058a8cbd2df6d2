"""Small encoders: one that works, and what may be wrong with others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from pegboard.search.text import terms
from pegboard.search.vectors import Stored

DIMENSION = 16


class Hashed:
    """A text is the sum of a direction for each of its terms. Lives as long as the test; remembers what it was given.

    ``same`` gives words the term that they are taken for.
    """

    dimension = DIMENSION

    def __init__(self, identity: str = "hashed", same: dict[str, str] | None = None) -> None:
        self.identity = identity
        self.same = same or {}
        self.given: list[str] = []

    def encode(self, texts: Sequence[str]) -> Any:
        """A row a text."""
        self.given += texts
        return np.array([self._row(text) for text in texts], np.float32).reshape(len(texts), DIMENSION)

    def _row(self, text: str) -> Any:
        found = np.zeros(DIMENSION)
        for term in terms(text):
            digest = blake2b(self.same.get(term, term).encode(), digest_size=DIMENSION).digest()
            found += np.frombuffer(digest, np.uint8).astype(np.float64) - 127.5
        return found


class Broken:
    """Does whatever it is told to instead of encoding. Lives as long as the test; counts how often."""

    identity = "broken"
    dimension = DIMENSION

    def __init__(self, does: Callable[[Sequence[str]], Any]) -> None:
        self.does = does
        self.times = 0

    def encode(self, texts: Sequence[str]) -> Any:
        """What it does."""
        self.times += 1
        return self.does(texts)


class Shelf:
    """Keeps vectors in memory. Lives as long as the test."""

    def __init__(self) -> None:
        self.kept: dict[str, Stored] = {}
        self.saves = 0

    def load(self, identity: str) -> Stored | None:
        """What was kept."""
        return self.kept.get(identity)

    def save(self, identity: str, vectors: Stored) -> None:
        """Keep it."""
        self.kept[identity] = vectors
        self.saves += 1
