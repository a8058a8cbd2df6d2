"""The Encoder protocol, and what a search makes of vectors: directions in whole numbers, which add up exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from pegboard.search.leaving import COMPILED
from pegboard.search.text import spoken
from pegboard.tools import Entry

if TYPE_CHECKING:
    from pegboard.search.arrays import Array

SCALE: Final = 2048
"""The length of a vector in whole numbers. Sums of products of two stay below 2^24 however many numbers they have: they
are exact: it does not matter in which order, or beside which others, a processor adds."""

LONGEST: Final = 4000
"""Characters of a text that are encoded: what comes later changes what it means by little."""

MOST_NAMES: Final = 50
"""Parameters of an entry whose names are encoded: those of its schema's top, which say what it is told."""

STRANGERS: Final = (
    "send an e-mail to a colleague",
    "the temperature tomorrow in Oslo",
    "resize a photo to a square",
    "who won the match last night?",
    "convert dollars into yen",
    "delete a branch of a repository",
    "find a recipe with lentils",
    "solve a quadratic equation",
    "book a table for four people",
    "translate a poem into Polish",
    "plot the orbit of a comet",
    "restart the database server",
)
"""Texts that have nothing to do with one another: what an encoder makes of them is its usual cosine."""


@runtime_checkable
class Encoder(Protocol):
    """Turns texts into vectors that point the same way where the texts mean the same. Process-wide.

    ``identity`` says whose vectors they are: whatever changes them (model, version, pooling) changes it. ``dimension``
    is how many numbers a vector has. ``encode`` gives an array of floats, a row a text; only the direction of a row
    counts, and a row of zeros is like nothing. A row depends on its text alone. It is called from one thread at a
    time, never from that of an event loop, and may raise anything.
    """

    @property
    def identity(self) -> str: ...
    @property
    def dimension(self) -> int: ...
    def encode(self, texts: Sequence[str], /) -> Any: ...


class EncodingError(Exception):
    """An encoder did not give what it should. The message says what, without the words of texts or of its errors."""


def vectors_of(encoder: Encoder, texts: Sequence[str]) -> Array:
    """The vectors of texts, in whole numbers (16 bits), each ``SCALE`` long: a row a text.

    Raises whatever the encoder raises, and EncodingError where it gives something else than vectors of these texts.
    """
    # Halves of characters are no text: to many an encoder they are an error.
    encodable = [text[:LONGEST].encode("utf-8", "replace").decode() for text in texts]
    with COMPILED.inside():
        given = encoder.encode(encodable)
    return _whole(given, (len(texts), encoder.dimension))


def _whole(given: Any, shape: tuple[int, int]) -> Array:
    import numpy as np

    try:
        found = np.asarray(given)
        if found.dtype.kind not in "fiuO":
            raise TypeError(found.dtype)
        found = found.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise EncodingError("it gave something else than an array of numbers") from error
    if found.shape != shape:
        raise EncodingError(f"it gave an array of the shape {found.shape}, and {shape} was wanted")
    if not np.isfinite(found).all():
        raise EncodingError("it gave numbers that are not finite")
    # First by the largest: squares of very large and of very small numbers are none.
    largest = np.abs(found).max(axis=1, keepdims=True, initial=0.0)
    found = found / np.where(largest > 0, largest, 1.0)
    lengths = np.sqrt((found * found).sum(axis=1, keepdims=True))
    rounded: Array = np.rint(found / np.where(lengths > 0, lengths, 1.0) * SCALE).astype(np.int16)
    return rounded


def usual_of(encoder: Encoder) -> float:
    """The mean cosine that an encoder gives ``STRANGERS``, at least 0 and at most 0.9. Raises what encoding raises."""
    import numpy as np

    found = vectors_of(encoder, STRANGERS).astype(np.int64)
    products = found @ found.T
    others = int(products.sum() - products.trace()) / (len(found) * (len(found) - 1))
    return min(max(0.0, others / SCALE**2), 0.9)


def text_of(entry: Entry) -> str:
    """The text of an entry that is encoded: the words of its name, its description, its parameters' names."""
    properties = entry.input_schema.get("properties")
    names = islice(properties, MOST_NAMES) if isinstance(properties, Mapping) else ()
    parameters = ", ".join(spoken(str(name)) for name in names)
    return f"{spoken(entry.bare_name)}: {entry.description}" + (f" ({parameters})" if parameters else "")
