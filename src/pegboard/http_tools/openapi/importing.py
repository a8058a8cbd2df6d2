"""A document to the definitions of its operations. Pure."""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote

from pegboard.errors import DefinitionError
from pegboard.http_tools.definition import CONTEXT_NAMES, METHODS, WITHOUT_EFFECT, HttpDefinition
from pegboard.http_tools.openapi import swagger
from pegboard.http_tools.openapi.arguments import Arguments, arguments_of
from pegboard.http_tools.openapi.bodies import RequestBody, bare, body_of, check_sendable, is_json
from pegboard.http_tools.openapi.definitions import self_contained
from pegboard.http_tools.openapi.filters import Asked, left_out
from pegboard.http_tools.openapi.names import names_of
from pegboard.http_tools.openapi.options import ImportOptions
from pegboard.http_tools.openapi.parameters import check_count, parameters, parameters_of, without
from pegboard.http_tools.openapi.reading import OpenApi, read
from pegboard.http_tools.openapi.references import References
from pegboard.http_tools.openapi.report import Aside, Imported, Operation
from pegboard.http_tools.openapi.schemas import Schemas
from pegboard.http_tools.openapi.security import Security, Whence
from pegboard.http_tools.openapi.servers import Servers, check_variables
from pegboard.http_tools.openapi.slimming import MAX_TOOL_DESCRIPTION, bounded, slimmed
from pegboard.http_tools.openapi.values import NoServer, Unusable, listed, members, size, table, text, texts
from pegboard.http_tools.placeholders import parts_of, placeholders_in
from pegboard.http_tools.reading import read_definition
from pegboard.http_tools.request import Auth

logger = logging.getLogger(__name__)

MAX_OPERATIONS: Final = 20_000
"""Operations of one document. The largest that is published has some thousand."""

MAX_VALUES: Final = 1_000_000
"""JSON values in the schemas of all tools of one document. The largest that is published needs 50,000."""

MAX_TOOL_VALUES: Final = 30_000
"""JSON values in the schema of one tool. Of 1,995 published operations the largest has 5,000."""

_VERBS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_IN_PATH: Final = re.compile(r"\{([^{}/?#]+)\}")
_SAFE: Final = "/%:@!$&'()*+,;=~"


def import_openapi(
    document: str | Mapping[str, Any],
    options: ImportOptions | None = None,
    *,
    context: Collection[str] = CONTEXT_NAMES,
) -> Imported:
    """The tools of a document, given as text or as a value that was parsed already; nothing is fetched.

    Every operation is a tool, or is set aside with its reason. ``context`` are the names that ``{{ctx.*}}`` may have
    in the operator's headers. Raises DefinitionError where the document cannot be read, names no address to send to,
    or does not have what the options name.
    """
    return _Import(read(document), options or ImportOptions(), context).run()


