"""The ranker of a configuration."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pegboard.config.settings import Settings
from pegboard.errors import ConfigError

if TYPE_CHECKING:
    from pegboard.search.encoder import Encoder
    from pegboard.search.hybrid import HybridRanker
    from pegboard.search.rankers import Ranker


def ranker_of(settings: Settings) -> Ranker | None:
    """The ranker that ``settings`` name; None for the default. No Python file is run before it is needed.

    Raises ConfigError where the hybrid one needs an extra that is not installed.
    """
    if settings.ranker == "lexical":
        return None
    if settings.ranker == "hybrid":
        return _hybrid(settings)
    from pegboard.search import RANKERS

    return RANKERS[settings.ranker]()


def _hybrid(settings: Settings) -> HybridRanker:
    from pegboard.config.kept_catalog import name_of
    from pegboard.config.kept_vectors import KeptVectors
    from pegboard.encoders import looked_for
    from pegboard.search.hybrid import HybridRanker
    from pegboard.stores.kept_files import KeptFiles

    folder = settings.cache_folder if settings.cache_age else None
    store = None if folder is None else KeptVectors(KeptFiles(folder), name_of(settings, "vectors"))
    own = encoder_of(settings.encoder_file)
    if own is not None:
        return HybridRanker(own, store=store)
    found, missing = looked_for()
    return HybridRanker(*found, store=store, missing=missing)


def encoder_of(file: Path | None) -> Callable[[], Encoder] | None:
    """What makes the encoder of a Python file when it is first needed; None for no file."""
    return None if file is None else EncoderFile(file)


class EncoderFile:
    """Makes the encoder of a Python file when it is first needed. Lives as long as the ranker."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.name = str(file)

    def __call__(self) -> Encoder:
        return encoder_in(self._file)


def encoder_in(file: Path) -> Encoder:
    """What a Python file calls ``encoder``. Raises ConfigError where it has none, DefinitionError where it fails."""
    from pegboard.search.encoder import Encoder
    from pegboard.sources.python import run_file

    found = getattr(run_file(file), "encoder", None)
    if not isinstance(found, Encoder):
        raise ConfigError(
            f"{file} has no `encoder` with identity, dimension and encode(texts).",
            hint="docs/search.md shows one.",
        )
    return found
