"""The tools that a skill says it needs: words, commas or a list, with parentheses. Pure.

    allowed-tools: Read, Bash(git add *)
    allowed-tools: [Read, "Bash(git add *)"]

It informs and grants nothing; what is in no known form therefore means that nothing is allowed.
"""

from __future__ import annotations

from typing import Any

from pegboard.skills.problems import Findings
from pegboard.texts import has_unseen, one_line


def allowed_tools(value: Any, line: int | None, findings: Findings) -> tuple[str, ...] | None:
    """The tools by name, in the order given; None where nothing is said of them, none for a form that is not known."""
    if value is None or value == "":
        return None
    found = _listed(value)
    if found is None:
        what = "has allowed-tools in a form that is not known; understood as: none is allowed."
        findings.add("allowed-tools-form", what, line=line)
        return ()
    return tuple(dict.fromkeys(found))


def _listed(value: Any) -> list[str] | None:
    if isinstance(value, str):
        bare = value.strip()
        return words(bare[1:-1] if bare.startswith("[") and bare.endswith("]") else bare)
    if not isinstance(value, list):
        return None
    listed: list[str] = []
    for item in value:
        found = words(item) if isinstance(item, str) else None
        if found is None:
            return None
        listed += found
    return listed


def words(text: str) -> list[str] | None:
    """The words of a text, parted by blanks and commas outside parentheses; inside, blanks in a row are one.

    None where those do not pair up, and for characters that nobody sees.
    """
    if has_unseen(text):
        return None
    found: list[str] = []
    word: list[str] = []
    depth = 0
    for char in one_line(text):
        if not depth and (char == "," or char.isspace()):
            if word:
                found.append("".join(word))
                word = []
            continue
        if char == "(":
            if not word:
                return None  # parentheses that belong to no tool
            depth += 1
        elif char == ")":
            depth -= 1
            if depth < 0:
                return None
        word.append(char)
    if depth:
        return None
    return [*found, "".join(word)] if word else found
