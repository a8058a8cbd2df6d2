"""Encoders that are measured, and what keeps them from encoding a text twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from pegboard.search.encoder import Encoder

PATIENCE: Final = 3600.0
"""Seconds that a search waits for the vectors of all tools: what is measured is what it finds with them."""


class Remembering:
    """An encoder that encodes each text once. Lives as long as the measurement."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._known: dict[str, Any] = {}
        self.identity, self.dimension = encoder.identity, encoder.dimension

    def encode(self, texts: Sequence[str]) -> Any:
        """A row a text."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known.update(zip(new, self._encoder.encode(new), strict=True))
        return np.array([self._known[text] for text in texts])
