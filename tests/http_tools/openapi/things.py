"""OpenAPI documents for tests, and what they come to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.openapi.importing import import_openapi
from pegboard.http_tools.openapi.options import ImportOptions
from pegboard.http_tools.openapi.report import Imported
from pegboard.schema.problems import problems

SERVER = "https://api.example.com/v1"


def document(paths: Any, *, version: str = "3.0.3", **top: Any) -> dict[str, Any]:
    """A document with one server."""
    head = {"openapi": version, "info": {"title": "t", "version": "1"}, "servers": [{"url": SERVER}]}
    return {**head, "paths": paths, **top}


def swagger(paths: Any, **top: Any) -> dict[str, Any]:
    """The same in 2.0."""
    head = {"swagger": "2.0", "info": {"title": "t", "version": "1"}, "host": "api.example.com", "basePath": "/v1"}
    return {**head, "schemes": ["https"], "paths": paths, **top}


def imported(paths: Any, *, options: ImportOptions | None = None, **top: Any) -> Imported:
    """What a document with these paths comes to."""
    return import_openapi(document(paths, **top), options)


def only(operation: Mapping[str, Any], *, method: str = "post", path: str = "/x", **top: Any) -> HttpDefinition:
    """The one tool of a document with one operation."""
    found = imported({path: {method: {"operationId": "it", "responses": {}, **operation}}}, **top)
    assert not found.aside, found.aside
    return found.definitions[0]


def reason(operation: Any, *, method: str = "post", path: str = "/x", **top: Any) -> str:
    """Why the one operation of a document is set aside."""
    found = imported({path: {method: operation}}, **top)
    assert not found.operations
    return found.aside[0].reason


def with_body(schema: Any, media: str = "application/json", *, required: bool = True, **body: Any) -> dict[str, Any]:
    """An operation with a request body."""
    return {"requestBody": {"required": required, "content": {media: {"schema": schema, **body}}}}


def argument(schema: Any, **top: Any) -> dict[str, Any]:
    """What a schema becomes as that of one argument, with the definitions beside it."""
    definition = only(with_body({"type": "object", "properties": {"a": schema}}), **top)
    found: dict[str, Any] = dict(definition.parameters)
    return found


def takes(definition: HttpDefinition, value: Any) -> bool:
    """Whether a tool lets arguments pass."""
    return not problems(dict(definition.parameters), value)
