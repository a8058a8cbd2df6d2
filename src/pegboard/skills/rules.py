"""The rules of the format of skills: what becomes of a skill that breaks one, and how that is mended. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from pegboard.documents.problems import Level


class Weight(Enum):
    """What a rule does to a skill that breaks it.

    ``left_out``: it is not loaded. ``fatal``: likewise, and in strict mode nothing is. ``strict``: it is loaded with a
    warning, and left out in strict mode. ``warned``: it is loaded with a warning. ``noted``: it was left out on
    purpose.
    """

    LEFT_OUT = "left out"
    FATAL = "fatal"
    STRICT = "strict"
    WARNED = "warned"
    NOTED = "noted"


_LEVELS: Final = {
    Weight.LEFT_OUT: Level.ERROR,
    Weight.FATAL: Level.ERROR,
    Weight.STRICT: Level.WARNING,
    Weight.WARNED: Level.WARNING,
    Weight.NOTED: Level.NOTE,
}


@dataclass(frozen=True)
class FormatRule:
    """One rule of the format. Immutable. ``fix`` says how what breaks it is mended, where nobody knows better."""

    weight: Weight
    fix: str

    @property
    def level(self) -> Level:
        """How heavy it is where the rule is broken, unless loading is strict."""
        return _LEVELS[self.weight]


RULES: Final[Mapping[str, FormatRule]] = {
    "file-name": FormatRule(Weight.LEFT_OUT, "Rename it to SKILL.md."),
    "file-unreadable": FormatRule(Weight.LEFT_OUT, "Give the user that runs Pegboard the right to read it."),
    "file-type": FormatRule(Weight.LEFT_OUT, "Write the skill into a file SKILL.md."),
    "file-encoding": FormatRule(Weight.LEFT_OUT, "Save it as UTF-8."),
    "file-too-large": FormatRule(Weight.FATAL, "Move parts of it into files beside it, or raise max_file_bytes."),
    "file-in-root": FormatRule(Weight.WARNED, "Name the folder above it as the root."),
    "file-too-deep": FormatRule(
        Weight.WARNED, "Name the folder above its folder as a root too, or move its folder up."
    ),
    "path-escape": FormatRule(Weight.FATAL, "Copy the skill into a root, or name its folder's parent as a root."),
    "path-broken": FormatRule(Weight.LEFT_OUT, "Mend the link, or remove it."),
    "path-characters": FormatRule(Weight.LEFT_OUT, "Rename the folder."),
    "front-matter-missing": FormatRule(
        Weight.LEFT_OUT,
        "Begin it with a line of three dashes, the name and the description, and three dashes again.",
    ),
    "front-matter-unclosed": FormatRule(Weight.LEFT_OUT, "Put a line of three dashes behind it."),
    "front-matter-too-long": FormatRule(Weight.LEFT_OUT, "Write long texts into the body."),
    "front-matter-no-table": FormatRule(Weight.LEFT_OUT, "Write name: and description:, a line each."),
    "front-matter-indented": FormatRule(Weight.STRICT, "Begin each key at the margin."),
    "yaml-syntax": FormatRule(Weight.STRICT, "Put the text in quotes, or begin it with >-."),
    "yaml-duplicate-key": FormatRule(Weight.LEFT_OUT, "Remove one of the two."),
    "yaml-reference": FormatRule(Weight.LEFT_OUT, "Write the text itself."),
    "yaml-tag": FormatRule(Weight.LEFT_OUT, "Write the text without its tag."),
    "yaml-depth": FormatRule(Weight.LEFT_OUT, "Write fewer levels and keys."),
    "name-missing": FormatRule(Weight.LEFT_OUT, "Write name: and the name of the folder."),
    "name-type": FormatRule(Weight.LEFT_OUT, "Write a text."),
    "name-characters": FormatRule(Weight.LEFT_OUT, "Use letters, digits, hyphens and underscores."),
    "name-blanks": FormatRule(Weight.STRICT, "Write hyphens."),
    "name-too-long": FormatRule(Weight.STRICT, "Shorten it."),
    "name-folder": FormatRule(Weight.STRICT, "Give both the same name."),
    "name-case": FormatRule(Weight.WARNED, "Rename one of the two."),
    "name-taken": FormatRule(Weight.LEFT_OUT, "Rename one of the two."),
    "name-shadowed": FormatRule(Weight.NOTED, "Rename one of the two, if both are wanted."),
    "name-unknown": FormatRule(Weight.WARNED, "Check its spelling."),
    "description-missing": FormatRule(Weight.LEFT_OUT, "Say what the skill does and when to use it."),
    "description-type": FormatRule(Weight.LEFT_OUT, "Write a text."),
    "description-list": FormatRule(Weight.STRICT, "Write a text."),
    "description-lines": FormatRule(Weight.STRICT, "Write one line, or begin it with >-."),
    "description-too-long": FormatRule(Weight.STRICT, "Move what is not about when to use it into the body."),
    "compatibility-type": FormatRule(Weight.STRICT, "Write a text."),
    "compatibility-too-long": FormatRule(Weight.STRICT, "Shorten it."),
    "license-type": FormatRule(Weight.STRICT, "Write its name, or the name of a file."),
    "metadata-type": FormatRule(Weight.STRICT, "Write lines of key: value, indented."),
    "allowed-tools-form": FormatRule(Weight.STRICT, "Write the names of tools, with commas between them, or a list."),
}
"""Every rule by its code."""
