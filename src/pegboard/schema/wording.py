"""What is wrong with an argument, in a few words: place, what was wanted, what came. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pegboard.schema.names import nearest
from pegboard.schema.plain import Path
from pegboard.schema.walk import TYPES, Schema, at

if TYPE_CHECKING:
    import jsonschema_rs

MAX_CHARS: Final = 160
"""Characters of one problem."""

_VALUE_CHARS: Final = 40
_LISTED: Final = 6
_BARE_KEY: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")


def place(path: Iterable[str | int]) -> str:
    """A path as people write it: ``items[2].name``; ``arguments`` for the root."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _BARE_KEY.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f"[{_quoted(step)}]"
    return cut(text, MAX_CHARS // 2) or "arguments"


def problem(path: Iterable[str | int], text: str) -> str:
    """One problem: the place, then the text, at most ``MAX_CHARS`` long."""
    return cut(f"{place(path)}: {text}", MAX_CHARS)


def unknown(name: str, names: Iterable[str] | None, path: Sequence[str | int] = ()) -> str:
    """The problem of an argument, or below the root a property, that nobody asked for. ``names``: None for untold."""
    known = list(names or ())
    what = f"unknown {'property' if path else 'argument'} {_quoted(name)}"
    meant = nearest(name, known)
    if meant is not None:
        text = f"{what}; did you mean {_quoted(meant)}?"
    elif known:
        text = f"{what}; known: {listed(known)}"
    else:
        text = what if names is None else f"{what}; none are taken here"
    return problem(path, text) if path else cut(text, MAX_CHARS)


def got(value: Any) -> str:
    """A value with its type, shortened: ``string 'blue'``, ``integer 5``, ``array of 3``."""
    if isinstance(value, str):
        return f"string {shown(value)}"
    if isinstance(value, bool):
        return f"boolean {shown(value)}"
    if isinstance(value, int):
        return f"integer {shown(value)}"
    if isinstance(value, float):
        return f"number {shown(value)}"
    if isinstance(value, list):
        return f"array of {len(value)}"
    return "null" if value is None else "object"


def shown(value: Any) -> str:
    """A value as it is written, at most 40 characters of it."""
    if isinstance(value, str):
        return _quoted(value)
    return cut(json.dumps(value, ensure_ascii=False), _VALUE_CHARS)


def listed(values: Sequence[Any], first: Any = None) -> str:
    """The values as a list, a long one shortened with its count: ``'a', 'b', ... (53)``. ``first`` is put in front."""
    ordered = [first, *(value for value in values if value != first)] if first is not None else list(values)
    text = ", ".join(shown(value) for value in ordered[:_LISTED])
    if len(ordered) <= _LISTED and len(text) <= MAX_CHARS // 2:
        return text
    while len(text) > MAX_CHARS // 2 and ", " in text:
        text = text.rpartition(", ")[0]
    return f"{text}, ... ({len(ordered)})"


def cut(text: str, length: int) -> str:
    """The text on one line, shortened with dots."""
    flat = " ".join(text.split())
    return flat if len(flat) <= length else flat[: length - 3] + "..."


def _quoted(text: str) -> str:
    return repr(text) if len(text) <= _VALUE_CHARS else f"{text[:_VALUE_CHARS]!r}..."


def worded(schema: Schema, error: jsonschema_rs.ValidationError) -> Iterator[str]:
    """The problems that one error of the validator stands for."""
    word = error.kind.name
    if word in ("anyOf", "oneOf"):
        yield from _of_branches(schema, error)
    elif word in _EXTRA:
        names = at(schema, (*error.schema_path[:-1], "properties"))
        known = list(names) if isinstance(names, Mapping) else []
        path = tuple(error.instance_path)
        yield from (unknown(str(name), known, path) for name in error.kind.unexpected)  # type: ignore[attr-defined]
    elif word == "required":
        yield problem((*error.instance_path, error.kind.property), "missing (required)")  # type: ignore[attr-defined]
    else:
        yield problem(error.instance_path, _WORDS.get(word, _other)(error))


_EXTRA: Final = ("additionalProperties", "unevaluatedProperties")

_Words = Callable[["jsonschema_rs.ValidationError"], str]


def _wanted(text: str, field: str) -> _Words:
    """Words for a keyword whose limit stands in ``field`` of the error's kind."""

    def words(error: jsonschema_rs.ValidationError) -> str:
        return f"expected {text.format(shown(getattr(error.kind, field)))}, got {got(error.instance)}"

    return words


def _counted(text: str, unit: str) -> _Words:
    """Words for a limit on a length."""

    def words(error: jsonschema_rs.ValidationError) -> str:
        limit = error.kind.limit  # type: ignore[attr-defined]
        plural = "" if limit == 1 else "s" if unit != "property" else ""
        many = "properties" if unit == "property" and limit != 1 else unit + plural
        return f"expected {text} {limit} {many}, got {len(error.instance)}"  # type: ignore[arg-type]

    return words


def _fixed(text: str) -> _Words:
    return lambda error: f"{text}, got {got(error.instance)}"


def _of_type(error: jsonschema_rs.ValidationError) -> str:
    return f"expected {_either(error.kind.types)}, got {got(error.instance)}"  # type: ignore[attr-defined]


def _of_enum(error: jsonschema_rs.ValidationError) -> str:
    return _one_of(error.kind.options, error.instance)  # type: ignore[attr-defined]


def _one_of(options: Sequence[Any], value: Any) -> str:
    near = nearest(value, [option for option in options if isinstance(option, str)]) if isinstance(value, str) else None
    if not options:
        return f"no value is allowed here, got {got(value)}"
    if len(options) == 1:
        return f"expected {shown(options[0])}, got {got(value)}"
    return f"expected one of {listed(options, near)}, got {got(value)}"


def _of_format(error: jsonschema_rs.ValidationError) -> str:
    name = error.kind.format  # type: ignore[attr-defined]
    example = f" such as {_EXAMPLES[name]}" if name in _EXAMPLES else ""
    return f"expected text in the format {name}{example}, got {got(error.instance)}"


_EXAMPLES: Final = {
    "date-time": "2024-05-31T10:00:00Z",
    "date": "2024-05-31",
    "time": "10:00:00Z",
    "duration": "P3DT12H",
    "email": "ann@example.com",
    "uri": "https://example.com/a",
    "uuid": "3e4666bf-d5e5-4aa7-b8ce-cefe41c7568a",
}
"""Formats that are easily missed by a little: a time without its offset, an address without its scheme."""


def _other(error: jsonschema_rs.ValidationError) -> str:
    return error.message


_WORDS: Final[dict[str, _Words]] = {
    "type": _of_type,
    "enum": _of_enum,
    "const": _wanted("{}", "expected_value"),
    "format": _of_format,
    "pattern": lambda error: f"expected text that matches {error.kind.pattern}, got {got(error.instance)}",  # type: ignore[attr-defined]
    "minimum": _wanted("at least {}", "limit"),
    "maximum": _wanted("at most {}", "limit"),
    "exclusiveMinimum": _wanted("more than {}", "limit"),
    "exclusiveMaximum": _wanted("less than {}", "limit"),
    "multipleOf": _wanted("a multiple of {}", "multiple_of"),
    "minLength": _counted("at least", "character"),
    "maxLength": _counted("at most", "character"),
    "minItems": _counted("at least", "item"),
    "maxItems": _counted("at most", "item"),
    "minProperties": _counted("at least", "property"),
    "maxProperties": _counted("at most", "property"),
    "uniqueItems": _fixed("expected items that all differ"),
    "contains": _fixed("expected an item that fits 'contains'"),
    "not": _fixed("expected a value that does not fit 'not'"),
    "falseSchema": _fixed("no value is allowed here"),
    "additionalItems": _fixed("more items than allowed"),
    "unevaluatedItems": _fixed("more items than allowed"),
    "propertyNames": lambda error: f"the name of a property is not allowed: {error.kind.error.message}",  # type: ignore[attr-defined]
}
"""One line a keyword, as the validator names them. Unlisted ones speak in the validator's own words."""


Branch = Sequence["jsonschema_rs.ValidationError"]
"""The errors of one branch of anyOf or oneOf; none when the branch fits."""

_FIXED: Final = ("const", "enum")


def _of_branches(schema: Schema, error: jsonschema_rs.ValidationError) -> Iterator[str]:
    """What to say when no branch fits, or too many do: what all ask for, or the branch most likely meant."""
    path = tuple(error.instance_path)
    branches: list[Branch] = error.kind.context  # type: ignore[attr-defined]
    if not all(branches):
        yield problem(path, f"fits more than one of {len(branches)} forms, got {got(error.instance)}")
        return
    wanted = _types_asked(path, branches)
    able = [branch for branch in branches if not any(_is_type_miss(path, inner) for inner in branch)]
    fixed = _values_asked(able)
    if not able:
        yield problem(path, f"expected {_either(wanted)}, got {got(error.instance)}")
    elif fixed is not None:
        place_, options, value = fixed
        yield problem(place_, _one_of([*options, *([None] if place_ == path and "null" in wanted else [])], value))
    else:
        yield from _of_likeliest(schema, path, able, len(branches))


def _of_likeliest(schema: Schema, path: Path, able: Sequence[Branch], count: int) -> Iterator[str]:
    """The problems of the branch whose fixed values fit; of several, the one with the fewest errors is quoted."""
    fitting = [branch for branch in able if not any(inner.kind.name in _FIXED for inner in branch)]
    meant = min(fitting or able, key=len)
    texts = [text for inner in meant for text in worded(schema, inner)]
    if len(able) == 1 or len(fitting) == 1:
        yield from texts
    else:
        yield problem(path, f"fits none of {count} forms; the closest says: {texts[0]}")


def _is_type_miss(path: Path, error: jsonschema_rs.ValidationError) -> bool:
    return error.kind.name == "type" and tuple(error.instance_path) == path


def _types_asked(path: Path, branches: Iterable[Branch]) -> set[str]:
    misses = (inner for branch in branches for inner in branch if _is_type_miss(path, inner))
    return {name for inner in misses for name in inner.kind.types}  # type: ignore[attr-defined]


def _values_asked(branches: Sequence[Branch]) -> tuple[Path, list[Any], Any] | None:
    """The place where every branch wants other fixed values, those values, and what stands there."""
    asked = [
        {tuple(inner.instance_path): inner for inner in branch if inner.kind.name in _FIXED} for branch in branches
    ]
    shared = [path for path in asked[0] if all(path in places for places in asked)] if asked else []
    if not shared:
        return None
    errors = [places[shared[0]] for places in asked]
    return shared[0], [value for inner in errors for value in _fixed_values(inner)], errors[0].instance


def _fixed_values(error: jsonschema_rs.ValidationError) -> Sequence[Any]:
    kind: Any = error.kind
    return kind.options if kind.name == "enum" else [kind.expected_value]


def _either(names: Iterable[str]) -> str:
    return " or ".join(sorted(names, key=TYPES.index))
