"""Parameter objects of 3.x, those of the path and those of the operation, as one list. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pegboard.http_tools.openapi.references import References
from pegboard.http_tools.openapi.values import Unusable, listed, table, text
from pegboard.http_tools.request import STYLES, WHERES, Where
from pegboard.net.headers import OURS

SETTINGS: Final = frozenset({"accept", "content-type", "authorization"})
"""Headers that the standard says are no parameters."""

MAX_PARAMETERS: Final = 500
"""Parameters of one operation."""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter of an operation. Immutable. ``schema`` as the document has it; ``explode`` None for the default."""

    name: str
    where: Where
    required: bool = False
    description: str = ""
    schema: Any = field(default_factory=dict)
    style: str = ""
    explode: bool | None = None
    allow_reserved: bool = False
    content_type: str = ""


def parameters_of(
    shared: Any, own: Any, references: References, notes: list[str]
) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Parameter objects by place and name, those of the operation over those of its path. Raises Unusable."""
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for level in (shared, own):
        for item in listed(level)[:MAX_PARAMETERS]:
            one = references.resolved_table(item)
            where, name = text(one.get("in")).lower(), text(one.get("name"))
            if not where or (not name and where != "body"):
                notes.append("a parameter without a name or a place is left out")
                continue
            found[(where, name.lower() if where == "header" else name)] = one
    return found


def parameters(found: Mapping[tuple[str, str], Mapping[str, Any]], notes: list[str]) -> Iterator[Parameter]:
    """The parameters that models give. What the client or the standard sets itself is left out."""
    for (where, name), one in found.items():
        shown = text(one.get("name"))
        if where not in WHERES:
            notes.append(f"the parameter {shown!r} is left out: {where!r} is no place of parameters")
        elif where == "header" and name in SETTINGS:
            continue
        elif where == "header" and name in OURS:
            notes.append(f"the header {shown!r} is left out: the client sets it")
        else:
            yield _parameter(one, shown, where, notes)


def _parameter(one: Mapping[str, Any], name: str, where: Where, notes: list[str]) -> Parameter:
    media, schema = _content(one)
    style, explode = text(one.get("style")), one.get("explode")
    if style and style not in STYLES[where]:
        notes.append(f"the style {style!r} of {name!r} is not one of {where} parameters: the default is used")
        style = ""
    return Parameter(
        name=name,
        where=where,
        required=where == "path" or one.get("required") is True,
        description=text(one.get("description")),
        schema=schema,
        style=style,
        explode=explode if isinstance(explode, bool) else None,
        allow_reserved=one.get("allowReserved") is True,
        content_type=media,
    )


def _content(one: Mapping[str, Any]) -> tuple[str, Any]:
    """The media type of a parameter that has one, and its schema."""
    for media, content in table(one.get("content")).items():
        return str(media), table(content).get("schema", {})
    return "", one.get("schema", {})


def without(found: dict[tuple[str, str], Mapping[str, Any]], place: tuple[str, str]) -> None:
    """Take a parameter away that the operator, and not the model, gives."""
    where, name = place
    found.pop((where, name.lower() if where == "header" else name), None)


def check_count(found: Mapping[tuple[str, str], Any]) -> None:
    """Raises Unusable for more parameters than anybody can fill in."""
    if len(found) > MAX_PARAMETERS:
        raise Unusable(f"it has more than {MAX_PARAMETERS} parameters")
