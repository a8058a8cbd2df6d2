"""The ranker of a configuration."""

from __future__ import annotations

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
    from pegboard.search.hybrid import HybridRanker
    from pegboard.stores.kept_files import KeptFiles

    folder = settings.cache_folder if settings.cache_age else None
    store = None if folder is None else KeptVectors(KeptFiles(folder), name_of(settings, "vectors"))
    file = settings.encoder_file
    if file is not None:
        return HybridRanker(lambda: encoder_in(file), store=store)
    from pegboard.encoders import StaticEncoder

    return HybridRanker(StaticEncoder(), store=store)


def encoder_in(file: Path) -> Encoder:
    """What a Python file calls ``encoder``. Raises ConfigError where it has none, DefinitionError where it fails."""
    from pegboard.sources.python import run_file

    found: Encoder | None = getattr(run_file(file), "encoder", None)
    if not callable(getattr(found, "encode", None)) or found is None:
        raise ConfigError(
            f"{file} has no `encoder` with encode(texts).",
            hint="Give an object of that name identity, dimension and encode(texts), as docs/search.md shows.",
        )
    return found
