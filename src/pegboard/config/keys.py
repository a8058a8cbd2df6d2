"""How a key of ``pegboard.toml`` is declared, and the kinds that several tables share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from pegboard.config.kinds import NAME, Kind, by_glob, choice, integer, list_of
from pegboard.tools import Approval, Visibility

Word = str | Mapping[str, str] | None
COUNT: Final = integer(1)
VISIBILITY: Final = by_glob(choice(*Visibility))
APPROVAL: Final = by_glob(choice(*Approval))
NAMES: Final = list_of(NAME)


def key(kind: Kind, about: str, default: Any = None, *, required: bool = False) -> Any:
    """The declaration of a key. ``about`` is its line in the documentation."""
    return field(default=default, metadata={"kind": kind, "about": about, "required": required})


@dataclass(frozen=True, kw_only=True)
class Keys:
    """The keys of one table, as written. Immutable; belongs to one load."""

    @classmethod
    def keys_known(cls) -> dict[str, Kind]:
        """Every key with its kind."""
        return {one.name: one.metadata["kind"] for one in fields(cls)}

    @classmethod
    def required(cls) -> list[str]:
        """The keys that must be there."""
        return [one.name for one in fields(cls) if one.metadata["required"]]

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """Keys that are right by themselves but not beside another, each with the message."""
        yield from ()
