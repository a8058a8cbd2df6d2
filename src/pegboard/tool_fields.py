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
    for field, (holds, hint) in _FIELDS.items():
        value = getattr(tool, field)
        if not holds(value):
            raise DefinitionError(f"The {field} of tool {tool.name!r} cannot be {value!r:.60}.", hint=hint)
    for field in _TEXTS:
        text = getattr(tool, field)
        for part in (text,) if isinstance(text, str) else text or ():
            if not is_encodable(part):
                raise DefinitionError(
                    f"The {field} of tool {tool.name!r} holds half a character (a lone surrogate).",
                    hint="Decode it as what it is.",
                )


_Holds = Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _may_be_text(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(part, str) for part in value)


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


def _may_be_object(value: Any) -> bool:
    return value is None or isinstance(value, Mapping)


def _may_be_seconds(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and value > 0)


def _may_be_count(value: Any) -> bool:
    return value is None or (type(value) is int and value > 0)


def _may_be_function(value: Any) -> bool:
    return value is None or callable(value)


_TEXT: Final = "Give text."
_TEXTS_IN_A_LIST: Final = "Give a list of texts."
_COUNT: Final = "Give how many calls may run at once, from 1, or None for any number."
_OBJECT: Final = "Give a mapping of texts to JSON values."

_FIELDS: Final[Mapping[str, tuple[_Holds, str]]] = {
    "description": (_is_text, _TEXT),
    "source": (lambda value: _is_text(value) and bool(value.strip()), "Name where the tool comes from."),
    "bare_name": (_is_text, _TEXT),
    "title": (_may_be_text, _TEXT),
    "category": (_may_be_text, _TEXT),
    "touches": (lambda value: value is None or isinstance(value, Touches), "Give a Touches."),
    "cost": (_may_be_text, _TEXT),
    "latency": (_may_be_text, _TEXT),
    "degraded_description": (_may_be_text, _TEXT),
    "tags": (_are_texts, _TEXTS_IN_A_LIST),
    "keywords": (_are_texts, _TEXTS_IN_A_LIST),
    "related_to": (_are_texts, _TEXTS_IN_A_LIST),
    "hints": (_is_object, _OBJECT),
    "authorization": (_is_object, _OBJECT),
    "capabilities": (_is_object, _OBJECT),
    "annotations": (_may_be_object, _OBJECT),
    "definition": (_may_be_object, _OBJECT),
    "timeout": (_may_be_seconds, "Give seconds above 0, or None for the board's limit."),
    "concurrency": (_may_be_count, _COUNT),
    "source_concurrency": (_may_be_count, _COUNT),
    "output_check": (lambda value: value in ("off", "warn", "strict"), "Use one of: off, warn, strict."),
    "handler": (callable, "Give an async function of (arguments, context)."),
    "requires": (_may_be_function, 'Pass a function that takes nothing, such as lambda: shutil.which("git").'),
}

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
