"""What an error of the validator means: place, what was wanted, what came. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from pegboard.pointing import Path
from pegboard.schema.names import nearest
from pegboard.schema.walk import TYPES, Schema, at
from pegboard.schema.wording import MAX_PROBLEMS, got, listed, problem, shown, unknown

if TYPE_CHECKING:
    import jsonschema_rs


def worded(schema: Schema, error: jsonschema_rs.ValidationError) -> Iterator[str]:
    """The problems that one error of the validator stands for."""
    word = error.kind.name
    if word in ("anyOf", "oneOf"):
        yield from _of_branches(schema, error)
    elif word in _EXTRA:
        properties = at(schema, (*error.schema_path[:-1], "properties"))
        known = list(properties) if isinstance(properties, Mapping) else []
        path = tuple(error.instance_path)
        strangers = islice(error.kind.unexpected, MAX_PROBLEMS)  # type: ignore[attr-defined]
        yield from (unknown(str(name), known, path) for name in strangers)
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


def _counted(text: str, one: str, many: str) -> _Words:
    """Words for a limit on a length, which is counted in ``one`` or ``many``."""

    def words(error: jsonschema_rs.ValidationError) -> str:
        limit = error.kind.limit  # type: ignore[attr-defined]
        return f"expected {text} {limit} {one if limit == 1 else many}, got {len(error.instance)}"  # type: ignore[arg-type]

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
    "minLength": _counted("at least", "character", "characters"),
    "maxLength": _counted("at most", "character", "characters"),
    "minItems": _counted("at least", "item", "items"),
    "maxItems": _counted("at most", "item", "items"),
    "minProperties": _counted("at least", "property", "properties"),
    "maxProperties": _counted("at most", "property", "properties"),
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
        place, options, value = fixed
        nullable = [None] if place == path and "null" in wanted else []
        yield problem(place, _one_of([*options, *nullable], value))
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
