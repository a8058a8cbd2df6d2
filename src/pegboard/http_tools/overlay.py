"""Tools that are added while Pegboard runs: every change is a version, checked before it is stored."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from pegboard.errors import AuthoringError, CollisionError, ConflictError, NoVersionError
from pegboard.http_tools.authored import Authored, authored, definition_error, read_back
from pegboard.http_tools.versions import Change, Stored, ToolStore, ToolVersion, Unreadable
from pegboard.http_tools.words import CONTEXT_NAMES

_ABSENT: Final = object()


class Overlay:
    """The tools of one store, for whoever changes them. Lives as long as the store.

        overlay = Overlay(SqlToolStore("boards.sqlite3"), by="ann")
        await overlay.add(text)

    Definitions are read as those of files are: ``context`` and ``environ`` are as in ``load_file``. One that has a
    mistake is refused with all of them, and nothing changes. ``version`` says which version a change is made for
    (default: the newest); where another has been stored meanwhile, ConflictError is raised and nothing changes.
    ``by`` is kept with each version, and so is ``clock()``, in UNIX seconds. Raises StoreError besides.
    """

    def __init__(
        self,
        store: ToolStore,
        *,
        by: str = "",
        context: Collection[str] = CONTEXT_NAMES,
        environ: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store = store
        self._by = by
        self._context = context
        self._environ = environ
        self._clock = clock

    async def newest(self) -> dict[str, Stored]:
        """The newest version of every tool by name, removals too."""
        return {one.name: one for one in await self.store.newest()}

    async def history(self, name: str) -> Sequence[Stored]:
        """Every version of a tool, the oldest first. Raises NoVersionError for a name that never was."""
        versions = await self.store.versions(name)
        if not versions:
            raise _no_tool(name)
        return versions

    async def current(self, name: str) -> ToolVersion:
        """The newest version of a tool that is there. Raises NoVersionError where it is not, or cannot be read."""
        *_, last = await self.history(name)
        if isinstance(last, Unreadable):
            raise NoVersionError(
                f"Version {last.version} of {name!r} cannot be read: {last.reason} ({last.where}).",
                hint=f"Bring an older one back: pegboard tools restore {name} VERSION.",
            )
        if last.definition is None:
            raise NoVersionError(
                f"{name!r} was removed with version {last.version}.",
                hint=f"Bring an older one back: pegboard tools restore {name} {last.version - 1}.",
            )
        return last

    def checked(self, text: str, file: str = "tools.toml") -> Authored:
        """What a text would be stored as; ``file`` stands for it in messages. Raises DefinitionError."""
        return authored(text, file, environ=self._environ, context=self._context)

    async def add(self, text: str, file: str = "tools.toml") -> tuple[ToolVersion, ...]:
        """Add the tools of a text, all or none. Raises CollisionError where one is there already."""
        found = self.checked(text, file)
        newest = await self.newest()
        there = [name for name in found.written if _is_there(newest.get(name))]
        if there:
            raise CollisionError(
                f"There is a tool {there[0]!r} already, and nothing was added.",
                hint=f"Change it: pegboard tools edit {there[0]}.",
            )
        added = [self._next(name, Change.ADD, newest.get(name), told) for name, told in found.written.items()]
        await self._store(added)
        return tuple(added)

    async def edit(
        self, name: str, text: str, file: str = "tools.toml", *, version: int | None = None
    ) -> ToolVersion | None:
        """Replace the definition of a tool; None when it is the same already. One that is not there is added."""
        told = self._only(name, self.checked(text, file), file)
        last = await self._last(name, version)
        if isinstance(last, ToolVersion) and _same(last.definition, told):
            return None
        return await self._change(name, Change.EDIT if _is_there(last) else Change.ADD, last, told)

    async def remove(self, name: str, *, version: int | None = None) -> ToolVersion:
        """Remove a tool. Its versions stay."""
        last = await self._last(name, version)
        if not _is_there(last):
            await self.current(name)  # says what is the matter
        return await self._change(name, Change.REMOVE, last, None)

    async def restore(self, name: str, wanted: int, *, version: int | None = None) -> ToolVersion | None:
        """Make an older version the newest; None when the newest has that definition. Raises NoVersionError."""
        versions = await self.history(name)
        found = next((one for one in versions if one.version == wanted), None)
        told = self._restorable(name, wanted, found)
        last = await self._last(name, version)
        if isinstance(last, ToolVersion) and _same(last.definition, told):
            return None
        return await self._change(name, Change.RESTORE, last, told, restored=wanted)

    def _restorable(self, name: str, wanted: int, found: Stored | None) -> Mapping[str, Any]:
        """The definition of an older version, which must be right by what holds today."""
        if found is None:
            raise NoVersionError(f"{name!r} has no version {wanted}.", hint=f"Look: pegboard tools history {name}.")
        if isinstance(found, Unreadable):
            raise NoVersionError(f"Version {wanted} of {name!r} cannot be read: {found.reason} ({found.where}).")
        if found.definition is None:
            raise AuthoringError(
                f"Version {wanted} of {name!r} is its removal.", hint=f"Remove it: pegboard tools remove {name}."
            )
        loaded = read_back(found.definition, f"{name} version {wanted}", environ=self._environ, context=self._context)
        if loaded.errors:
            raise definition_error(loaded.errors)
        return found.definition

    def _only(self, name: str, found: Authored, file: str) -> Mapping[str, Any]:
        """The one definition of a text, which must be that of a tool."""
        if found.written.keys() == {name}:
            return found.written[name]
        there = ", ".join(map(repr, found.written))
        raise AuthoringError(
            f"{file} defines {there}, and {name!r} was to be changed.",
            hint="Give it that one definition. A tool gets another name by adding it and removing the old one.",
        )

    async def _last(self, name: str, version: int | None) -> Stored | None:
        """The newest version, which must be the one that a change is made for."""
        versions = await self.store.versions(name)
        last = versions[-1] if versions else None
        if version is not None and version != (last.version if last else 0):
            raise _conflict(name, last)
        return last

    def _next(
        self,
        name: str,
        change: Change,
        last: Stored | None,
        definition: Mapping[str, Any] | None,
        restored: int | None = None,
    ) -> ToolVersion:
        return ToolVersion(
            name=name,
            version=(last.version if last else 0) + 1,
            change=change,
            definition=definition,
            at=int(self._clock()),
            by=self._by,
            restored=restored,
        )

    async def _change(
        self,
        name: str,
        change: Change,
        last: Stored | None,
        definition: Mapping[str, Any] | None,
        restored: int | None = None,
    ) -> ToolVersion:
        made = self._next(name, change, last, definition, restored)
        await self._store([made])
        return made

    async def _store(self, versions: Sequence[ToolVersion]) -> None:
        lost = await self.store.add(versions)
        if lost is not None:
            stored = await self.store.versions(lost)
            raise _conflict(lost, stored[-1] if stored else None)


def changed_fields(before: Stored | None, after: ToolVersion) -> list[str]:
    """What a version changed, as dotted paths of at most two keys, sorted; none where it cannot be told."""
    old = before.definition if isinstance(before, ToolVersion) else None
    if old is None or after.definition is None:
        return []
    return sorted(set(_differences(old, after.definition, 2)))


def _differences(old: Mapping[str, Any], new: Mapping[str, Any], depth: int) -> Sequence[str]:
    found: list[str] = []
    for key in old.keys() | new.keys():
        left, right = old.get(key, _ABSENT), new.get(key, _ABSENT)
        if left is not _ABSENT and right is not _ABSENT and _same(left, right):
            continue
        inside = depth > 1 and isinstance(left, Mapping) and isinstance(right, Mapping)
        found += [f"{key}.{rest}" for rest in _differences(left, right, depth - 1)] if inside else [key]
    return found


def _same(left: Any, right: Any) -> bool:
    """Whether two JSON values are the same: 1, 1.0 and true are not."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def _is_there(last: Stored | None) -> bool:
    """Whether a tool is there: what cannot be read may be one."""
    return last is not None and not (isinstance(last, ToolVersion) and last.definition is None)


def _no_tool(name: str) -> NoVersionError:
    return NoVersionError(f"No tool {name!r} was ever added.", hint="Look: pegboard tools list.")


def _conflict(name: str, last: Stored | None) -> ConflictError:
    """The error for a change that was made for another version than the newest."""
    now = f"at version {last.version}" if last else "not there"
    by = f", by {last.by}" if isinstance(last, ToolVersion) and last.by else ""
    return ConflictError(
        f"{name!r} was changed meanwhile: it is {now} now{by}. Nothing was stored.",
        hint=f"Look, and try again: pegboard tools history {name}.",
        data={"version": last.version if last else 0},
    )
