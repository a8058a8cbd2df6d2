"""Profiles: which meta-tools a surface shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pegboard.board_tools import ALL_NAMES, BOARD_TOOLS
from pegboard.errors import DefinitionError
from pegboard.metatools import META_TOOLS

_OF_SKILLS: Final = ("skills", "read_skill_resource")

PROFILES: Final[Mapping[str, tuple[str, ...]]] = {
    "modern": ("find_tools", "get_tool", "call_tool", *_OF_SKILLS),
    "session": ("find_tools", "get_tool", "call_tool", "load_tool", "unload_tool", *_OF_SKILLS),
    "python": (*META_TOOLS, *_OF_SKILLS),
}
"""Those there are by default, by name. ``modern``: for lists that never change; ``session``: for lists that follow
pins. Those of skills are shown where there are skills."""


def profiles_of(given: Mapping[str, Sequence[str]] | None) -> dict[str, tuple[str, ...]]:
    """The profiles in force: ``given`` ones in the place of those of their names, and ``boards``, which is ``modern``
    with boards as arguments unless it is given.

    Raises DefinitionError for a profile that names what is no meta-tool.
    """
    profiles = {**PROFILES, **{profile: tuple(names) for profile, names in (given or {}).items()}}
    for profile, names in profiles.items():
        for name in names:
            if name not in ALL_NAMES:
                raise _unknown(profile, name)
    return {"boards": (*profiles["modern"], *BOARD_TOOLS), **profiles}


def _unknown(profile: str, name: str) -> DefinitionError:
    from pegboard.schema.names import nearest

    close = nearest(name, ALL_NAMES)
    hint = f"Did you mean {close!r}?" if close else f"There are {', '.join(sorted(ALL_NAMES))}."
    return DefinitionError(f"Profile {profile!r} names {name!r}, which is no meta-tool.", hint=hint)
