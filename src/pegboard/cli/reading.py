"""Values of the command line: what is plainly right is taken as it is, anything else typer decides.

Typer reads every value by way of pydantic, which takes longer to load than most commands take to run. The answers are
the same: a value that is not sure to pass unchanged goes typer's way, and so does every message about a wrong one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

from typer.core import TyperCommand, TyperGroup
from typer.models import ParameterInfo

UNSURE: Final = object()
"""In place of a value: typer has to look at it."""

_WHOLE: Final = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)
_NUMBER: Final = re.compile(r"(?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,6})?", re.ASCII)


class Command(TyperCommand):
    """A command of the command line. Lives as long as it."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, the one for help too."""
        return [_short_cut(one) for one in super().get_params(ctx)]


class Group(TyperGroup):
    """A group of commands, or the program itself. Lives as long as the command line."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, the one for help too."""
        return [_short_cut(one) for one in super().get_params(ctx)]


def _short_cut(parameter: Any) -> Any:
    """The parameter itself, with the short cut in front of typer's way."""
    if "process_value" in vars(parameter):
        return parameter
    process = parameter.process_value

    def process_value(context: Any, value: Any) -> Any:
        plain = plainly(parameter, value)
        if plain is UNSURE:
            return process(context, value)
        return plain if parameter.callback is None else parameter.callback(context, parameter, plain)

    parameter.process_value = process_value
    return parameter


def plainly(parameter: Any, value: Any) -> Any:
    """What typer would make of a parameter's value; UNSURE where that takes a closer look."""
    info: ParameterInfo = parameter.type_descriptor.parameter_info
    kind = parameter.type_descriptor.annotation
    several = parameter.multiple or parameter.nargs == -1
    if info.parser is not None or (parameter.required and not value):
        return UNSURE
    if value is None:
        return () if several else None
    if not several:
        return _read(kind, value, info)
    if get_origin(kind) is not list or not isinstance(value, list | tuple):
        return UNSURE
    items = [_read(get_args(kind)[0], item, info) for item in value]
    return UNSURE if UNSURE in items else items


def _read(kind: Any, value: Any, info: ParameterInfo) -> Any:
    if get_origin(kind) is Literal:
        return value if isinstance(value, str) and value in get_args(kind) else UNSURE
    read = _KINDS.get(kind)
    return UNSURE if read is None else read(value, info)


def _text(value: Any, info: ParameterInfo) -> Any:
    return value if isinstance(value, str) else UNSURE


def _flag(value: Any, info: ParameterInfo) -> Any:
    return value if isinstance(value, bool) else UNSURE


def _whole(value: Any, info: ParameterInfo) -> Any:
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return _within(int(value), info)
    return _within(value, info) if type(value) is int else UNSURE


def _number(value: Any, info: ParameterInfo) -> Any:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return _within(float(value), info)
    return _within(value, info) if type(value) is float else UNSURE


def _within(number: float, info: ParameterInfo) -> Any:
    fits = (info.min is None or info.min <= number) and (info.max is None or number <= info.max)
    return number if fits else UNSURE


def _path(value: Any, info: ParameterInfo) -> Any:
    asked = info.exists or info.writable or info.resolve_path or info.allow_dash or info.path_type is not None
    if asked or not (info.file_okay and info.dir_okay and isinstance(value, str | Path)):
        return UNSURE
    return Path(value) if os.access(value, os.R_OK) or not os.path.lexists(value) else UNSURE


_KINDS: Final[Mapping[Any, Callable[[Any, ParameterInfo], Any]]] = {
    str: _text,
    bool: _flag,
    int: _whole,
    float: _number,
    Path: _path,
}
