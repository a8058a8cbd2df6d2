"""Request bodies: which media type is sent, and whether its members are arguments or the whole is one. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final

from pegboard.http_tools.openapi.part_headers import PartHeader, part_headers
from pegboard.http_tools.openapi.references import References
from pegboard.http_tools.openapi.schemas import is_read_only
from pegboard.http_tools.openapi.values import Unusable, listed, members, table, text
from pegboard.http_tools.request import STYLES, Encoding

FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"
JSON: Final = "application/json"
BINARY: Final = "application/octet-stream"

MAX_MEMBERS: Final = 300
"""Members of a body that become arguments of their own; one with more is one argument."""

_MAX_PROPERTIES: Final = 2_000
"""Properties of one layer that are looked at: many may belong to replies alone."""

_MAX_DEPTH: Final = 8
_MAX_LAYERS: Final = 200
_FILE_DEPTH: Final = 3
_MAX_BRANCHES: Final = 20
_DESCRIBING: Final = frozenset(
    ("title", "description", "example", "examples", "externalDocs", "xml", "deprecated", "writeOnly", "readOnly")
)
_MEMBERS: Final = frozenset(("type", "properties", "required", "allOf"))
"""What a schema says that is only the sum of its members."""
_SILENT: Final = frozenset(("additionalProperties", "default", "nullable", "$schema", "$id", "$comment", "$defs"))
"""What is looked at elsewhere, or says nothing of one value."""


@dataclass(frozen=True, kw_only=True)
class Member:
    """One member of a body that is an argument. Immutable. ``schema`` as the document has it."""

    name: str
    schema: Any
    required: bool = False


@dataclass(frozen=True, kw_only=True)
class RequestBody:
    """What an operation sends. Immutable. ``members`` None: the whole is one argument, of ``schema``.

    ``type`` is the media type as it is sent, ``encoding`` how members of a form are written,
    ``headers`` are those of a multipart body's parts.
    """

    type: str
    schema: Any
    required: bool = False
    description: str = ""
    members: tuple[Member, ...] | None = None
    encoding: Mapping[str, Encoding] = field(default_factory=dict)
    headers: tuple[PartHeader, ...] = ()

    @property
    def kind(self) -> str:
        """The media type without parameters, in small letters."""
        return bare(self.type)


def bare(media: str) -> str:
    """A media type without parameters, in small letters."""
    return media.partition(";")[0].strip().lower()


def is_json(media: str) -> bool:
    """Whether a bare media type is JSON."""
    return media == JSON or media.endswith(("+json", "/json"))


def body_of(value: Any, references: References, notes: list[str]) -> RequestBody | None:
    """The body that a Request Body object says; None where there is none. Raises Unusable."""
    body = references.resolved_table(value)
    media = [(name, references.resolved_table(content)) for name, content in members(body.get("content"))]
    if not media:
        return None
    name, content = min(media, key=lambda one: (not _uploads(one[0], one[1], references), _rank(bare(one[0]))))
    schema = content.get("schema", {})
    kind = _sent(name, schema, references)
    others = dict.fromkeys(one for one, _ in media if one != name and bare(one) != bare(kind))
    if others:
        notes.append(f"{kind} is sent, and not {' or '.join(others)}")
    found = RequestBody(
        type=kind, schema=schema, required=body.get("required") is True, description=text(body.get("description"))
    )
    return _with_members(found, table(content.get("encoding")), references, notes)


def _uploads(media: str, content: Mapping[str, Any], references: References) -> bool:
    """Whether a media type carries files, which only multipart does as they are."""
    properties = table(references.resolved_table(content.get("schema")).get("properties"))
    return bare(media) == MULTIPART and any(is_file(one, references) for one in list(properties.values())[:MAX_MEMBERS])


def _rank(media: str) -> tuple[int, int]:
    """Which of several media types says most to a model: the smallest is taken."""
    order = (media == JSON, is_json(media), media in ("*/*", "application/*"), media == FORM, media == MULTIPART)
    return next((place for place, fits in enumerate(order) if fits), len(order)), not media.startswith("text/")


def _sent(media: str, schema: Any, references: References) -> str:
    """The media type that is sent; one that leaves it open becomes JSON, or bytes."""
    if "*" not in media:
        return media
    if is_file(schema, references):
        return BINARY
    return "text/plain" if media.startswith("text/") else JSON


def _with_members(
    body: RequestBody, encoding: Mapping[str, Any], references: References, notes: list[str]
) -> RequestBody:
    formed = body.kind in (FORM, MULTIPART)
    if not formed and not is_json(body.kind):
        return body
    layers = list(islice(_layers(body.schema, references, 0), _MAX_LAYERS + 1))
    found = (
        None
        if None in layers or len(layers) > _MAX_LAYERS
        else _members([layer for layer in layers if layer is not None], references)
    )
    if found is None:
        return body
    encodings = {
        member.name: told
        for member in found
        if formed and (told := _encoding(member, table(encoding.get(member.name)), body.kind, references))
    }
    named = [(member.name, table(encoding.get(member.name))) for member in found if body.kind == MULTIPART]
    headers = tuple(header for name, told in named for header in part_headers(name, told, references, notes))
    return replace(body, members=tuple(found), encoding=encodings, headers=headers)


def _layers(schema: Any, references: References, depth: int) -> Iterator[Mapping[str, Any] | None]:
    """The objects of which a body is the sum; None among them where it is more than that."""
    own = references.resolved(schema)
    words = {str(word) for word in own if not str(word).startswith("x-")} if isinstance(own, Mapping) else set()
    open_ended = isinstance(own, Mapping) and own.get("additionalProperties") not in (None, False)
    sum_only = words <= _DESCRIBING | _MEMBERS | _SILENT
    if not isinstance(own, Mapping) or depth > _MAX_DEPTH or open_ended or not sum_only:
        yield None
        return
    kinds = own.get("type", "object")
    if kinds != "object" and not (isinstance(kinds, list) and "object" in kinds):
        yield None
    elif own.get("additionalProperties") is False and ("allOf" in own or depth > 0):
        yield None  # what is closed in one layer closes the others out
    else:
        yield own
        for branch in listed(own.get("allOf")):
            yield from _layers(branch, references, depth + 1)


def _members(layers: list[Mapping[str, Any]], references: References) -> list[Member] | None:
    """The members of the sum of some objects; None where there are none, or too many."""
    schemas: dict[str, list[Any]] = {}
    required: set[str] = set()
    for layer in layers:
        properties = table(layer.get("properties"))
        if len(properties) > _MAX_PROPERTIES:
            return None
        for name, schema in properties.items():
            schemas.setdefault(str(name), []).append(schema)
            required |= {str(name)} if table(schema).get("required") is True else set()
        required |= {name for name in listed(layer.get("required")) if isinstance(name, str)}
    sent = {
        name: several for name, several in schemas.items() if not any(is_read_only(one, references) for one in several)
    }
    unknown = required - schemas.keys()
    if not sent or len(sent) > MAX_MEMBERS or unknown or any("{{" in name for name in sent):
        return None
    return [
        Member(name=name, schema=several[0] if len(several) == 1 else {"allOf": several}, required=name in required)
        for name, several in sent.items()
    ]


def _encoding(member: Member, told: Mapping[str, Any], kind: str, references: References) -> Encoding | None:
    """How a member of a form is written; None for the default."""
    file = kind == MULTIPART and is_file(member.schema, references)
    style, explode = text(told.get("style")), told.get("explode")
    media = text(told.get("contentType")).partition(",")[0].strip()
    found = Encoding(
        content_type="" if "*" in media else media,
        style=style if style in STYLES["query"] else "",
        explode=explode if isinstance(explode, bool) else None,
        allow_reserved=told.get("allowReserved") is True,
        file=file,
    )
    return None if found == Encoding() else found


def is_file(schema: Any, references: References, depth: int = 0) -> bool:
    """Whether a schema stands for the bytes of a file, or for a list of files."""
    own = references.resolved_table(schema)
    if depth > _FILE_DEPTH:
        return False
    if own.get("type") == "array" and "items" in own:
        return is_file(own["items"], references, depth + 1)
    if own.get("type") == "file" or own.get("format") == "binary":
        return True
    media = text(own.get("contentMediaType"))
    if media and not text(own.get("contentEncoding")):
        return not media.startswith("text/") and not is_json(bare(media))
    branches = (item for word in ("allOf", "anyOf", "oneOf") for item in listed(own.get(word))[:_MAX_BRANCHES])
    return any(is_file(item, references, depth + 1) for item in branches)


def check_sendable(body: RequestBody) -> None:
    """Raises Unusable for a body that nothing can be sent as."""
    if body.kind.startswith("multipart/") and body.kind != MULTIPART:
        raise Unusable(f"its body is {body.kind}, which is not supported")
