"""What an index takes of an entry: which texts, how they are read, and how much each word counts. Pure values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pegboard.tools import Entry


class Terms(NamedTuple):
    """What one piece of a text is looked up by. Immutable. ``parts`` make up a text's length, ``wholes`` do not."""

    parts: tuple[str, ...]
    wholes: tuple[str, ...] = ()


class IndexedField(NamedTuple):
    """A text that is indexed. Immutable.

    An occurrence of a part counts ``part`` units, one of a whole ``whole`` units. ``mark`` is a bit (1 to 128) that its
    terms bear, 0 for none. Terms of different ``space`` have nothing to do with one another. The parts of a field with
    a ``group`` (from 0) are kept by entry too.
    """

    part: int = 1
    whole: int = 1
    mark: int = 0
    space: int = 0
    group: int | None = None


@dataclass(frozen=True)
class Scheme:
    """How entries become an index. Process-wide, immutable; two of one ``name`` are the same.

    ``texts`` gives the texts of each of the ``fields``, ``pieces`` cuts a text, ``read`` turns a piece into terms. All
    depend on nothing but their argument. ``unit`` says how many units are one occurrence of weight 1.
    """

    name: str
    fields: tuple[IndexedField, ...]
    texts: Callable[[Entry], Sequence[tuple[str, ...]]]
    pieces: Callable[[str], list[str]]
    read: Callable[[str], Terms]
    unit: int = 1

    @property
    def spaces(self) -> int:
        """How many spaces of terms there are."""
        return 1 + max(field.space for field in self.fields)

    @property
    def groups(self) -> int:
        """How many groups of terms are kept by entry."""
        return 1 + max((field.group for field in self.fields if field.group is not None), default=-1)
