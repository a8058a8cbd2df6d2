"""Tools of a configuration's files and documents, as an edit begins with them: each could be added in its own place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pegboard.errors import ConfigError

if TYPE_CHECKING:
    from pegboard.config import Settings


@dataclass(frozen=True, kw_only=True)
class Elsewhere:
    """A tool that was not added, under the name that it is shown by. Immutable.

    ``where`` says what has it, in words; ``leave_out`` how to be rid of it there.
    """

    where: str
    leave_out: str
    definition: Mapping[str, Any]


async def elsewhere(settings: Settings, name: str) -> Elsewhere | None:
    """The tool of a name in the configuration's files, as it was written there, or in its documents, as it came of it.

    A document with an address is fetched. Raises ConfigError where one that may have the tool cannot be read.
    """
    found = next((one for one in _in_files(settings) if one.definition["name"] == name), None)
    return found or await _in_documents(settings, name)


def _in_files(settings: Settings) -> Iterator[Elsewhere]:
    from pegboard.documents.read import read_text
    from pegboard.http_tools.authored import as_written
    from pegboard.naming import legal_name

    for path, spec in settings.http_tools.items():
        text = read_text(path)
        for bare, told in (as_written(text, str(path)) if isinstance(text, str) else {}).items():
            definition = {**told, "name": legal_name(bare, spec.prefix)}
            yield Elsewhere(
                where=f"a tool of {path}", leave_out="take it out there, or name it in exclude", definition=definition
            )


async def _in_documents(settings: Settings, name: str) -> Elsewhere | None:
    from pegboard.config.wire import openapi_source
    from pegboard.http_tools.dump import lean

    unread = ""
    for spec in settings.openapi.values():
        if not name.startswith(spec.shown.prefix):
            continue
        source = openapi_source(spec, settings)
        try:
            await source.ready()
            definition, status = source.definitions.get(name), source.status()
        finally:
            await source.stop()
        if definition is not None:
            return Elsewhere(
                where=f"an operation of {spec.where}",
                leave_out="name it in exclude of its [[openapi]] entry",
                definition=lean(definition.to_json()),
            )
        unread = unread or (status.reason if status.state == "failed" else "")
    if unread:
        raise ConfigError(f"{name!r} may be an operation of a document that cannot be read. {unread}")
    return None
