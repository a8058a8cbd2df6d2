"""What must hold between the parts of a definition: every placeholder has a value, and stands where it may. Pure."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from pegboard.documents.problems import KeyPath
from pegboard.errors import RefusedRequestError
from pegboard.http_tools.address import Address, AddressError, address_of
from pegboard.http_tools.body import Body, BodyError
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.mistakes import Mistakes
from pegboard.http_tools.placeholders import (
    Parts,
    Placeholder,
    PlaceholderError,
    only_placeholder,
    parts_of,
    placeholders_in,
)
from pegboard.http_tools.request_checks import check_request
from pegboard.http_tools.template import body_template
from pegboard.net.headers import OURS, TOKEN
from pegboard.net.urls import parse
from pegboard.schema.meaning import types
from pegboard.schema.names import nearest

_LINES: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_CONTAINERS: Final = frozenset({"array", "object"})
MAX_HOSTS: Final = 1_000
"""Hosts that the enums in one address may come to."""


def check(definition: HttpDefinition, context: Collection[str], mistakes: Mistakes) -> None:
    """Add everything that keeps the parts of a definition from going together."""
    _Checking(definition, context, mistakes).run()


def _flaw_of_host(scheme: str, host: str) -> str:
    """What keeps a host, with its port, from being one; empty when nothing does."""
    if any(mark in host for mark in "/?#"):
        return "it ends before its end"
    try:
        parse(f"{scheme}://{host}/")
    except RefusedRequestError as error:
        return error.detail
    return ""


class _Checking:
    """One check. Lives as long as it."""

    def __init__(self, definition: HttpDefinition, context: Collection[str], mistakes: Mistakes) -> None:
        self.definition = definition
        self.context = context
        self.mistakes = mistakes
        self.secret = {name.lower() for name in definition.secret_headers}
        self.properties: Mapping[str, Any] = definition.parameters.get("properties", {})

    def run(self) -> None:
        request = self.definition.request
        at: KeyPath = ("request", "url")
        address = self.made(at, lambda: address_of(request.url)) if request.url else None
        if address is not None:
            self.address(address, at)
        for name, text in request.query.items():
            self.pair(name, text, ("request", "query", name))
        for name, text in request.headers.items():
            self.header(name, text, ("request", "headers", name))
        self.names_once(request.headers)
        for member, encoding in request.encoding.items():
            for name, text in encoding.headers.items():
                self.filled_header(name, text, ("request", "encoding", member, "headers", name))
        body = self.made(("request", "body"), lambda: body_template(request))
        if body is not None:
            self.body(body)
        check_request(request, self.properties, address, body, self.mistakes)

    def made(self, at: KeyPath, make: Callable[[], Any]) -> Any:
        """What ``make`` gives; None, and a mistake, where it raises."""
        try:
            return make()
        except PlaceholderError as error:
            self.not_a_placeholder(at, error)
        except AddressError as error:
            self.mistakes.wrong(at, f"{error}.", error.hint)
        except BodyError as error:
            self.mistakes.wrong((*at, *error.path), f"{error}.", error.hint)
        return None

    def not_a_placeholder(self, at: KeyPath, error: PlaceholderError) -> None:
        hint = "Write {{name}}, with a parameter's name, or {{ctx.name}}, {{secret.NAME}}, {{env.NAME}}."
        self.mistakes.wrong(at, f"{str(error)!r} is no placeholder.", hint)

    def address(self, address: Address, at: KeyPath) -> None:
        self.host(address, at)
        self.known([*placeholders_in(address.authority), *address.placeholders], at)
        for name, value in address.query:
            for placeholder in placeholders_in(name):
                self.mistakes.wrong(at, f"{placeholder} cannot stand in the name of a query pair.", "Write it out.")
            self.scalars(placeholders_in(value or ()), at, "the url")
        placed = {place.param for place in self.definition.request.parameters if place.where == "path"}
        in_path = (part for segment in address.segments for part in placeholders_in(segment))
        self.scalars((part for part in in_path if part.key not in placed), at, "the path")

    def host(self, address: Address, at: KeyPath) -> None:
        """The host is the operator's choice, or one of a fixed list."""
        choices: list[list[str]] = []
        for part in address.authority:
            values = [part] if isinstance(part, str) else self.fixed(part)
            if values is None:
                hint = 'Write it out, use {{env.NAME}}, or give the parameter an "enum" of all the hosts there are.'
                self.mistakes.wrong(at, f"{part} would choose the host.", hint)
                return
            choices.append(values)
        hosts = list(itertools.islice(itertools.product(*choices), MAX_HOSTS + 1))
        if len(hosts) > MAX_HOSTS:
            self.mistakes.wrong(at, f"the url names more than {MAX_HOSTS:,} hosts.", "Write several tools.")
            return
        for host in map("".join, hosts):
            flaw = _flaw_of_host(address.scheme, host)
            if flaw:
                self.mistakes.wrong(at, f"{host[:100]!r} cannot be a host: {flaw}.")
                return

    def fixed(self, placeholder: Placeholder) -> list[str] | None:
        """All the texts that a parameter may have; None where they are not fixed."""
        schema = self.properties.get(placeholder.key) if placeholder.kind == "param" else None
        values = schema.get("enum") if isinstance(schema, Mapping) else None
        return values if isinstance(values, list) and all(isinstance(value, str) for value in values) else None

    def pair(self, name: str, value: str | tuple[str, ...], at: KeyPath) -> None:
        if "{{" in name:
            self.mistakes.wrong(at, "a placeholder cannot stand in the name of a query pair.", "Write the name out.")
        for text in (value,) if isinstance(value, str) else value:
            parts: Parts | None = self.made(at, partial(parts_of, text))
            if parts is not None:
                self.known(placeholders_in(parts), at)
                self.in_text(parts, at, f"the query pair {name!r}")

    def in_text(self, parts: Parts, at: KeyPath, where: str) -> None:
        """Lists stand alone, as pairs of one name; objects nowhere."""
        whole = only_placeholder(parts)
        if whole is None:
            self.scalars(placeholders_in(parts), at, where)
        elif self.types(whole) == {"object"} or (self.types(whole) <= _CONTAINERS and not self.listed(whole)):
            self.mistakes.wrong(at, f"{whole} is no scalar and no list of scalars: {where} cannot hold it.")

    def listed(self, placeholder: Placeholder) -> bool:
        """Whether a parameter is a list of scalars."""
        schema = self.properties.get(placeholder.key, {})
        items = schema.get("items", {}) if isinstance(schema, Mapping) else {}
        return not types(self.definition.parameters, items) <= _CONTAINERS

    def header(self, name: str, text: str, at: KeyPath) -> None:
        if not TOKEN.fullmatch(name):
            hint = "Write the name out." if "{{" in name else "Use letters, digits and -."
            self.mistakes.wrong(at, f"{name[:60]!r} cannot be the name of a header.", hint)
        elif name.lower() in OURS:
            self.mistakes.wrong(at, f"the header {name!r} is set by the client.", "Leave it out.")
        secret = name.lower() in self.secret
        parts = self.filled_header(name, text, at, secret=secret)
        named = any(one.kind == "secret" for one in placeholders_in(parts or ()))
        if parts is not None and secret and not named:
            hint = "Put the value where secrets are kept, and write {{secret.NAME}} here."
            self.mistakes.wrong(at, f"the secret header {name!r} refers to no secret.", hint)

    def filled_header(self, name: str, text: str, at: KeyPath, *, secret: bool = False) -> Parts | None:
        """A header's text taken apart; None where that cannot be."""
        if _LINES.search(text):
            self.mistakes.wrong(at, f"the header {name!r} holds a line break or control character.", "Take it out.")
        parts: Parts | None = self.made(at, lambda: parts_of(text))
        if parts is not None:
            self.scalars(placeholders_in(parts), at, f"the header {name!r}")
            self.known(placeholders_in(parts), at, secret=secret)
        return parts

    def names_once(self, headers: Iterable[str]) -> None:
        seen: dict[str, str] = {}
        for name in headers:
            other = seen.setdefault(name.lower(), name)
            if other != name:
                at: KeyPath = ("request", "headers", name)
                self.mistakes.wrong(at, f"the header {name!r} is given twice, once as {other!r}.", "Keep one.")

    def body(self, body: Body) -> None:
        at: KeyPath = ("request", "body")
        self.known(body.placeholders, at)

    def known(self, placeholders: Iterable[Placeholder], at: KeyPath, *, secret: bool = False) -> None:
        """Every placeholder has a value, and a secret stands in a secret header."""
        for placeholder in dict.fromkeys(placeholders):
            told = self.flaw(placeholder, secret)
            if told:
                self.mistakes.wrong(at, *told)

    def flaw(self, placeholder: Placeholder, secret: bool) -> tuple[str, str] | None:
        key, known = placeholder.key, list(self.properties)
        match placeholder.kind:
            case "param" if key not in self.properties:
                close = nearest(key, known)
                hint = f"Did you mean {close!r}?" if close else "Add it to the parameters."
                return f"there is no parameter {key!r} for its placeholder.", hint
            case "ctx" if key not in self.context:
                return f"{placeholder} is not known as context.", f"There are: {', '.join(self.context)}."
            case "secret" if not key:
                return "a secret needs a name.", "Write {{secret.NAME}}."
            case "secret" if not secret:
                hint = "Name the header that holds it in secret_headers: anywhere else it could be told."
                return f"{placeholder} stands outside of a secret header.", hint
            case "env":
                return f"{placeholder} was not filled in.", "Write {{env.NAME}}, with a variable's name."
        return None

    def scalars(self, placeholders: Iterator[Placeholder], at: KeyPath, where: str) -> None:
        for placeholder in placeholders:
            if self.types(placeholder) <= _CONTAINERS:
                told = " or ".join(sorted(self.types(placeholder)))
                self.mistakes.wrong(
                    at, f"{placeholder} is an {told}, which {where} cannot hold.", "Send it in the body."
                )

    def types(self, placeholder: Placeholder) -> frozenset[str]:
        """The JSON types of a placeholder's values."""
        if placeholder.kind != "param" or placeholder.key not in self.properties:
            return frozenset({"string"})
        return types(self.definition.parameters, self.properties[placeholder.key])
