"""Documents of 2.0 in the form of 3.x, one operation at a time. Pure; references stay as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pegboard.http_tools.openapi.bodies import FORM, JSON, MULTIPART
from pegboard.http_tools.openapi.values import table, text, texts

_SCHEMA_KEYS: Final = (
    *("type", "format", "items", "default", "enum", "pattern", "maximum", "exclusiveMaximum", "minimum", "multipleOf"),
    *("exclusiveMinimum", "maxLength", "minLength", "maxItems", "minItems", "uniqueItems", "x-nullable"),
)
"""What 2.0 writes beside a parameter's name, and 3.x in its schema."""

_STYLES: Final[Mapping[str, tuple[str, bool]]] = {
    "csv": ("", False),
    "ssv": ("spaceDelimited", False),
    "tsv": ("tabDelimited", False),
    "pipes": ("pipeDelimited", False),
    "multi": ("form", True),
}
"""Style and explode of each collection format; "" is the default of the place."""

Place = tuple[str, str]


def split(
    found: Mapping[Place, Mapping[str, Any]], operation: Mapping[str, Any], document: Mapping[str, Any]
) -> tuple[dict[Place, Mapping[str, Any]], dict[str, Any] | None]:
    """The parameters of an operation of 2.0 as those of 3.x, and its request body; None for no body."""
    plain: dict[Place, Mapping[str, Any]] = {
        place: _parameter(one) for place, one in found.items() if place[0] not in ("body", "formdata")
    }
    forms = [one for place, one in found.items() if place[0] == "formdata"]
    consumes = texts(operation["consumes"] if "consumes" in operation else document.get("consumes"))
    body = next((one for place, one in found.items() if place[0] == "body"), None)
    if forms:
        return plain, _form(forms, consumes)
    return plain, None if body is None else _body(body, consumes)


def _parameter(one: Mapping[str, Any]) -> dict[str, Any]:
    told = {key: one[key] for key in ("name", "in", "description", "required") if key in one}
    style, explode = _STYLES.get(text(one.get("collectionFormat")), ("", False))
    told |= {"style": style, "explode": explode} if style else {}
    if not style and one.get("type") == "array":
        told["explode"] = False
    return {**told, "schema": _schema(one)}


def _schema(one: Mapping[str, Any]) -> Any:
    return one["schema"] if "schema" in one else {key: one[key] for key in _SCHEMA_KEYS if key in one}


def _body(one: Mapping[str, Any], consumes: list[str]) -> dict[str, Any]:
    content = {"schema": one.get("schema", {})}
    return {
        "description": one.get("description"),
        "required": one.get("required") is True,
        "content": dict.fromkeys(consumes or [JSON], content),
    }


def _form(forms: list[Mapping[str, Any]], consumes: list[str]) -> dict[str, Any]:
    """A form of fields as a body whose members they are."""
    properties, encoding = dict(_fields(forms)), {}
    for one in forms:
        style, explode = _STYLES.get(text(one.get("collectionFormat")), ("", False))
        if one.get("type") == "array":
            encoding[text(one.get("name"))] = {"style": style or "form", "explode": explode}
    required = [text(one.get("name")) for one in forms if one.get("required") is True]
    schema = {"type": "object", "properties": properties, "required": required}
    files = any(one.get("type") == "file" for one in forms)
    kind = MULTIPART if files or (MULTIPART in consumes and FORM not in consumes) else FORM
    return {"required": bool(required), "content": {kind: {"schema": schema, "encoding": encoding}}}


def _fields(forms: list[Mapping[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for one in forms:
        schema = dict(_schema(one)) if isinstance(_schema(one), Mapping) else {}
        yield text(one.get("name")), {"description": one.get("description"), **schema}


def servers(document: Mapping[str, Any], operation: Mapping[str, Any]) -> list[dict[str, str]]:
    """The servers that a document of 2.0 has in three parts; relative where it does not name a host."""
    host, base = text(document.get("host")), text(document.get("basePath"))
    schemes = texts(operation.get("schemes")) or texts(document.get("schemes"))
    usable = [scheme for scheme in ("https", "http") if scheme in schemes]
    path = f"/{base.strip('/')}" if base.strip("/") else ""
    if not host:
        return [{"url": path or "/"}]
    if not schemes:
        return [{"url": f"//{host}{path}"}]
    return [{"url": f"{scheme}://{host}{path}"} for scheme in usable]


def security_schemes(document: Mapping[str, Any]) -> dict[str, Any]:
    """The security schemes in the form of 3.x."""
    return {str(name): _scheme(table(one)) for name, one in table(document.get("securityDefinitions")).items()}


_FLOWS: Final[Mapping[str, str]] = {"application": "clientCredentials", "accessCode": "authorizationCode"}


def _scheme(one: Mapping[str, Any]) -> Mapping[str, Any]:
    if one.get("type") == "basic":
        return {"type": "http", "scheme": "basic"}
    if one.get("type") == "oauth2":
        flow = text(one.get("flow"))
        parts = {"tokenUrl": one.get("tokenUrl"), "scopes": table(one.get("scopes"))}
        return {"type": "oauth2", "flows": {_FLOWS.get(flow, flow): parts}}
    return one


def produces(document: Mapping[str, Any], operation: Mapping[str, Any]) -> list[str]:
    """The media types of an operation's replies."""
    return texts(operation["produces"] if "produces" in operation else document.get("produces"))
