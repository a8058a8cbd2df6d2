"""Vectors in one file that any number of processes map into memory, with whose they are and what they are of."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pegboard.errors import StoreError
from pegboard.search.vectors import KEY, Stored
from pegboard.stores.array_file import read, understood, write

_PART: Final = "vectors"
_WHAT: Final = "vector"


def save(path: str | Path, identity: str, vectors: Stored) -> None:
    """Write vectors. ``identity`` says whose they are. Raises StoreError when that fails; the file stays as it was."""
    import numpy as np

    arrays = {"keys": np.frombuffer(vectors.keys, np.uint8), "matrix": vectors.matrix}
    write(path, {_PART: arrays}, {"encoder": identity}, what=_WHAT)


def load(path: str | Path, identity: str) -> Stored | None:
    """The vectors of a file; None for no file, or another's vectors.

    Raises StoreError for a file that cannot be read, or is not as it was written.
    """
    import numpy as np

    found = read(path, what=_WHAT)
    if found is None or found[1].get("encoder") != identity or _PART not in found[0]:
        return None
    with understood(path, _WHAT):
        keys, matrix = found[0][_PART]["keys"], found[0][_PART]["matrix"]
    if matrix.ndim != 2 or matrix.dtype != np.int16 or keys.size != KEY * matrix.shape[0]:
        raise StoreError(f"The {_WHAT} file {str(path)!r} holds something else.", hint="It can be deleted.")
    return Stored(keys.tobytes(), matrix)
