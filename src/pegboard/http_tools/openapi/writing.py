"""One operation to the definition of its tool: arguments, request, and who calls. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote

from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.openapi import swagger
from pegboard.http_tools.openapi.arguments import Arguments, arguments_of
from pegboard.http_tools.openapi.bodies import RequestBody, bare, body_of, check_sendable, is_json
from pegboard.http_tools.openapi.definitions import self_contained
from pegboard.http_tools.openapi.filters import Asked
from pegboard.http_tools.openapi.options import ImportOptions
from pegboard.http_tools.openapi.parameters import check_count, parameters, parameters_of, without
from pegboard.http_tools.openapi.reading import OpenApi
from pegboard.http_tools.openapi.references import References
from pegboard.http_tools.openapi.schemas import Schemas
from pegboard.http_tools.openapi.security import Security, Whence
from pegboard.http_tools.openapi.servers import Servers
from pegboard.http_tools.openapi.slimming import MAX_TOOL_DESCRIPTION, bounded, slimmed
from pegboard.http_tools.openapi.values import Unusable, members, size, table, text, texts
from pegboard.http_tools.placeholders import parts_of, placeholders_in
from pegboard.http_tools.reading import read_definition
from pegboard.http_tools.request import Auth
from pegboard.http_tools.words import METHODS, WITHOUT_EFFECT

MAX_VALUES: Final = 1_000_000
"""JSON values in the schemas of all tools of one document. The largest that is published needs 50,000."""

MAX_TOOL_VALUES: Final = 30_000
"""JSON values in the schema of one tool. Of 1,995 published operations the largest has 5,000."""

_IN_PATH: Final = re.compile(r"\{([^{}/?#]+)\}")
_SAFE: Final = "/%:@!$&'()*+,;=~"


class Writer:
    """Writes the operations of one document as definitions. Lives as long as one import; counts what they take.

    ``context`` are the names that ``{{ctx.*}}`` may have in the operator's headers. Raises DefinitionError for options
    that name what the document does not have.
    """

    def __init__(self, document: OpenApi, options: ImportOptions, context: Collection[str]) -> None:
        self.document = document
        self.context = context
        self.options = options
        self.references = References(document.value)
        self.schemas = Schemas(self.references)
        self.servers = Servers(options.address, options.server, options.server_variables, options.spelling)
        self.security = Security(self._schemes(), options.secrets, Whence(options.address, options.server))
        self.left = MAX_VALUES

    def definition(self, asked: Asked, item: Mapping[str, Any], notes: list[str]) -> HttpDefinition:
        """The definition of one operation; ``notes`` take what is to be said of it. Raises Unusable."""
        if asked.method not in METHODS:
            raise Unusable(f"{asked.method} is not sent")
        operation = asked.operation
        auth = self._auth(operation, notes)
        found = parameters_of(item.get("parameters"), operation.get("parameters"), self.references, notes)
        check_count(found)
        found, body = self._with_body(found, operation, notes)
        for one in auth:
            without(found, (one.where, one.name))
        for header in self.options.headers:
            without(found, ("header", header))
        arguments = arguments_of(parameters(found, notes), body, self.schemas)
        url = self._url(asked, item, arguments, notes)
        value = {
            "name": asked.name,
            "description": self._description(asked),
            "parameters": self._schema(arguments),
            "request": self._request(asked, url, arguments, body, auth),
            "secret_headers": [name for name, told in self.options.headers.items() if _is_secret(told)],
            "side_effect": asked.method not in WITHOUT_EFFECT,
            "group": next(iter(texts(operation.get("tags"))), None),
            "tags": texts(operation.get("tags")),
        }
        result = read_definition(value, context=self.context, imported=True)
        if result.definition is None:
            raise Unusable(" ".join(str(mistake) for mistake in result.mistakes[:3]))
        return result.definition

    def _with_body(
        self, found: dict[tuple[str, str], Mapping[str, Any]], operation: Mapping[str, Any], notes: list[str]
    ) -> tuple[dict[tuple[str, str], Mapping[str, Any]], RequestBody | None]:
        told = operation.get("requestBody")
        if self.document.dialect == "2.0":
            found, told = swagger.split(found, operation, self.document.value)
        body = None if told is None else body_of(told, self.references, notes)
        if body is not None:
            check_sendable(body)
        return found, body

    def _url(self, asked: Asked, item: Mapping[str, Any], arguments: Arguments, notes: list[str]) -> str:
        """The template of the address, with a placeholder for each parameter of the path."""
        used: set[str] = set()
        parts: list[str] = []
        end = 0
        path = asked.path if asked.path.startswith("/") else f"/{asked.path}"
        for match in _IN_PATH.finditer(path):
            name = match[1].strip()
            if name not in arguments.path:
                raise Unusable(f"its path has {{{name}}}, and there is no parameter of that name")
            used.add(name)
            parts += [quote(path[end : match.start()], safe=_SAFE + "?"), f"{{{{{arguments.path[name]}}}}}"]
            end = match.end()
        parts.append(quote(path[end:].partition("#")[0], safe=_SAFE + "?"))
        for name in arguments.path.keys() - used:
            notes.append(f"the parameter {name!r} is left out: its path has no {{{name}}}")
            arguments.drop(name)
        return self.servers.address(*self.levels(asked.operation, item)) + "".join(parts)

    def levels(self, operation: Mapping[str, Any], item: Mapping[str, Any]) -> tuple[Any, ...]:
        """The servers of an operation, of its path and of the document, as they stand there."""
        if self.document.dialect == "2.0":
            return (swagger.servers(self.document.value, operation),)
        return operation.get("servers"), item.get("servers"), self.document.value.get("servers")

    def _schema(self, arguments: Arguments) -> dict[str, Any]:
        properties, definitions = self_contained({one.name: one.schema for one in arguments.all}, self.schemas)
        schema: dict[str, Any] = {
            "type": "object",
            "properties": properties,
            "required": [one.name for one in arguments.all if one.required],
            "additionalProperties": False,
        }
        if definitions:
            schema["$defs"] = definitions
        schema = slimmed(schema) if self.options.slim else schema
        count = size(schema, MAX_TOOL_VALUES)
        self.left -= count
        if count > MAX_TOOL_VALUES:
            raise Unusable(f"its arguments take more than {MAX_TOOL_VALUES:,} values to describe")
        if self.left < 0:
            raise Unusable(f"the document's tools take more than {MAX_VALUES:,} values to describe")
        return schema

    def _request(
        self, asked: Asked, url: str, arguments: Arguments, body: RequestBody | None, auth: tuple[Auth, ...]
    ) -> dict[str, Any]:
        headers = dict(self.options.headers)
        accept = self._accept(asked.operation)
        if accept and all(name.lower() != "accept" for name in headers):
            headers["Accept"] = accept
        request: dict[str, Any] = {
            "method": asked.method,
            "url": url,
            "headers": headers,
            "parameters": [place.to_json() for place in arguments.places],
            "auth": [one.to_json() for one in auth],
        }
        if body is not None:
            request |= {"body": arguments.body, "body_type": body.type, "body_optional": arguments.body_optional}
            request["encoding"] = {name: one.to_json() for name, one in arguments.encoding.items()}
        return request

    def _accept(self, operation: Mapping[str, Any]) -> str:
        """The JSON that a success is answered with, where there are other answers too; "" where it need not be said."""
        if self.document.dialect == "2.0":
            types = swagger.produces(self.document.value, operation)
        else:
            types = list(self._answers(operation))
        json = next((media for media in types if is_json(bare(media))), "")
        return bare(json) if json.isascii() and json.isprintable() else ""

    def _answers(self, operation: Mapping[str, Any]) -> Iterator[str]:
        for status, response in members(operation.get("responses")):
            if status.startswith("2") or status == "default":
                try:
                    answer = self.references.resolved_table(response)
                except Unusable:  # of a reply nothing else is used
                    continue
                yield from (media for media, _ in members(answer.get("content")))

    def _auth(self, operation: Mapping[str, Any], notes: list[str]) -> tuple[Auth, ...]:
        if any(name.lower() == "authorization" for name in self.options.headers):
            return ()
        own = operation["security"] if "security" in operation else self.document.value.get("security")
        return self.security.auth(own, notes)

    def _schemes(self) -> Mapping[str, Any]:
        if self.document.dialect == "2.0":
            return swagger.security_schemes(self.document.value)
        schemes = table(table(self.document.value.get("components")).get("securitySchemes"))
        return {str(name): self._resolved_or_empty(one) for name, one in schemes.items()}

    def _resolved_or_empty(self, value: Any) -> Mapping[str, Any]:
        try:
            return self.references.resolved_table(value)
        except Unusable:
            return {}

    def _description(self, asked: Asked) -> str:
        own = text(asked.operation.get("description")) or text(asked.operation.get("summary"))
        told = bounded(own, MAX_TOOL_DESCRIPTION) if self.options.slim else own
        return told or f"{asked.method} {asked.path}"


def _is_secret(text: str) -> bool:
    return any(placeholder.kind == "secret" for placeholder in placeholders_in(parts_of(text)))
