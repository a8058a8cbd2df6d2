"""pydantic, at arm's length: everything that this package asks of it, and its errors translated."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from enum import Flag
from functools import cache, reduce
from inspect import Parameter
from math import isfinite
from operator import or_
from typing import TYPE_CHECKING, Any, Final

from pegboard.pointing import Path
from pegboard.schema.wording import MAX_PROBLEMS, got, problem, unknown
from pegboard.tools import MISSING, Halt, ToolResult

if TYPE_CHECKING:
    from pydantic.json_schema import GenerateJsonSchema
    from pydantic_core import ErrorDetails, SchemaValidator

_TIME: Final = "[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?"
_DECIMAL: Final = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)$"
_OFFSET: Final = "Z|[+-][0-9]{2}:[0-9]{2}"


def of_arguments(parameters: Sequence[Parameter], module: str | None) -> tuple[SchemaValidator, dict[str, Any]]:
    """The validator and the JSON Schema of keyword-only parameters, and of one ``**rest`` at the end.

    ``module`` is where types of types are looked up. Raises what pydantic raises for types without a JSON form.
    """
    from pydantic.experimental.arguments_schema import generate_arguments_schema
    from pydantic_core import SchemaValidator

    def arguments() -> None: ...

    arguments.__signature__ = inspect.Signature(list(parameters))  # type: ignore[attr-defined]
    arguments.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    arguments.__module__ = module or __name__
    # dataclasses and TypedDicts refuse keys they do not name; models say for themselves
    core = generate_arguments_schema(arguments, "arguments", config={"extra": "forbid"})
    return SchemaValidator(core), _untitled(_generator()().generate(core))


def object_schema_of(annotation: Any) -> dict[str, Any] | None:
    """The JSON Schema of what a function returns, if that is a dataclass, TypedDict or pydantic model; else None."""
    if not _is_object_type(annotation):
        return None
    from pydantic import TypeAdapter

    try:
        schema = TypeAdapter(annotation).json_schema(mode="serialization", schema_generator=_generator())
    except Exception:  # no schema of the output is better than no tool
        return None
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    if name in schema.get("$defs", {}):
        schema = {**schema["$defs"][name], "$defs": schema["$defs"]}
    schema.pop("title", None)
    return _untitled(schema) if schema.get("type") == "object" else None


def _is_object_type(annotation: Any) -> bool:
    from dataclasses import is_dataclass
    from typing import get_origin, is_typeddict

    from pydantic import BaseModel
    from typing_extensions import is_typeddict as is_modern_typeddict

    made = get_origin(annotation) or annotation
    if not inspect.isclass(made) or issubclass(made, ToolResult | Halt):
        return False
    return is_dataclass(made) or issubclass(made, BaseModel) or is_typeddict(made) or is_modern_typeddict(made)


@cache
def _generator() -> type[GenerateJsonSchema]:
    from pydantic.json_schema import GenerateJsonSchema

    class Plain(GenerateJsonSchema):
        """pydantic's generator, without made-up titles and without warnings. Lives as long as one schema is made."""

        ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012  # as its base says

        def field_title_should_be_set(self, schema: Any) -> bool:
            """Never: a title that repeats the name costs tokens."""
            return False

        def time_schema(self, schema: Any) -> dict[str, Any]:
            """With or without an offset, as Python has it: the format ``time`` asks for one."""
            return {"type": "string", "pattern": f"^{_TIME}({_OFFSET})?$"}

        def datetime_schema(self, schema: Any) -> dict[str, Any]:
            """A naive datetime has no offset, and the format ``date-time`` asks for one."""
            if schema.get("tz_constraint") == "naive":
                return {"type": "string", "pattern": f"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}T{_TIME}$"}
            return super().datetime_schema(schema)

        def decimal_schema(self, schema: Any) -> dict[str, Any]:
            """A number, or text that is one: pydantic's own schema lets any text through."""
            return _with_pattern(super().decimal_schema(schema))

        def enum_schema(self, schema: Any) -> dict[str, Any]:
            """Flags of one enumeration go together, so that its numbers are all up to their sum."""
            if not issubclass(schema["cls"], Flag):
                return super().enum_schema(schema)
            return _flags_schema(schema["cls"])

        def is_subclass_schema(self, schema: Any) -> dict[str, Any]:
            """A class has no JSON form; pydantic would let anything through, and fail in the call."""
            return self.handle_invalid_for_json_schema(schema, "a class")

        def encode_default(self, dft: Any) -> Any:
            """Plain values as they are: the general way makes a type adapter for each."""
            _refuse_odd_number(dft)
            return dft if dft is None or type(dft) in (bool, int, float, str) else super().encode_default(dft)

    return Plain


def _refuse_odd_number(default: Any) -> None:
    """NaN and infinities are no JSON: what is raised here has pydantic leave the default untold."""
    from pydantic_core import PydanticSerializationError

    if type(default) is float and not isfinite(default):
        raise PydanticSerializationError(f"{default} is not a JSON number")


def _with_pattern(decimal: dict[str, Any]) -> dict[str, Any]:
    for text in decimal.get("anyOf", ()):
        if text.get("type") == "string":
            text.setdefault("pattern", _DECIMAL)
    return decimal


def _flags_schema(flags: type[Flag]) -> dict[str, Any]:
    told = ", ".join(f"{flag.value} {flag.name}" for flag in flags)
    most = reduce(or_, (flag.value for flag in flags), 0)
    return {"type": "integer", "description": f"The sum of any of {told}.", "minimum": 0, "maximum": most}


def _untitled(schema: dict[str, Any]) -> dict[str, Any]:
    for name, definition in schema.get("$defs", {}).items():
        if definition.get("title") == name:
            del definition["title"]
    order = ("type", "description", "properties", "required", "additionalProperties")
    return {word: schema[word] for word in order if word in schema} | schema


def conversion_problems(error: ValueError, arguments: Mapping[str, Any], known: Sequence[str]) -> list[str]:
    """What pydantic, or the JSON encoder, says of arguments, as short problems. ``known`` names the arguments taken."""
    from pydantic_core import ValidationError

    if not isinstance(error, ValidationError):
        return [problem((), f"not plain JSON ({error})")]
    told = (_told(details, arguments, known) for details in error.errors(include_url=False, include_context=False))
    return list(dict.fromkeys(told))[:MAX_PROBLEMS]


def _told(details: ErrorDetails, arguments: Mapping[str, Any], known: Sequence[str]) -> str:
    kind, path = details["type"], _path_in(arguments, details["loc"])
    if kind.startswith("missing"):
        return problem(details["loc"], "missing (required)")
    if kind in ("unexpected_keyword_argument", "extra_forbidden"):
        return unknown(str(details["loc"][-1]), known if len(path) <= 1 else None, path[:-1])
    if kind == "value_error":
        return problem(path, f"{details['msg'].removeprefix('Value error, ')}, got {got(details['input'])}")
    text = details["msg"].replace("Input should be", "expected", 1)
    return problem(path, f"{text[:1].lower()}{text[1:]}, got {got(details['input'])}")


def _path_in(value: Any, location: Sequence[str | int]) -> Path:
    """The steps of a location that lead into the data; the others name branches of a union."""
    path: Path = ()
    for step in location:
        below = _step(value, step)
        if below is not MISSING:
            path, value = (*path, step), below
    return path


def _step(value: Any, step: str | int) -> Any:
    if isinstance(value, Mapping):
        return value.get(step, MISSING)
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return value[step]
    return MISSING
