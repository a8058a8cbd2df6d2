"""The ``request`` of a definition: every field read, every mistake told. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pegboard.documents.problems import KeyPath, shown
from pegboard.http_tools.mistakes import Mistakes
from pegboard.http_tools.request import (
    AUTH_KEYS,
    AUTH_KINDS,
    AUTH_OPTIONAL,
    STYLES,
    WHERES,
    Auth,
    Encoding,
    Place,
    Request,
)
from pegboard.http_tools.scalars import flag, plain, text_of
from pegboard.http_tools.tables import object_of, table_of, texts_of, word_of
from pegboard.http_tools.words import METHODS

BESIDE_KEYS: Final = ("method", "url", "headers", "query", "body", "body_type", "body_optional", "encoding", "auth")
"""Keys that may also stand beside the tool's name; ``parameters`` there are its arguments."""
REQUEST_KEYS: Final = (*BESIDE_KEYS, "parameters")

_PLACE_KEYS: Final = ("param", "name", "in", "style", "explode", "allow_reserved", "content_type")
_ENCODING_KEYS: Final = ("content_type", "style", "explode", "allow_reserved", "file", "headers")


def read_request(value: Any, mistakes: Mistakes) -> Request:
    """The request that a value is."""
    table = table_of(value, REQUEST_KEYS, ("request",), mistakes)
    method = text_of(table.get("method") or "GET", ("request", "method"), mistakes).upper()
    if method not in METHODS:
        hint = f"Use one of: {', '.join(METHODS)}."
        mistakes.wrong(("request", "method"), f"{shown(table.get('method'))} is no method.", hint)
    url = text_of(table.get("url"), ("request", "url"), mistakes)
    if not url and not isinstance(table.get("url"), (list, dict)):
        mistakes.wrong(("request", "url"), "a url is required.", "Write it like https://api.example.com/items/{{id}}.")
    return Request(
        method=method,
        url=url,
        headers=_headers(table.get("headers"), ("request", "headers"), mistakes),
        query=_query(table.get("query"), mistakes),
        body=_body(table.get("body")),
        parameters=_places(table.get("parameters"), mistakes),
        body_type=text_of(table.get("body_type"), ("request", "body_type"), mistakes).strip(),
        body_optional=flag(table.get("body_optional"), ("request", "body_optional"), mistakes),
        encoding=_encodings(table.get("encoding"), mistakes),
        auth=_auths(table.get("auth"), mistakes),
    )


def _headers(value: Any, at: KeyPath, mistakes: Mistakes) -> dict[str, str]:
    return {name: text_of(text, (*at, name), mistakes) for name, text in object_of(value, at, mistakes).items()}


def _query(value: Any, mistakes: Mistakes) -> dict[str, str | tuple[str, ...]]:
    at = ("request", "query")
    found: dict[str, str | tuple[str, ...]] = {}
    for name, text in object_of(value, at, mistakes).items():
        if isinstance(text, list):
            found[name] = tuple(text_of(item, (*at, name, place), mistakes) for place, item in enumerate(text))
        else:
            found[name] = text_of(text, (*at, name), mistakes)
    return found


def _body(value: Any) -> Any:
    return plain(value) if isinstance(value, (bool, int, float)) else value


def _listed(value: Any, at: KeyPath, mistakes: Mistakes) -> list[tuple[KeyPath, Any]]:
    """The tables of a list, each with its place; one alone may stand without a list."""
    if value is None:
        return []
    if isinstance(value, Mapping):
        return [(at, value)]
    if not isinstance(value, list):
        mistakes.wanted(at, "a list of objects", value)
        return []
    return [((*at, place), item) for place, item in enumerate(value)]


def _places(value: Any, mistakes: Mistakes) -> tuple[Place, ...]:
    found = (_place(item, at, mistakes) for at, item in _listed(value, ("request", "parameters"), mistakes))
    return tuple(place for place in found if place is not None)


def _place(value: Any, at: KeyPath, mistakes: Mistakes) -> Place | None:
    """One place; None where nothing could be said of it."""
    table = table_of(value, _PLACE_KEYS, at, mistakes)
    if not isinstance(value, Mapping):
        return None
    where = word_of(table.get("in"), WHERES, (*at, "in"), mistakes)
    param = text_of(table.get("param"), (*at, "param"), mistakes)
    if not param:
        hint = "Name the argument that stands here."
        mistakes.wrong((*at, "param"), "a place needs a 'param'.", hint)
    style = text_of(table.get("style"), (*at, "style"), mistakes)
    if where not in WHERES:
        return None
    if style and style not in STYLES[where]:
        hint = f"Use one of: {', '.join(STYLES[where])}."
        mistakes.wrong((*at, "style"), f"{shown(style)} is no style of {where} parameters.", hint)
        style = ""
    return Place(
        param=param,
        name=text_of(table.get("name"), (*at, "name"), mistakes) or param,
        where=where,
        style=style,
        explode=_flag_or_none(table.get("explode"), (*at, "explode"), mistakes),
        allow_reserved=flag(table.get("allow_reserved"), (*at, "allow_reserved"), mistakes),
        content_type=text_of(table.get("content_type"), (*at, "content_type"), mistakes).strip(),
    )


