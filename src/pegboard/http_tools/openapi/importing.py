"""A document to its operations, and each to the definition of a tool or aside. Pure."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from pegboard.errors import DefinitionError
from pegboard.http_tools.openapi.filters import Asked, left_out
from pegboard.http_tools.openapi.names import names_of
from pegboard.http_tools.openapi.options import ImportOptions
from pegboard.http_tools.openapi.reading import OpenApi, read
from pegboard.http_tools.openapi.report import Aside, Imported, Operation
from pegboard.http_tools.openapi.servers import check_variables
from pegboard.http_tools.openapi.values import NoServer, Unusable, listed, table, text
from pegboard.http_tools.openapi.writing import Writer
from pegboard.http_tools.words import CONTEXT_NAMES

logger = logging.getLogger(__name__)

MAX_OPERATIONS: Final = 20_000
"""Operations of one document. The largest that is published has some thousand."""

_VERBS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


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
        self.options = options
        self.writer = Writer(document, options, context)
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
            first = self.reasons[0]
            raise DefinitionError(f"This document names no address to send to: {first}.", hint=first.mend)
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
        return {
            **self.writer.references.resolved_table(item),
            **{key: value for key, value in item.items() if key != "$ref"},
        }

    def _one(self, asked: Asked, item: Mapping[str, Any], note: str) -> None:
        """Make a tool of one operation, or set it aside."""
        reason = left_out(self.options, asked)
        if reason:
            self.aside.append(_aside(asked, reason, chosen=True))
            return
        try:
            notes = [note] if note else []
            if asked.name in self.taken:
                raise Unusable(f"another operation has the name {asked.name!r}")
            definition = self.writer.definition(asked, item, notes)
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
        own = self.options.spelling.of("exclude_path", asked.path)
        self.aside.append(_aside(asked, str(reason), mend=reason.mend or f"Mend the document, or leave it out: {own}."))

    def _check_variables(self, found: list[tuple[str, str, Mapping[str, Any], Mapping[str, Any]]]) -> None:
        if self.options.server_variables:
            levels = (level for _, _, operation, item in found for level in self.writer.levels(operation, item))
            known = {id(level): level for level in levels}  # that of the document is every operation's
            servers = (server for level in known.values() for server in listed(level))
            check_variables(self.options.server_variables, servers)


def _aside(asked: Asked, reason: str, *, chosen: bool = False, mend: str = "") -> Aside:
    return Aside(
        method=asked.method,
        path=asked.path,
        operation_id=asked.operation_id,
        reason=reason,
        name=asked.name,
        chosen=chosen,
        mend=mend,
    )
