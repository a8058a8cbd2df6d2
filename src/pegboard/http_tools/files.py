"""Files of definitions: one tool in each, or a manifest, in TOML, YAML or JSON."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pegboard.documents.jsonc import MAX_DEPTH, nests_deeper
from pegboard.documents.problems import ConfigProblem, Level
from pegboard.documents.read import Document, parse_document, read_document
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.environment import Environment
from pegboard.http_tools.manifest import Manifest, Normal, is_manifest, manifest_of, normal
from pegboard.http_tools.mistakes import Mistake
from pegboard.http_tools.reading import read_definition
from pegboard.http_tools.words import CONTEXT_NAMES


@dataclass(frozen=True)
class Loaded:
    """What a file came to. Immutable. ``unread`` says that the file as a whole could not be understood,
    ``left_out`` which tools were not asked for, each with what left it out.

    A tool with a mistake is not among ``definitions``; ``problems`` has all of its mistakes, with ``entry`` its name.
    """

    definitions: tuple[HttpDefinition, ...] = ()
    problems: tuple[ConfigProblem, ...] = ()
    unread: bool = False
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def errors(self) -> tuple[ConfigProblem, ...]:
        """The problems that are mistakes."""
        return tuple(problem for problem in self.problems if problem.level is Level.ERROR)


def load_file(
    file: Path, *, environ: Mapping[str, str] | None = None, context: Collection[str] = CONTEXT_NAMES
) -> Loaded:
    """The definitions of a file, and everything that is wrong in it.

    ``environ`` (default: the process's own) fills ``{{env.*}}`` in; ``context`` are the names that ``{{ctx.*}}`` may
    have. What is called ``.yaml`` or ``.yml`` is YAML; of other files the content tells JSON from TOML.
    """
    return _loaded(read_document(file), environ, context)


def load_text(
    text: str,
    name: str = "tools.toml",
    *,
    environ: Mapping[str, str] | None = None,
    context: Collection[str] = CONTEXT_NAMES,
) -> Loaded:
    """The same for a text; ``name`` stands for it in messages, and its ending tells YAML."""
    return _loaded(parse_document(Path(name), text), environ, context)


def _loaded(document: Document | ConfigProblem, environ: Mapping[str, str] | None, context: Collection[str]) -> Loaded:
    if isinstance(document, ConfigProblem):
        return Loaded(problems=(document,), unread=True)
    if nests_deeper(document.value, MAX_DEPTH):
        deep = f"lists and objects nest deeper than {MAX_DEPTH} levels."
        return Loaded(problems=(ConfigProblem(file=document.file, message=deep),), unread=True)
    ambiguous, doubts = _ambiguous(document)
    if ambiguous is None:
        return Loaded(problems=doubts, unread=True)
    environment = Environment(os.environ if environ is None else environ)
    manifest = manifest_of(document.value) if is_manifest(document.value) else None
    told = [_problem(document, mistake, ()) for mistake in manifest.mistakes] if manifest else []
    told = [*doubts, *told]
    found: dict[str, HttpDefinition] = {}
    for one in normals(document.value, manifest, environment):
        definition, problems = _read(document, one, context)
        told += problems
        if definition is None or (one.at[1:2] and one.at[1] in ambiguous):
            continue
        if definition.name in found:
            told.append(_twice(document, one, definition.name))
        else:
            found[definition.name] = definition
    return Loaded(tuple(found.values()), tuple(told))


def normals(value: Mapping[str, Any], manifest: Manifest | None, environment: Environment) -> Iterator[Normal]:
    """Each tool of a file's value: one or, with a ``manifest``, many. What ``environment`` has is filled in."""
    if manifest is None:
        yield normal(value, environment)
        return
    for place, tool in enumerate(manifest.tools):
        yield normal(tool, environment, defaults=manifest.defaults, at=("tools", place))


def _read(
    document: Document, one: Normal, context: Collection[str]
) -> tuple[HttpDefinition | None, list[ConfigProblem]]:
    name = str(one.value.get("name") or "")
    if one.value == {}:
        return None, [_problem(document, mistake, one.written(mistake.path), name) for mistake in one.mistakes]
    read = read_definition(one.value, context=context)
    mistakes = _without_echoes(one.mistakes, read.mistakes)
    usable = not any(mistake.level is Level.ERROR for mistake in mistakes)
    problems = [_problem(document, mistake, one.written(mistake.path), name) for mistake in mistakes]
    return (read.definition if usable else None), problems


def _without_echoes(first: Iterable[Mistake], then: Iterable[Mistake]) -> list[Mistake]:
    """All mistakes, less those that only follow from an address that could not be made."""
    first = list(first)
    no_url = any(mistake.path in (("endpoint",), ("url",)) for mistake in first)
    return [*first, *(mistake for mistake in then if not (no_url and mistake.path == ("request", "url")))]


def _problem(document: Document, mistake: Mistake, path: tuple[str | int, ...], entry: str = "") -> ConfigProblem:
    path = path or mistake.path
    return document.problem(path, mistake.message, mistake.hint, level=mistake.level, entry=entry)


def _twice(document: Document, one: Normal, name: str) -> ConfigProblem:
    hint = "Rename one of the two."
    return document.problem(one.written(("name",)), f"the file has a tool {name!r} already.", hint, entry=name)


def _ambiguous(document: Document) -> tuple[frozenset[int] | None, tuple[ConfigProblem, ...]]:
    """The tools in which JSON has a key twice, None for the whole file: which was meant, nobody can know."""
    problems = tuple(replace(problem, level=Level.ERROR) for problem in document.problems)
    paths = [path for path, _, _ in document.parsed.twice]
    inside = [path[1] for path in paths if path[0] == "tools" and len(path) > 2 and isinstance(path[1], int)]
    return (frozenset(inside) if len(inside) == len(paths) else None), problems