class _Import:
    """One import. Lives as long as ``import_openapi``."""

    def __init__(self, document: OpenApi, options: ImportOptions, context: Collection[str]) -> None:
        self.document = document
        self.context = context
        self.options = options
        self.references = References(document.value)
        self.schemas = Schemas(self.references)
        self.servers = Servers(options.address, options.server, options.server_variables)
        self.security = Security(self._schemes(), options.secrets, Whence(options.address, options.server))
        self.left = MAX_VALUES
        self.taken: set[str] = set()
        self.operations: list[Operation] = []
        self.aside: list[Aside] = []
        self.reasons: list[Unusable] = []

    def run(self) -> Imported:
        found = list(self._found())
        ids = [(method, path, text(operation.get("operationId"))) for method, path, operation, _ in found]
        self._check_variables(found)
        for (method, path, operation, item), (name, note), (_, _, own) in zip(found, names_of(ids), ids, strict=True):
            self._one(Asked(method, path, own, name, operation), item, note)
        if not self.operations and self.reasons and all(isinstance(reason, NoServer) for reason in self.reasons):
            raise DefinitionError(f"This document names no address to send to: {self.reasons[0]}.")
        return Imported(
            title=self.document.title,
            version=self.document.version,
            operations=tuple(self.operations),
            aside=tuple(self.aside),
        )

    def _found(self) -> Iterator[tuple[str, str, Mapping[str, Any], Mapping[str, Any]]]:
        """Every operation: method, path, itself, and the item of its path."""
        count = 0
        for path, item in table(self.document.value.get("paths")).items():
            if str(path).startswith("x-"):
                continue
            try:
                own = self._item(item)
            except Unusable as error:
                self._set_aside(Asked("*", str(path), "", "", {}), error)
                continue
            for verb, operation in own.items():
                method = str(verb).lower()
                if method not in _VERBS:
                    continue
                count += 1
                if not isinstance(operation, Mapping):
                    self._set_aside(Asked(method.upper(), str(path), "", "", {}), Unusable("it is no object"))
                elif count > MAX_OPERATIONS:
                    told = Unusable(f"the document has more than {MAX_OPERATIONS:,} operations")
                    self._set_aside(Asked(method.upper(), str(path), text(operation.get("operationId")), "", {}), told)
                else:
                    yield method.upper(), str(path), operation, own

    def _item(self, item: Any) -> Mapping[str, Any]:
        """A path's item; one that refers to another may have members of its own beside."""
        if not isinstance(item, Mapping):
            raise Unusable("the path is no object")
        if "$ref" not in item:
            return item
        return {**self.references.resolved_table(item), **{key: value for key, value in item.items() if key != "$ref"}}

    def _one(self, asked: Asked, item: Mapping[str, Any], note: str) -> None:
        """Make a tool of one operation, or set it aside."""
        reason = left_out(self.options, asked)
        if reason:
            self.aside.append(_aside(asked, reason, chosen=True))
            return
        try:
            notes = [note] if note else []
            definition = self._definition(asked, item, notes)
        except Unusable as error:
            self._set_aside(asked, error)
        except RecursionError:
            self._set_aside(asked, Unusable("it nests too deep"))
        except Exception:  # one operation is never worth the document
            logger.exception("%s %s could not be imported", asked.method, asked.path)
            self._set_aside(asked, Unusable("Pegboard failed at it; the log has the details"))
        else:
            self.taken.add(definition.name)
            self.operations.append(
                Operation(
                    method=asked.method,
                    path=asked.path,
                    operation_id=asked.operation_id,
                    definition=definition,
                    notes=tuple(dict.fromkeys(notes)),
                )
            )

    def _set_aside(self, asked: Asked, reason: Unusable) -> None:
        self.reasons.append(reason)
        self.aside.append(_aside(asked, str(reason)))

    def _definition(self, asked: Asked, item: Mapping[str, Any], notes: list[str]) -> HttpDefinition:
        if asked.method not in METHODS:
            raise Unusable(f"{asked.method} is not sent")
        if asked.name in self.taken:
            raise Unusable(f"another operation has the name {asked.name!r}")
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
        return self.servers.address(*self._levels(asked.operation, item)) + "".join(parts)

    def _levels(self, operation: Mapping[str, Any], item: Mapping[str, Any]) -> tuple[Any, ...]:
        if self.document.dialect == "2.0":
            return (swagger.servers(self.document.value, operation),)
        return operation.get("servers"), item.get("servers"), self.document.value.get("servers")

    def _check_variables(self, found: list[tuple[str, str, Mapping[str, Any], Mapping[str, Any]]]) -> None:
        if self.options.server_variables:
            levels = (level for _, _, operation, item in found for level in self._levels(operation, item))
            known = {id(level): level for level in levels}  # that of the document is every operation's
            servers = (server for level in known.values() for server in listed(level))
            check_variables(self.options.server_variables, servers)

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


def _aside(asked: Asked, reason: str, *, chosen: bool = False) -> Aside:
    return Aside(
        method=asked.method,
        path=asked.path,
        operation_id=asked.operation_id,
        reason=reason,
        name=asked.name,
        chosen=chosen,
    )


def _is_secret(text: str) -> bool:
    return any(placeholder.kind == "secret" for placeholder in placeholders_in(parts_of(text)))
