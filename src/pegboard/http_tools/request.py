"""The request that a call becomes, as data: its templates, places of parameters, encodings, and who calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

Where = Literal["path", "query", "header", "cookie"]
AuthKind = Literal["api_key", "bearer", "basic", "client_credentials"]

WHERES: Final[tuple[Where, ...]] = get_args(Where)
AUTH_KINDS: Final[tuple[AuthKind, ...]] = get_args(AuthKind)

_DELIMITED: Final = ("spaceDelimited", "pipeDelimited", "tabDelimited")
STYLES: Final[Mapping[Where, tuple[str, ...]]] = {
    "path": ("simple", "label", "matrix", *_DELIMITED),
    "query": ("form", *_DELIMITED, "deepObject"),
    "header": ("simple", *_DELIMITED),
    "cookie": ("form",),
}
"""The styles of each place, its default first. The words are OpenAPI's, and ``tabDelimited`` for Swagger's ``tsv``."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where in the request one argument stands, and how it is written. Immutable. The words are OpenAPI's.

    ``param`` is the argument, ``name`` what it is called on the wire. ``style`` "" and ``explode`` None become the
    defaults: ``simple`` in path and header, else ``form``; exploded for ``form`` alone. ``allow_reserved`` keeps marks
    that mean nothing within a query's value as they are. With a ``content_type`` the value is written in it, and style
    does not count. In the path the argument stands in the url, as ``{{param}}``.
    """

    param: str
    name: str
    where: Where
    style: str = ""
    explode: bool | None = None
    allow_reserved: bool = False
    content_type: str = ""

    def __post_init__(self) -> None:
        if not self.style:
            object.__setattr__(self, "style", STYLES[self.where][0])
        if self.explode is None:
            object.__setattr__(self, "explode", self.style == "form")

    def to_json(self) -> dict[str, Any]:
        """As a definition has it; defaults are left out."""
        told: dict[str, Any] = {"param": self.param, "name": self.name, "in": self.where}
        if self.style != STYLES[self.where][0]:
            told["style"] = self.style
        if self.explode is not (self.style == "form"):
            told["explode"] = self.explode
        if self.allow_reserved:
            told["allow_reserved"] = True
        return {**told, "content_type": self.content_type} if self.content_type else told


@dataclass(frozen=True, kw_only=True)
class Encoding:
    """How one member of a form or of a multipart body is written. Immutable. The words are OpenAPI's.

    With ``file`` its value is a file, or a list of files. ``content_type`` "" is decided by the value: JSON for objects
    of a multipart body. ``style`` "" means ``form`` in a form, and none in a multipart body: a part for each item of a
    list. ``explode`` None becomes true for ``form`` alone. ``headers`` are those of its part, beside the ones that say
    what it is; their texts are templates.
    """

    content_type: str = ""
    style: str = ""
    explode: bool | None = None
    allow_reserved: bool = False
    file: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.explode is None:
            object.__setattr__(self, "explode", self.style in ("", "form"))

    def to_json(self) -> dict[str, Any]:
        """As a definition has it; defaults are left out."""
        told: dict[str, Any] = {"content_type": self.content_type, "style": self.style}
        if self.explode is not (self.style in ("", "form")):
            told["explode"] = self.explode
        told |= {"allow_reserved": self.allow_reserved, "file": self.file, "headers": dict(self.headers)}
        return {key: value for key, value in told.items() if value not in ("", False, {}) or key == "explode"}


@dataclass(frozen=True, kw_only=True)
class Auth:
    """One way of proving who calls. Immutable; holds names of secrets, never a value.

    ``api_key`` sends ``secret`` as ``name`` in ``where``; ``bearer`` sends ``secret``; ``basic`` sends ``username`` and
    ``password``, or an empty password without one. ``client_credentials`` fetches a token of ``scopes`` from
    ``token_url`` with ``client_id`` and ``client_secret``, which go in a header, or with ``in_body`` in the form;
    ``extra`` are further pairs of the form, such as an ``audience``, in their order, a name once or several times.
    """

    kind: AuthKind
    secret: str = ""
    where: Where = "header"
    name: str = ""
    username: str = ""
    password: str = ""
    token_url: str = ""
    client_id: str = ""
    client_secret: str = ""
    scopes: tuple[str, ...] = ()
    in_body: bool = False
    extra: tuple[tuple[str, str], ...] = ()

    @property
    def secret_names(self) -> tuple[str, ...]:
        """The secrets that it needs."""
        names = (self.secret, self.username, self.password, self.client_id, self.client_secret)
        return tuple(dict.fromkeys(name for name in names if name))

    def to_json(self) -> dict[str, Any]:
        """As a definition has it."""
        told = {key: getattr(self, "where" if key == "in" else key) for key in AUTH_KEYS[self.kind]}
        told = {key: list(value) if isinstance(value, tuple) else value for key, value in told.items() if value}
        if self.extra:
            told["extra"] = _by_name(self.extra)
        return {"type": self.kind, **told}


def _by_name(pairs: tuple[tuple[str, str], ...]) -> dict[str, str | list[str]]:
    """Pairs as a table: a text for each name, or several."""
    several: dict[str, list[str]] = {}
    for name, text in pairs:
        several.setdefault(name, []).append(text)
    return {name: texts if len(texts) > 1 else texts[0] for name, texts in several.items()}


AUTH_KEYS: Final[Mapping[AuthKind, tuple[str, ...]]] = {
    "api_key": ("in", "name", "secret"),
    "bearer": ("secret",),
    "basic": ("username", "password"),
    "client_credentials": ("token_url", "client_id", "client_secret", "scopes", "in_body", "extra"),
}
"""The keys of each kind, beside ``type``."""

AUTH_OPTIONAL: Final = frozenset({"password", "scopes", "in_body", "extra"})
"""Keys that may be left out."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """The request that a call becomes. Immutable. Its texts are templates.

    ``query`` has a text for each name, or several. ``body`` is JSON, or a text; None for none. ``body_type`` is its
    media type; "" for what its value, or a header, says. With ``body_optional`` none is sent where no argument of it is
    given. ``parameters`` place arguments without templates, ``encoding`` says how members of the body are written, and
    all of ``auth`` is sent along.
    """

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    body: Any = None
    parameters: tuple[Place, ...] = ()
    body_type: str = ""
    body_optional: bool = False
    encoding: Mapping[str, Encoding] = field(default_factory=dict)
    auth: tuple[Auth, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As a definition has it."""
        query = {name: list(text) if isinstance(text, tuple) else text for name, text in self.query.items()}
        told = {
            "method": self.method,
            "url": self.url,
            "headers": dict(self.headers),
            "query": query,
            "body": self.body,
        }
        more = {
            "parameters": [place.to_json() for place in self.parameters],
            "body_type": self.body_type,
            "body_optional": self.body_optional,
            "encoding": {name: one.to_json() for name, one in self.encoding.items()},
            "auth": [one.to_json() for one in self.auth],
        }
        return told | {key: value for key, value in more.items() if value}
