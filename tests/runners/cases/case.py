"""A case as its folder has it. What it asks for is looked at before anything runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.runners.files import bytes_of

Step = dict[str, Any]

HARNESS: Final = "_harness"
"""The folder beside the cases with the scripted servers that they use."""

OWN_HARNESS: Final = Path(__file__).resolve().parents[2] / "data" / "cases" / HARNESS


class MalformedError(Exception):
    """A folder holds no case that can be read; the message says why."""


@dataclass(frozen=True)
class Case:
    """One case. Immutable."""

    folder: Path
    id: str
    kind: str
    title: str
    steps: tuple[Step, ...]

    @property
    def harness(self) -> Path:
        """The scripted servers that came with the case, else our copy."""
        theirs = self.folder.parent / HARNESS
        return theirs if theirs.is_dir() else OWN_HARNESS

    def expectations(self) -> Iterator[tuple[str, Any]]:
        """Every expectation of every step, alternatives too, as (key, value)."""
        for step in self.steps:
            yield from _flat(step.get("expect") or {})


def read(folder: Path) -> Case:
    """The case of a folder. Raises MalformedError."""
    try:
        told = json.loads(bytes_of(folder / "case.json"))
    except (OSError, ValueError, RecursionError) as error:
        raise MalformedError(f"case.json: {error}") from error
    steps = told.get("steps") if isinstance(told, dict) else None
    if not isinstance(steps, list) or not steps:
        raise MalformedError("case.json: an object with a list 'steps' is wanted")
    for number, step in enumerate(steps):
        if not isinstance(step, dict) or not isinstance(step.get("do"), str):
            raise MalformedError(f"case.json: steps[{number}] is no object with a text 'do'")
        if not _is_expectation(step.get("expect", {})):
            raise MalformedError(f"case.json: steps[{number}].expect is no object, or its one_of no list of such")
    return Case(
        folder=folder,
        id=str(told.get("id") or folder.name),
        kind=str(told.get("kind", "")),
        title=str(told.get("title", "")),
        steps=tuple(steps),
    )


def _is_expectation(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    alternatives = value.get("one_of", [])
    return isinstance(alternatives, list) and all(_is_expectation(one) for one in alternatives)


def folders(root: Path) -> list[Path]:
    """The folders of a root that hold a case, by name; the root itself when it is one."""
    if (root / "case.json").is_file():
        return [root]
    return sorted(path.parent for path in root.glob("*/case.json"))


def _flat(expect: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in expect.items():
        if key == "one_of":
            for alternative in value:
                yield from _flat(alternative)
        else:
            yield key, value
