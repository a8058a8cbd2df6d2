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
    return looked_for()[0]


def looked_for() -> tuple[list[Encoder], dict[str, ConfigError]]:
    """(the same, what those that are left out lack, by identity)."""
    found: list[Encoder] = []
    missing: dict[str, ConfigError] = {}
    for make in (MiniLmEncoder, StaticEncoder):
        try:
            found.append(make())
        except ConfigError as error:
            missing[make.identity] = error
    if not found:
        raise next(iter(missing.values()))
    for lack in missing.values():
        logger.warning("an encoder is left out: %s", lack)
    return found, missing
