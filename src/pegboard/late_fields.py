"""Objects of which a part is read when it is first looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, Final, TypeVar, cast

WHOLE: Final = "_whole"
"""Where an object holds the function that gives it whole, until it has been asked."""

T = TypeVar("T")


class LateField:
    """A field of a frozen dataclass that an object may be made without. Lives as long as the class.

    The first look at any such field of an object asks for all of them; after that they are there like every other.
    """

    def __init__(self, name: str, default: Any, all_of_them: tuple[str, ...]) -> None:
        self._name = name
        self._default = default
        self._all = all_of_them

    def __get__(self, holder: Any, owner: type | None = None) -> Any:
        if holder is not None:
            held = vars(holder)
            whole = held.get(WHOLE)
            if whole is not None:
                read = vars(whole())
                for name in self._all:
                    held.setdefault(name, read[name])
                # Only now: another thread that finds it gone finds the fields there.
                held.pop(WHOLE, None)
            if self._name in held:
                return held[self._name]
        if self._default is MISSING:
            raise AttributeError(self._name)
        return self._default


def with_late_fields(*names: str) -> Callable[[type[T]], type[T]]:
    """Let objects of a dataclass be made without these fields, by ``late``."""

    def decorated(cls: type[T]) -> type[T]:
        for field in fields(cast(Any, cls)):
            if field.name in names:
                setattr(cls, field.name, LateField(field.name, field.default, names))
        return cls

    return decorated


def late(cls: type[T], known: Mapping[str, Any], whole: Callable[[], T]) -> T:
    """An object of a class ``with_late_fields`` of which ``known`` is known, and ``whole()`` gives the late fields.

    Nothing is checked: ``known`` has to be what ``whole()`` has in these fields. Other fields have their defaults.
    """
    made = object.__new__(cls)
    held = vars(made)
    for name, make in _makers(cast(Any, cls)):
        held[name] = make()
    held.update(known)
    held[WHOLE] = whole
    return made


@cache
def _makers(cls: Any) -> tuple[tuple[str, Callable[[], Any]], ...]:
    """What makes the defaults that a class does not hold itself, by field."""
    return tuple(
        (one.name, one.default_factory)
        for one in fields(cls)
        if one.default_factory is not MISSING and not isinstance(vars(cls).get(one.name), LateField)
    )
