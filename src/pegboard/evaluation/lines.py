"""Files of one JSON object a line, and the values of such an object, each wrong one told with its line and fix."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pegboard.documents.problems import ConfigProblem, kind_of
from pegboard.documents.read import read_text
from pegboard.errors import DataSetError
from pegboard.evaluation.metrics import Grades
from pegboard.texts import is_encodable

MAX_BYTES: Final = 512_000_000
"""Largest file that is read: some million tools."""

MOST: Final = 1_000_000
"""The highest grade: sums of such are told exactly enough, and have an end."""

_GRADES: Final = f"grades of 0 and more, {MOST:,} at most"
_SHOWN: Final = 40
"""Characters of a wrong value that are shown."""
_LOOKED_INTO: Final = 20
"""Unknown keys of a file for which the nearest known one is looked up."""


@dataclass(frozen=True)
class Line:
    """One line of a file, an object. Immutable. ``number`` counts from 1.

    The methods give values of it, and raise DataSetError for one that is of the wrong kind, or missing without a
    default.
    """

    file: Path
    number: int
    value: Mapping[str, Any]

    def problem(self, message: str, hint: str) -> ConfigProblem:
        """A problem of this line."""
        return ConfigProblem(file=self.file, line=self.number, message=message, hint=hint)

    def text(self, key: str, default: str | None = None) -> str:
        """A text. ``null`` counts as missing."""
        found = self.value.get(key)
        if found is None and default is not None:
            return default
        if not isinstance(found, str):
            raise _wanted(key, "a text", self.value)
        if not is_encodable(found):
            raise DataSetError(f'"{key}" has half of a character.', hint="Write both halves of it, or none.")
        return found

    def filled(self, key: str) -> str:
        """A text that is not blank."""
        found = self.text(key)
        if not found.strip():
            raise DataSetError(f'"{key}" is blank.', hint="Fill it in, or remove the line.")
        return found

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; empty when it is missing."""
        found = self.value.get(key)
        if found is None:
            return ()
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise _wanted(key, "a list of texts", self.value)
        return tuple(found)

    def table(self, *keys: str) -> dict[str, Any]:
        """An object, under the first of ``keys`` that there is; empty when there is none."""
        key = next((key for key in keys if self.value.get(key) is not None), None)
        if key is None:
            return {}
        found = self.value[key]
        if not isinstance(found, dict):
            raise _wanted(key, "an object", self.value)
        return found

    def id(self) -> str:
        """``id``, a text or a whole number; the number of the line when it is missing."""
        found = self.value.get("id")
        if isinstance(found, int) and not isinstance(found, bool):
            return str(found)
        return self.text("id", f"line {self.number}")

    def grades(self, key: str) -> Grades:
        """Names of tools with their grades: a list of names, each worth 1, or an object from names to numbers.

        A tool whose grade is 0 is not right at all, and left out.
        """
        found = self.value.get(key)
        if isinstance(found, list):
            return dict.fromkeys(self.texts(key), 1.0)
        if not isinstance(found, dict):
            raise _wanted(key, f"a list of tools' names, or an object from names to {_GRADES}", self.value)
        for name, grade in found.items():
            if not _is_grade(grade):
                got = json.dumps(grade)[:_SHOWN]
                raise DataSetError(f'"{key}": the grade of {name!r:.100} is {got}.', hint=f"Give {_GRADES}.")
        return {name: float(grade) for name, grade in found.items() if grade}


def _is_grade(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST


def _wanted(key: str, what: str, value: Mapping[str, Any]) -> DataSetError:
    got = f"got {_kind(value[key])}" if key in value else "it is missing"
    return DataSetError(f'"{key}": wanted {what}, {got}.', hint="Mend the line, or remove it.")


def _kind(value: object) -> str:
    """What a value is, in JSON's words."""
    return "an object" if isinstance(value, dict) else kind_of(value)


def misspelt(lines: Iterable[Line], keys: Collection[str]) -> Iterator[ConfigProblem]:
    """Keys that are none of ``keys`` and were most likely meant to be one that the line lacks, each once.

    Others are somebody's own, and nobody's business.
    """
    from pegboard.schema.names import nearest

    seen = set(keys)
    for line in lines:
        for key in line.value:
            if key in seen or len(seen) - len(keys) >= _LOOKED_INTO:
                continue
            seen.add(key)
            meant = nearest(key, keys)
            if meant is not None and meant not in line.value:
                yield line.problem(f"{key!r:.100} is no key that is read.", f"Did you mean {meant!r}?")


def in_order(problems: Iterable[ConfigProblem]) -> list[ConfigProblem]:
    """What is wrong with a file, line by line."""
    return sorted(problems, key=lambda problem: problem.line or 0)


def objects(file: Path) -> tuple[list[Line], list[ConfigProblem]]:
    """(the lines that hold an object, what is wrong with the others); blank lines are none.

    Raises DataSetError for a file that cannot be read.
    """
    text = read_text(file, most=MAX_BYTES)
    if isinstance(text, ConfigProblem):
        raise DataSetError(f"{text.place}: {text.message}", hint=text.hint)
    found = list(_parsed(file, text))
    lines = [one for one in found if isinstance(one, Line)]
    return lines, [one for one in found if isinstance(one, ConfigProblem)]


def _parsed(file: Path, text: str) -> Iterator[Line | ConfigProblem]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _line(file, number, line)


def _line(file: Path, number: int, text: str) -> Line | ConfigProblem:
    column, hint = None, 'Write one JSON object on each line, such as {"id": "1", ...}.'
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        message, column = f"This line is not JSON: {error.msg}.", error.colno
    except (RecursionError, ValueError):
        message = "This line is not JSON that can be read: it is nested too deeply, or has too long a number."
    else:
        if isinstance(value, dict):
            return Line(file, number, value)
        message = f"Wanted an object, got {_kind(value)}."
    return ConfigProblem(file=file, line=number, column=column, message=message, hint=hint)
