"""An OpenAPI document as a source: every operation is a tool."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Final
from urllib.parse import urlsplit

from pegboard.documents.problems import ConfigProblem, Level
from pegboard.documents.read import MAX_BYTES, read_text
from pegboard.errors import DefinitionError, EgressError
from pegboard.http_tools.files import Loaded
from pegboard.http_tools.openapi.report import Imported
from pegboard.http_tools.tool import Client, HttpRuntime
from pegboard.net.egress import EgressPolicy
from pegboard.sources.http_source import Closable, HttpSource
from pegboard.sources.openapi_spec import OpenApiSpec
from pegboard.threads import in_thread

ACCEPT: Final = "application/json, application/yaml, text/yaml, */*;q=0.5"
SECONDS: Final = 60.0
"""What one document may take to arrive."""

_REDIRECTS: Final = 5
_SHOWN: Final = 10
"""Operations that one note names."""


class OpenApiDocument(HttpSource):
    """A document whose operations are tools. Process-wide; used from one event loop.

    A document with a ``url`` is fetched through the client that the tools use, when the source starts and with
    ``reload``. An operation that cannot be used is set aside.
    """

    kind: ClassVar[str] = "openapi"

    def __init__(
        self,
        spec: OpenApiSpec,
        runtime: Callable[[Client], HttpRuntime],
        *,
        client: Callable[[], Closable] | None = None,
    ) -> None:
        def allowing(client: Client) -> HttpRuntime:
            made = runtime(client)
            return replace(made, policy=spec.allowed(made.policy))

        super().__init__(spec.name, allowing, spec=spec.shown, client=client)
        self.document = spec
        self._runtime_of = allowing

    @property
    def where(self) -> str:
        """The file's path, or the address."""
        return self.document.where

    async def load(self, context: Collection[str]) -> Loaded:
        """What the document says now."""
        from pegboard.http_tools.openapi.importing import import_openapi

        options, text = self.document.options, await self._text()
        if isinstance(text, ConfigProblem):
            return Loaded(problems=(text,), unread=True)
        if self.document.url:
            options = replace(options, address=text.address)
        try:
            found = await in_thread(
                lambda: import_openapi(text.text, options, context=context), name=f"document {self.name}"
            )
        except DefinitionError as error:
            return Loaded(problems=(self._problem(error.message, error.hint),), unread=True)
        return loaded_of(found, self._file)

    @property
    def _file(self) -> Path:
        """What stands for the document in messages: of an address only the path's end."""
        return self.document.file or Path(urlsplit(self.document.url).path.rsplit("/", 1)[-1] or "document")

    def _problem(self, message: str, hint: str = "") -> ConfigProblem:
        return ConfigProblem(file=self._file, message=message, hint=hint)

    async def _text(self) -> _Text | ConfigProblem:
        if self.document.file is not None:
            file = self.document.file
            text = await in_thread(lambda: read_text(file), name=f"file {self.name}")
            return text if isinstance(text, ConfigProblem) else _Text(text)
        assert self._client is not None  # made before anything is loaded
        try:
            return await fetched(self.document.url, self._client, self._runtime_of(self._client).policy)
        except (EgressError, DefinitionError) as error:
            detail = f" {error.detail}." if isinstance(error, EgressError) and error.detail else ""
            return self._problem(f"{self.document.url} cannot be read: {error.message}{detail}", error.hint)


@dataclass(frozen=True)
class _Text:
    """A document's text, and where it came from at last. Immutable."""

    text: str
    address: str = ""


async def fetched(url: str, client: Client, policy: EgressPolicy) -> _Text:
    """A document from an address that an operator wrote. Raises EgressError and DefinitionError.

    Redirects are followed, each through the guard; what was allowed to the operator's own address is not allowed there.
    """
    from pegboard.net.client import HttpLimits

    limits = HttpLimits(total_seconds=SECONDS, body_bytes=MAX_BYTES)
    reply = await client.request(
        "GET", url, policy=policy, headers={"Accept": ACCEPT}, redirects=_REDIRECTS, limits=limits
    )
    if reply.status != 200:
        raise DefinitionError(f"it answered with the status {reply.status}.")
    try:
        return _Text(reply.body.decode("utf-8-sig"), reply.target.url)
    except UnicodeDecodeError:
        raise DefinitionError("it is not UTF-8.") from None


def loaded_of(found: Imported, file: Path) -> Loaded:
    """What an import came to, as every source of definitions has it."""
    return Loaded(
        definitions=found.definitions,
        problems=(*_aside(found, file), *_notes(found, file)),
        left_out={one.name: one.reason for one in found.aside if one.chosen},
    )


def _aside(found: Imported, file: Path) -> Iterator[ConfigProblem]:
    for one in found.failed:
        message = f"{one.reason.rstrip('.')}."
        yield ConfigProblem(file=file, key=one.label, message=message, hint=one.mend, entry=one.name or one.label)


def _notes(found: Imported, file: Path) -> Iterator[ConfigProblem]:
    """One note for all operations that it is to be said of."""
    by_note: dict[str, list[str]] = {}
    for operation in found.operations:
        for note in operation.notes:
            by_note.setdefault(note, []).append(str(operation))
    for note, operations in by_note.items():
        more = f" and {len(operations) - _SHOWN} more" if len(operations) > _SHOWN else ""
        told = f"{', '.join(operations[:_SHOWN])}{more}: {note}."
        yield ConfigProblem(file=file, message=told, level=Level.NOTE)
