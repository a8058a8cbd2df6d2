"""Front matter to plain values: YAML first, and what a person plainly meant where it is none. Pure.

Every scalar is text as it was written: dates, ``no`` and ``0123`` too. References, tags, duplicate keys and bombs are
refused in every mode.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pegboard.documents import yaml
from pegboard.documents.jsonc import ParsedText
from pegboard.documents.problems import kind_of
from pegboard.documents.yaml import Refusal, YamlSyntaxError
from pegboard.skills import lenient
from pegboard.skills.problems import Findings, SetAsideError

CODES: Final[Mapping[Refusal, str]] = {
    Refusal.ALIAS: "yaml-reference",
    Refusal.ANCHOR: "yaml-reference",
    Refusal.MERGE: "yaml-reference",
    Refusal.TAG: "yaml-tag",
    Refusal.DUPLICATE: "yaml-duplicate-key",
    Refusal.DEPTH: "yaml-depth",
}
"""The rule that each thing breaks that YAML has and no front matter may hold."""

_FINAL: Final = frozenset({Refusal.MERGE, Refusal.DUPLICATE, Refusal.DEPTH})
"""What cannot be text that only looks like YAML."""

_TAB: Final = re.compile(r"^([\w.-]{1,100}[ ]{0,100}:)(\t+)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class FrontMatter:
    """What front matter says. Immutable; belongs to one reading. ``lines`` has the line of each key in the file."""

    values: Mapping[str, Any]
    lines: Mapping[str, int]


def read(text: str, findings: Findings, first_line: int = 1) -> FrontMatter:
    """The keys and values of front matter that begins on ``first_line`` of its file.

    Scalars are text, or None for null; lists and tables hold the same. What is no YAML is read leniently, with a
    warning that says what was understood. Raises SetAsideError for what is refused, and in strict mode for what is no
    YAML.
    """
    try:
        parsed = _parsed(text)
    except YamlSyntaxError as error:
        return _recovered(text, error, findings, first_line)
    if isinstance(parsed.value, dict):
        lines = {str(path[0]): _line(text, at, first_line) for path, at in parsed.at.items() if len(path) == 1}
        return FrontMatter(values=parsed.value, lines=lines)
    if parsed.value is None:
        return FrontMatter(values={}, lines={})
    if isinstance(parsed.value, str) and lenient.looks_like_fields(text):
        return _recovered(text, YamlSyntaxError(0, "a blank is missing behind a colon"), findings, first_line)
    what = f"has front matter that is {kind_of(parsed.value)}, not lines of key: value."
    raise findings.refusal("front-matter-no-table", what, line=first_line)


def _parsed(text: str) -> ParsedText:
    try:
        return yaml.parse(text, as_written=True)
    except YamlSyntaxError:
        blanks = _TAB.sub(lambda found: found[1] + " " * len(found[2]), text)
        if blanks == text:
            raise
        return yaml.parse(blanks, as_written=True)  # a tab may stand behind a colon, though parsers here refuse it


def _recovered(text: str, error: YamlSyntaxError, findings: Findings, first_line: int) -> FrontMatter:
    line = _line(text, error.offset, first_line)
    if error.refusal in _FINAL:
        raise refused(error, text, findings, first_line)
    if findings.strict:
        raise findings.refusal(_code(error), f"has front matter that is not YAML: {error}.", error.hint, line)
    before = len(findings.problems)
    try:
        values, lines = lenient.read(text, findings, first_line)
    except lenient.RefusedBlockError as block:
        raise refused(block.error, block.text, findings, block.line) from error
    except lenient.NothingFoundError as nothing:
        what = f"has front matter that cannot be read: {error}."
        raise findings.refusal("yaml-syntax", what, error.hint, line) from nothing
    if len(findings.problems) == before:  # what is wrong stands in a comment, or between the keys
        findings.add("yaml-syntax", f"has front matter that is not YAML ({error}).", error.hint or "Remove it.", line)
    return FrontMatter(values=values, lines=lines)


def refused(error: YamlSyntaxError, text: str, findings: Findings, first_line: int) -> SetAsideError:
    """The error for what is refused in every mode."""
    line = _line(text, error.offset, first_line)
    first = "" if error.first is None else f", first on line {_line(text, error.first, first_line)}"
    return findings.refusal(_code(error), f"has front matter that is not read: {error}{first}.", error.hint, line)


def _code(error: YamlSyntaxError) -> str:
    """The rule that a text breaks which is not read as YAML."""
    return "yaml-syntax" if error.refusal is None else CODES.get(error.refusal, "yaml-syntax")


def _line(text: str, at: int, first_line: int) -> int:
    """The line in the file of a place in front matter that begins on ``first_line``."""
    return first_line + text.count("\n", 0, at)
