"""Changes of configuration files, applied to a Pegboard that is running."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from pegboard.config.load import Loaded
from pegboard.config.paths import real
from pegboard.config.reload import diff
from pegboard.config.settings import Settings, Upstream
from pegboard.config.wire import Wired, depth_of, http_source, names_of_files, openapi_source, policy_of, source_of
from pegboard.documents.problems import ConfigProblem, Level
from pegboard.errors import ConfigError
from pegboard.registry import Source
from pegboard.sources.http import HttpToolFile
from pegboard.sources.openapi import OpenApiDocument
from pegboard.sources.python_file import PythonFile
from pegboard.sources.reading import ReadSource
from pegboard.sources.skills import SkillFolders, watched
from pegboard.threads import in_thread

logger = logging.getLogger(__name__)

POLL: Final = 5_000
"""Milliseconds between two looks at the files where no change was told: network file systems tell of none."""

Stamp = tuple[int, int, int] | None
"""Inode, size and time of change of a file; None where there is none."""


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section of the configuration whose sources read a file or document. Process-wide, immutable.

    ``name`` is that of the section, and of its field in the settings. ``wanted`` gives what settings ask for, by the
    attribute ``key`` of its sources, which are of ``kind``: a spec, and the files that are read anew after a change,
    none where nobody tells of changes. ``made`` gives the source of a key and its spec.
    """

    name: str
    kind: type[ReadSource]
    key: str
    wanted: Callable[[Settings], Mapping[Any, tuple[Any, tuple[Path, ...]]]]
    made: Callable[[Any, Any, Settings, Mapping[str, str] | None], Source]

    def stamped(self, settings: Settings) -> dict[Any, tuple[Any, dict[Path, Stamp]]]:
        """What settings ask for, by key: each spec with the stamps of its files."""
        return {key: (spec, _stamps(files)) for key, (spec, files) in self.wanted(settings).items()}


SECTIONS: Final = (
    Section(
        name="python",
        kind=PythonFile,
        key="path",
        wanted=lambda settings: {path: (None, (path,)) for path in settings.python},
        made=lambda path, _, settings, environ: PythonFile(names_of_files(settings)[path], path),
    ),
    Section(
        name="http_tools",
        kind=HttpToolFile,
        key="path",
        wanted=lambda settings: {path: (spec, (path,)) for path, spec in settings.http_tools.items()},
        made=lambda path, spec, settings, environ: http_source(
            names_of_files(settings)[path], path, spec, settings, environ
        ),
    ),
    Section(
        name="openapi",
        kind=OpenApiDocument,
        key="name",
        wanted=lambda settings: {
            name: (spec, () if spec.file is None else (spec.file,)) for name, spec in settings.openapi.items()
        },
        made=lambda _, spec, settings, environ: openapi_source(spec, settings, environ),
    ),
    Section(
        name="skills",
        kind=SkillFolders,
        key="name",
        wanted=lambda settings: {name: (spec, watched(spec.roots)) for name, spec in settings.skills.items()},
        made=lambda _, spec, settings, environ: SkillFolders(spec),
    ),
)
"""Every such section, in the order in which changes are applied."""


