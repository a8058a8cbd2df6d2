"""Reading a folder of vectors. Every ``*.json`` becomes a file of cases or says why it cannot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.runners.files import bytes_of

# The vectors' own reader, kept as it came with them; it is not typed.
_loader: Any = import_module("tests.data.golden.loader")

ABSENT: Any = _loader.UNDEFINED
"""A value that is not given, in a decoded input."""


class MalformedError(Exception):
    """A file is not a file of vectors; the message says why."""


@dataclass(frozen=True)
class Case:
    """One vector. Immutable."""

    kind: str
    raw: dict[str, Any]

    @property
    def id(self) -> str:
        """``<file kind>/<name>``."""
        return str(self.raw["id"])

    @property
    def input(self) -> dict[str, Any]:
        """The input with its markers decoded; a copy of its own for every reader."""
        decoded: dict[str, Any] = _loader.decode(self.raw["input"])
        return decoded

    @property
    def accepted(self) -> list[dict[str, Any]]:
        """The outcomes that count as right; none where a test of ours has to prove it."""
        outcomes: list[dict[str, Any]] = _loader.accepted(self.raw)
        return outcomes

    @property
    def words_do_not_count(self) -> bool:
        """Whether the texts of its errors are only those of the runtime that wrote them."""
        return bool(self.raw.get("runtime_dependent"))


@dataclass(frozen=True)
class VectorFile:
    """The cases of one file. Immutable. ``kinds`` are the names it may be known under, the most telling first."""

    path: Path
    kinds: tuple[str, ...]
    cases: tuple[Case, ...]


def read_folder(folder: Path) -> Iterator[VectorFile | tuple[Path, MalformedError]]:
    """Every ``*.json`` of a folder, by name; in place of one that cannot be read, its path and what is wrong."""
    for path in sorted(folder.glob("*.json")):
        try:
            yield read_file(path)
        except MalformedError as error:
            yield path, error


def read_file(path: Path) -> VectorFile:
    """The cases of one file. Raises MalformedError."""
    try:
        document = json.loads(bytes_of(path))
    except (OSError, ValueError, RecursionError) as error:
        raise MalformedError(f"not JSON: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get("cases"), list):
        raise MalformedError("an object with a list 'cases' is wanted")
    if not document["cases"]:
        raise MalformedError("it holds no cases")
    for number, raw in enumerate(document["cases"]):
        _check(number, raw)
    # The ids begin with the name of the behaviour, whatever the file is called.
    behaviour = str(document["cases"][0]["id"]).rpartition("/")[0]
    kinds = tuple(dict.fromkeys(kind for kind in (behaviour, path.stem) if kind))
    return VectorFile(path, kinds, tuple(Case(kinds[0], raw) for raw in document["cases"]))


def _check(number: int, raw: Any) -> None:
    if not isinstance(raw, dict) or not isinstance(raw.get("id"), str):
        raise MalformedError(f"cases[{number}] is no object with an 'id'")
    if not isinstance(raw.get("input"), dict):
        raise MalformedError(f"{raw['id']}: 'input' must be an object")
    if not isinstance(raw.get("expected_alt", []), list):
        raise MalformedError(f"{raw['id']}: 'expected_alt' must be a list")
    outcomes = [raw.get("expected"), *raw.get("expected_alt", [])]
    outcomes += [raw["improve_expected"]] if "improve_expected" in raw else []
    for outcome in outcomes:
        if not isinstance(outcome, dict) or len(outcome.keys() & {"returns", "raises"}) != 1:
            raise MalformedError(f"{raw['id']}: an outcome is {{returns: ...}} or {{raises: ...}}")
