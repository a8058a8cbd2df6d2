"""A skill as other programs get it, wherever its files are."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, runtime_checkable

from pegboard.frozen import thawed
from pegboard.opening import read_inside
from pegboard.skills.discovery import FILE
from pegboard.skills.published.addresses import address_of, document_address
from pegboard.skills.published.document import Document, document_of
from pegboard.skills.published.manifest import Digests, FileFacts, manifest_of
from pegboard.skills.published.media import BYTES, FOLDER, MARKDOWN, TEXT, media_type_of
from pegboard.skills.skill import Skill
from pegboard.threads import in_thread
from pegboard.tools import JsonObject

EXTENSION: Final = "io.modelcontextprotocol/skills"
"""What MCP calls the extension that tells skills."""


class NoFileOfSkillError(Exception):
    """A skill has no such file now. The text is fit for whoever asked."""


class Published(Protocol):
    """A skill as other programs get it. Immutable: its manifest as of one moment.

    ``path`` is what its address is made of; the last segment is its name. ``front`` is its front matter. ``files`` are
    all of its files by their paths; None where they are made when they are asked for, so that nothing holds of them.
    """

    @property
    def path(self) -> tuple[str, ...]: ...
    @property
    def front(self) -> JsonObject: ...
    @property
    def files(self) -> Mapping[str, FileFacts] | None: ...

    async def read(self, file: str) -> bytes:
        """A file's bytes as of now. Raises NoFileOfSkillError."""
        ...


@runtime_checkable
class Publishes(Protocol):
    """A source of skills that other programs may get. Process-wide."""

    def path_of(self, skill: Any) -> tuple[str, ...]:
        """What the address of one of its skills is made of, published or not."""
        ...

    async def publish(self, skill: Any) -> Published:
        """One of its skills as other programs get it, as of now. Raises NotPublishedError."""
        ...


@dataclass(frozen=True)
class PublishedFolder:
    """A skill of a folder as other programs get it. Immutable."""

    skill: Skill
    document: Document
    files: Mapping[str, FileFacts] = field(repr=False)

    @property
    def path(self) -> tuple[str, ...]:
        """Its name alone: folders of roots are no part of it."""
        return (self.skill.name,)

    @property
    def front(self) -> JsonObject:
        """The front matter of the file as it is published."""
        return self.document.front

    async def read(self, file: str) -> bytes:
        """A file of the manifest as it is now. Raises NoFileOfSkillError."""
        if file == FILE:
            return self.document.data
        facts = self.files.get(file)
        if facts is None:
            raise NoFileOfSkillError(f"The skill {self.skill.name} has no file {file!r:.200}.")
        place = (*self.skill.inside, *file.split("/"))
        try:
            data, size = await in_thread(
                lambda: read_inside(self.skill.root, place, facts.size + 1), name="published skill"
            )
        except OSError as error:
            raise NoFileOfSkillError(f"The file {file!r:.200} of the skill {self.skill.name} is gone.") from error
        if len(data) != facts.size or size != facts.size:
            raise NoFileOfSkillError(f"The file {file!r:.200} of the skill {self.skill.name} is being changed.")
        return data


class Publisher:
    """Makes what is published of skills in folders. Process-wide; it remembers digests."""

    def __init__(self) -> None:
        self._digests = Digests()

    async def publish(self, skill: Skill) -> PublishedFolder:
        """The skill with its manifest of now. Raises NotPublishedError."""
        return await in_thread(lambda: self._published(skill), name="published skill")

    def _published(self, skill: Skill) -> PublishedFolder:
        document = document_of(skill)
        return PublishedFolder(skill, document, manifest_of(skill, document.data, self._digests))


def entry_of(published: Published) -> dict[str, Any]:
    """The entry of a skill, as ``skills/list`` and ``skills/get`` give it."""
    files = published.files
    return {
        "uri": document_address(published.path),
        "frontmatter": thawed(published.front),
        "resources": "dynamic" if files is None else [_resource(published.path, *one) for one in files.items()],
    }


def _resource(path: tuple[str, ...], file: str, facts: FileFacts) -> dict[str, Any]:
    return {"uri": address_of(path, file), "digest": f"sha256:{facts.digest}", "size": facts.size}


def children_of(published: Published, folder: str) -> list[dict[str, Any]] | None:
    """What lies directly in a folder of a skill ("" for its own), as resources by name; None where it is no folder."""
    start = f"{folder}/" if folder else ""
    files = published.files or {}
    inside = [file.removeprefix(start) for file in files if file.startswith(start)]
    if not inside:
        return None
    names = {name.partition("/")[0]: "/" in name for name in inside}
    return [_child(published.path, start + name, files, folder=names[name]) for name in sorted(names)]


def _child(path: tuple[str, ...], file: str, files: Mapping[str, FileFacts], *, folder: bool) -> dict[str, Any]:
    told: dict[str, Any] = {"uri": address_of(path, file), "name": file.rpartition("/")[2]}
    if folder:
        return told | {"mimeType": FOLDER}
    kind = media_type_of(file)
    return told | ({"mimeType": kind} if kind else {}) | {"size": files[file].size}


def document_resource(published: Published) -> dict[str, Any]:
    """The resource of a skill's ``SKILL.md``."""
    front = published.front
    told = {"uri": document_address(published.path), "name": front["name"], "description": front["description"]}
    facts = (published.files or {}).get(FILE)
    return told | {"mimeType": MARKDOWN} | ({"size": facts.size} if facts else {})


def contents_of(address: str, file: str, data: bytes) -> dict[str, Any]:
    """A file's bytes as the contents of a resource: text where they are UTF-8, which keeps every byte."""
    kind = media_type_of(file)
    try:
        return {"uri": address, "mimeType": kind or TEXT, "text": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"uri": address, "mimeType": kind or BYTES, "blob": base64.b64encode(data).decode("ascii")}
