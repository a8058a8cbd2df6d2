"""The bytes of a body, with everything filled in. Pure, but for the boundaries between parts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pegboard.http_tools import styles
from pegboard.http_tools.body import Body, Node, Slot, Text
from pegboard.http_tools.encoding import as_it_is, flaw_in_header, form_encoded, with_reserved, with_reserved_in_list
from pegboard.http_tools.media import JSON_TYPE, is_json
from pegboard.http_tools.multipart import Part, written
from pegboard.http_tools.placeholders import parts_of, placeholders_in
from pegboard.http_tools.request import Encoding
from pegboard.http_tools.scalars import plain
from pegboard.http_tools.styles import StyleError
from pegboard.http_tools.uploads import UploadError, paths_in, type_for, upload_of
from pegboard.tools import MISSING

Fill = Callable[[Node], Any]
"""Gives the value of a node; MISSING where it is absent."""


class PayloadError(ValueError):
    """A value cannot stand in the body. ``param`` is the argument, or the body's member; the message says why."""

    def __init__(self, param: str, why: str) -> None:
        super().__init__(why)
        self.param = param


@dataclass(frozen=True)
class Payload:
    """A body and its media type. Immutable; belongs to one call."""

    data: bytes = field(repr=False)
    type: str


@dataclass(frozen=True)
class _Member:
    """One member of a form or of a body of parts. Immutable. ``param`` is what a message calls it."""

    name: str
    value: Any
    param: str
    encoding: Encoding


def form_of(body: Body, encodings: Mapping[str, Encoding], fill: Fill) -> Payload:
    """A form's body. Raises PayloadError."""
    pairs = [pair for member in _members(body, encodings, fill) for pair in _told(member, _form_pairs)]
    return Payload("&".join(pairs).encode("ascii"), body.type)


def parts_of_body(body: Body, encodings: Mapping[str, Encoding], fill: Fill, files: Mapping[str, bytes]) -> Payload:
    """A body of several parts. Raises PayloadError."""
    members = _members(body, encodings, fill)
    parts: list[Part] = []
    for member in members:
        headers = tuple(_headers(member.encoding, fill))
        own = _told(member, lambda one: _parts(one, files))
        parts += [replace(part, headers=headers) for part in own]
    data, boundary = written(parts)
    return Payload(data, f"{body.type}; boundary={boundary}")


def file_of(body: Body, fill: Fill, files: Mapping[str, bytes]) -> Payload | None:
    """A body that is one file; None for none. Raises PayloadError."""
    value = fill(body.node)
    if value is MISSING or value is None:
        return None
    try:
        upload = upload_of(value, files)
    except UploadError as error:
        raise PayloadError(_param(body.node, "body"), str(error)) from None
    return Payload(upload.data, type_for(upload, body.type))


def paths_of(body: Body, encodings: Mapping[str, Encoding], fill: Fill) -> Iterator[str]:
    """The paths of all files that the body is to hold. Raises PayloadError."""
    if body.kind == "bytes":
        yield from paths_in(fill(body.node))
    elif body.kind == "multipart":
        for member in _members(body, encodings, fill):
            if member.encoding.file:
                yield from paths_in(member.value)


def _members(body: Body, encodings: Mapping[str, Encoding], fill: Fill) -> list[_Member]:
    """The members that are there: null counts as absent."""
    if isinstance(body.node, Slot):
        value = fill(body.node)
        param = _param(body.node, "body")
        if value is not MISSING and value is not None and not isinstance(value, dict):
            raise PayloadError(param, "is no object of the body's members")
        named = [(name, one, param) for name, one in value.items()] if isinstance(value, dict) else []
    else:
        named = [(name, fill(node), _param(node, name)) for name, node in body.members]
    plainly = Encoding()
    return [
        _Member(name, value, param, encodings.get(name, plainly))
        for name, value, param in named
        if value is not MISSING and value is not None
    ]


def _headers(encoding: Encoding, fill: Fill) -> Iterator[tuple[str, str]]:
    """The headers of a member's parts; one of which a value is absent is left out."""
    for name, told in encoding.headers.items():
        parts = parts_of(told)
        text = fill(Text(parts))
        if text is MISSING:
            continue
        flaw = flaw_in_header(text)
        if flaw:
            param = next(map(str, placeholders_in(parts)), name)
            raise PayloadError(param, f"{flaw}, which the header {name!r} of a part cannot hold")
        yield name, text


def _told(member: _Member, make: Callable[[_Member], Any]) -> Any:
    """What ``make`` gives; its errors as those of the member's argument."""
    try:
        return make(member)
    except (StyleError, UploadError) as error:
        raise PayloadError(member.param, str(error)) from None


def _form_pairs(member: _Member) -> list[str]:
    encoding = member.encoding
    encode = form_encoded
    if encoding.allow_reserved:
        joined = isinstance(member.value, (dict, list)) and not encoding.explode
        encode = with_reserved_in_list if joined else with_reserved
    if encoding.content_type and not encoding.style:
        return [f"{form_encoded(member.name)}={encode(_content(member.value, encoding.content_type))}"]
    style = encoding.style or "form"
    found = styles.pairs_of(member.name, member.value, style, bool(encoding.explode), encode, form_encoded)
    return [f"{name}={text}" for name, text in found]


def _parts(member: _Member, files: Mapping[str, bytes]) -> list[Part]:
    encoding, name, value = member.encoding, member.name, member.value
    if encoding.file:
        uploads = [upload_of(one, files) for one in (value if isinstance(value, list) else [value])]
        return [Part(name, one.data, one.filename, type_for(one, encoding.content_type)) for one in uploads]
    if encoding.style:
        pairs = styles.pairs_of(name, value, encoding.style, bool(encoding.explode), as_it_is, as_it_is)
        return [Part(key, _bytes(text)) for key, text in pairs]
    if isinstance(value, list) and not is_json(encoding.content_type):
        return [_part(name, one, encoding.content_type) for one in value if one is not None]
    return [_part(name, value, encoding.content_type)]


def _part(name: str, value: Any, content_type: str) -> Part:
    kind = content_type or (JSON_TYPE if isinstance(value, (dict, list)) else "")
    return Part(name, _bytes(_content(value, kind)), content_type=kind)


def _content(value: Any, content_type: str) -> str:
    if is_json(content_type) or isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return plain(value)


def _bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise StyleError("has half of a surrogate pair") from None


def _param(node: Node, name: str) -> str:
    return str(node.placeholder) if isinstance(node, Slot) else name
