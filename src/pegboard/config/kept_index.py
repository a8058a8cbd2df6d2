"""The search index of a catalog, kept on the disk between commands."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pegboard.errors import StoreError
from pegboard.stores.kept_files import KeptFiles
from pegboard.threads import in_thread

if TYPE_CHECKING:
    from pegboard.catalog import Catalog
    from pegboard.search.candidates import Candidates

logger = logging.getLogger(__name__)


class KeptIndex:
    """The search index of one configuration's catalog on the disk. Lives as long as a command."""

    def __init__(self, files: KeptFiles, name: str) -> None:
        self._files = files
        self._name = name
        self._used: tuple[Candidates, list[bytes], bool] | None = None

    def use(self, catalog: Catalog) -> None:
        """Have a catalog search with the index that was kept, as far as it fits; what it lacks is added to it."""
        from pegboard.search import Candidates
        from pegboard.search.reading import stamps_of
        from pegboard.stores.index_file import load

        entries = catalog.entries
        stamps, found = stamps_of(entries), None
        path = self._files.path(self._name)
        try:
            found = None if path is None else load(path, entries, stamps)
        except StoreError as error:
            logger.info("%s", error)
        candidates, whole = (Candidates.of(entries), False) if found is None else found
        catalog.candidates = candidates
        self._used = candidates, stamps, whole

    async def keep(self) -> None:
        """Write the index that was used, unless it is the one that was kept."""
        if self._used is None or self._used[2]:
            return
        candidates, stamps, _ = self._used
        try:
            await in_thread(lambda: self._save(candidates, stamps), name="index")
        except (StoreError, OSError) as error:
            logger.info("the index is not kept: %s", error)

    def _save(self, candidates: Candidates, stamps: list[bytes]) -> None:
        from pegboard.stores.index_file import save

        self._files.make()
        save(self._files.folder / self._name, candidates, stamps)
        self._files.tidy()
