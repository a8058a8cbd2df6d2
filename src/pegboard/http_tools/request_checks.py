"""What must hold of places, bodies' types, encodings, and ways of proving who calls. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pegboard.documents.problems import KeyPath, shown
from pegboard.errors import RefusedRequestError
from pegboard.http_tools.address import Address
from pegboard.http_tools.body import Body, Slot
from pegboard.http_tools.media import charset_of, essence_of, is_media_type, kind_of
from pegboard.http_tools.mistakes import Mistakes
from pegboard.http_tools.multipart import SET_HERE
from pegboard.http_tools.request import Auth, Encoding, Place, Request
from pegboard.net.headers import OURS, TOKEN
from pegboard.net.urls import parse
from pegboard.schema.names import nearest

_SAID_AS_TYPE: Final = "content-type"
_AUTH: Final = "another way of proving who calls"
"""Two of these in one header: the later is sent. Documents ask for that, and every client does so."""


def check_request(
    request: Request, properties: Mapping[str, Any], address: Address | None, body: Body | None, mistakes: Mistakes
) -> None:
    """Add everything that keeps the parts of a request that are no templates from going together.

    ``address`` and ``body`` are its templates, None where they have mistakes of their own, or there is none.
    """
    checking = _Checking(request, properties, address, mistakes)
    for number, place in enumerate(request.parameters):
        checking.place(place, ("request", "parameters", number))
    for number, auth in enumerate(request.auth):
        checking.auth(auth, ("request", "auth", number))
    checking.body_type()
    checking.encodings(body)


class _Checking:
    """One check. Lives as long as it. ``names`` are those in use, by where they stand, each with what has it."""

    def __init__(
        self, request: Request, properties: Mapping[str, Any], address: Address | None, mistakes: Mistakes
    ) -> None:
        self.request = request
        self.properties = properties
        self.address = address
        self.mistakes = mistakes
        self.names: dict[tuple[str, str], str] = {}
        for name in request.headers:
            self.names["header", name.lower()] = "the headers"
        own = [*("".join(map(str, name)) for name, _ in address.query), *request.query] if address else [*request.query]
        for name in own:
            self.names["query", name] = "the query"

    def place(self, place: Place, at: KeyPath) -> None:
        if place.param and place.param not in self.properties:
            close = nearest(place.param, list(self.properties))
            hint = f"Did you mean {close!r}?" if close else "Add it to the parameters."
            self.mistakes.wrong((*at, "param"), f"there is no parameter {place.param!r} for this place.", hint)
        if place.where == "path" and self.address is not None and not self.in_path(place.param):
            hint = f"Write {{{{{place.param}}}}} where it stands."
            self.mistakes.wrong((*at, "param"), f"the path of the url has no {place.param!r}.", hint)
        self.name(place.where, place.name, (*at, "name"), "another place")
        if place.content_type and not is_media_type(place.content_type):
            self.no_media_type(place.content_type, (*at, "content_type"))
        if place.allow_reserved and place.where != "query":
            self.mistakes.odd((*at, "allow_reserved"), "reserved marks are kept in queries only.", "Leave it out.")

    def in_path(self, param: str) -> bool:
        segments = self.address.segments if self.address else ()
        parts = [part for segment in segments for part in segment if not isinstance(part, str)]
        return any(part.kind == "param" and part.key == param for part in parts)

    def name(self, where: str, name: str, at: KeyPath, what: str) -> None:
        """A name that can stand there, and that nothing else has."""
        if where in ("header", "cookie") and not TOKEN.fullmatch(name):
            self.mistakes.wrong(at, f"{shown(name)} cannot be the name of a {where}.", "Use letters, digits and -.")
        elif where == "header" and name.lower() in OURS:
            self.mistakes.wrong(at, f"the header {name!r} is set by the client.", "Leave it out.")
        elif where == "header" and name.lower() == _SAID_AS_TYPE:
            self.mistakes.wrong(at, "no argument chooses the body's type.", "Write it as body_type.")
        elif where == "header" and name.lower() == "cookie" and self.has_cookies():
            self.mistakes.wrong(at, "cookies have names of their own.", 'Write "in": "cookie".')
        if where == "path":
            return
        key = (where, name.lower() if where == "header" else name)
        if key in self.names:
            tell = self.mistakes.odd if what == self.names[key] == _AUTH else self.mistakes.wrong
            tell(at, f"the {where} has {name!r} already, from {self.names[key]}.", "Keep one.")
        self.names[key] = what

    def has_cookies(self) -> bool:
        """Whether the request has cookies that an argument which is the whole header could replace."""
        wheres = [place.where for place in self.request.parameters] + [auth.where for auth in self.request.auth]
        return "cookie" in wheres

    def auth(self, auth: Auth, at: KeyPath) -> None:
        if auth.kind == "api_key":
            if auth.name:
                self.name(auth.where, auth.name, (*at, "name"), _AUTH)
            return
        self.name("header", "Authorization", (*at, "type"), _AUTH)
        if auth.kind == "client_credentials" and auth.token_url:
            self.token_url(auth.token_url, (*at, "token_url"))

    def token_url(self, url: str, at: KeyPath) -> None:
        hint = "Write it out, like https://login.example.com/token."
        if "{{" in url:
            self.mistakes.wrong(at, "no value of a call can stand in the address of tokens.", hint)
            return
        try:
            parse(url)
        except RefusedRequestError as error:
            self.mistakes.wrong(at, f"this is no address: {error.detail}.", hint)

    def body_type(self) -> None:
        told, at = self.request.body_type, ("request", "body_type")
        headers = [name for name in self.request.headers if name.lower() == _SAID_AS_TYPE]
        if any(essence_of(self.request.headers[name]).startswith("multipart/") for name in headers):
            self.mistakes.wrong(
                ("request", "headers", headers[0]),
                "a body of parts is announced with its boundary.",
                'Write body_type = "multipart/form-data" instead.',
            )
        elif told and headers:
            self.mistakes.wrong(at, f"the header {headers[0]!r} says what the body is already.", "Keep one.")
        if told and not is_media_type(told):
            self.no_media_type(told, at)
        elif told and kind_of(told) == "text" and charset_of(told) not in ("", "utf-8", "utf8", "us-ascii"):
            self.mistakes.wrong(at, f"text is sent in UTF-8, not in {charset_of(told)}.", "Leave the charset out.")
        if (told or self.request.body_optional or self.request.encoding) and self.request.body is None:
            self.mistakes.odd(("request", "body"), "there is no body to say this of.", "Write one.")

    def encodings(self, body: Body | None) -> None:
        if body is None:
            return
        members = None if isinstance(body.node, Slot) else [name for name, _ in body.members]
        for name, encoding in self.request.encoding.items():
            at: KeyPath = ("request", "encoding", name)
            if body.kind not in ("form", "multipart"):
                self.mistakes.odd(at, f"only members of forms and of bodies of parts are encoded, not {body.type}.")
            elif members is not None and name not in members:
                close = nearest(name, members)
                self.mistakes.odd(at, f"the body has no {name!r}.", f"Did you mean {close!r}?" if close else "")
            if encoding.file and body.kind == "form":
                hint = 'Write body_type = "multipart/form-data".'
                self.mistakes.wrong((*at, "file"), "a form cannot hold a file.", hint)
            self.part_headers(encoding, body, (*at, "headers"))
            if encoding.content_type and not encoding.file and not is_media_type(encoding.content_type):
                self.no_media_type(encoding.content_type, (*at, "content_type"))

    def part_headers(self, encoding: Encoding, body: Body, at: KeyPath) -> None:
        if encoding.headers and body.kind != "multipart":
            hint = 'Write body_type = "multipart/form-data".'
            self.mistakes.wrong(at, "only parts have headers of their own.", hint)
        seen: set[str] = set()
        for name in encoding.headers:
            if not TOKEN.fullmatch(name):
                hint = "Use letters, digits and -."
                self.mistakes.wrong((*at, name), f"{shown(name)} cannot be the name of a header.", hint)
            elif name.lower() in SET_HERE:
                hint = "Leave it out; the type is said as content_type."
                self.mistakes.wrong((*at, name), f"the header {name!r} is set from the member itself.", hint)
            elif name.lower() in seen:
                self.mistakes.wrong((*at, name), f"the header {name!r} is given twice.", "Keep one.")
            seen.add(name.lower())

    def no_media_type(self, text: str, at: KeyPath) -> None:
        self.mistakes.wrong(at, f"{shown(text)} is no media type.", "Write it like application/json.")
