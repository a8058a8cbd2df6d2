"""Encoders that turn texts into vectors, for the hybrid ranker."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pegboard.encoders.minilm import MiniLmEncoder
from pegboard.encoders.static import StaticEncoder
from pegboard.errors import ConfigError

if TYPE_CHECKING:
    from pegboard.search.encoder import Encoder

__all__ = ["MiniLmEncoder", "StaticEncoder", "installed"]

logger = logging.getLogger(__name__)


def installed() -> list[Encoder]:
    """The encoders that are installed, the best first, the quickest last. Raises ConfigError where none is.

    The extra brings all: of one that is left out, the log says what it lacks.
    """
    found: list[Encoder] = []
    missing: list[ConfigError] = []
    for make in (MiniLmEncoder, StaticEncoder):
        try:
            found.append(make())
        except ConfigError as error:
            missing.append(error)
    if not found:
        raise missing[0]
    for lack in missing:
        logger.warning("an encoder is left out: %s", lack)
    return found
