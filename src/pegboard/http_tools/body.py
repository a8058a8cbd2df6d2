"""The body of a request as a template: JSON that is built as a value, a form, or plain text. Pure."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from pegboard.documents.problems import KeyPath
from pegboard.http_tools.placeholders import Parts, Placeholder, only_placeholder, parts_of, placeholders_in
from pegboard.tools import MISSING

Form = Literal["json", "form", "text"]

JSON_TYPE: Final = "application/json"
FORM_TYPE: Final = "application/x-www-form-urlencoded"
TEXT_TYPE: Final = "text/plain; charset=utf-8"

_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SLOT: Final = re.compile(r"\{\{[ \t]*([A-Za-z0-9_.]+)[ \t]*\}\}")


class BodyError(ValueError):
    """A body cannot be made a template. ``path`` is the place in it, ``hint`` the fix."""

    def __init__(self, message: str, hint: str = "", path: KeyPath = ()) -> None:
        super().__init__(message)
        self.hint = hint
        self.path = path


@dataclass(frozen=True)
class Slot:
    """A place for a value of any type. Immutable."""

    placeholder: Placeholder


@dataclass(frozen=True)
class Text:
    """A text with placeholders in it. Immutable."""

    parts: Parts


Node = Slot | Text | Mapping[str, Any] | tuple[Any, ...] | str | int | float | bool | None
"""A JSON value with places in it: objects and lists hold nodes again."""


@dataclass(frozen=True)
class Body:
    """A body as a template. Immutable. ``node`` is for JSON, ``pairs`` for a form, ``text`` for plain text.

    ``written`` is sent as it stands where nothing is to be filled in. ``type`` is announced unless a header does.
    """

    form: Form
    type: str
    node: Node = None
    pairs: tuple[tuple[str, Parts], ...] = ()
    text: Parts = ()
    written: str | None = None

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        """All of them."""
        parts = [*_in_node(self.node), *(part for _, parts in self.pairs for part in parts), *self.text]
        return tuple(placeholders_in(parts))


def body_of(value: Any, content_type: str = "") -> Body:
    """The template of a body; ``content_type`` is what the definition's own header says, "" for nothing.

    Raises BodyError, and PlaceholderError for what is no placeholder.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind == FORM_TYPE:
        return _form(value)
    if isinstance(value, str) and (kind.startswith("text/") or not _is_json_text(value)):
        return _plain(value, kind)
    node = _parsed(value) if isinstance(value, str) else _structure(value, ())
    filled = any(True for _ in _in_node(node))
    return Body("json", JSON_TYPE, node=node, written=value if isinstance(value, str) and not filled else None)


def filled_in(node: Node, slot: Callable[[Placeholder], Any], text: Callable[[Parts], Any]) -> Any:
    """A JSON value with everything filled in. What ``slot`` and ``text`` find MISSING loses its member or item."""
    if isinstance(node, Slot):
        return slot(node.placeholder)
    if isinstance(node, Text):
        return text(node.parts)
    if isinstance(node, Mapping):
        members = ((name, filled_in(member, slot, text)) for name, member in node.items())
        return {name: member for name, member in members if member is not MISSING}
    if isinstance(node, tuple):
        return [item for item in (filled_in(one, slot, text) for one in node) if item is not MISSING]
    return node


def _in_node(node: Node) -> Iterator[str | Placeholder]:
    """The placeholders in a node, and the texts beside them."""
    if isinstance(node, Slot):
        yield node.placeholder
    elif isinstance(node, Text):
        yield from node.parts
    elif isinstance(node, (Mapping, tuple)):
        for member in node.values() if isinstance(node, Mapping) else node:
            yield from _in_node(member)


def _structure(value: Any, path: KeyPath) -> Node:
    """A value that is written as such: a text that is one placeholder stands for a value of any type."""
    if isinstance(value, str):
        parts = parts_of(value)
        whole = only_placeholder(parts)
        return Slot(whole) if whole else _text(parts, value)
    if isinstance(value, Mapping):
        return {_key(name, path): _structure(member, (*path, name)) for name, member in value.items()}
    if isinstance(value, list):
        return tuple(_structure(item, (*path, place)) for place, item in enumerate(value))
    return _scalar(value, path)


