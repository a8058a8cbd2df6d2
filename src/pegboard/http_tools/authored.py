"""Definitions on their way into a store: checked like those of files, kept as they were written. Pure but for reading.

What is kept has the form of ``HttpDefinition.to_json``, its ``{{env.*}}`` not filled in: each process fills in its own.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pegboard.documents.problems import ConfigProblem, KeyPath
from pegboard.documents.read import Document, parse_document
from pegboard.errors import DefinitionError
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.dump import lean
from pegboard.http_tools.environment import Environment
from pegboard.http_tools.files import Loaded, load_text, normals
from pegboard.http_tools.manifest import is_manifest, manifest_of
from pegboard.http_tools.mistakes import Mistake, Mistakes
from pegboard.http_tools.words import CONTEXT_NAMES
from pegboard.http_tools.written_secrets import called_secrets, shaped_secrets


@dataclass(frozen=True)
class Authored:
    """What a text of definitions came to. Immutable. ``written`` has what is to be kept of each tool, by name.

    ``problems`` are warnings and the like: with a mistake there is no such value.
    """

    written: Mapping[str, Mapping[str, Any]]
    problems: tuple[ConfigProblem, ...] = ()


class _AsWritten(Environment):
    """Fills nothing in. Lives as long as one reading."""

    def filled(self, request: Mapping[str, Any], at: KeyPath, mistakes: Mistakes) -> dict[str, Any]:
        """The request as it was written."""
        return dict(request)


def authored(
    text: str,
    name: str = "tools.toml",
    *,
    environ: Mapping[str, str] | None = None,
    context: Collection[str] = CONTEXT_NAMES,
) -> Authored:
    """What is to be kept of the definitions in a text; ``name`` stands for it in messages, and its ending tells YAML.

    Raises DefinitionError with all mistakes, when there is any: then nothing is to be kept.
    """
    loaded = load_text(text, name, environ=environ, context=context)
    if loaded.errors or not loaded.definitions:
        raise definition_error(loaded.errors or (ConfigProblem(file=Path(name), message="there is no tool in it."),))
    written = as_written(text, name)
    told = [problem for one in loaded.definitions for problem in _written_secrets(one, written[one.name], Path(name))]
    if told:
        raise definition_error(told)
    for one in loaded.definitions:
        if read_back(written[one.name], environ=environ, context=context).definitions != (one,):
            raise DefinitionError(
                f"{one.name!r} would not be the same when it is read again.", hint="Write it as JSON."
            )
    # Texts and numbers of other formats may be of types of their own.
    return Authored(json.loads(json.dumps(written)), loaded.problems)


def as_written(text: str, name: str) -> dict[str, Mapping[str, Any]]:
    """Each tool of a text, by name, in the one form, with nothing filled in; what cannot be read is left out."""
    document = parse_document(Path(name), text)
    if not isinstance(document, Document):
        return {}
    manifest = manifest_of(document.value) if is_manifest(document.value) else None
    tools = (one.value for one in normals(document.value, manifest, _AsWritten({})))
    return {tool["name"]: lean(tool) for tool in tools if isinstance(tool.get("name"), str)}


def read_back(
    definition: Mapping[str, Any],
    where: str = "stored.json",
    *,
    environ: Mapping[str, str] | None = None,
    context: Collection[str] = CONTEXT_NAMES,
) -> Loaded:
    """What was kept, read as a file is; ``where`` stands for it in messages."""
    try:
        text = json.dumps(definition, ensure_ascii=False, indent=2, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        return Loaded(problems=(ConfigProblem(file=Path(where), message=f"is no JSON: {error}."),), unread=True)
    return load_text(text, where, environ=environ, context=context)


def definition_error(problems: Collection[ConfigProblem]) -> DefinitionError:
    """One error that lists every problem, a line each; ``data["problems"]`` has them as JSON."""
    listed = "\n".join(str(problem) for problem in problems)
    message = f"There are {len(problems)} mistakes:\n{listed}" if len(problems) > 1 else listed
    return DefinitionError(message, data={"problems": [problem.to_json() for problem in problems]})


def _written_secrets(definition: HttpDefinition, written: Mapping[str, Any], file: Path) -> Iterator[ConfigProblem]:
    """What is secret in a definition and stands there itself, each place once."""
    found: dict[KeyPath, Mistake] = {}
    for mistake in (*called_secrets(definition), *shaped_secrets(written)):
        found.setdefault(mistake.path, mistake)
    for mistake in found.values():
        key = ".".join(map(str, mistake.path))
        yield ConfigProblem(file=file, key=key, message=mistake.message, hint=mistake.hint, entry=definition.name)
