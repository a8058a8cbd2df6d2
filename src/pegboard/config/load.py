"""A configuration file, with everything it imports, to settings."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from pegboard.config.check import RIGHTS, CheckedFile, check_file
from pegboard.config.clients import is_client_file
from pegboard.config.expand import Scope
from pegboard.config.imports import Candidate, Imported, Importer
from pegboard.config.model import ImportKeys, PolicyKeys, UpstreamKeys
from pegboard.config.openapi import documents_of
from pegboard.config.paths import path_of, state_folder
from pegboard.config.resolve import Layer, resolve
from pegboard.config.settings import Settings, Upstream
from pegboard.config.skills import skills_of
from pegboard.documents.problems import ConfigProblem, Level, config_error
from pegboard.documents.read import Document, read_document
from pegboard.limits import Limits
from pegboard.rules import Rule

STORE_NAME: Final = "boards.sqlite3"
CACHE_NAME: Final = "catalog"
IN_MEMORY: Final = frozenset({"memory", ":memory:"})
"""What ``path`` in ``[store]`` says for no file at all."""


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """What a configuration came to. Immutable.

    ``files`` are all that were read or looked for: a change of one can change the result. What else the files may have
    meant is not known where ``held`` names upstreams that were set aside for a mistake, ``broken`` imported files that
    could not be understood, and ``unread`` sections (``upstreams``, ``import``, ``python``, ``http_tools``,
    ``openapi``, ``skills``) of which a part was not.
    """

    settings: Settings
    problems: tuple[ConfigProblem, ...] = ()
    files: tuple[Path, ...] = ()
    broken: frozenset[Path] = frozenset()
    held: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()

    @property
    def errors(self) -> tuple[ConfigProblem, ...]:
        """The problems that are mistakes."""
        return tuple(problem for problem in self.problems if problem.level is Level.ERROR)


def load(
    path: str | Path | None,
    *,
    clients: Iterable[str | Path] = (),
    strict: bool = False,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Loaded:
    """A ``pegboard.toml``, or a client's own file with every setting at its default; the content tells which.

    ``clients`` are clients' files to import besides, after those that the file itself imports; with ``path`` None they
    are all there is. ``environ`` (default: the process's own) fills ``${VAR}`` in. ``folder`` (default: the current
    one) is the workspace of files that do not lie in one.

    A mistake sets aside what it stands in and nothing else; ``problems`` lists them all. Raises ConfigError when a
    file that is named here cannot be read or is not TOML or JSON, when a mistake stands in what decides about rights
    (``[policy]``, ``[principals]``, ``[receipts]``, who clients are, what is done about changed definitions, or a
    section or key that may have been meant for one of these), and with ``strict`` when there is any mistake.
    """
    main = _read(path) if path else None
    named = [_read(client) for client in clients]
    unreadable = [document for document in (main, *named) if isinstance(document, ConfigProblem)]
    if unreadable:
        raise config_error(unreadable)
    importer = Importer(environ=os.environ if environ is None else environ, folder=folder or Path.cwd())
    documents = [document for document in (main, *named) if isinstance(document, Document)]
    ours = documents[:1] if path and not is_client_file(documents[0]) else []
    _refuse_unread_rights(documents[: 1 if path and not ours else 0])
    loaded = _Load(importer).run(ours[0] if ours else None, documents[len(ours) :])
    if strict and loaded.errors:
        raise config_error(loaded.errors)
    return loaded


def _refuse_unread_rights(clients: Iterable[Document]) -> None:
    """A client's file says nothing of rights: one that does was meant to be ours, and nobody would be held to it."""
    for document in clients:
        for key in sorted(RIGHTS & document.value.keys()):
            message, hint = "holds only in a pegboard.toml, and this file is read as a client's.", "Write it in TOML."
            raise config_error([document.problem((key,), message, hint)])


def _read(path: str | Path) -> Document | ConfigProblem:
    return read_document(path_of(path).absolute())


