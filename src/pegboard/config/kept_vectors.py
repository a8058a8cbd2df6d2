"""The vectors of a catalog's entries, kept on the disk beside its search index."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pegboard.errors import StoreError
from pegboard.stores.kept_files import KeptFiles

if TYPE_CHECKING:
    from pegboard.search.vectors import Stored

logger = logging.getLogger(__name__)


class KeptVectors:
    """The vectors that were made for one configuration's catalog. Lives as long as the ranker.

    What cannot be used or written is told in the log, and made anew.
    """

    def __init__(self, files: KeptFiles, name: str) -> None:
        self._files = files
        self._name = name

    def load(self, identity: str) -> Stored | None:
        """An encoder's vectors that were kept; None where nothing was that can be used."""
        from pegboard.stores.vector_file import load

        path = self._files.path(self._name)
        try:
            found = None if path is None else load(path, identity)
        except StoreError as error:
            logger.warning("vectors are made anew: %s", error)
            return None
        if found is None and path is not None and path.exists():
            logger.info("vectors are made anew: those in %s are of another encoder", path)
        return found

    def save(self, identity: str, vectors: Stored) -> None:
        """Keep these in place of what was kept."""
        from pegboard.stores.vector_file import save

        try:
            self._files.make()
            save(self._files.folder / self._name, identity, vectors)
        except (StoreError, OSError) as error:
            logger.warning("vectors are not kept: %s", error)
        else:
            self._files.tidy()
