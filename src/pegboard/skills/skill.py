"""What a skill is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from pegboard.tools import EMPTY_SCHEMA, JsonObject

SOURCE: Final = "skills"
"""The name of the source of skills, unless another one is given."""


@dataclass(frozen=True, kw_only=True)
class Skill:
    """A job's instructions, as they were read from a ``SKILL.md``. Immutable, shared by the whole process.

    ``name`` is what models and people call it. ``description`` is one line. ``body`` is what stands behind the front
    matter, as it was written; ``instructions`` the same without blank lines around it; ``head`` the bytes of the file
    before it. ``path`` is where the file is for whoever reads the prompt (see ``resource_root``), ``source_path`` where
    it is for this process: its real place, no link among its folders. ``root`` is the real folder of the root that
    holds it.

    ``allowed_tools`` is None where the skill says nothing of tools, and empty where it allows none; it informs, and
    grants nothing. ``fields`` has all of the front matter: texts, lists and tables.
    """

    name: str
    description: str
    body: str = field(repr=False)
    head: bytes = field(default=b"", repr=False)
    path: str
    source_path: Path
    root: Path
    allowed_tools: tuple[str, ...] | None = None
    compatibility: str | None = None
    license: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False, repr=False)
    digest: str = ""
    """sha-256 (hex) of the file's bytes."""

    source: str = SOURCE
    """The name of the source that brings it."""

    kind = "skill"
    category = None

    @cached_property
    def instructions(self) -> str:
        """The body without the blank lines around it."""
        return self.body.strip()

    @property
    def folder(self) -> Path:
        """The real folder of the skill, which holds its resources."""
        return self.source_path.parent

    @property
    def inside(self) -> tuple[str, ...]:
        """The way from ``root`` to ``folder``, a name a step."""
        return self.folder.relative_to(self.root).parts

    @property
    def aliases(self) -> tuple[str, ...]:
        """The name of its folder."""
        return (self.folder.name,)

    @property
    def bare_name(self) -> str:
        """The name: skills have no prefix."""
        return self.name

    @property
    def tags(self) -> tuple[str, ...]:
        """None: what the front matter says of tags is not the format's."""
        return ()

    @property
    def keywords(self) -> tuple[str, ...]:
        """None, as with tags."""
        return ()

    @property
    def input_schema(self) -> JsonObject:
        """A skill takes no arguments."""
        return EMPTY_SCHEMA
