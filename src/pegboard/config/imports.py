"""Imports of clients' own files: which servers they bring, before it is known which of a name counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from pegboard.config.check import checked
from pegboard.config.clients import ClientEntry, client_entries, has_servers
from pegboard.config.expand import Scope, expand
from pegboard.config.kinds import Mistake, Secret
from pegboard.config.model import ImportKeys, UpstreamKeys
from pegboard.config.paths import home, path_of
from pegboard.config.resolve import Layer
from pegboard.documents.problems import ConfigProblem, Level
from pegboard.documents.read import Document, read_document

PROJECT_FILE: Final = ".mcp.json"
"""The file that Claude Code and others keep at the top of a project."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A server of a client's file. Immutable; belongs to one load.

    ``layer`` is None where the entry has a mistake. ``passed_over`` is what to say when another of the name counts.
    """

    name: str
    layer: Layer | None
    passed_over: ConfigProblem


@dataclass(frozen=True, kw_only=True)
class Imported:
    """What one client's file brings. Immutable; belongs to one load.

    ``file`` is None where it is not even known which was meant; ``broken`` says that it could not be read, or has no
    place for servers.
    """

    candidates: tuple[Candidate, ...] = ()
    problems: tuple[ConfigProblem, ...] = ()
    file: Path | None = None
    broken: bool = False


@dataclass(frozen=True, kw_only=True)
class Importer:
    """Reads clients' files. Immutable; belongs to one load.

    ``environ`` fills ``${VAR}`` in; ``folder`` is the workspace of files that do not lie in one.
    """

    environ: Mapping[str, str]
    folder: Path

    def import_of(self, document: Document, place: int, keys: ImportKeys) -> Imported:
        """What the ``[[import]]`` at ``place`` of a ``pegboard.toml`` brings."""
        base = document.file.parent
        expanded = expand(keys.file, Scope(environ=self.environ, workspace=base))
        at = ("import", place, "file")
        if expanded.lacks:
            return Imported(problems=tuple(document.problem(at, f"{lack.what}.", lack.hint) for lack in expanded.lacks))
        file = path_of(expanded.text, base)
        client = read_document(file)
        if isinstance(client, ConfigProblem):
            named = document.problem(at, f"{file}: {client.message}", client.hint)
            return Imported(problems=(named if client.line is None else client,), file=file, broken=True)
        brought = self.servers_of(client, keys, base)
        misses = _misses(document, place, keys, [candidate.name for candidate in brought.candidates])
        chosen = tuple(one for one in brought.candidates if _passes(one.name, keys.include, keys.exclude or ()))
        return replace(brought, candidates=chosen, problems=(*brought.problems, *misses))

    def servers_of(self, client: Document, keys: ImportKeys, base: Path) -> Imported:
        """What a client's file that was read brings; paths in ``keys`` start at ``base``."""
        workspace, cwd = self._workspace(client.file, keys, base)
        scope = Scope(environ=self.environ, workspace=workspace, inputs=self._inputs(keys.inputs or {}, base))
        entries, problems = client_entries(client, workspace)
        candidates = [_candidate(client, entry, scope, cwd) for entry in entries]
        wrong = [problem for _, found in candidates for problem in found]
        return Imported(
            candidates=tuple(candidate for candidate, _ in candidates),
            problems=(*client.problems, *problems, *wrong),
            file=client.file,
            broken=not has_servers(client, workspace),
        )

    def _inputs(self, given: Mapping[str, Secret], base: Path) -> dict[str, str]:
        scope = Scope(environ=self.environ, workspace=base)
        filled = {name: expand(secret.value, scope) for name, secret in given.items()}
        return {name: value.text for name, value in filled.items() if not value.lacks}

    def _workspace(self, file: Path, keys: ImportKeys, base: Path) -> tuple[Path, Path | None]:
        """What the file speaks of as its workspace, and the folder to start its servers in, where that is known."""
        if keys.workspace is not None:
            text = expand(keys.workspace, Scope(environ=self.environ, workspace=base)).text
            given = path_of(text, base)
            return given, given
        project = _project_of(file)
        return project or self.folder, project


def _candidate(
    client: Document, entry: ClientEntry, scope: Scope, cwd: Path | None
) -> tuple[Candidate, list[ConfigProblem]]:
    message = f"another entry named {entry.name!r} comes before this one."
    passed_over = client.problem(entry.at, message, level=Level.NOTE)
    keys, mistakes = checked(UpstreamKeys, entry.keys, entry.at)
    if mistakes and entry.keys.get("disabled") is True:
        keys, mistakes = UpstreamKeys(disabled=True), []
    layer = None
    if keys is not None:
        base = scope.workspace
        layer = Layer(keys=keys, document=client, at=entry.at, base=base, scope=scope, places=entry.places, cwd=cwd)
    wrong = [_in_client_words(client, entry, mistake) for mistake in mistakes]
    return Candidate(name=entry.name, layer=layer, passed_over=passed_over), wrong


def _in_client_words(client: Document, entry: ClientEntry, mistake: Mistake) -> ConfigProblem:
    """A mistake in an imported entry, at the place and under the key where the client's file has it."""
    ours = mistake.path[len(entry.at) :]
    place = (*entry.places.get(str(ours[0]), (*entry.at, ours[0])), *ours[1:])
    return client.problem(place, mistake.message, mistake.hint, entry=entry.name)


def _project_of(file: Path) -> Path | None:
    """The project that a client's file belongs to: ``.vscode/mcp.json``, ``.kiro/settings/mcp.json``, ``.mcp.json``."""
    if file.name == PROJECT_FILE:
        return file.parent
    hidden = next((folder for folder in file.parents[:2] if folder.name.startswith(".")), None)
    return hidden.parent if hidden and hidden.parent != home() else None


def _passes(name: str, include: tuple[str, ...] | None, exclude: tuple[str, ...]) -> bool:
    wanted = include is None or any(fnmatchcase(name, glob) for glob in include)
    return wanted and not any(fnmatchcase(name, glob) for glob in exclude)


def _misses(document: Document, place: int, keys: ImportKeys, names: list[str]) -> Iterator[ConfigProblem]:
    """Globs that match no server: they are likely misspelt, and then a server runs that should not, or the reverse."""
    for key, globs in (("include", keys.include or ()), ("exclude", keys.exclude or ())):
        for position, glob in enumerate(globs):
            if names and not any(fnmatchcase(name, glob) for name in names):
                message = f"{glob!r} matches none of the servers there: {', '.join(dict.fromkeys(names))}."
                yield document.problem(("import", place, key, position), message, level=Level.WARNING)
