"""What the rules of the format of skills are called, why they are there, and how what breaks them is mended.

Loading applies them; see ``pegboard.skills.problems`` for what becomes of a skill that breaks one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_UNREAD: Final = "A skill that cannot be read does not exist for anybody."
_YAML: Final = "Front matter is a table of texts; other things of YAML are ways to attack who reads it."
_PLACE: Final = "Skills are the immediate folders of a root; nothing else is looked for."
_FORMAT: Final = "The format wants it; other loaders refuse the skill."
_NAMED: Final = "A skill is called by its name."
_KNOWN: Final = "The description is all that a model knows of a skill before it chooses."

FORMAT: Final[Mapping[str, tuple[str, str, str]]] = {
    "file-name": ("The file is spelled otherwise than SKILL.md", _UNREAD, "Rename it to SKILL.md."),
    "file-unreadable": ("The file may not be read, or the system failed", _UNREAD, "Give the right to read it."),
    "file-type": ("A folder, pipe, socket or device has the file's name", _UNREAD, "Write the skill into a file."),
    "file-encoding": ("The file is not UTF-8", _UNREAD, "Save it as UTF-8."),
    "file-too-large": ("The file is too large", _UNREAD, "Move parts of it into files beside it."),
    "file-in-root": ("The file lies in a root itself", _PLACE, "Name the folder above it as the root."),
    "file-too-deep": (
        "The file lies a folder too deep",
        _PLACE,
        "Name the folder above its folder as a root too, or move its folder up.",
    ),
    "path-escape": (
        "A link leads out of the roots",
        "What lies outside the roots was never meant to be read.",
        "Copy the skill into a root.",
    ),
    "path-broken": ("A link leads nowhere", _UNREAD, "Mend the link, or remove it."),
    "path-characters": (
        "A folder's name has characters that are not seen, or breaks lines",
        "Such a name says something else than one sees.",
        "Rename the folder.",
    ),
    "front-matter-missing": (
        "The file does not begin with a line of three dashes",
        _UNREAD,
        "Begin it with three dashes, name and description, and three dashes.",
    ),
    "front-matter-unclosed": ("The second line of dashes is missing", _UNREAD, "Put a line of three dashes behind it."),
    "front-matter-too-long": (
        "More than 65,536 characters of front matter",
        _UNREAD,
        "Write long texts into the body.",
    ),
    "front-matter-no-table": ("It is not lines of key: value", _UNREAD, "Write name: and description:, a line each."),
    "front-matter-indented": ("Its lines do not begin at the margin", _FORMAT, "Begin each key at the margin."),
    "yaml-syntax": (
        "Front matter, or a part of it, is not YAML",
        _FORMAT,
        "Put the text in quotes, or begin it with >-.",
    ),
    "yaml-duplicate-key": ("A key is given twice", "Nobody can know which was meant.", "Remove one of the two."),
    "yaml-reference": ("An anchor, an alias or a merge key", _YAML, "Write the text itself."),
    "yaml-tag": ("A tag of YAML", _YAML, "Write the text without its tag."),
    "yaml-depth": ("Nested too deep, or too many keys", _YAML, "Write fewer levels and keys."),
    "name-missing": ("There is no name", _NAMED, "Write name: and the name of the folder."),
    "name-type": ("The name is a list or a table", _NAMED, "Write a text."),
    "name-characters": (
        "The name has a separator, a dot or a control character",
        "Names stand in paths, prompts and addresses.",
        "Use letters, digits, hyphens and underscores.",
    ),
    "name-blanks": ("The name has blanks, read as hyphens", _FORMAT, "Write hyphens."),
    "name-too-long": ("The name has more than 64 characters", _FORMAT, "Shorten it."),
    "name-folder": ("The folder has another name", _FORMAT, "Give both the same name."),
    "name-case": (
        "Another name differs in letter case alone",
        "People and models mix them up.",
        "Rename one of the two.",
    ),
    "name-taken": ("Another skill of the root has the name", _NAMED, "Rename one of the two."),
    "name-shadowed": ("A skill of an earlier root has the name", _NAMED, "Rename one of the two, if both are wanted."),
    "name-unknown": ("A skill that was asked for is not there", _NAMED, "Check its spelling."),
    "description-missing": ("There is no description", _KNOWN, "Say what the skill does and when to use it."),
    "description-type": ("The description is a table", _KNOWN, "Write a text."),
    "description-list": ("The description is a list", _FORMAT, "Write a text."),
    "description-lines": ("The description has several lines", _FORMAT, "Write one line, or begin it with >-."),
    "description-too-long": (
        "The description has more than 1,024 characters",
        _FORMAT,
        "Move what is not about when to use it into the body.",
    ),
    "compatibility-type": ("The compatibility is a table", _FORMAT, "Write a text."),
    "compatibility-too-long": ("The compatibility has more than 500 characters", _FORMAT, "Shorten it."),
    "license-type": ("The license is a table", _FORMAT, "Write its name, or the name of a file."),
    "metadata-type": ("The metadata is no table", _FORMAT, "Write lines of key: value, indented."),
    "allowed-tools-form": (
        "The tools are in an unknown form: none is allowed",
        "A list that is read otherwise than it was meant would allow too much.",
        "Write the names of tools, with commas between them, or a list.",
    ),
}
"""By its code: what is wrong, why that matters, and how it is mended."""
