"""A Python value as plain JSON: what people return from functions, in its sensible form. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from itertools import islice
from os import PathLike, fspath
from typing import Any, Final

from pegboard.pointing import Path, place

MAX_DEPTH: Final = 200
"""Arrays and objects inside one another, in a result. Encoders stop at 255."""

MOST_ITEMS: Final = 100_000
"""Items that are taken from an iterator."""

_OTHERWISE: Final = "Return text, JSON values, a dataclass, a pydantic model or a ToolResult."
_BYTES: Final = "Encode them as base64 text, or return a ToolResult with an image or resource block."


class NotJsonError(ValueError):
    """A value that has no JSON form. ``str(error)`` names the place; ``hint`` is the way out."""

    def __init__(self, path: Path, what: str, hint: str = _OTHERWISE) -> None:
        super().__init__(f"{place(path, 'result')}: {what}")
        self.hint = hint


def plain_json(value: Any) -> Any:
    """``value`` as None, bool, int, float, str, list and dict with text as keys; shared where nothing changes.

    Dataclasses, pydantic models, named tuples, mappings and sequences become arrays and objects, sets and iterators
    (of at most 100,000 items) too; enums become their values, dates, UUIDs, decimals, paths and the like text, bytes
    the text that they are in UTF-8, NaN and infinities null, arrays of numpy lists.

    Raises NotJsonError naming the place of what has no JSON form, or is nested more than 200 deep.
    """
    if value is None or type(value) in (str, int, bool):
        return value
    if isinstance(value, Iterator):
        value = _taken(value)
    try:
        return _converted(value)
    except NotJsonError as error:
        raise _culprit(value, ()) or error from None
    except Exception as error:  # also what a stranger's property or serializer raises
        raise (_culprit(value, ()) or NotJsonError((), _told(error))) from error


def _converted(value: Any) -> Any:
    from pydantic_core import to_jsonable_python

    return to_jsonable_python(value, inf_nan_mode="null", fallback=_other)


def _other(value: Any) -> Any:
    """The form of what pydantic does not know."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, Collection) and not isinstance(value, type):
        return list(value)
    if callable(to_list := getattr(value, "tolist", None)) and not isinstance(value, type):
        return to_list()
    raise NotJsonError((), f"{_kind(value)} has no JSON form")


def _taken(iterator: Iterator[Any]) -> list[Any]:
    """It may have no end, and is asked on the loop, where everything else would wait for it."""
    taken = list(islice(iterator, MOST_ITEMS + 1))
    if len(taken) > MOST_ITEMS:
        raise NotJsonError((), f"an iterator of more than {MOST_ITEMS:,} items", "Return a part.")
    return taken


def _culprit(value: Any, path: Path) -> NotJsonError | None:
    """The error for what inside ``value`` cannot be converted, the deepest that can be found; None when all can."""
    try:
        _converted(value)
    except NotJsonError as error:
        found = NotJsonError(path, str(error).removeprefix("result: "), error.hint)
    except UnicodeDecodeError:
        found = NotJsonError(path, f"{_kind(value)} that are no text in UTF-8", _BYTES)
    except UnicodeEncodeError:
        found = NotJsonError(path, "a key with half a character (a lone surrogate)")
    except Exception as error:
        found = NotJsonError(path, _told(error))
    else:
        return None
    if len(path) > MAX_DEPTH:
        return NotJsonError(path, f"nested more than {MAX_DEPTH} deep, or inside itself", "Return a flatter value.")
    try:
        members = _items(value)
    except Exception:  # what breaks here has broken above
        return found
    inside = (_culprit(item, (*path, step)) for step, item in members)
    return next((deeper for deeper in inside if deeper is not None), found)


def _items(value: Any) -> Iterable[tuple[str | int, Any]]:
    if isinstance(value, Mapping):
        return [(str(key), item) for key, item in value.items()]
    if is_dataclass(value) and not isinstance(value, type):
        return [(one.name, getattr(value, one.name, None)) for one in fields(value)]
    if isinstance(value, list | tuple | set | frozenset):
        return list(enumerate(value))
    known = getattr(type(value), "model_fields", ())
    return [(name, getattr(value, name, None)) for name in known] if isinstance(known, Mapping) else []


def _kind(value: Any) -> str:
    name = type(value).__name__
    if isinstance(value, bytes | bytearray | memoryview):
        return name
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


_SAID: Final[Mapping[str, str]] = {
    "Maximum serialization depth exceeded": f"nested more than {MAX_DEPTH} deep",
    "Circular reference detected (id repeated)": "it holds itself",
}


def _told(error: Exception) -> str:
    text = str(error)
    return next((said for start, said in _SAID.items() if text.startswith(start)), f"{type(error).__name__}: {text}")
