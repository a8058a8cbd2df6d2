"""What terms are known by in an index: 64 bits that differ for all the terms there are, for every practical end.

Two of a million terms have the same with a chance of 3 in 10^8; they would then be one term.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from pegboard.search.arrays import TERM, Array


def digests_of(terms: Iterable[str], space: int = 0) -> Array:
    """The digests of terms of one space, none of them remembered: for many that are asked for once."""
    return np.frombuffer(b"".join([_digested(term, bytes((space,))) for term in terms]), TERM)


@lru_cache(maxsize=1 << 14)
def digest(term: str, space: int = 0) -> int:
    """The digest of a term that may be asked for again."""
    return int.from_bytes(_digested(term, bytes((space,))), "little")


def _digested(term: str, space: bytes) -> bytes:
    return blake2b(space + term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
