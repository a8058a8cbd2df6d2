"""The body of a request as a template: JSON that is built as a value, a form, several parts, text, or a file. Pure."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from pegboard.documents.problems import KeyPath
from pegboard.http_tools.media import FORM_TYPE, JSON_TYPE, TEXT_TYPE, BodyKind, announced, essence_of, kind_of
from pegboard.http_tools.placeholders import Parts, Placeholder, only_placeholder, parts_of, placeholders_in
from pegboard.tools import MISSING

_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SLOT: Final = re.compile(r"\{\{[ \t]*([A-Za-z0-9_.-]+)[ \t]*\}\}")


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
    """A body as a template. Immutable. ``node`` is for JSON, for one argument that is a whole form, and for a file;
    ``members`` are those of a form or of several parts, ``text`` is for text.

    ``written`` is sent as it stands where nothing is to be filled in. ``type`` is announced unless a header does.
    """

    kind: BodyKind
    type: str
    node: Node = None
    members: tuple[tuple[str, Node], ...] = ()
    text: Parts = ()
    written: str | None = None

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        """All of them."""
        inside = [part for _, member in self.members for part in _in_node(member)]
        return tuple(placeholders_in([*_in_node(self.node), *inside, *self.text]))


def body_of(value: Any, content_type: str = "", body_type: str = "") -> Body:
    """The template of a body. ``content_type`` is what the definition's own header says, ``body_type`` the media type
    that it names, "" for nothing.

    Raises BodyError, and PlaceholderError for what is no placeholder.
    """
    kind = essence_of(content_type)
    if body_type:
        return _TYPED[kind_of(body_type)](value, body_type)
    if kind == FORM_TYPE:
        return _form(value, FORM_TYPE)
    if isinstance(value, str) and (kind.startswith("text/") or not _is_json_text(value)):
        return _plain(value, kind)
    return _json(value, JSON_TYPE)


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


def _json(value: Any, type: str) -> Body:
    """JSON; a text is read as JSON if it is, else it stands for itself."""
    is_json = isinstance(value, str) and _is_json_text(value)
    node = _parsed(value) if is_json else _structure(value, ())
    filled = any(True for _ in _in_node(node))
    return Body("json", type, node=node, written=value if is_json and not filled else None)


def _form(value: Any, type: str) -> Body:
    if isinstance(value, str) and "{{" not in value:
        return Body("form", type, written=value)
    if isinstance(value, str) and only_placeholder(parts_of(value)) is None:
        split = (pair.partition("=") for pair in value.split("&") if pair)
        return Body(
            "form", type, members=tuple((_key(name, ()), _text(parts_of(text), text)) for name, _, text in split)
        )
    return _members("form", value, type)


def _parts(value: Any, type: str) -> Body:
    return _members("multipart", value, type)


def _members(kind: BodyKind, value: Any, type: str) -> Body:
    """An object whose members are written one by one, or one argument that is such an object."""
    whole = only_placeholder(parts_of(value)) if isinstance(value, str) else None
    if whole:
        return Body(kind, type, node=Slot(whole))
    if not isinstance(value, Mapping):
        raise BodyError("this body is an object of names and values", 'Write {"name": "{{name}}"}.')
    return Body(kind, type, members=tuple((_key(name, ()), _structure(one, (name,))) for name, one in value.items()))


def _plain(text: str, kind: str) -> Body:
    parts = parts_of(text)
    if any(True for _ in placeholders_in(parts)) and kind != "text/plain":
        told = f"into a body of {kind}" if kind else "into this body"
        hint = 'Write the body as JSON, or name the Content-Type "text/plain" in the headers.'
        raise BodyError(f"no value can be put {told} safely", hint)
    return Body("text", TEXT_TYPE, text=parts, written=None if "{{" in text else text)


def _typed_text(value: Any, type: str) -> Body:
    if not isinstance(value, str):
        raise BodyError(f"a body of {type} is a text", 'Write "{{body}}", with the name of a parameter.')
    if only_placeholder(parts_of(value)):
        return Body("text", announced(type), text=parts_of(value))
    return replace(_plain(value, essence_of(type)), type=announced(type))


def _bytes(value: Any, type: str) -> Body:
    whole = only_placeholder(parts_of(value)) if isinstance(value, str) else None
    if whole is None:
        raise BodyError(f"a body of {type} is one file", 'Write "{{file}}", with the name of a parameter.')
    return Body("bytes", type, node=Slot(whole))


_TYPED: Final[Mapping[BodyKind, Callable[[Any, str], Body]]] = {
    "json": _json,
    "form": _form,
    "multipart": _parts,
    "text": _typed_text,
    "bytes": _bytes,
}
"""How a body of each kind is taken apart, where the definition names its media type."""
