"""A definition's request, filled in with the values of one call. Pure.

What is absent takes its query pair, header or body member along. What cannot stand where it would is refused, and
nothing is sent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final
from urllib.parse import quote, quote_plus, unquote

from pegboard.errors import CallError, InvalidArgumentsError, ToolError
from pegboard.http_tools.address import Address, address_of
from pegboard.http_tools.body import Body, body_of, filled_in
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.placeholders import Parts, Placeholder, only_placeholder, parts_of, placeholders_in
from pegboard.http_tools.scalars import plain
from pegboard.schema.prepare import text_forms_read
from pegboard.tools import MISSING

_LINES: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
"""What may not stand in a header's value."""

_DOTS: Final = frozenset({"", ".", ".."})
"""Path segments that mean another resource than they name."""


@dataclass(frozen=True)
class Values:
    """What a call fills in. Immutable. ``arguments`` as checked; ``context`` and ``secrets`` by name.

    No repr shows a secret.
    """

    arguments: Mapping[str, Any]
    context: Mapping[str, Any] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Built:
    """A request ready to be sent. Immutable; belongs to one call. ``headers`` may hold secrets."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes


@dataclass(frozen=True)
class Template:
    """The request of one definition, taken apart once. Immutable, shared by its calls."""

    definition: HttpDefinition
    address: Address
    query: tuple[tuple[str, Parts], ...]
    headers: tuple[tuple[str, Parts], ...]
    body: Body | None

    def build(self, values: Values) -> Built:
        """The request of a call. Raises CallError; the message repeats no value."""
        return _Filling(self, values).request()


@lru_cache(4096)
def _parts(text: str) -> Parts:
    return parts_of(text)


def template_of(definition: HttpDefinition) -> Template:
    """The template of a definition that ``checks`` has let pass."""
    request = definition.request
    texts = {name: text if isinstance(text, tuple) else (text,) for name, text in request.query.items()}
    return Template(
        definition=definition,
        address=address_of(request.url),
        query=tuple((name, _parts(text)) for name, several in texts.items() for text in several),
        headers=tuple((name, _parts(text)) for name, text in request.headers.items()),
        body=None if request.body is None else body_of(request.body, content_type_of(request.headers)),
    )


def content_type_of(headers: Mapping[str, str]) -> str:
    """What the headers say that the body is; "" for nothing."""
    return next((text for name, text in headers.items() if name.lower() == "content-type"), "")


class _Filling:
    """One filling in. Lives as long as one ``build``."""

    def __init__(self, template: Template, values: Values) -> None:
        self.template = template
        self.definition = template.definition
        self.values = values
        self.typed: Mapping[str, Any] = values.arguments
        if self.definition.arguments == "lossless":
            self.typed = text_forms_read(self.definition.parameters, dict(values.arguments))

    def request(self) -> Built:
        headers = self.headers()
        body = self.body()
        if body is not None and self.template.body and not content_type_of(headers):
            headers["Content-Type"] = self.template.body.type
        return Built(self.definition.request.method, self.url(), headers, (body or "").encode("utf-8"))

    def url(self) -> str:
        address = self.template.address
        host = "".join(self.text(address.authority, "the host"))
        path = "".join(f"/{self.segment(segment)}" for segment in address.segments)
        pairs = [*self.own_pairs(), *self.pairs(self.template.query, _encoded)]
        return f"{address.scheme}://{host}{path}{'?' if pairs else ''}{'&'.join(pairs)}"

    def segment(self, parts: Parts) -> str:
        """A path segment, each value in it encoded whole."""
        if not any(True for _ in placeholders_in(parts)):
            return "".join(map(str, parts))
        found = [part if isinstance(part, str) else self.in_path(part) for part in parts]
        segment = "".join(found)
        if unquote(segment) in _DOTS:
            raise self.refused(next(placeholders_in(parts)), "cannot be empty, '.' or '..' in the path")
        return segment

    def in_path(self, placeholder: Placeholder) -> str:
        value = self.scalar(placeholder, "the path")
        if value is MISSING:
            raise self.refused(placeholder, "is needed for the path")
        return _encoded(value)

    def own_pairs(self) -> list[str]:
        """The pairs that the address itself has; its own text is encoded already."""
        pairs = []
        for name, value in self.template.address.query:
            own = "".join(map(str, name))
            if value is None:
                pairs.append(own)
            elif (found := self.text(value, "the query")) is not MISSING:
                texts = zip(value, found, strict=True)
                told = "".join(text if isinstance(part, str) else _encoded(text) for part, text in texts)
                pairs.append(f"{own}={told}")
        return pairs

    def pairs(self, query: tuple[tuple[str, Parts], ...], encode: Callable[[str], str]) -> list[str]:
        """Pairs of a query or a form, encoded; a list gives a pair for each of its items."""
        return [f"{encode(name)}={encode(text)}" for name, parts in query for text in self.several(parts, name)]

    def several(self, parts: Parts, name: str) -> list[str]:
        """The texts of one name: none where it is absent, several for a list."""
        whole, where = only_placeholder(parts), f"the value of {name!r}"
        value = self.value(whole) if whole else MISSING
        if whole and isinstance(value, list):
            return [self.plain(item, whole, where) for item in value]
        text = self.joined(parts, where)
        return [] if text is MISSING else [text]

    def headers(self) -> dict[str, str]:
        headers: dict[str, str] = {}
        for name, parts in self.template.headers:
            found = self.text(parts, f"the header {name!r}")
            if found is MISSING:
                continue
            for placeholder, text in zip(parts, found, strict=True):
                if isinstance(placeholder, Placeholder) and _LINES.search(text):
                    raise self.refused(
                        placeholder, f"has a line break or control character, which the header {name!r} cannot hold"
                    )
            headers[name] = "".join(found).strip(" \t")
        return headers

    def body(self) -> str | None:
        body = self.template.body
        if body is None:
            return None
        if body.written is not None:
            return body.written
        if body.form == "form":
            return "&".join(self.pairs(body.pairs, _form_encoded))
        if body.form == "text":
            found = self.text(body.text, "the body")
            return None if found is MISSING else "".join(found)
        value = filled_in(body.node, self.slot, lambda parts: self.joined(parts, "the body"))
        return None if value is MISSING else json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def slot(self, placeholder: Placeholder) -> Any:
        """A value of any type, as JSON has it."""
        if placeholder.kind == "param":
            return self.typed.get(placeholder.key, MISSING)
        return self.value(placeholder)

    def joined(self, parts: Parts, where: str) -> Any:
        found = self.text(parts, where)
        return MISSING if found is MISSING else "".join(found)

    def text(self, parts: Parts, where: str) -> Any:
        """The texts of parts; MISSING where one of them is absent."""
        found = [part if isinstance(part, str) else self.scalar(part, where) for part in parts]
        return MISSING if MISSING in found else found

    def scalar(self, placeholder: Placeholder, where: str) -> Any:
        """The text of a value; MISSING where it is absent."""
        value = self.value(placeholder)
        return MISSING if value is MISSING or value is None else self.plain(value, placeholder, where)

    def plain(self, value: Any, placeholder: Placeholder, where: str) -> str:
        if isinstance(value, (dict, list, tuple)) or value is None:
            raise self.refused(placeholder, f"is a list or an object, which cannot stand in {where}")
        return plain(value)

    def value(self, placeholder: Placeholder) -> Any:
        """What a placeholder stands for; MISSING for an argument that was not given."""
        if placeholder.kind == "param":
            return self.values.arguments.get(placeholder.key, MISSING)
        held: Mapping[str, Any] = self.values.context if placeholder.kind == "ctx" else self.values.secrets
        value = held.get(placeholder.key)
        if value is None or value == "":
            raise self.absent(placeholder)
        return value

    def absent(self, placeholder: Placeholder) -> CallError:
        """Without its tenant, or its key, a request is another one than was meant."""
        what = {"ctx": "value of the call's context", "secret": "secret"}.get(placeholder.kind, "value")
        return ToolError(
            f"{self.definition.name!r} needs the {what} {placeholder.key!r}, which is not set.",
            hint="This is for the operator to mend: no argument can.",
        )

    def refused(self, placeholder: Placeholder, why: str) -> CallError:
        """An argument, or a value of the context, that cannot stand where it would. Nothing repeats it."""
        if placeholder.kind == "param":
            return InvalidArgumentsError(self.definition.name, [f"{placeholder}: {why}"])
        return ToolError(f"{self.definition.name!r} cannot be called: {placeholder} {why}.")


def _encoded(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass")


def _form_encoded(text: str) -> str:
    return quote_plus(text, errors="surrogatepass")
