"""A skill that an upstream offers, and its files: what is known of them before anything is read. Pure values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote

from pegboard.skills.discovery import FILE
from pegboard.skills.published.addresses import AS_THEY_ARE, document_address, is_step
from pegboard.skills.published.manifest import FileFacts
from pegboard.tools import EMPTY_SCHEMA, JsonObject

END: Final = f"/{FILE}"
"""What the address of a skill's ``SKILL.md`` ends in."""


@dataclass(frozen=True, kw_only=True)
class File:
    """A file of a skill: its address as the upstream has it, and what holds of it. Immutable.

    ``facts`` is None where nothing is promised.
    """

    uri: str
    facts: FileFacts | None


@dataclass(frozen=True, kw_only=True)
class Offer:
    """A skill that an upstream offers, as of its list. Immutable, shared by the whole process.

    ``name`` is what models and people call it; ``bare_name`` is the upstream's own name for it, ``uri`` the upstream's
    address of its ``SKILL.md``, ``place`` its own path on the upstream. ``front`` is its front matter as the upstream
    tells it, None where that is not told. ``files`` are its files by their paths, ``SKILL.md`` among them; ``complete``
    says whether there are no others. What it says of tools it may use is not heard: whoever runs an upstream grants
    nothing here.
    """

    name: str
    bare_name: str
    description: str
    source: str
    uri: str
    place: tuple[str, ...]
    published_path: tuple[str, ...]
    front: JsonObject | None = field(hash=False, repr=False)
    files: Mapping[str, File] = field(hash=False, repr=False)
    complete: bool
    digest: str

    kind = "skill"
    category = None
    allowed_tools = None
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """Where it is for whoever reads the prompt: its address here."""
        return document_address(self.published_path)

    @property
    def input_schema(self) -> JsonObject:
        """A skill takes no arguments."""
        return EMPTY_SCHEMA

    def file(self, path: str) -> File | None:
        """The file of this path; None where the skill has none, or cannot have one of this name.

        Where nobody said which files there are, any may be one, and nothing holds of it.
        """
        found = self.files.get(path)
        if found is not None or self.complete or not all(map(is_step, path.split("/"))):
            return found
        return File(uri=f"{self.root}/{quote(path, safe=AS_THEY_ARE + '/')}", facts=None)

    @property
    def root(self) -> str:
        """The upstream's address of its folder."""
        return self.uri.removesuffix(END)