def _flag_or_none(value: Any, at: KeyPath, mistakes: Mistakes) -> bool | None:
    return None if value is None else flag(value, at, mistakes)


def _encodings(value: Any, mistakes: Mistakes) -> dict[str, Encoding]:
    at = ("request", "encoding")
    members = object_of(value, at, mistakes)
    return {name: _encoding(member, (*at, name), mistakes) for name, member in members.items()}


def _encoding(value: Any, at: KeyPath, mistakes: Mistakes) -> Encoding:
    table = table_of(value, _ENCODING_KEYS, at, mistakes)
    style = text_of(table.get("style"), (*at, "style"), mistakes)
    if style and style not in STYLES["query"]:
        hint = f"Use one of: {', '.join(STYLES['query'])}."
        mistakes.wrong((*at, "style"), f"{shown(style)} is no style of a body's members.", hint)
    return Encoding(
        content_type=text_of(table.get("content_type"), (*at, "content_type"), mistakes).strip(),
        style=style,
        explode=_flag_or_none(table.get("explode"), (*at, "explode"), mistakes),
        allow_reserved=flag(table.get("allow_reserved"), (*at, "allow_reserved"), mistakes),
        file=flag(table.get("file"), (*at, "file"), mistakes),
        headers=_headers(table.get("headers"), (*at, "headers"), mistakes),
    )


def _auths(value: Any, mistakes: Mistakes) -> tuple[Auth, ...]:
    found = (_auth(item, at, mistakes) for at, item in _listed(value, ("request", "auth"), mistakes))
    return tuple(auth for auth in found if auth is not None)


def _auth(value: Any, at: KeyPath, mistakes: Mistakes) -> Auth | None:
    """One way of proving who calls; None where its kind is not known."""
    table = object_of(value, at, mistakes)
    if not isinstance(value, Mapping):
        return None
    kind = word_of(table.get("type"), AUTH_KINDS, (*at, "type"), mistakes)
    if kind not in AUTH_KINDS:
        return None
    keys = AUTH_KEYS[kind]
    table_of(value, ("type", *keys), at, mistakes)
    texts = {key: text_of(table.get(key), (*at, key), mistakes).strip() for key in keys if key not in _NO_TEXTS}
    for key in keys:
        if key not in AUTH_OPTIONAL and not texts.get(key) and not isinstance(table.get(key), (list, dict)):
            hint = "Name the place: header, query or cookie." if key == "in" else _AUTH_HINTS.get(key, _NAME_HINT)
            mistakes.wrong((*at, key), f"{kind} needs {key!r}.", hint)
    where = texts.pop("in", "header")
    if where and where not in _AUTH_WHERES:
        word_of(where, _AUTH_WHERES, (*at, "in"), mistakes)
    return Auth(
        kind=kind,
        where=where if where in _AUTH_WHERES else "header",  # type: ignore[arg-type]  # one of them
        scopes=tuple(texts_of(table.get("scopes"), (*at, "scopes"), mistakes)) if "scopes" in keys else (),
        in_body=flag(table.get("in_body"), (*at, "in_body"), mistakes) if "in_body" in keys else False,
        extra=_extra(table.get("extra"), (*at, "extra"), mistakes) if "extra" in keys else (),
        **texts,
    )


def _extra(value: Any, at: KeyPath, mistakes: Mistakes) -> tuple[tuple[str, str], ...]:
    """Pairs of the form with which a token is asked for."""
    found: list[tuple[str, str]] = []
    for name, told in object_of(value, at, mistakes).items():
        texts = texts_of(told, (*at, name), mistakes)
        if name in _OF_TOKENS:
            mistakes.wrong((*at, name), f"{name!r} is set from the other keys.", "Leave it out.")
        elif not name.strip() or (not texts and not isinstance(told, Mapping)):
            mistakes.wrong(
                (*at, name), "a name and a text are wanted.", 'Write it like audience = "https://a.example".'
            )
        if any("{{" in text for text in texts):
            hint = "Tokens are shared by calls: write it out, or use {{env.NAME}}."
            mistakes.wrong((*at, name), "no value of a call can stand here.", hint)
        found += [(name, text) for text in texts]
    return tuple(found)


_NO_TEXTS: Final = frozenset({"scopes", "in_body", "extra"})
_OF_TOKENS: Final = frozenset(
    {"grant_type", "scope", "client_id", "client_secret", "client_assertion", "client_assertion_type"}
)
"""What the form has, or what would prove another client than the one that is named."""
_AUTH_WHERES: Final = ("header", "query", "cookie")
_NAME_HINT: Final = "Write the name of a secret, never its value."
_AUTH_HINTS: Final = {
    "name": "Write what the key is called there.",
    "token_url": "Write the address that gives tokens.",
}
