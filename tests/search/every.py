"""Every ranker there is, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from pegboard.search import RANKERS, Bm25Ranker, Ranker
from pegboard.search.hybrid import HybridRanker
from tests.search.encoders import Hashed

ALL: Final[dict[str, Callable[[], Ranker]]] = {
    **RANKERS,
    "plain": lambda: Bm25Ranker("plain"),
    "hybrid": lambda: HybridRanker(Hashed()),
}

every_ranker = pytest.mark.parametrize("make", ALL.values(), ids=ALL.keys())
