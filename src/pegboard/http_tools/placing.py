"""The arguments of a call put where a definition places them: path, query, headers, cookies. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote_plus

from pegboard.http_tools import styles
from pegboard.http_tools.address import Address
from pegboard.http_tools.encoding import as_it_is, encoded, flaw_in_header, with_reserved, with_reserved_in_list
from pegboard.http_tools.media import is_json
from pegboard.http_tools.request import Place, Request, Where
from pegboard.http_tools.scalars import plain
from pegboard.http_tools.styles import Encode, StyleError


class PlaceError(ValueError):
    """An argument cannot stand where it would. ``param`` names it, the message says why."""

    def __init__(self, param: str, why: str) -> None:
        super().__init__(why)
        self.param = param


@dataclass
class Placed:
    """What stands where. Lives as long as one building of a request. All but ``headers`` is encoded.

    ``path`` is by argument; ``query`` and ``cookies`` are ``name=value``.
    """

    path: dict[str, str] = field(default_factory=dict)
    query: list[str] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    cookies: list[str] = field(default_factory=list)
    owners: dict[tuple[Where, str], str] = field(default_factory=dict)


def place_all(
    places: Collection[Place], taken: Mapping[Where, frozenset[str]], value_of: Callable[[str], Any]
) -> Placed:
    """Everything in its place. ``taken`` are the names that the request has without them; ``value_of`` gives an
    argument, None for one that is absent.

    Raises PlaceError.
    """
    placed = Placed()
    for place in places:
        value = value_of(place.param)
        if value is None and place.where != "path":
            continue
        try:
            _own_names_only(place, value, taken, placed)
            _PLACING[place.where](place, value, placed)
        except StyleError as error:
            raise PlaceError(place.param, str(error)) from None
    return placed


def names_taken(request: Request, address: Address) -> dict[Where, frozenset[str]]:
    """The names that queries and cookies of a request have, whatever its arguments are."""
    wheres: tuple[Where, ...] = ("query", "cookie")
    taken = {where: {place.name for place in request.parameters if place.where == where} for where in wheres}
    for auth in request.auth:
        if auth.kind == "api_key" and auth.where in taken:
            taken[auth.where].add(auth.name)
    own = ("".join(map(str, name)) for name, _ in address.query)
    taken["query"] |= {unquote_plus(name) for name in own} | set(request.query)
    for name, text in request.headers.items():
        if name.lower() == "cookie":
            taken["cookie"] |= {pair.partition("=")[0].strip() for pair in text.split(";")}
    return {where: frozenset(names) for where, names in taken.items()}


def _own_names_only(place: Place, value: Any, taken: Mapping[Where, frozenset[str]], placed: Placed) -> None:
    """An exploded object brings names of its own: none of them may be that of another parameter, or of a key."""
    if not (isinstance(value, dict) and place.explode) or place.style == "deepObject" or place.content_type:
        return
    for key in value:
        root = key.partition("[")[0]
        names = taken.get(place.where, frozenset()) - {place.name}
        owner = placed.owners.setdefault((place.where, root), place.param)
        if root in names or owner != place.param:
            raise StyleError(f"has a member {key[:60]!r}, which would stand for another parameter")


def _in_path(place: Place, value: Any, placed: Placed) -> None:
    text = _content(place, value) if place.content_type and value is not None else None
    if text is not None:
        placed.path[place.param] = encoded(text)
        return
    found = styles.text_of(encoded(place.name), value, place.style, bool(place.explode), encoded)
    if value is None:
        raise StyleError("is needed for the path")
    if found is None:
        raise StyleError("cannot be empty in the path")
    placed.path[place.param] = found


def _in_query(place: Place, value: Any, placed: Placed) -> None:
    encode: Encode = encoded
    if place.allow_reserved:
        joined = isinstance(value, (dict, list)) and not place.explode
        encode = with_reserved_in_list if joined else with_reserved
    placed.query += _pairs(place, value, encode)


def _in_cookie(place: Place, value: Any, placed: Placed) -> None:
    placed.cookies += _pairs(place, value, encoded)


def _in_header(place: Place, value: Any, placed: Placed) -> None:
    """A header has no encoding: what would end its value, or an item in it, is refused."""
    if place.content_type:
        text: str | None = _content(place, value)
    else:
        text = styles.text_of(place.name, value, place.style, bool(place.explode), _in_list_of(place.style))
    if text is None:
        return
    flaw = flaw_in_header(text)
    if flaw:
        raise StyleError(f"{flaw}, which the header {place.name!r} cannot hold")
    placed.headers[place.name] = text


def _in_list_of(style: str) -> Encode:
    """How texts of a list are written in a header: delimiters that are blanks as they are, no item with one."""
    delimiters = {styles.STYLES[style].joins, styles.STYLES[style].between}

    def encode(text: str) -> str:
        if text != text.strip(" \t") and text not in delimiters:
            raise StyleError("has blanks around an item or a name, which a header loses")
        return as_it_is(text)

    return encode


_PLACING: Final[Mapping[Where, Callable[[Place, Any, Placed], None]]] = {
    "path": _in_path,
    "query": _in_query,
    "header": _in_header,
    "cookie": _in_cookie,
}


def _pairs(place: Place, value: Any, encode: Encode) -> list[str]:
    if place.content_type:
        return [f"{encoded(place.name)}={encode(_content(place, value))}"]
    found = styles.pairs_of(place.name, value, place.style, bool(place.explode), encode, encoded)
    return [f"{name}={text}" for name, text in found]


def _content(place: Place, value: Any) -> str:
    """A value in the media type of its place: JSON, or the text of a scalar."""
    if is_json(place.content_type) or isinstance(value, (dict, list)):
        return json.dumps(value, separators=(",", ":"))
    return plain(value)
