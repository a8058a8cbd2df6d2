"""Packed arrays: their types, and what is done with runs of them that stand one behind the other. No I/O."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

Array = np.ndarray[tuple[Any, ...], np.dtype[Any]]
Mask = np.ndarray[tuple[Any, ...], np.dtype[np.bool_]]

# The least byte first: files have the same bytes on every machine.
TERM: Final = np.dtype("<u8")
PLACE: Final = np.dtype("<i8")
ROW: Final = np.dtype("<i4")
MARK: Final = np.dtype("u1")
LENGTH: Final = np.dtype("<i4")
NARROW: Final = np.dtype("<u2")
WIDE: Final = np.dtype("<u4")


def runs(first: Array, sizes: Array) -> Array:
    """The places ``first[i]``, ``first[i] + 1``, ... of ``sizes[i]`` each, one run after the other."""
    ends = sizes.cumsum(dtype=PLACE)
    total = int(ends[-1]) if ends.size else 0
    found: Array = (first - (ends - sizes)).repeat(sizes)
    found += np.arange(total, dtype=PLACE)
    return found


def changes(keys: Array) -> Mask:
    """Whether each key differs from the one before it."""
    found = np.empty(keys.size, np.bool_)
    found[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=found[1:])
    return found


def starts_of(sizes: Array) -> Array:
    """Where each of the runs of these sizes begins, and where the last one ends."""
    starts = np.zeros(sizes.size + 1, PLACE)
    sizes.cumsum(out=starts[1:])
    return starts


def sizes_of(starts: Array) -> Array:
    """The sizes of the runs that begin there."""
    return starts[1:] - starts[:-1]


def distinct(terms: Array) -> tuple[Array, Array, Array]:
    """(the terms, ascending, each once; the place of each among them; the order that sorts them)."""
    order = terms.argsort(kind="stable")
    ordered = terms[order]
    new = changes(ordered)
    places = np.empty(terms.size, ROW)
    places[order] = new.cumsum() - 1
    return ordered[new], places, order


def narrowed(counts: Array) -> Array:
    """Counts in 16 bits where they all fit, else in 32."""
    return counts.astype(NARROW if not counts.size or counts.max() <= np.iinfo(NARROW).max else WIDE, copy=False)


def joined(arrays: Iterable[Array]) -> Array:
    """Arrays one after the other; a single one as it is."""
    found = list(arrays)
    return found[0] if len(found) == 1 else np.concatenate(found, axis=-1)


def sums_by(places: Array, values: Array, size: int) -> Array:
    """The sum of the values of each of ``size`` places, added up in their order."""
    found: Array = np.bincount(places, values, size)
    return found.astype(np.float64, copy=False)  # of no values, numpy gives whole numbers


def counted(chosen: Mask, starts: Array) -> Array:
    """How many are chosen in each of the runs that begin at ``starts``; none of them is empty."""
    if starts.size == 1:
        return np.zeros(0, PLACE)
    return np.add.reduceat(chosen, starts[:-1], dtype=PLACE)