@dataclass
class _Load:
    """The state of one ``load``; lives as long as it."""

    importer: Importer
    problems: list[ConfigProblem] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    broken: set[Path] = field(default_factory=set)

    def run(self, main: Document | None, clients: Sequence[Document]) -> Loaded:
        file = CheckedFile()
        own: dict[str, Layer | None] = {}
        if main is not None:
            file = check_file(main)
            if file.refused:
                raise config_error(file.refused)
            own = self.own(main, file)
            self.files.append(main.file)
            self.problems.extend((*file.problems, *_missing_files(main, file)))
        imported = [candidate for one in self.imports(main, file, clients) for candidate in self.taken(one)]
        upstreams = self.upstreams(own, imported)
        settings = _settings(main, self.importer, file, upstreams)
        if main is not None:
            openapi, problems = documents_of(main, file, upstreams, main.file.parent)
            skills, more = skills_of(main, file, {*upstreams, *openapi}, main.file.parent)
            settings = replace(settings, openapi=openapi, skills=skills)
            self.problems.extend((*problems, *more))
        return Loaded(
            settings=settings,
            problems=_in_order(self.problems),
            files=tuple(dict.fromkeys(self.files)),
            broken=frozenset(self.broken),
            held=frozenset(problem.entry for problem in self.problems if _sets_aside(problem)) - upstreams.keys(),
            unread=frozenset(file.unread),
        )

    def own(self, document: Document, file: CheckedFile) -> dict[str, Layer | None]:
        """The entries of the file itself, None for those with a mistake."""
        base = document.file.parent
        scope = Scope(environ=self.importer.environ, workspace=base)
        own: dict[str, Layer | None] = {problem.entry: None for problem in file.problems if problem.entry}
        for name, keys in file.upstreams.items():
            own[name] = Layer(keys=keys, document=document, at=("upstreams", name), base=base, scope=scope)
        return own

    def imports(self, main: Document | None, file: CheckedFile, clients: Sequence[Document]) -> Iterator[Imported]:
        """What each import brings: first those that the file names, then the others."""
        if main is not None:
            yield from (self.importer.import_of(main, place, keys) for place, keys in file.imports.items())
        for client in clients:
            yield self.importer.servers_of(client, ImportKeys(file=str(client.file)), client.file.parent)

    def taken(self, imported: Imported) -> tuple[Candidate, ...]:
        self.problems.extend(imported.problems)
        if imported.file is not None:
            self.files.append(imported.file)
            self.broken |= {imported.file} if imported.broken else set()
        return imported.candidates

    def upstreams(self, own: Mapping[str, Layer | None], imported: Iterable[Candidate]) -> dict[str, Upstream]:
        """One upstream a name: the file's own entry, else the first imported one."""
        layers: dict[str, tuple[Layer, ...] | None] = {
            name: None if layer is None else (layer,) for name, layer in own.items()
        }
        adjusting = {name: layer for name, layer in own.items() if layer is not None and _adjusts(layer.keys)}
        for candidate in imported:
            mine = adjusting.pop(candidate.name, None)
            if mine is None and candidate.name in layers:
                self.problems.append(candidate.passed_over)
            else:
                found = (candidate.layer, *([mine] if mine else [])) if candidate.layer else None
                layers[candidate.name] = found
        return self.resolved(layers)

    def resolved(self, layers: Mapping[str, tuple[Layer, ...] | None]) -> dict[str, Upstream]:
        upstreams: dict[str, Upstream] = {}
        for name, found in layers.items():
            if found is not None:
                result = resolve(name, found)
                self.problems.extend(result.problems)
                self.files.extend(result.files)
                upstreams |= {name: result.upstream} if result.upstream is not None else {}
        return upstreams


def _sets_aside(problem: ConfigProblem) -> bool:
    return problem.level is Level.ERROR and problem.entry != ""


