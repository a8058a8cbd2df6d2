"""A definition's request, filled in with the values of one call. Pure, but for the boundaries of bodies of parts.

What is absent takes its query pair, header or body member along. What cannot stand where it would is refused, and
nothing is sent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from pegboard.errors import ToolError
from pegboard.http_tools import payload
from pegboard.http_tools.address import Address, address_of
from pegboard.http_tools.auth import CredentialError, Credentials, credentials_of
from pegboard.http_tools.body import Body, body_of
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.encoding import encoded
from pegboard.http_tools.filling import Filling, Values
from pegboard.http_tools.payload import Payload, PayloadError
from pegboard.http_tools.placeholders import Parts, Placeholder, only_placeholder, parts_of, placeholders_in
from pegboard.http_tools.placing import Placed, PlaceError, names_taken, place_all
from pegboard.http_tools.request import Request, Where
from pegboard.http_tools.secrets import FOR_OPERATOR
from pegboard.net.headers import UNSAFE
from pegboard.tools import MISSING

_DOTS: Final = frozenset({"", ".", ".."})
"""Path segments that mean another resource than they name."""


@dataclass(frozen=True)
class Built:
    """A request ready to be sent. Immutable; belongs to one call. All of it may hold secrets."""

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True)
class Template:
    """The request of one definition, taken apart once. Immutable, shared by its calls.

    ``taken`` are the names that queries and cookies have, whatever the arguments are.
    """

    definition: HttpDefinition
    address: Address
    query: tuple[tuple[str, Parts], ...]
    headers: tuple[tuple[str, Parts], ...]
    body: Body | None
    taken: Mapping[Where, frozenset[str]]

    def build(self, values: Values) -> Built:
        """The request of a call. Raises CallError; the message repeats no value."""
        return _Building(self, values).request()

    def paths(self, values: Values) -> tuple[str, ...]:
        """The paths of files that a call sends: ``build`` wants what stands there in ``values.files``.

        Raises CallError.
        """
        return _Building(self, values).paths()


@lru_cache(4096)
def _parts(text: str) -> Parts:
    return parts_of(text)


def template_of(definition: HttpDefinition) -> Template:
    """The template of a definition that ``checks`` has let pass."""
    request = definition.request
    texts = {name: text if isinstance(text, tuple) else (text,) for name, text in request.query.items()}
    address = address_of(request.url)
    return Template(
        definition=definition,
        address=address,
        query=tuple((name, _parts(text)) for name, several in texts.items() for text in several),
        headers=tuple((name, _parts(text)) for name, text in request.headers.items()),
        body=body_template(request),
        taken=names_taken(request, address),
    )


def body_template(request: Request) -> Body | None:
    """The template of a request's body; None for none. Raises BodyError, and PlaceholderError."""
    if request.body is None:
        return None
    return body_of(request.body, content_type_of(request.headers), request.body_type)


def content_type_of(headers: Mapping[str, str]) -> str:
    """What the headers say that the body is; "" for nothing."""
    return next((text for name, text in headers.items() if name.lower() == "content-type"), "")


