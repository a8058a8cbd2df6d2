"""What a Pegboard is made of, checked where it is given: else the first search or call would fail. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import getattr_static
from typing import Final, NamedTuple, TypeVar

from pegboard.errors import DefinitionError

T = TypeVar("T")


class _Kind(NamedTuple):
    """What something has to be: what it has, and what to give instead. Immutable."""

    called: str
    has: tuple[str, ...]
    hint: str


_KINDS: Final[Mapping[str, _Kind]] = {
    "registries": _Kind(
        "a registry",
        ("on_change", "register"),
        "Pass a list of ToolRegistry; a tool comes into one by registry.register(tool).",
    ),
    "sources": _Kind("a source", ("name", "registry"), "Pass a list of sources, such as those of pegboard.sources."),
    "store": _Kind(
        "a store of boards",
        ("load",),
        "Pass MemoryPinStore(), or SqlPinStore(file) of pegboard.stores.",
    ),
    "ranker": _Kind("a ranker", ("rank",), "Pass an object with rank(query, candidates), such as LexicalRanker()."),
    "limits": _Kind("limits", ("search", "call_timeout"), "Pass Limits(search=10), with what is to differ."),
    "receipts": _Kind(
        "a sink of receipts", ("write",), "Pass an object with write(receipt), such as ReceiptFile(file)."
    ),
    "context": _Kind("a map of contexts", ("held", "sent"), "Pass a ContextMap."),
    "usage": _Kind("what learns from use", ("ranker", "learn", "close"), "Pass Usage(), of pegboard.usage."),
}
"""By the name of an argument."""


def check_given(**given: object) -> None:
    """Raises DefinitionError for the first argument of a Pegboard that is not what its name says; None is nothing."""
    for name, value in given.items():
        if value is not None:
            _check(name, value)


def each(name: str, given: Iterable[T]) -> list[T]:
    """All that was given. Raises DefinitionError where it is not several, and for the first that cannot be one."""
    kind = _KINDS[name]
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise DefinitionError(f"{name}= takes a list, and {given!r:.100} is none.", hint=kind.hint)
    found = list(given)
    for one in found:
        _check(name, one)
    return found


def _check(name: str, value: object) -> None:
    kind = _KINDS[name]
    if isinstance(value, type):
        if not all(_is_own(value, one) for one in kind.has):
            hint = f"Make one: {value.__name__}(...)." if all(hasattr(value, one) for one in kind.has) else kind.hint
            raise DefinitionError(f"{name}= takes {kind.called}, and {value.__name__} is a class.", hint=hint)
    elif lacking := [one for one in kind.has if not hasattr(value, one)]:
        told = f"{name}= takes {kind.called}, and {value!r:.100} is none: it has no {lacking[0]}."
        raise DefinitionError(told, hint=kind.hint)


def _is_own(value: type, name: str) -> bool:
    """Whether a class has by itself what its objects have: a class method is one, a function or a field is none."""
    return isinstance(getattr_static(value, name, None), classmethod | staticmethod)
