"""What the annotations of a function mean, wherever they were written and however late they are read."""

from __future__ import annotations

import functools
import inspect
import sys
import typing
from collections.abc import Callable, Iterator, Mapping
from types import FrameType, NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin


class Written(NamedTuple):
    """The function as it stands in the source, behind partials, methods, wrappers and callable objects.

    ``bound`` names the arguments that a ``functools.partial`` on the way has set by keyword.
    """

    function: Any
    bound: frozenset[str]


def written(fn: Callable[..., Any]) -> Written:
    """Follow ``fn`` to the function whose annotations and names count."""
    bound: frozenset[str] = frozenset()
    here: Any = fn
    while True:
        if isinstance(here, functools.partial):
            bound, here = bound | frozenset(here.keywords), here.func
        elif inspect.ismethod(here):
            here = here.__func__
        elif hasattr(here, "__wrapped__"):
            here = here.__wrapped__
        elif inspect.isroutine(here) or inspect.isclass(here):
            return Written(here, bound)
        else:
            here = type(here).__call__


class Names:
    """The names that annotations of one function may use. Lives while its schema is made.

    Looked up in turn: the names of its class, what its body closes over, its module, then, for functions made inside
    others, the local names of the function around it, while that is still running.
    """

    def __init__(self, function: Any) -> None:
        self.module: dict[str, Any] = getattr(function, "__globals__", {})
        self.local = {**_closed_over(function), **_of_class(function), **_type_parameters(function)}
        self._qualname = str(getattr(function, "__qualname__", ""))

    def resolve(self, annotation: Any) -> Any:
        """The type that an annotation stands for. Raises NameError and what evaluating raises."""
        try:
            return _evaluated(annotation, self.module, self.local)
        except NameError:
            around = self._local_names_around()
            if not around:
                raise
            return _evaluated(annotation, self.module, {**around, **self.local})

    def _local_names_around(self) -> Mapping[str, Any]:
        outer = self._qualname.rpartition(".<locals>.")[0]
        frames = (frame for frame in _frames() if outer and frame.f_code.co_qualname == outer)
        return next((frame.f_locals for frame in frames if frame.f_globals is self.module), {})


def _evaluated(annotation: Any, module: dict[str, Any], local: Mapping[str, Any]) -> Any:
    def holder() -> None: ...

    holder.__annotations__ = {"it": annotation}
    return typing.get_type_hints(holder, module, dict(local), include_extras=True)["it"]


def _frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _closed_over(function: Any) -> dict[str, Any]:
    names: dict[str, Any] = {}
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None) or ()
    for name, cell in zip(code.co_freevars if code else (), cells, strict=False):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # a name that is bound later
            continue
    return names


def _of_class(function: Any) -> dict[str, Any]:
    path = str(getattr(function, "__qualname__", "")).split(".")[:-1]
    place: Any = sys.modules.get(getattr(function, "__module__", None) or "")
    for step in path:
        place = getattr(place, step, None)
    return dict(vars(place)) if path and inspect.isclass(place) else {}


def _type_parameters(function: Any) -> dict[str, Any]:
    return {parameter.__name__: parameter for parameter in getattr(function, "__type_params__", ())}


def is_injected(annotation: Any, injected: type) -> bool:
    """Whether the annotation asks for an ``injected`` object: the class, a subclass, or either or None.

    Raises TypeError when it asks for that or something else.
    """
    members = [member for member in _members(annotation) if member is not NoneType]
    asks = [inspect.isclass(member) and issubclass(member, injected) for member in members]
    if any(asks) and not all(asks):
        raise TypeError(f"is {injected.__name__} or something else, so that nobody can tell who fills it")
    return bool(asks) and all(asks)


def _members(annotation: Any) -> list[Any]:
    """The types of a union, or the one type."""
    if get_origin(annotation) is Annotated:
        return _members(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return [member for part in get_args(annotation) for member in _members(part)]
    return [annotation]


def said_in(annotation: Any) -> str | None:
    """The description that ``Annotated[str, "..."]`` or ``Annotated[str, Doc("...")]`` carries."""
    if get_origin(annotation) is not Annotated:
        return None
    for extra in get_args(annotation)[1:]:
        text = extra if isinstance(extra, str) else getattr(extra, "documentation", None)
        if isinstance(text, str):
            return text
    return None
