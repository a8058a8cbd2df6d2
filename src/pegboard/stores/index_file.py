"""The search index of a catalog in one file that any number of processes map into memory.

    candidates = kept("tools.index", catalog.all())    # mapped if the file fits, else built, and the file written

The file is written beside its place, brought to the disk, and put there in one step: whoever opens it finds the old one
or the new one, whole. It says what each entry was made of, so that of a catalog that has changed only the changed
entries are indexed again. Equal entries give equal bytes.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pegboard.errors import StoreError
from pegboard.search.candidates import NAMES, Candidates
from pegboard.search.reading import STAMP, reading_of, stamps_of
from pegboard.search.scheme import Scheme
from pegboard.stores.array_file import read, understood, write
from pegboard.tools import Entry

if TYPE_CHECKING:
    from pegboard.search.arrays import Array
    from pegboard.search.differences import Moves

logger = logging.getLogger(__name__)

_ENTRIES: Final = "entries"
_WHAT: Final = "index"


def kept(path: str | Path, entries: Iterable[Entry], stamps: Sequence[bytes] | None = None) -> Candidates:
    """The candidates of ``entries`` with the index of the file, which is brought up to date where it does not fit.

    ``stamps`` are the ``stamps_of`` the entries, for those who have them already. A file that is broken or cannot be
    written is told of in the log, and costs the time to build the index.
    """
    entries = tuple(entries)
    stamps = stamps_of(entries) if stamps is None else stamps
    try:
        found = load(path, entries, stamps)
    except StoreError as error:
        logger.warning("%s", error)
        found = None
    if found is not None and found[1]:
        return found[0]
    candidates = Candidates.of(entries) if found is None else found[0]
    try:
        save(path, candidates, stamps)
    except StoreError as error:
        logger.warning("%s", error)
    return candidates


def save(path: str | Path, candidates: Candidates, stamps: Sequence[bytes] | None = None) -> None:
    """Write the index of a whole catalog. Raises StoreError when that fails; the file is then as it was."""
    import numpy as np

    stamps = stamps_of(candidates) if stamps is None else stamps
    parts: dict[str, Mapping[str, Array]] = {_ENTRIES: {"stamps": np.frombuffer(b"".join(stamps), np.uint8)}}
    for scheme in _schemes():
        parts[scheme.name] = candidates.indexed_by(scheme).compact().arrays()
    write(path, parts, {"reading": reading_of(_schemes())}, what=_WHAT)


def load(
    path: str | Path, entries: Iterable[Entry], stamps: Sequence[bytes] | None = None
) -> tuple[Candidates, bool] | None:
    """(the candidates with the index of the file, whether it has them all); None for no file, or another's reading.

    What the file lacks is indexed when it is first searched. Raises StoreError for a file that cannot be read or is not
    as it was written.
    """
    from pegboard.search.index import Index
    from pegboard.search.segment import Segment

    entries = tuple(entries)
    stamps = stamps_of(entries) if stamps is None else stamps
    found = read(path, what=_WHAT)
    if found is None:
        return None
    parts, told = found
    if told.get("reading") != reading_of(_schemes()):
        return None
    with understood(path, _WHAT):
        held = parts[_ENTRIES]["stamps"].tobytes()
        indexes = [Index.whole(scheme, Segment.of(parts[scheme.name], scheme.groups)) for scheme in _schemes()]
    if held == b"".join(stamps):
        return Candidates.indexed(entries, indexes), True
    moved = _moves(held, entries, stamps)
    return Candidates.indexed(entries, [index.after(moved) for index in indexes]), False


def _moves(held: bytes, entries: Sequence[Entry], stamps: Sequence[bytes]) -> Moves:
    """How the entries come of those of the file."""
    import numpy as np

    from pegboard.search.differences import Moves

    places = {held[at : at + STAMP]: at // STAMP for at in range(0, len(held), STAMP)}
    middle = np.array([places.pop(stamp, -1) for stamp in stamps], np.int64)
    fresh = [entry for entry, place in zip(entries, middle.tolist(), strict=True) if place < 0]
    return Moves(0, 0, middle, fresh)


def _schemes() -> tuple[Scheme, ...]:
    from pegboard.search.lexical import SCHEME

    return SCHEME, NAMES
