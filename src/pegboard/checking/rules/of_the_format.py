"""What the rules of the format of skills are called, and why they are there.

Loading applies them; see ``pegboard.skills.rules`` for what becomes of a skill that breaks one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pegboard.checking.rules.rule import Rule
from pegboard.skills.rules import RULES

_UNREAD: Final = "A skill that cannot be read does not exist for anybody."
_YAML: Final = "Front matter is a table of texts; other things of YAML are ways to attack who reads it."
_PLACE: Final = "Skills are the immediate folders of a root; nothing else is looked for."
_FORMAT: Final = "The format wants it; other loaders refuse the skill."
_NAMED: Final = "A skill is called by its name."
_KNOWN: Final = "The description is all that a model knows of a skill before it chooses."

_TOLD: Final[Mapping[str, tuple[str, str]]] = {
    "file-name": ("The file is spelled otherwise than SKILL.md", _UNREAD),
    "file-unreadable": ("The file may not be read, or the system failed", _UNREAD),
    "file-type": ("A folder, pipe, socket or device has the file's name", _UNREAD),
    "file-encoding": ("The file is not UTF-8", _UNREAD),
    "file-too-large": ("The file is too large", _UNREAD),
    "file-in-root": ("The file lies in a root itself", _PLACE),
    "file-too-deep": ("The file lies a folder too deep", _PLACE),
    "path-escape": ("A link leads out of the roots", "What lies outside the roots was never meant to be read."),
    "path-broken": ("A link leads nowhere", _UNREAD),
    "path-characters": (
        "A folder's name has characters that are not seen, or breaks lines",
        "Such a name says something else than one sees.",
    ),
    "front-matter-missing": ("The file does not begin with a line of three dashes", _UNREAD),
    "front-matter-unclosed": ("The second line of dashes is missing", _UNREAD),
    "front-matter-too-long": ("More than 65,536 characters of front matter", _UNREAD),
    "front-matter-no-table": ("It is not lines of key: value", _UNREAD),
    "front-matter-indented": ("Its lines do not begin at the margin", _FORMAT),
    "yaml-syntax": ("Front matter, or a part of it, is not YAML", _FORMAT),
    "yaml-duplicate-key": ("A key is given twice", "Nobody can know which was meant."),
    "yaml-reference": ("An anchor, an alias or a merge key", _YAML),
    "yaml-tag": ("A tag of YAML", _YAML),
    "yaml-depth": ("Nested too deep, or too many keys", _YAML),
    "name-missing": ("There is no name", _NAMED),
    "name-type": ("The name is a list or a table", _NAMED),
    "name-characters": (
        "The name has a separator, a dot or a control character",
        "Names stand in paths, prompts and addresses.",
    ),
    "name-blanks": ("The name has blanks, read as hyphens", _FORMAT),
    "name-too-long": ("The name has more than 64 characters", _FORMAT),
    "name-folder": ("The folder has another name", _FORMAT),
    "name-case": ("Another name differs in letter case alone", "People and models mix them up."),
    "name-taken": ("Another skill of the root has the name", _NAMED),
    "name-shadowed": ("A skill of an earlier root has the name", _NAMED),
    "name-unknown": ("A skill that was asked for is not there", _NAMED),
    "description-missing": ("There is no description", _KNOWN),
    "description-type": ("The description is a table", _KNOWN),
    "description-list": ("The description is a list", _FORMAT),
    "description-lines": ("The description has several lines", _FORMAT),
    "description-too-long": ("The description has more than 1,024 characters", _FORMAT),
    "compatibility-type": ("The compatibility is a table", _FORMAT),
    "compatibility-too-long": ("The compatibility has more than 500 characters", _FORMAT),
    "license-type": ("The license is a table", _FORMAT),
    "metadata-type": ("The metadata is no table", _FORMAT),
    "allowed-tools-form": (
        "The tools are in an unknown form: none is allowed",
        "A list that is read otherwise than it was meant would allow too much.",
    ),
}
"""By its code: what is wrong, and why that matters."""

OF_THE_FORMAT: Final = tuple(
    Rule(code, rule.level, title=_TOLD[code][0], reason=_TOLD[code][1], fix=rule.fix) for code, rule in RULES.items()
)
