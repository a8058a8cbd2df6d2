"""Parameters and body of an operation as the arguments of one tool. Pure.

Every argument has a name of its own that models may give, and says in its description where it stands when that is not
plain. What is sent is named apart: a parameter and a member of the body may be called alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pegboard.http_tools.openapi.bodies import RequestBody, is_json
from pegboard.http_tools.openapi.parameters import Parameter
from pegboard.http_tools.openapi.schemas import Converted, Schemas
from pegboard.http_tools.request import Encoding, Place
from pegboard.http_tools.uploads import file_schema

MAX_NAME: Final = 64
"""Characters of an argument's name, as Anthropic's API has it: of A-Z a-z 0-9 _ . -"""

BODY: Final = "body"
PART: Final = "part"
_OTHER: Final = re.compile(r"[^A-Za-z0-9_.-]+")
_LEGAL: Final = re.compile(r"(?!(?:ctx|secret|env)\.)[A-Za-z0-9_.-]{1,64}")
_SENT_AS: Final[Mapping[str, str]] = {
    "path": "in the path",
    "query": "as a query parameter",
    "header": "as a header",
    "cookie": "as a cookie",
    BODY: "as a member of the body",
    PART: "as a header of a part of the body",
}


@dataclass(frozen=True, kw_only=True)
class Argument:
    """One argument of a tool. Immutable. ``wire`` is what it is called where it is sent."""

    name: str
    wire: str
    where: str
    schema: Converted
    required: bool


@dataclass
class Arguments:
    """All arguments of one tool, and what they say of its request. Lives as long as one operation's import."""

    all: list[Argument] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    path: dict[str, str] = field(default_factory=dict)
    body: Any = None
    body_optional: bool = False
    encoding: dict[str, Encoding] = field(default_factory=dict)

    def drop(self, wire: str) -> None:
        """Leave a parameter of the path out that the path does not have."""
        name = self.path.pop(wire)
        self.all = [one for one in self.all if one.name != name]
        self.places = [place for place in self.places if place.param != name]


def arguments_of(parameters: Iterable[Parameter], body: RequestBody | None, schemas: Schemas) -> Arguments:
    """The arguments of an operation. Raises Unusable."""
    parameters = list(parameters)
    wires: list[tuple[str, str]] = [(one.where, one.name) for one in parameters]
    members = () if body is None else body.members or ()
    whole = body is not None and body.members is None
    wires += [(BODY, member.name) for member in members] + ([(BODY, BODY)] if whole else [])
    wires += [(PART, header.wire) for header in (() if body is None else body.headers)]
    names = argument_names(wires)
    found = Arguments()
    for one in parameters:
        name = names[one.where, one.name]
        schema = _described(schemas.convert(one.schema), one.description, _note(name, one.name, one.where))
        found.all.append(Argument(name=name, wire=one.name, where=one.where, schema=schema, required=one.required))
        found.places.append(_place(name, one))
        if one.where == "path":
            found.path[one.name] = name
    if body is not None:
        _add_body(found, body, names, schemas)
    return found


def _add_body(found: Arguments, body: RequestBody, names: Mapping[tuple[str, str], str], schemas: Schemas) -> None:
    if body.members is None:
        name = names[BODY, BODY]
        schema = _described(_whole(body, schemas), body.description, "")
        found.all.append(Argument(name=name, wire="", where=BODY, schema=schema, required=body.required))
        found.body = f"{{{{{name}}}}}"
        found.body_optional = not body.required
        return
    found.body = {}
    found.encoding = dict(body.encoding)
    for member in body.members:
        name = names[BODY, member.name]
        encoding = body.encoding.get(member.name)
        schema = schemas.convert(member.schema)
        if encoding is not None and encoding.file:
            schema = _file(schema)
        schema = _described(schema, "", _note(name, member.name, BODY))
        found.all.append(Argument(name=name, wire=member.name, where=BODY, schema=schema, required=member.required))
        found.body[member.name] = f"{{{{{name}}}}}"
    _add_headers(found, body, names, schemas)
    # A body that may be left out has members that may not be: most documents forget to say that it is required.
    found.body_optional = not body.required and not any(member.required for member in body.members)