class Reloader:
    """Keeps a running Pegboard in step with its configuration files. Lives as long as the process serves.

        reloader = Reloader(wired, loaded, lambda: load(path))
        task = asyncio.create_task(reloader.run())

    What did not change is not touched: an upstream with the same spec keeps its process. What cannot be read, or has a
    mistake, keeps running as it was; ``problems`` says what is wrong at present. A new policy holds at once, and one
    that is no longer there until the next start. Settings other than these hold from the next start on. ``on_load`` is
    told of each configuration that was taken.
    """

    def __init__(
        self,
        wired: Wired,
        loaded: Loaded,
        load: Callable[[], Loaded],
        *,
        on_load: Callable[[Loaded], None] = lambda loaded: None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.problems: tuple[ConfigProblem, ...] = loaded.problems
        self.error: ConfigError | None = None
        self._peg = wired.peg
        self._load = load
        self._on_load = on_load
        self._environ = environ
        self._depth = depth_of(os.environ if environ is None else environ)
        self._loaded = loaded
        self._policy = loaded.settings.policy
        self._upstreams = dict(loaded.settings.upstreams)
        self._read = {section.name: section.stamped(loaded.settings) for section in SECTIONS}
        self._seen = self._stamps()
        self._lock = asyncio.Lock()

    async def run(self) -> None:
        """Watch the files, and reload after each change, until cancelled."""
        while True:
            folders = self._folders()
            async with aclosing(_occasions(folders)) as occasions:
                async for _ in occasions:
                    if self._stamps() != self._seen:
                        await self._reload_whatever_comes()
                    if self._folders() != folders:
                        break

    async def reload(self) -> None:
        """Read the files again and apply what changed.

        Mistakes raise nothing: the error that kept the files from being read is kept in ``error``, what else is wrong
        in ``problems``; both are logged.
        """
        async with self._lock:
            before = self._seen = self._stamps()
            try:
                loaded = await in_thread(self._load, name="pegboard configuration")
            except ConfigError as error:
                logger.warning("the configuration stays as it was: %s", error)
                self.error = error
                return
            self._tell(loaded)
            self._loaded, self.error, self.problems = loaded, None, loaded.problems
            # What changed while it was being read shall be seen as a change.
            self._seen = {file: before.get(file, stamp) for file, stamp in self._stamps().items()}
            self._on_load(loaded)
            # Before any upstream is started: what is denied from now on waits for nothing.
            self._apply_policy(loaded.settings)
            await self._apply_upstreams(loaded)
            for section in SECTIONS:
                await self._apply_section(section, loaded)

    async def _reload_whatever_comes(self) -> None:
        try:
            await self.reload()
        except Exception:
            logger.exception("the configuration could not be taken: it stays as it was")

    def _tell(self, loaded: Loaded) -> None:
        for problem in loaded.problems:
            if problem not in self.problems and problem.level is not Level.NOTE:
                logger.warning("%s", problem)
        for name in _changed_elsewhere(self._loaded.settings, loaded.settings):
            logger.warning("%s changed in the configuration: that holds from the next start on", name)

    def _apply_policy(self, settings: Settings) -> None:
        if settings.policy == self._policy:
            return
        if settings.policy is None:
            # A file that is saved in place is empty for a moment, and that shall give nobody a right.
            logger.warning("the policy is gone from the configuration: the last one holds until the next start")
            return
        self._policy = settings.policy
        self._peg.set_policy(policy_of(settings))

    async def _apply_upstreams(self, loaded: Loaded) -> None:
        held = {name for name, upstream in self._upstreams.items() if _may_still_be_meant(upstream, loaded)}
        found = diff(self._upstreams, loaded.settings.upstreams, held | loaded.held)
        for name in found.stop:
            await self._remove(name)
            del self._upstreams[name]
        fresh = {**found.start, **found.change}
        made = [source_of(one, loaded.settings, self._depth, self._environ) for one in fresh.values()]
        await asyncio.gather(*(self._put(source) for source in made))
        self._upstreams.update(fresh)
        if found:
            logger.info("upstreams: %d new, %d gone, %d changed", len(found.start), len(found.stop), len(found.change))

    async def _apply_section(self, section: Section, loaded: Loaded) -> None:
        before, fresh = self._read[section.name], section.stamped(loaded.settings)
        held = before if section.name in loaded.unread else {}
        found = diff(before, fresh, held.keys())
        sources = {getattr(one, section.key): one for one in self._peg.sources if isinstance(one, section.kind)}
        for key in found.stop:
            await self._remove(sources[key].name)
        for key, (spec, _) in {**found.start, **found.change}.items():
            if key in found.change and spec == before[key][0]:
                sources[key].reload()
            else:
                await self._put(section.made(key, spec, loaded.settings, self._environ))
        self._read[section.name] = {**held, **fresh}

    async def _put(self, source: Source) -> None:
        """Add a source, or put it in the place of the one of its name."""
        try:
            await self._peg.replace_source(source)
        except Exception:
            logger.exception("source %r could not be added", source.name)

    async def _remove(self, name: str) -> None:
        try:
            await self._peg.remove_source(name)
        except Exception:
            logger.exception("source %r did not stop cleanly", name)

    def _watched(self) -> tuple[Path, ...]:
        wanted = (one for section in SECTIONS for one in section.wanted(self._loaded.settings).values())
        return (*self._loaded.files, *(file for _, files in wanted for file in files))

    def _stamps(self) -> dict[Path, Stamp]:
        return _stamps(self._watched())

    def _folders(self) -> set[Path]:
        """The folders to watch: those of the files, and of what the files are links to."""
        places = {place.parent for file in self._watched() for place in (file, real(file))}
        return {_existing(place) for place in places}


def _stamps(files: Iterable[Path]) -> dict[Path, Stamp]:
    return {file: _stamp(file) for file in files}


def _stamp(file: Path) -> Stamp:
    try:
        found = file.stat()
    except (OSError, ValueError):
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


async def _occasions(folders: set[Path]) -> AsyncGenerator[None]:
    """Something may have changed below ``folders``: at once, after a change, and every few seconds anyway.

    Folders, because editors write a new file and move it over the old one, which a watch on the file would miss.
    """
    from watchfiles import awatch

    yield
    changes = awatch(*folders, recursive=False, watch_filter=None, rust_timeout=POLL, yield_on_timeout=True)
    try:
        async with aclosing(changes):
            async for _ in changes:
                yield
    except (OSError, RuntimeError) as error:
        logger.warning("the system does not tell of changes (%s): looking every %d s instead", error, POLL // 1000)
    while True:
        await asyncio.sleep(POLL / 1000)
        yield


def _may_still_be_meant(upstream: Upstream, loaded: Loaded) -> bool:
    """Whether what could not be read may have been, or have brought, this upstream."""
    own = loaded.files[:1] == (upstream.origin,)
    return upstream.origin in loaded.broken or ("upstreams" if own else "import") in loaded.unread


def _existing(folder: Path) -> Path:
    return next((place for place in (folder, *folder.parents) if place.is_dir()), Path.cwd())


def _changed_elsewhere(old: Settings, new: Settings) -> Iterable[str]:
    """The parts of the settings, other than sources and the policy, that are not equal."""
    applied = ("upstreams", "policy", *(section.name for section in SECTIONS))
    old = replace(old, **{name: getattr(new, name) for name in applied})
    return (name for name, value in vars(new).items() if value != getattr(old, name))
