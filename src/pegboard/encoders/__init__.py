"""Encoders that turn texts into vectors, for the hybrid ranker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pegboard.encoders.minilm import MiniLmEncoder
from pegboard.encoders.static import StaticEncoder
from pegboard.errors import ConfigError

if TYPE_CHECKING:
    from pegboard.search.encoder import Encoder

__all__ = ["MiniLmEncoder", "StaticEncoder", "installed"]


def installed() -> list[Encoder]:
    """The encoders that are installed, the best first, the quickest last. Raises ConfigError where none is."""
    found: list[Encoder] = []
    missing: list[ConfigError] = []
    for make in (MiniLmEncoder, StaticEncoder):
        try:
            found.append(make())
        except ConfigError as error:
            missing.append(error)
    if not found:
        raise missing[0]
    return found