def _add_headers(found: Arguments, body: RequestBody, names: Mapping[tuple[str, str], str], schemas: Schemas) -> None:
    """The headers of a body's parts. One is required only where its part always is."""
    always = {member.name for member in body.members or () if member.required}
    for one in body.headers:
        name = names[PART, one.wire]
        schema = _described(schemas.convert(one.schema), one.description, _note(name, one.wire, PART))
        required = one.required and one.member in always
        found.all.append(Argument(name=name, wire=one.wire, where=PART, schema=schema, required=required))
        encoding = found.encoding.get(one.member, Encoding())
        headers = {**encoding.headers, one.name: f"{{{{{name}}}}}"}
        found.encoding[one.member] = replace(encoding, headers=headers)


def _whole(body: RequestBody, schemas: Schemas) -> Converted:
    """The schema of a body that is one argument."""
    converted = schemas.convert(body.schema)
    return _file(converted) if _is_bytes(body.kind) else converted


def _is_bytes(media: str) -> bool:
    return not media.startswith("text/") and not is_json(media) and "form" not in media


def _file(converted: Converted) -> Converted:
    """A file, or a list of files, in place of the bytes that a schema stands for; its description stays."""
    schema = converted.schema if isinstance(converted.schema, dict) else {}
    told = {word: schema[word] for word in ("description", "title") if word in schema}
    if schema.get("type") == "array":
        limits = {word: schema[word] for word in ("minItems", "maxItems") if word in schema}
        return Converted({"type": "array", **told, **limits, "items": file_schema()}, {})
    return Converted(file_schema(str(told.get("description", ""))), {})


def _place(name: str, one: Parameter) -> Place:
    return Place(
        param=name,
        name=one.name,
        where=one.where,
        style=one.style,
        explode=one.explode,
        allow_reserved=one.allow_reserved,
        content_type=one.content_type,
    )


def _note(name: str, wire: str, where: str) -> str:
    """What says where an argument goes, where its own name does not."""
    return "" if name == wire else f"Sent {_SENT_AS[where]}, {wire[:100]!r}."


def _described(converted: Converted, description: str, note: str) -> Converted:
    schema = converted.schema
    if schema is True:
        schema = {}
    if not isinstance(schema, dict):
        return converted
    own = description or str(schema.get("description", ""))
    told = " ".join(filter(None, (own if not own or own.endswith((".", "!", "?")) or not note else f"{own}.", note)))
    return replace(converted, schema={**schema, "description": told} if told else schema)


def argument_names(wires: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """An argument's name for each (place, name on the wire); no two are alike.

    The name on the wire itself where it is legal and stands in one place only; where it stands in several, in the path
    as it is, elsewhere behind the place: ``query_id``, ``body_id``.
    """
    wires = list(dict.fromkeys(wires))
    times: dict[str, list[str]] = {}
    for where, wire in wires:
        times.setdefault(wire, []).append(where)
    names: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    bare = {(where, wire) for where, wire in wires if len(times[wire]) == 1 or where == "path"}
    # Those that keep their names come first, so that no name that is made up takes one of theirs.
    for one in sorted(wires, key=lambda one: one not in bare or not _LEGAL.fullmatch(one[1])):
        where, stem = one[0], _stem(one[1])
        tries = (stem, f"{where}_{stem}") if one in bare else (f"{where}_{stem}",)
        names[one] = _free(tries, where, taken)
        taken.add(names[one])
    return names


def _stem(wire: str) -> str:
    """A name on the wire in the characters that an argument's name may have; "" where it has none of them."""
    if _LEGAL.fullmatch(wire):
        return wire
    stem = _OTHER.sub("_", wire).strip("_")
    return stem if _LEGAL.fullmatch(stem[:MAX_NAME] or "_") else stem.replace(".", "_")


def _free(tries: Iterable[str], where: str, taken: set[str]) -> str:
    """The first of some names that is not taken; the last with a number where all are."""
    name = where
    for one in tries:
        name = one[:MAX_NAME] or where
        if name not in taken:
            return name
    numbers = (f"{name[: MAX_NAME - 5]}_{number}" for number in range(2, len(taken) + 3))
    return next(one for one in numbers if one not in taken)
