"""A Python function as a tool: JSON Schema from its signature, and JSON arguments as the objects it takes."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter
from typing import TYPE_CHECKING, Any

from pegboard.errors import InvalidArgumentsError
from pegboard.pointing import cut
from pegboard.schema.annotations import said_in
from pegboard.schema.conversion import conversion_problems, object_schema_of, of_arguments
from pegboard.schema.docstring import documented
from pegboard.schema.parameters import ABSENT, Reading, Shape
from pegboard.schema.wording import MAX_PROBLEMS, unknown
from pegboard.tools import JsonObject

if TYPE_CHECKING:
    from pydantic_core import SchemaValidator


@dataclass(frozen=True, kw_only=True)
class FunctionSchema:
    """What a function takes and gives, as JSON Schema. Immutable; lives as long as its tool.

    ``input_schema`` has what callers may give; ``output_schema`` describes the dataclass, TypedDict or pydantic model
    that the function returns, None for anything else. ``context_parameter`` names the parameter that gets the
    injected object. ``open`` says that the function takes ``**kwargs``.
    """

    name: str
    description: str
    input_schema: JsonObject
    output_schema: JsonObject | None
    context_parameter: str | None
    open: bool
    validator: SchemaValidator = field(repr=False, compare=False)
    positional: tuple[str, ...] = ()
    reserved: frozenset[str] = frozenset()

    def bind(self, arguments: Mapping[str, Any], context: Any = None) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The positional and keyword arguments of one call.

        JSON values become what the annotations say (dataclasses, enums, models, dates), strictly: ``"5"`` stays text.
        Defaults are filled in, mutable ones as copies. Nothing that a caller gives reaches the context parameter, or
        what a ``functools.partial`` has bound.

        Raises InvalidArgumentsError with at most five short problems.
        """
        reserved = [unknown(name, self._known) for name in arguments if name in self.reserved]
        if reserved:
            raise InvalidArgumentsError(self.name, reserved[:MAX_PROBLEMS])
        try:
            _, values = self.validator.validate_json(json.dumps(arguments, allow_nan=False), strict=True)
        except ValueError as error:
            raise InvalidArgumentsError(self.name, conversion_problems(error, arguments, self._known)) from error
        keywords = {name: value for name, value in values.items() if value is not ABSENT}
        if self.context_parameter is not None:
            keywords[self.context_parameter] = context
        return tuple(keywords.pop(name) for name in self.positional), keywords

    @property
    def _known(self) -> list[str]:
        return list(self.input_schema["properties"])


def signature_schema(
    fn: Callable[..., Any], *, name: str | None = None, injected: type | None = None
) -> FunctionSchema:
    """Read a function: plain or async, method, partial, wrapped by ``functools.wraps``, or an object with ``__call__``.

    A parameter annotated with the class ``injected``, or with it or None, is never shown and gets the injected object.
    What ``functools.partial`` has bound is neither shown nor taken from callers. Annotations are resolved in the
    function's own module, its class, its closure and, while that runs, the function around it. Texts come from
    ``Field(description=...)``, else ``Annotated[str, "..."]``, else the docstring (Google, NumPy, Sphinx styles).

    Raises DefinitionError, naming the parameter where there is one: an annotation that cannot be resolved or has no
    JSON form, ``*args``, a second injected parameter, an unbound method, a class.
    """
    called = name or _name_of(fn)
    reading = Reading(fn, called)
    shape = reading.shape(injected)
    docs = documented(_docstring(fn))
    validator, schema = _made(reading, shape)
    _describe(schema, shape, docs.parameters)
    return FunctionSchema(
        name=called,
        description=docs.description,
        input_schema=schema,
        output_schema=object_schema_of(reading.returns()),
        context_parameter=shape.context,
        open=shape.rest is not None,
        validator=validator,
        positional=shape.positional,
        reserved=shape.reserved,
    )


def _made(reading: Reading, shape: Shape) -> tuple[SchemaValidator, dict[str, Any]]:
    """The validator and the JSON Schema of the parameters; the error names the one that has no schema."""
    module = getattr(reading.function, "__module__", None)
    parameters = [*shape.taken, *([shape.rest] if shape.rest else [])]
    try:
        return of_arguments(parameters, module)
    except Exception:
        for parameter in parameters:
            _try_alone(reading, parameter, module)
        raise


def _try_alone(reading: Reading, parameter: Parameter, module: str | None) -> None:
    try:
        of_arguments([parameter], module)
    except Exception as error:
        raise reading.wrong_type(parameter, cut(str(error).partition("\n")[0].partition(". ")[0])) from error


def _describe(schema: dict[str, Any], shape: Shape, texts: Mapping[str, str]) -> None:
    """Put descriptions where there are none yet. Properties stand in the order of the parameters."""
    for parameter, property_ in zip(shape.taken, schema["properties"].values(), strict=False):
        text = said_in(parameter.annotation) or texts.get(parameter.name)
        if text:
            property_.setdefault("description", text)


def _name_of(fn: Any) -> str:
    while isinstance(fn, functools.partial):
        fn = fn.func
    return str(getattr(fn, "__name__", type(fn).__name__))


def _docstring(fn: Any) -> str | None:
    """The text that stands at the function itself, not that of the class of partials or of callable objects."""
    own = getattr(fn, "__dict__", {}).get("__doc__")
    if isinstance(own, str):
        return own
    if isinstance(fn, functools.partial):
        return _docstring(fn.func)
    if inspect.isroutine(fn):
        return inspect.getdoc(fn)
    return type(fn).__call__.__doc__ or type(fn).__doc__
