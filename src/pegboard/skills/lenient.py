"""Front matter that is no YAML, as its author plainly meant it. Pure, and linear in the length of the text.

It is taken apart into top-level keys with the lines that belong to each. A part that is YAML by itself is read as
YAML; any other is text, a list or a table, by its first line: so one stray colon costs no other key anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pegboard.documents import yaml
from pegboard.documents.problems import shown
from pegboard.documents.yaml import Refusal, YamlSyntaxError
from pegboard.skills.problems import Findings

MAX_KEYS: Final = 500
"""Top-level keys of front matter that is no YAML; each is parsed by itself."""

_MAX_DEPTH: Final = 8
_KEY: Final = re.compile(r"""(["']?)(\w[\w.-]{0,99})\1[ \t]{0,100}:(?=[ \t]|$)""")
_GLUED: Final = re.compile(r"()(name|description|license|compatibility|metadata|allowed-tools):")
"""The keys of the format, which are known without the blank behind the colon."""
_ENDS: Final = ("---", "...")
_MARK: Final = re.compile(r"([>|])[-+0-9]{0,2}(?:[ \t]+(.*))?", re.DOTALL)
_ALIAS: Final = re.compile(r"\*[^ \t]+[ \t]*(?:#.*)?")
_MEANT: Final = frozenset({None, Refusal.KEY, Refusal.DOCUMENT})
"""Why a part is no YAML, where it can still be text."""


class NothingFoundError(Exception):
    """The text has no key."""


class RefusedBlockError(Exception):
    """A part holds what is refused in every mode; ``line`` is where the part begins in the file."""

    def __init__(self, error: YamlSyntaxError, text: str, line: int) -> None:
        super().__init__(str(error))
        self.error = error
        self.text = text
        self.line = line


@dataclass
class Part:
    """A key and what belongs to it. Lives as long as one reading. ``line`` counts from 1 in the file."""

    key: str
    line: int
    head: str
    first: str
    more: list[str] = field(default_factory=list)
    flush: bool = False
    """Whether a line of it stands at the margin, where keys do."""

    @property
    def text(self) -> str:
        """The part as it was written."""
        return "\n".join([self.head, *self.more])


def looks_like_fields(text: str) -> bool:
    """Whether a line of the text begins with a key of the format, blank behind the colon or not."""
    return any(_GLUED.match(line) for line in text.split("\n"))


def read(text: str, findings: Findings, first_line: int) -> tuple[dict[str, Any], dict[str, int]]:
    """Values and lines by key.

    Warns of every part that is no YAML, and of lines that belong to no key. Raises NothingFoundError;
    RefusedBlockError for references, tags, keys given twice, nesting without end and too many keys.
    """
    lines = _dedented(text.split("\n"), findings, first_line)
    parts = _parts(lines, first_line)
    if not parts:
        raise NothingFoundError
    _check(parts, text, first_line)
    _tell_keyless(lines, parts[0].line - first_line, findings, first_line)
    values = {part.key: _value(part, findings) for part in parts}
    return values, {part.key: part.line for part in parts}


def _check(parts: Sequence[Part], text: str, first_line: int) -> None:
    if len(parts) > MAX_KEYS:
        error = YamlSyntaxError(0, f"it has more than {MAX_KEYS} keys", "", Refusal.DEPTH)
        raise RefusedBlockError(error, text, first_line)
    seen: dict[str, int] = {}
    for part in parts:
        if part.key in seen:
            what = f"{part.key!r} is given twice, first on line {seen[part.key]}"
            error = YamlSyntaxError(0, what, "Remove one of the two.", Refusal.DUPLICATE)
            raise RefusedBlockError(error, part.text, part.line)
        seen[part.key] = part.line


def _dedented(lines: list[str], findings: Findings, first_line: int) -> list[str]:
    """The lines without the indentation that the first of them has."""
    first = next((line for line in lines if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip())]
    if not indent:
        return lines
    findings.add("front-matter-indented", "has front matter that is indented.", line=first_line)
    return [line.removeprefix(indent) for line in lines]


def _key_of(line: str) -> re.Match[str] | None:
    return _KEY.match(line) or _GLUED.match(line)


def _parts(lines: Iterable[str], first_line: int) -> list[Part]:
    parts: list[Part] = []
    for number, line in enumerate(lines, start=first_line):
        if line.rstrip() in _ENDS:
            break
        found = _key_of(line)
        if found:
            parts.append(Part(found[2], number, line, line[found.end() :].strip()))
        elif parts and not line.startswith("#"):
            part = parts[-1]
            part.more.append(line)
            part.flush |= bool(line.strip()) and not line[0].isspace() and line[0] != "-"
    return parts


def _tell_keyless(lines: Sequence[str], first_key: int, findings: Findings, first_line: int) -> None:
    """Warn of what says something before the first key, or behind the end of the document, and is passed over."""
    end = next((number for number, line in enumerate(lines) if line.rstrip() in _ENDS), len(lines))
    for begin, keyless in ((0, lines[:first_key]), (end + 1, lines[end + 1 :])):
        said = [number for number, line in enumerate(keyless, start=begin) if line.strip() and line.lstrip()[0] != "#"]
        if not said:
            continue
        text, line = "\n".join(keyless), first_line + said[0]
        try:
            yaml.parse(text, as_written=True)
        except YamlSyntaxError as error:
            if error.refusal not in _MEANT:
                raise RefusedBlockError(error, text, first_line + begin) from error
        what = f"has {shown(lines[said[0]].strip())} in its front matter, which belongs to no key; passed over."
        findings.add("yaml-syntax", what, "Give it a key, or remove it.", line)


def _value(part: Part, findings: Findings) -> Any:
    """What a part says: as YAML where it is, else as it was plainly meant."""
    text = part.text
    try:
        parsed = yaml.parse(text, as_written=True).value
        if isinstance(parsed, dict) and list(parsed) == [part.key]:
            if part.flush:
                _tell(part, "a line of it begins at the margin", "", parsed[part.key], findings)
            return parsed[part.key]
        why, hint = "a blank is missing behind the colon", ""
    except YamlSyntaxError as error:
        if error.refusal not in _MEANT and not _is_text(error, part):
            raise RefusedBlockError(error, text, part.line) from error
        why, hint = str(error), error.hint
    value = _meant(part.first, part.more, 0)
    _tell(part, why, hint, value, findings)
    return value


def _is_text(error: YamlSyntaxError, part: Part) -> bool:
    """Whether what YAML takes for a reference is text with a star: more than a name follows it."""
    return error.refusal is Refusal.ALIAS and part.first.startswith("*") and not _ALIAS.fullmatch(part.first)


def _tell(part: Part, why: str, hint: str, value: Any, findings: Findings) -> None:
    message = f"{part.key} is not YAML ({why}); understood as {_told(value)}."
    mend = "Put the text in quotes." if isinstance(value, str) else hint or "Write it as YAML has it."
    findings.add("yaml-syntax", message, mend, part.line)


def _told(value: Any) -> str:
    if isinstance(value, list):
        return f"the list {', '.join(_told(item) for item in value[:5])}{', ...' if len(value) > 5 else ''}"
    return "nothing" if value is None else shown(value)


def _meant(first: str, more: Sequence[str], depth: int) -> Any:
    """Text, a list or a table, by the first line that says anything."""
    said = [line for line in more if line.strip()]
    start = said[0].strip() if said else ""
    if not first and start.startswith("-"):
        return _items(said)
    if not first and depth < _MAX_DEPTH and _KEY.match(start):
        return _table(said, depth)
    mark = _MARK.fullmatch(first)
    if mark:
        return _block(mark[1], [mark[2] or "", *more])
    return _unquoted(" ".join([first, *(line.strip() for line in said)]).strip()) or None


def _items(lines: Sequence[str]) -> list[Any]:
    items: list[list[str]] = []
    for line in lines:
        said = line.strip()
        if said.startswith("-"):
            items.append([said[1:].strip()])
        else:
            items[-1].append(said)
    return [_unquoted(" ".join(item)) or None for item in items]


def _table(lines: Sequence[str], depth: int) -> dict[str, Any]:
    indent = len(lines[0]) - len(lines[0].lstrip())
    parts = _parts([line[indent:] if line[:indent].isspace() or not indent else line.lstrip() for line in lines], 1)
    return {part.key: _meant(part.first, part.more, depth + 1) for part in parts}


def _block(mark: str, lines: Sequence[str]) -> str | None:
    said = [line.strip() for line in lines]
    return ("\n" if mark == "|" else " ").join(said if mark == "|" else filter(None, said)).strip() or None


def _unquoted(text: str) -> str:
    """The text without the quotes that stand around the whole of it."""
    closed = len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]
    return text[1:-1] if closed else text
