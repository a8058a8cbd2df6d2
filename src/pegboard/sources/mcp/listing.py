"""What an upstream last said that it offers, as it said it: to be kept, and taken in again later. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, overload

SkillsFrom = Literal["entries", "resources"]


@dataclass(frozen=True, kw_only=True)
class SkillListing:
    """A raw list of skills. Immutable. ``items`` are what the extension lists (``entries``), or ``resources``."""

    kind: SkillsFrom
    items: Sequence[Any]
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The list as a JSON object."""
        return {"kind": self.kind, "items": list(self.items), "notes": list(self.notes)}

    @classmethod
    def from_json(cls, told: Any) -> SkillListing:
        """The list of a JSON object. Raises ValueError for any other."""
        match told:
            case {"kind": "entries" | "resources" as kind, "items": list(items), "notes": list(notes)} if _all(
                str, notes
            ):
                return cls(kind=kind, items=items, notes=tuple(notes))
        raise ValueError("no list of skills")


@dataclass(frozen=True, kw_only=True)
class Listing:
    """All that one listing of an upstream came to. Immutable.

    ``tools`` is the raw list of ``tools/list``; ``faults`` say of some, by name, why they are set aside; ``notes`` are
    on the list as a whole. ``sound`` are the places, from 0, of tools whose schemas were found to be good.
    ``skills`` is None where it offers none.
    """

    tools: Sequence[Any]
    faults: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    sound: tuple[int, ...] = ()
    skills: SkillListing | None = None

    def to_json(self) -> dict[str, Any]:
        """The listing as a JSON object."""
        return {
            "tools": list(self.tools),
            "faults": dict(self.faults),
            "notes": list(self.notes),
            "sound": list(self.sound),
            "skills": None if self.skills is None else self.skills.to_json(),
        }

    @classmethod
    def from_json(cls, told: Any) -> Listing:
        """The listing of a JSON object. Raises ValueError for any other."""
        match told:
            case {
                "tools": list(tools),
                "faults": dict(faults),
                "notes": list(notes),
                "sound": list(sound),
                "skills": skills,
            } if _all(str, notes) and _all(str, faults.values()) and _all(int, sound):
                offered = None if skills is None else SkillListing.from_json(skills)
                return cls(tools=tools, faults=faults, notes=tuple(notes), sound=tuple(sound), skills=offered)
        raise ValueError("no listing of an upstream")


class RawLines(Sequence[Any]):
    """Raw definitions, each a line of JSON that is read when it is looked at. Lives as long as what is made of them."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self._lines = lines

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Any]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return RawLines(self._lines[place])
        return json.loads(self._lines[place])


def _all(kind: type, values: Iterable[Any]) -> bool:
    return all(isinstance(value, kind) for value in values)