class _Building(Filling):
    """One building of a request. Lives as long as one ``build``."""

    def __init__(self, template: Template, values: Values) -> None:
        super().__init__(template.definition, values)
        self.template = template

    def request(self) -> Built:
        placed, credentials = self.placed(), self.credentials()
        headers = self.headers(placed, credentials)
        body = self.body()
        if body is not None and not content_type_of(headers):
            headers["Content-Type"] = body.type
        url = self.url(placed, credentials)
        return Built(self.definition.request.method, url, headers, body.data if body else b"")

    def paths(self) -> tuple[str, ...]:
        body = self.template.body
        if body is None or self.left_out(body):
            return ()
        try:
            return tuple(payload.paths_of(body, self.definition.request.encoding, self.as_texts))
        except PayloadError as error:
            raise self.wrong(error.param, str(error)) from None

    def placed(self) -> Placed:
        try:
            return place_all(self.definition.request.parameters, self.template.taken, self.argument)
        except PlaceError as error:
            raise self.wrong(error.param, str(error)) from None

    def credentials(self) -> Credentials:
        try:
            return credentials_of(self.definition.request.auth, self.values.secrets, self.values.tokens)
        except CredentialError as error:
            raise ToolError(f"{self.definition.name!r} cannot be called: {error}.", hint=FOR_OPERATOR) from None

    def url(self, placed: Placed, credentials: Credentials) -> str:
        address = self.template.address
        found = self.text(address.authority, "the host")
        if found is MISSING:
            raise self.refused(next(placeholders_in(address.authority)), "is needed for the host")
        host = "".join(found)
        path = "".join(f"/{self.segment(segment, placed)}" for segment in address.segments)
        pairs = [*self.own_pairs(), *self.pairs(), *placed.query, *credentials.query]
        return f"{address.scheme}://{host}{path}{'?' if pairs else ''}{'&'.join(pairs)}"

    def segment(self, parts: Parts, placed: Placed) -> str:
        """A path segment, each value in it encoded whole."""
        if not any(True for _ in placeholders_in(parts)):
            return "".join(map(str, parts))
        found = [part if isinstance(part, str) else self.in_path(part, placed) for part in parts]
        segment = "".join(found)
        if unquote(segment) in _DOTS:
            raise self.refused(next(placeholders_in(parts)), "cannot be empty, '.' or '..' in the path")
        return segment

    def in_path(self, placeholder: Placeholder, placed: Placed) -> str:
        if placeholder.kind == "param" and placeholder.key in placed.path:
            return placed.path[placeholder.key]
        value = self.scalar(placeholder, "the path")
        if value is MISSING:
            raise self.refused(placeholder, "is needed for the path")
        return encoded(value)

    def own_pairs(self) -> list[str]:
        """The pairs that the address itself has; its own text is encoded already."""
        pairs = []
        for name, value in self.template.address.query:
            own = "".join(map(str, name))
            if value is None:
                pairs.append(own)
            elif (found := self.text(value, "the query")) is not MISSING:
                texts = zip(value, found, strict=True)
                told = "".join(text if isinstance(part, str) else encoded(text) for part, text in texts)
                pairs.append(f"{own}={told}")
        return pairs

    def pairs(self) -> list[str]:
        """Pairs of the query, encoded; a list gives a pair for each of its items."""
        query = self.template.query
        return [f"{encoded(name)}={encoded(text)}" for name, parts in query for text in self.several(parts, name)]

    def several(self, parts: Parts, name: str) -> list[str]:
        """The texts of one name: none where it is absent, several for a list."""
        whole, where = only_placeholder(parts), f"the value of {name!r}"
        value = self.value(whole) if whole else MISSING
        if whole and isinstance(value, list):
            return [self.plain(item, whole, where) for item in value]
        text = self.joined(parts, where)
        return [] if text is MISSING else [text]

    def headers(self, placed: Placed, credentials: Credentials) -> dict[str, str]:
        headers: dict[str, str] = {}
        for name, parts in self.template.headers:
            found = self.text(parts, f"the header {name!r}")
            if found is MISSING:
                continue
            for placeholder, text in zip(parts, found, strict=True):
                if isinstance(placeholder, Placeholder):
                    self.check_header(name, placeholder, text)
            headers[name] = "".join(found).strip(" \t")
        headers |= placed.headers | credentials.headers
        cookies = [*placed.cookies, *credentials.cookies]
        if cookies:
            own = next((name for name in headers if name.lower() == "cookie"), "Cookie")
            headers[own] = "; ".join(text for text in (headers.get(own, ""), *cookies) if text)
        return headers

    def check_header(self, name: str, placeholder: Placeholder, text: str) -> None:
        """A value may end neither its header nor, in a Cookie header, its cookie."""
        if UNSAFE.search(text):
            why = f"has a line break or control character, which the header {name!r} cannot hold"
            raise self.refused(placeholder, why)
        if name.lower() == "cookie" and placeholder.kind != "secret" and ";" in text:
            raise self.refused(placeholder, "has a semicolon, behind which another cookie would begin")

    def body(self) -> Payload | None:
        body = self.template.body
        if body is None or self.left_out(body):
            return None
        if body.written is not None:
            return Payload(body.written.encode("utf-8"), body.type)
        try:
            return _BODIES[body.kind](self, body)
        except PayloadError as error:
            raise self.wrong(error.param, str(error)) from None

    def left_out(self, body: Body) -> bool:
        """Whether an optional body has nothing in it."""
        placeholders = [one for one in body.placeholders if one.kind == "param"]
        absent = all(self.values.arguments.get(one.key) is None for one in placeholders)
        return self.definition.request.body_optional and bool(placeholders) and absent

    def json(self, body: Body) -> Payload | None:
        value = self.as_json(body.node)
        if value is MISSING:
            return None
        return Payload(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8"), body.type)

    def plain_text(self, body: Body) -> Payload | None:
        found = self.text(body.text, "the body")
        return None if found is MISSING else Payload("".join(found).encode("utf-8"), body.type)

    def form(self, body: Body) -> Payload:
        return payload.form_of(body, self.definition.request.encoding, self.as_texts)

    def several_parts(self, body: Body) -> Payload:
        return payload.parts_of_body(body, self.definition.request.encoding, self.as_texts, self.values.files)

    def file(self, body: Body) -> Payload | None:
        return payload.file_of(body, self.as_texts, self.values.files)


_BODIES: Final[Mapping[str, Callable[[_Building, Body], Payload | None]]] = {
    "json": _Building.json,
    "text": _Building.plain_text,
    "form": _Building.form,
    "multipart": _Building.several_parts,
    "bytes": _Building.file,
}
