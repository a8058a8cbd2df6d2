"""What the fields of a tool may hold. A table, and a check that runs over it.

One field of another type would break search, lists and prompts for every tool there is, not only its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pegboard.errors import DefinitionError
from pegboard.resource import Touches
from pegboard.texts import is_encodable


def check_fields(tool: Any) -> None:
    """Refuse a tool with a field that holds something else than the table says.

    Raises DefinitionError naming the field and what it may hold.
    """
    values = vars(tool)
    for field, (plain, holds, hint) in _FIELDS.items():
        value = values[field]
        if type(value) not in plain and not holds(value):
            raise DefinitionError(f"The {field} of tool {tool.name!r} cannot be {value!r:.60}.", hint=hint)
    for field in _TEXTS:
        text = values[field]
        for part in (text,) if isinstance(text, str) else text or ():
            if not is_encodable(part):
                raise DefinitionError(
                    f"The {field} of tool {tool.name!r} holds half a character (a lone surrogate).",
                    hint="Decode it as what it is.",
                )


_Holds = Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and (not value or all(isinstance(part, str) for part in value))


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


def _are_seconds(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def _is_count(value: Any) -> bool:
    return type(value) is int and value > 0


_TEXT: Final = "Give text."
_TEXTS_IN_A_LIST: Final = "Give a list of texts."
_COUNT: Final = "Give how many calls may run at once, from 1, or None for any number."
_OBJECT: Final = "Give a mapping of texts to JSON values."

_NONE: Final = frozenset({type(None)})
_STR: Final = frozenset({str})
_DICT: Final = frozenset({dict})
_MANY: Final[frozenset[type]] = frozenset()

_FIELDS: Final[Mapping[str, tuple[frozenset[type], _Holds, str]]] = {
    "description": (_STR, _is_text, _TEXT),
    "source": (_MANY, lambda value: _is_text(value) and bool(value.strip()), "Name where the tool comes from."),
    "bare_name": (_STR, _is_text, _TEXT),
    "title": (_STR | _NONE, _is_text, _TEXT),
    "category": (_STR | _NONE, _is_text, _TEXT),
    "touches": (_NONE, lambda value: isinstance(value, Touches), "Give a Touches."),
    "cost": (_STR | _NONE, _is_text, _TEXT),
    "latency": (_STR | _NONE, _is_text, _TEXT),
    "degraded_description": (_STR | _NONE, _is_text, _TEXT),
    "tags": (_MANY, _are_texts, _TEXTS_IN_A_LIST),
    "keywords": (_MANY, _are_texts, _TEXTS_IN_A_LIST),
    "related_to": (_MANY, _are_texts, _TEXTS_IN_A_LIST),
    "hints": (_DICT, _is_object, _OBJECT),
    "authorization": (_DICT, _is_object, _OBJECT),
    "capabilities": (_DICT, _is_object, _OBJECT),
    "annotations": (_DICT | _NONE, _is_object, _OBJECT),
    "definition": (_DICT | _NONE, _is_object, _OBJECT),
    "timeout": (_NONE, _are_seconds, "Give seconds above 0, or None for the board's limit."),
    "concurrency": (_NONE, _is_count, _COUNT),
    "source_concurrency": (_NONE, _is_count, _COUNT),
    "output_check": (_MANY, lambda value: value in ("off", "warn", "strict"), "Use one of: off, warn, strict."),
    "handler": (_MANY, callable, "Give an async function of (arguments, context)."),
    "requires": (_NONE, callable, 'Pass a function that takes nothing, such as lambda: shutil.which("git").'),
}
"""By field: types of which every value will do, what tells of values of others, and what to give instead. Nearly all
values are of the former, and looking at a type takes a fraction of the time: a thousand tools are checked at once."""

_TEXTS: Final = (
    "description",
    "source",
    "title",
    "category",
    "cost",
    "latency",
    "degraded_description",
    "tags",
    "keywords",
    "related_to",
)
"""What is shown and searched. A ``bare_name`` goes back to its source as it came."""
