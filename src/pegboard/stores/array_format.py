"""The bytes of a file of arrays: which there are, where they stand, and whether they are what was written.

After 16 bytes that name the format come a digest of everything behind it (32 bytes), the length of the header (8), the
header (JSON) and the arrays, each at a multiple of 64. Equal arrays give equal bytes. Pure; no I/O.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from pegboard.tools import canonical_json

if TYPE_CHECKING:
    from pegboard.search.arrays import Array

Arrays = Mapping[str, Mapping[str, "Array"]]
"""The arrays of each part of a file, by name."""

MAGIC: Final = b"pegboard index 1"
"""Of every such file, whatever its arrays are of."""

DIGEST: Final = 32
_HEAD: Final = len(MAGIC) + DIGEST + 8
_ALIGNED: Final = 64  # bytes: a line of the processor's cache


class FormatError(ValueError):
    """Bytes that are no such file, or no longer the ones that were written. The message says which."""


def encoded(parts: Arrays, told: Mapping[str, Any]) -> Iterator[bytes | memoryview]:
    """The bytes of a file in pieces. ``told`` is kept with the arrays: any JSON object."""
    import numpy as np

    places: dict[str, dict[str, list[Any]]] = {}
    body: list[bytes | memoryview] = []
    size = 0
    for part, arrays in parts.items():
        places[part] = {}
        for name, array in arrays.items():
            places[part][name] = [array.dtype.str, list(array.shape), size]
            body += [
                np.ascontiguousarray(array).reshape(-1).view(np.uint8).data,
                bytes(-array.nbytes % _ALIGNED),
            ]
            size += array.nbytes + -array.nbytes % _ALIGNED
    header = canonical_json({"told": dict(told), "arrays": places, "size": size})
    header += b" " * (-(_HEAD + len(header)) % _ALIGNED)
    pieces = [len(header).to_bytes(8, "little"), header, *body]
    digest = blake2b(digest_size=DIGEST)
    for piece in pieces:
        digest.update(piece)
    yield MAGIC + digest.digest()
    yield from pieces


def decoded(data: memoryview) -> tuple[dict[str, dict[str, Array]], dict[str, Any]]:
    """(the arrays as views of ``data``, what is told with them). Raises FormatError."""
    import numpy as np

    if bytes(data[: len(MAGIC)]) != MAGIC:
        raise FormatError("it is no file of this format")
    if len(data) < _HEAD:
        raise FormatError("it ends too early")
    digest = data[len(MAGIC) : len(MAGIC) + DIGEST]
    if blake2b(data[len(MAGIC) + DIGEST :], digest_size=DIGEST).digest() != bytes(digest):
        raise FormatError("its bytes are not the ones that were written")
    begin = _HEAD + int.from_bytes(data[_HEAD - 8 : _HEAD], "little")
    header = json.loads(bytes(data[_HEAD:begin]))
    parts: dict[str, dict[str, Array]] = {}
    for part, arrays in header["arrays"].items():
        parts[part] = {}
        for name, (kind, shape, place) in arrays.items():
            count = int(np.prod(shape, dtype=np.int64))
            parts[part][name] = np.frombuffer(data, np.dtype(kind), count, begin + place).reshape(shape)
    return parts, header["told"]
