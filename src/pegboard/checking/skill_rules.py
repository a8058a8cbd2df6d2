"""The rules that are about a skill as a whole, and about several. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Final

from pegboard.checking.finding import Finding, Kind, Text
from pegboard.checking.references import references
from pegboard.checking.rules import finding
from pegboard.checking.scanning import scan, scan_all
from pegboard.checking.scripts import skeleton
from pegboard.checking.similar import alike
from pegboard.skills.names import FORM
from pegboard.skills.skill import Skill
from pegboard.skills.template import STEPS, description_for
from pegboard.tokens import count_tokens

MAX_LINES: Final = 500
MAX_TOKENS: Final = 5_000
"""What the format advises for a body, at most."""

KEYS: Final = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
"""The keys of the format."""

_ALIASES: Final[Mapping[str, str]] = {"allowed_tools": "allowed-tools"}
"""Keys that are read as one of the format where that is missing."""

_KINDS: Final[Mapping[str, Kind]] = {
    "name": Kind.NAME,
    "description": Kind.DESCRIPTION,
    "compatibility": Kind.DESCRIPTION,
}
"""What keys of front matter are for a model; any other is read only with the file itself."""

_CLOSE: Final = 0.8
_DEPTH: Final = 8


@dataclass(frozen=True, kw_only=True)
class Written:
    """A skill with its file as it was written. Immutable; belongs to one check.

    ``front`` is the front matter from ``front_line`` on, ``body_line`` where the body begins; ``lines`` has the line of
    each key. ``has(path)`` says whether the skill's folder holds a file.
    """

    skill: Skill
    file: str
    front: str
    front_line: int
    body_line: int
    lines: Mapping[str, int] = field(default_factory=dict)
    has: Callable[[str], bool] = lambda path: True

    def text(self, key: str, value: str, kind: Kind) -> Text:
        """A value of the front matter."""
        line = self.lines.get(key.partition(".")[0])
        written = self._from_lines.get(line, "") if line else ""
        return self._text(value=value, kind=kind, line=line, written=written, key=key)

    @property
    def head(self) -> Text:
        """The front matter as it was written: comments and what was understood otherwise stand in it too."""
        return self._text(value=self.front, kind=Kind.RESOURCE, line=self.front_line, exact=True)

    @cached_property
    def _from_lines(self) -> Mapping[int, str]:
        """The front matter from each line of the file on where a key stands."""
        lines = self.front.split("\n")
        return {line: "\n".join(lines[line - self.front_line :]) for line in self.lines.values()}

    @property
    def body(self) -> Text:
        """The body."""
        return self._text(value=self.skill.body, kind=Kind.BODY, line=self.body_line, exact=True)

    def _text(self, **facts: Any) -> Text:
        return Text(file=self.file, subject=self.skill.name, **facts)


def check_skill(written: Written) -> list[Finding]:
    """What the rules find in one skill, beside what loading it found."""
    found = list(scan_all(_values(written)))
    told = {one.code for one in found}
    found += [one for one in scan(written.head) if one.code not in told]
    found += scan(written.body)
    for rules in (_keys, _name, _description, _length, _template, _resources):
        found += rules(written)
    return found


def check_together(skills: Sequence[Written]) -> Iterator[Finding]:
    """What the rules find among skills: names that look the same, descriptions that say the same."""
    seen: dict[str, Written] = {}
    for one in skills:
        first = seen.setdefault(skeleton(one.skill.name), one)
        if first is not one and first.skill.name.casefold() != one.skill.name.casefold():
            text = one.text("name", one.skill.name, Kind.NAME)
            shown = ascii(one.skill.name)
            yield finding("name-lookalike", text, 0, 1, f"{shown} looks like {first.skill.name!a} ({first.file}).")
    for first_at, at, share in alike([one.skill.description for one in skills]):
        one, other = skills[at], skills[first_at]
        text = one.text("description", one.skill.description, Kind.DESCRIPTION)
        message = f"shares {share:.0%} of its words with the description of {other.skill.name} ({other.file})."
        yield finding("description-similar", text, 0, 1, message)


def _values(written: Written) -> Iterator[Text]:
    for key, value in written.skill.fields.items():
        kind = _KINDS.get(key, Kind.BODY)
        for path, text in texts_in(value, str(key)):
            yield written.text(path, text, kind)


def texts_in(value: Any, path: str, depth: int = _DEPTH) -> Iterator[tuple[str, str]]:
    """Every text in a value, keys of tables too, with its dotted path."""
    if isinstance(value, str):
        yield path, value
    elif depth and isinstance(value, Mapping):
        for key, inner in value.items():
            yield path, str(key)
            yield from texts_in(inner, f"{path}.{key}", depth - 1)
    elif depth and isinstance(value, list | tuple):
        for inner in value:
            yield from texts_in(inner, path, depth - 1)


def _keys(written: Written) -> Iterator[Finding]:
    for key in map(str, written.skill.fields):
        if key in KEYS:
            continue
        text = written.text(key, key, Kind.BODY)
        alias = _ALIASES.get(key)
        if alias and alias not in written.skill.fields:
            told = finding("key-unknown", text, 0, len(key), f"has the key {key!r}, which is read as {alias} here.")
            yield replace(told, hint=f"Write {alias}: other loaders pass {key} over, or refuse it.")
            continue
        meant = [] if alias else get_close_matches(key.lower().replace("_", "-"), KEYS, n=1, cutoff=_CLOSE)
        if meant and meant[0] not in written.skill.fields:
            yield finding("key-misspelt", text, 0, len(key), f"has the key {key!r:.80}: {meant[0]} is the format's.")
        else:
            yield finding("key-unknown", text, 0, len(key), f"has the key {key!r:.80}, which the format does not have.")
    values = written.skill.metadata
    odd = [key for key, value in values.items() if not isinstance(value, str | None)]
    if odd:
        text = written.text("metadata", "metadata", Kind.BODY)
        yield finding("metadata-values", text, 0, 8, f"has metadata that is no text: {', '.join(map(str, odd)):.100}.")


def _name(written: Written) -> Iterator[Finding]:
    name = written.skill.name
    if not FORM.fullmatch(name):
        text = written.text("name", name, Kind.NAME)
        yield finding("name-format", text, 0, len(name), f"has the name {name!a}, which strict loaders refuse.")


def _description(written: Written) -> Iterator[Finding]:
    description = written.skill.description
    at = next((at for at, char in enumerate(description) if char in "<>"), None)
    if at is not None:
        text = written.text("description", description, Kind.DESCRIPTION)
        yield finding("description-markup", text, at, 1, "has angle brackets in its description.")


def _length(written: Written) -> Iterator[Finding]:
    body = written.body
    if not body.value.strip():
        yield finding("body-empty", body, 0, 1, "has no body.")
        return
    lines = len(body.value.splitlines())
    if lines > MAX_LINES:
        yield finding("body-lines", body, 0, 1, f"has a body of {lines:,} lines.")
    tokens = count_tokens(body.value)
    if tokens > MAX_TOKENS:
        yield finding("body-tokens", body, 0, 1, f"has a body of about {tokens:,} tokens.")


def _template(written: Written) -> Iterator[Finding]:
    skill, body = written.skill, written.body
    if skill.description == description_for(skill.name):
        text = written.text("description", skill.description, Kind.DESCRIPTION)
        yield finding("template-unchanged", text, 0, 1, "has the description that it was begun with.")
    at = body.value.find(STEPS)
    if at >= 0:
        yield finding("template-unchanged", body, at, len(STEPS), "has the steps that it was begun with.")


def _resources(written: Written) -> Iterator[Finding]:
    body = written.body
    for one in references(body.value):
        if one.path.startswith("../"):
            how = "links to" if one.linked else "names"
            yield finding("resource-outside", body, one.at, one.length, f"{how} {one.path!r:.100}.")
        elif not written.has(one.path):
            yield finding("resource-missing", body, one.at, one.length, f"names {one.path!r:.100}, which is not there.")