def _scalar(value: Any, path: KeyPath) -> Node:
    if value is None or isinstance(value, (bool, int, float)):
        return value
    # TOML has dates of its own
    raise BodyError(f"a {type(value).__name__} cannot stand in JSON", "Put it in quotes.", path)


def _text(parts: Parts, whole: str) -> Node:
    return Text(parts) if any(True for _ in placeholders_in(parts)) else whole


def _key(name: Any, path: KeyPath) -> str:
    if "{{" in str(name):
        raise BodyError("a placeholder cannot stand in a member's name", "Write the name out.", (*path, name))
    return str(name)


def _is_json_text(text: str) -> bool:
    """Whether a text is meant to be JSON: it begins like an object or a list, or is JSON."""
    if text.lstrip()[:1] in ("{", "[") or _SLOT.fullmatch(text.strip()):
        return True
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _parsed(text: str) -> Node:
    """JSON as text. A placeholder in quotes stands for text, one outside of quotes for a value of any type."""
    mark = f"slot {secrets.token_hex(8)}"  # stands for no key that anybody wrote

    def node(pairs: list[tuple[str, Any]]) -> Any:
        if len(pairs) == 1 and pairs[0][0] == mark:
            return Slot(_placeholder(pairs[0][1]))
        found = {_key(name, ()): value for name, value in pairs}
        if len(found) != len(pairs):
            raise BodyError("the body gives a name twice in one object", "Remove one of the two.")
        return found

    try:
        value = json.loads(_marked(text, mark), object_pairs_hook=node, parse_constant=_refused)
    except RecursionError:
        raise BodyError("the body nests too deep") from None
    except json.JSONDecodeError as error:
        hint = "Mend it, or name another Content-Type in the headers."
        raise BodyError(f"the body is not JSON: {error.msg}", hint) from None
    return _texts(value)


def _refused(word: str) -> Any:
    raise BodyError(f"the body is not JSON: {word}", "Leave it out.")


def _marked(text: str, mark: str) -> str:
    """A text in which each placeholder outside of quotes is an object that nobody could have written."""
    found, end = [], 0
    for match in _STRING.finditer(text):
        found += [_SLOT.sub(rf'{{"{mark}": "\1"}}', text[end : match.start()]), match[0]]
        end = match.end()
    return "".join([*found, _SLOT.sub(rf'{{"{mark}": "\1"}}', text[end:])])


def _texts(value: Any) -> Node:
    if isinstance(value, str):
        return _text(parts_of(value), value)
    if isinstance(value, dict):
        return {name: _texts(member) for name, member in value.items()}
    return tuple(_texts(item) for item in value) if isinstance(value, list) else value


def _placeholder(name: str) -> Placeholder:
    found = only_placeholder(parts_of(f"{{{{{name}}}}}"))
    assert found is not None
    return found


def _form(value: Any) -> Body:
    if isinstance(value, Mapping):
        pairs = tuple((_key(name, ()), parts_of(_form_text(name, text))) for name, text in value.items())
    elif isinstance(value, str) and "{{" not in value:
        return Body("form", FORM_TYPE, written=value)
    elif isinstance(value, str):
        split = (pair.partition("=") for pair in value.split("&") if pair)
        pairs = tuple((_key(name, ()), parts_of(text)) for name, _, text in split)
    else:
        raise BodyError("the body of a form is an object of names and texts", 'Write {"name": "{{name}}"}.')
    return Body("form", FORM_TYPE, pairs=pairs)


def _form_text(name: str, value: Any) -> str:
    if isinstance(value, (str, bool, int, float)):
        return value if isinstance(value, str) else json.dumps(value)
    raise BodyError("a form has texts only", "Send JSON where more is needed.", (name,))


def _plain(text: str, kind: str) -> Body:
    parts = parts_of(text)
    if any(True for _ in placeholders_in(parts)) and kind != "text/plain":
        told = f"into a body of {kind}" if kind else "into this body"
        hint = 'Write the body as JSON, or name the Content-Type "text/plain" in the headers.'
        raise BodyError(f"no value can be put {told} safely", hint)
    return Body("text", TEXT_TYPE, text=parts, written=None if "{{" in text else text)
