"""The texts of a tool that a model reads: name, description, and what its schemas say. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from pegboard.checking.finding import Finding, Kind, Text
from pegboard.checking.scanning import scan_all

MAX_TEXTS: Final = 20_000
"""Texts of one tool that are looked at."""

_DEPTH: Final = 60
_SHOWN: Final = frozenset({"description", "title"})
"""Keys of a schema whose texts describe."""

_NAMED: Final = frozenset({"properties", "patternProperties", "$defs", "definitions"})
"""Keys of a schema below which names stand."""


class Described(Protocol):
    """What the rules look at of a tool, beside its title and schemas, as far as it has them."""

    @property
    def name(self) -> str:
        """Its name, as clients see it."""

    @property
    def description(self) -> str:
        """What it says of itself."""


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a tool was written. Immutable. ``text`` is the file's, "" where it is not a text of ours to look into."""

    file: str = ""
    line: int | None = None
    text: str = ""

    def from_name(self, name: str) -> tuple[int | None, str]:
        """The line on which a name first stands, and the text from there on; else those of the whole."""
        at = self.text.find(name) if name else -1
        if at < 0:
            return self.line, self.text if self.line == 1 else ""
        begun = self.text.rfind("\n", 0, at) + 1
        return self.text.count("\n", 0, at) + 1, self.text[begun:]


def check_tool(tool: Described, origin: Origin = Origin(), bare_name: str = "") -> list[Finding]:
    """What the rules find in what a tool says of itself. ``bare_name`` is its name without its source's prefix."""
    line, written = origin.from_name(bare_name or tool.name)
    texts = (
        Text(value=value, kind=kind, file=origin.file, line=line, written=written, subject=tool.name, key=key)
        for _, (key, kind, value) in zip(range(MAX_TEXTS), _texts(tool), strict=False)
    )
    return list(scan_all(texts))


def _texts(tool: Described) -> Iterator[tuple[str, Kind, str]]:
    yield "name", Kind.NAME, tool.name
    yield "description", Kind.DESCRIPTION, tool.description
    title = getattr(tool, "title", None)
    if isinstance(title, str):
        yield "title", Kind.DESCRIPTION, title
    for field in ("input_schema", "parameters", "output_schema"):
        yield from _of_schema(getattr(tool, field, None), field, _DEPTH)


def _of_schema(value: Any, at: str, depth: int, *, names: bool = False) -> Iterator[tuple[str, Kind, str]]:
    """Every text in a schema: keys of tables of properties are names, and what describes is told apart from values."""
    if isinstance(value, str):
        yield at, Kind.DESCRIPTION if at.rpartition(".")[2] in _SHOWN else Kind.BODY, value
    elif depth and isinstance(value, Mapping):
        for key, inner in value.items():
            here = f"{at}.{key}"
            yield here, Kind.NAME if names else Kind.BODY, str(key)
            yield from _of_schema(inner, here, depth - 1, names=not names and str(key) in _NAMED)
    elif depth and isinstance(value, list | tuple):
        for inner in value:
            yield from _of_schema(inner, at, depth - 1)
