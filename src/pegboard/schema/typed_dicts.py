"""TypedDicts in signatures, those of the standard library too: before Python 3.12 pydantic refuses them."""

from __future__ import annotations

import sys
import typing
from types import GenericAlias, UnionType
from typing import Annotated, Any, Final, Literal, NotRequired, Required, Union, get_args

import typing_extensions

_MODERN: Final = sys.version_info >= (3, 12)


def unpacked(annotation: Any) -> Any:
    """The TypedDict of ``**kwargs: Unpack[Options]``; None for any other annotation."""
    made = _origin(annotation)
    return get_args(annotation)[0] if made in (typing.Unpack, typing_extensions.Unpack) else None


def typed_dict_fields(options: Any) -> dict[str, tuple[Any, bool]]:
    """The fields of a TypedDict: type, and whether the key is required."""
    fields = {}
    for key, hint in typing_extensions.get_type_hints(options, include_extras=True).items():
        required, bare = key in options.__required_keys__, hint
        while (made := _origin(bare)) in (Required, NotRequired, typing_extensions.ReadOnly):
            required = required if made is typing_extensions.ReadOnly else made is Required
            bare = get_args(bare)[0]
        fields[key] = (bare, required)
    return fields


def modern(annotation: Any) -> Any:
    """The annotation with each ``typing.TypedDict`` replaced by its equal from typing_extensions."""
    made, arguments = _origin(annotation), get_args(annotation)
    if _MODERN or made is Literal:
        return annotation
    if typing.is_typeddict(annotation) and type(annotation).__module__ == "typing":
        return _modern_typed_dict(annotation)
    if not arguments or any(isinstance(argument, list) for argument in arguments):
        return annotation
    if made is Annotated:
        return Annotated[(modern(arguments[0]), *arguments[1:])]
    changed = tuple(modern(argument) for argument in arguments)
    return annotation if changed == arguments else _with_arguments(annotation, changed)


def _origin(annotation: Any) -> Any:
    return typing.get_origin(annotation)


def _with_arguments(annotation: Any, arguments: tuple[Any, ...]) -> Any:
    if _origin(annotation) in (Union, UnionType):
        return Union[arguments]  # noqa: UP007  # made at run time
    if isinstance(annotation, GenericAlias):
        return GenericAlias(_origin(annotation), arguments)
    return annotation.copy_with(arguments)


def _modern_typed_dict(options: Any) -> Any:
    fields = {
        key: Required[modern(hint)] if required else NotRequired[modern(hint)]
        for key, (hint, required) in typed_dict_fields(options).items()
    }
    make: Any = typing_extensions.TypedDict
    made = make(options.__name__, fields)
    made.__doc__, made.__module__ = options.__doc__, options.__module__
    return made