def _missing_files(main: Document, file: CheckedFile) -> Iterator[ConfigProblem]:
    """Files of tools, and of an encoder, that are not there."""
    encoder = file.search.encoder
    if encoder is not None and not path_of(encoder, main.file.parent).is_file():
        told = f"{path_of(encoder, main.file.parent)}: there is no such file."
        yield main.problem(("search", "encoder"), told, "Check the path.")
    for section, tables in (("python", file.python), ("http_tools", file.http_tools)):
        for place, keys in tables.items():
            path = path_of(keys.file, main.file.parent)
            if not path.is_file():
                at = (section, place, "file")
                yield main.problem(at, f"{path}: there is no such file.", "Check the path.")


def _in_order(problems: list[ConfigProblem]) -> tuple[ConfigProblem, ...]:
    """File by file, as the files were read, each from its top to its end."""
    files = {file: place for place, file in enumerate(dict.fromkeys(problem.file for problem in problems))}
    return tuple(sorted(problems, key=lambda problem: (files[problem.file], problem.line or 0)))


def _adjusts(keys: UpstreamKeys) -> bool:
    return keys.command is None and keys.url is None


def _settings(
    main: Document | None, importer: Importer, file: CheckedFile, upstreams: Mapping[str, Upstream]
) -> Settings:
    base = main.file.parent if main else importer.folder
    profiles = {name: tools for name, tools in vars(file.profiles).items() if tools is not None}
    store_file = _store_file(file.store.path, base, importer.environ)
    return Settings(
        gateway=file.gateway,
        limits=Limits(**vars(file.limits)),
        log_file=path_of(file.log.file, base) if file.log.file else None,
        log_level=file.log.level,
        ranker=file.search.ranker,
        encoder_file=path_of(file.search.encoder, base) if file.search.encoder else None,
        store_file=store_file,
        store_keep=file.store.keep,
        cache_folder=_cache_folder(file.cache.path, base, store_file),
        cache_age=file.cache.age,
        overlay=_overlay(main, file.store.path),
        collisions=file.collisions,
        on_drift=file.boards.on_drift,
        pin_skill_tools=file.boards.pin_skill_tools,
        profiles=profiles,
        upstreams=upstreams,
        python=tuple(path_of(entry.file, base) for entry in file.python.values()),
        http=file.http,
        http_tools={path_of(entry.file, base): entry.spec for entry in file.http_tools.values()},
        secrets_folder=path_of(file.http.secrets_folder, base) if file.http.secrets_folder else None,
        files_folder=path_of(file.http.files, base) if file.http.files else None,
        file=main.file if main else None,
        check=file.check,
        context={name: keys.origin for name, keys in file.context.items()},
        policy=_rules(main, file.policy) if main and file.policy else None,
        principals={name: keys.principal(name) for name, keys in file.principals.items()},
        receipts_file=path_of(file.receipts.file, base) if file.receipts.file else None,
        receipts_mandatory=file.receipts.mandatory,
        receipts_searches=file.receipts.searches,
        usage=file.usage,
    )


def _rules(main: Document, policy: PolicyKeys) -> tuple[Rule, ...]:
    lines = (main.line(("policy", "rules", place)) for place in range(len(policy.rules)))
    return tuple(keys.rule(f"{main.file.name}:{line}") for keys, line in zip(policy.rules, lines, strict=True))


def _overlay(main: Document | None, path: str | None) -> str | None:
    """What added tools stand under: in a file that a configuration names they are everybody's who names it, in the
    user's own they are those of one configuration."""
    if main is None or path in IN_MEMORY:
        return None
    return str(main.file) if path is None else ""


def _store_file(path: str | None, base: Path, environ: Mapping[str, str]) -> Path | None:
    """The file that boards are kept in; None for memory, and where there is no place for one."""
    if path is None:
        folder = state_folder(environ)
        return folder / STORE_NAME if folder else None
    return None if path in IN_MEMORY else path_of(path, base)


def _cache_folder(path: str | None, base: Path, store_file: Path | None) -> Path | None:
    """The folder for what upstreams listed; None for none, and where boards have no place on the disk either."""
    if path is None:
        return None if store_file is None else store_file.with_name(CACHE_NAME)
    return None if path in IN_MEMORY else path_of(path, base)
