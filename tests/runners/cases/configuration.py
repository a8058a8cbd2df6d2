"""The ``pegboard.toml`` of a case: what its steps set up, written as a person would write it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Table = dict[str, Any]


@dataclass
class Configuration:
    """What has been set up so far. Lives as long as the case; every change makes the Pegboard be built anew."""

    folder: Path
    name: str = "pegboard.toml"
    upstreams: dict[str, Table] = field(default_factory=dict)
    limits: Table = field(default_factory=dict)
    python: list[str] = field(default_factory=list)
    http: Table = field(default_factory=dict)
    http_tools: list[str] = field(default_factory=list)
    openapi: list[Table] = field(default_factory=list)
    search: Table = field(default_factory=dict)
    skills: list[str] = field(default_factory=list)
    """Folders of skills, in their order of precedence."""

    @property
    def file(self) -> Path:
        """The file, in the case's folder."""
        return self.folder / self.name

    @property
    def store(self) -> Path:
        """The file that boards are kept in."""
        return self.folder / "state" / "boards.sqlite3"

    def write(self) -> Path:
        """Write the file; the path."""
        self.file.write_text(self.text(), encoding="utf-8")
        return self.file

    def text(self) -> str:
        """The file's text."""
        lines = table("store", {"path": str(self.store)})
        lines += table("limits", self.limits) if self.limits else []
        lines += table("search", self.search) if self.search else []
        for name, keys in self.upstreams.items():
            lines += table(f"upstreams.{value(name)}", keys)
        for path in self.python:
            lines += ["[[python]]", f"file = {value(path)}", ""]
        lines += table("http", self.http) if self.http else []
        for path in self.http_tools:
            lines += ["[[http_tools]]", f"file = {value(path)}", ""]
        for document in self.openapi:
            lines += ["[[openapi]]", *table("", document)[1:]]
        lines += ["[[skills]]", f"paths = {value(self.skills)}", ""] if self.skills else []
        return "\n".join(lines)


def table(name: str, keys: Mapping[str, Any]) -> list[str]:
    """A table in TOML, a line each; the name of one in a list stands in brackets of its own."""
    return [f"[{name}]", *(f"{key} = {value(told)}" for key, told in keys.items()), ""]


def value(told: Any) -> str:
    """A value in TOML. Its texts are written as in JSON, which TOML reads alike."""
    if isinstance(told, Mapping):
        return "{ " + ", ".join(f"{value(str(key))} = {value(member)}" for key, member in told.items()) + " }"
    if isinstance(told, (list, tuple)):
        return "[" + ", ".join(value(member) for member in told) + "]"
    return json.dumps(told, ensure_ascii=False)
