"""What an adapter's run came to, and how it is compared with what a vector expects. Pure functions.

Numbers agree to 1e-9 of their size. An error agrees when its class is one that the adapter names for the expected one
and its message carries the same facts: the values of the input that the expected message speaks of.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

RELATIVE: Final = 1e-9

ErrorClasses = Mapping[str, type[Exception] | tuple[type[Exception], ...]]
"""For each class of the other system, ours."""


@dataclass(frozen=True)
class Returned:
    """The run gave a value, in the shape that the vector's file describes. Immutable."""

    value: Any


@dataclass(frozen=True)
class Raised:
    """The run, or a part of it, raised. Immutable."""

    error: Exception


Outcome = Returned | Raised


@dataclass(frozen=True)
class Comparison:
    """How outcomes of one case are compared. Immutable; lives as long as the case.

    ``values`` is the case's input: errors have to name the values of it that the expected message names, unless
    ``words`` is false.
    """

    errors: ErrorClasses = field(default_factory=dict)
    values: Any = None
    words: bool = True

    def outcome(self, expected: Mapping[str, Any], got: Outcome) -> str:
        """What differs, as ``path: wanted ..., got ...``; empty when nothing does."""
        if "raises" in expected:
            return self._error(expected["raises"], got, "")
        if isinstance(got, Raised):
            return f"wanted {_short(expected['returns'])}, got {_shown(got.error)}"
        return self.value(expected["returns"], got.value)

    def value(self, expected: Any, got: Any, path: str = "") -> str:
        """The first place where two values differ; empty when there is none."""
        if isinstance(expected, dict) and set(expected) == {"raises"}:
            return self._error(expected["raises"], got, path)
        if isinstance(expected, dict) and isinstance(got, Mapping):
            return self._mapping(expected, got, path)
        if isinstance(expected, list) and isinstance(got, Sequence) and not isinstance(got, str):
            return self._sequence(expected, got, path)
        return "" if _equal(expected, got) else f"{path or 'result'}: wanted {_short(expected)}, got {_short(got)}"

    def _mapping(self, expected: dict[str, Any], got: Mapping[str, Any], path: str) -> str:
        if expected.keys() != got.keys():
            missing, extra = sorted(expected.keys() - got.keys()), sorted(got.keys() - expected.keys())
            return f"{path or 'result'}: keys missing {missing}, too many {extra}"
        return _first(self.value(expected[key], got[key], f"{path}.{key}".lstrip(".")) for key in expected)

    def _sequence(self, expected: list[Any], got: Sequence[Any], path: str) -> str:
        if len(expected) != len(got):
            return f"{path or 'result'}: wanted {_short(expected)}, got {_short(list(got))}"
        return _first(self.value(e, g, f"{path}[{i}]") for i, (e, g) in enumerate(zip(expected, got, strict=True)))

    def _error(self, expected: Mapping[str, str], got: Any, path: str) -> str:
        at = f"{path}: " if path else ""
        if not isinstance(got, Raised):
            value = got.value if isinstance(got, Returned) else got
            return f"{at}wanted an error ({expected['message']}), got {_short(value)}"
        if expected["class"] not in self.errors:
            return f"{at}the adapter has no counterpart for {expected['class']}; got {_shown(got.error)}"
        if not isinstance(got.error, self.errors[expected["class"]]):
            return f"{at}wanted a counterpart of {expected['class']}, got {_shown(got.error)}"
        absent = [fact for fact in facts(expected["message"], self.values) if not named(fact, str(got.error))]
        return f"{at}the error does not name {absent}: {_shown(got.error)}" if self.words and absent else ""


def facts(message: str, values: Any) -> list[str]:
    """The texts and numbers among ``values`` that stand in ``message`` as whole words."""
    leaves = dict.fromkeys(str(leaf) for leaf in _leaves(values) if str(leaf).strip())
    return [leaf for leaf in leaves if _word(leaf).search(message)]


def named(fact: str, message: str) -> bool:
    """Whether a text stands in a message as a whole word, letter case aside."""
    return _word(fact, re.IGNORECASE).search(message) is not None


def _word(text: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(text)}(?![\w-])", flags)


def _leaves(value: Any) -> Iterator[str | int | float]:
    if isinstance(value, Mapping):
        for key, member in value.items():
            yield key
            yield from _leaves(member)
    elif isinstance(value, list):
        for member in value:
            yield from _leaves(member)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield value


def _equal(expected: Any, got: Any) -> bool:
    if isinstance(expected, bool) or isinstance(got, bool):
        return expected is got
    if isinstance(expected, (int, float)) and isinstance(got, (int, float)):
        both_nan = math.isnan(expected) and math.isnan(got)
        return both_nan or math.isclose(expected, got, rel_tol=RELATIVE, abs_tol=0.0)
    return type(expected) is type(got) and bool(expected == got)


def _first(differences: Iterator[str]) -> str:
    return next((difference for difference in differences if difference), "")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 160 else f"{text[:157]}..."


def _shown(error: Exception) -> str:
    return _short(f"{type(error).__name__}: {error}")
