"""The parameters of a Python function, sorted by who fills them: the caller, the context, or nobody any more."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import Parameter
from typing import Any, Final

from pegboard.errors import DefinitionError
from pegboard.schema.annotations import Names, is_injected, written
from pegboard.schema.typed_dicts import modern, typed_dict_fields, unpacked


class _Absent:
    """The default of an argument that may stay away. Process-wide."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The parameters of one function. Immutable; lives while its schema is made.

    ``taken`` are those that callers may fill, as keyword-only parameters with their annotations resolved; ``rest`` is
    ``**kwargs``, if there; ``context`` names the injected parameter; ``positional`` names what must be passed by
    position; ``reserved`` names what no caller may fill although the function would take it.
    """

    taken: tuple[Parameter, ...]
    rest: Parameter | None
    context: str | None
    positional: tuple[str, ...]
    reserved: frozenset[str]


class Reading:
    """One function being read. Lives while its schema is made.

    Raises DefinitionError for what is no function, and for one whose signature Python does not know.
    """

    def __init__(self, fn: Callable[..., Any], called: str) -> None:
        self.called = called
        self.signature = _signature(fn, called)
        self.function, self.bound = written(fn)
        self.names = Names(self.function)
        self._is_bare_function = inspect.isfunction(inspect.unwrap(fn))

    def shape(self, injected: type | None) -> Shape:
        """The parameters, sorted. Raises DefinitionError naming the parameter that cannot be used."""
        taken: list[Parameter] = []
        rest: Parameter | None = None
        contexts: list[str] = []
        for parameter in self._parameters():
            if injected is not None and self._asks_for(injected, parameter):
                contexts.append(parameter.name)
            elif parameter.kind is not Parameter.VAR_KEYWORD:
                taken.append(parameter.replace(kind=Parameter.KEYWORD_ONLY))
            elif (options := unpacked(parameter.annotation)) is not None:
                taken.extend(_of_options(options))
            else:
                rest = parameter
        if len(contexts) > 1:
            raise self._wrong(contexts[1], f"is a second context beside {contexts[0]!r}", "One is enough.")
        return Shape(
            taken=tuple(taken),
            rest=rest,
            context=contexts[0] if contexts else None,
            positional=self._positional(),
            reserved=self.bound.union(self._own_names(), contexts) - {parameter.name for parameter in taken},
        )

    def returns(self) -> Any:
        """The type that the function says it returns; Any where it says nothing, or what cannot be resolved."""
        try:
            annotation = self.names.resolve(self.signature.return_annotation)
        except Exception:  # what a function returns is not needed to call it
            return Any
        return modern(annotation)

    def wrong_type(self, parameter: Parameter, reason: str) -> DefinitionError:
        """The error for a parameter whose type has no JSON form."""
        return self._wrong(
            parameter.name,
            f"has a type that JSON cannot carry ({reason})",
            "Use JSON types, dataclasses, TypedDicts, pydantic models, or a context for what callers do not send.",
        )

    def _parameters(self) -> Iterator[Parameter]:
        """Those that are still open, with annotations resolved."""
        for index, parameter in enumerate(self.signature.parameters.values()):
            if parameter.kind is Parameter.VAR_POSITIONAL:
                raise self._wrong(parameter.name, "takes any number of positional values", "Take a list instead.")
            if index == 0 and self._is_self(parameter):
                raise self._wrong(
                    parameter.name,
                    "is the object of a method that is not bound",
                    "Make the tool from the method of an object: tool(Box().method).",
                )
            if parameter.name not in self.bound:
                yield parameter.replace(annotation=self._resolved(parameter))

    def _resolved(self, parameter: Parameter) -> Any:
        if parameter.annotation is Parameter.empty:
            return Any
        try:
            return modern(self.names.resolve(parameter.annotation))
        except NameError as error:
            raise self._wrong(
                parameter.name,
                f"has the annotation {parameter.annotation!r}, and {error.name!r} is not known where it stands",
                "Import it at run time, not only for type checkers, or define it at the top of the module.",
            ) from error
        except Exception as error:
            what = f"has an annotation that cannot be read, {parameter.annotation!r} ({error})"
            raise self._wrong(parameter.name, what, "Annotate it with a type.") from error

    def _asks_for(self, injected: type, parameter: Parameter) -> bool:
        try:
            return is_injected(parameter.annotation, injected)
        except TypeError as error:
            raise self._wrong(
                parameter.name, str(error), f"Write {injected.__name__}, or {injected.__name__} | None."
            ) from error

    def _is_self(self, parameter: Parameter) -> bool:
        holder = str(getattr(self.function, "__qualname__", "")).rpartition(".")[0]
        in_class = bool(holder) and not holder.endswith("<locals>")
        named = parameter.name in ("self", "cls") and parameter.annotation is Parameter.empty
        return self._is_bare_function and in_class and named

    def _positional(self) -> tuple[str, ...]:
        only = (each for each in self.signature.parameters.values() if each.kind is Parameter.POSITIONAL_ONLY)
        return tuple(each.name for each in only)

    def _own_names(self) -> set[str]:
        """What the function itself would take by keyword: also what a method, or a partial by position, has filled."""
        by_name = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
        try:
            parameters = inspect.signature(self.function).parameters.values()
        except (ValueError, TypeError):
            return set()
        return {parameter.name for parameter in parameters if parameter.kind in by_name}

    def _wrong(self, parameter: str, what: str, hint: str) -> DefinitionError:
        return DefinitionError(
            f"The parameter {parameter!r} of {self.called!r} {what}.", hint=hint, data={"parameter": parameter}
        )


def _signature(fn: Any, called: str) -> inspect.Signature:
    if inspect.isclass(fn):
        raise DefinitionError(f"{called!r} is a class, and a tool is made from a function.", hint="Write a function.")
    if not callable(fn):
        raise DefinitionError(
            f"{called!r} is a {type(fn).__name__}, and a tool is made from a function.",
            hint="A classmethod or property becomes callable outside its class: tool(Class.method).",
        )
    try:
        return inspect.signature(fn)
    except (ValueError, TypeError, NameError) as error:
        raise DefinitionError(
            f"The signature of {called!r} cannot be read: {error}.", hint="Wrap it in a function with named parameters."
        ) from error


def _of_options(options: Any) -> Iterator[Parameter]:
    """The fields of ``**kwargs: Unpack[Options]`` as parameters of their own."""
    for key, (hint, required) in typed_dict_fields(options).items():
        default = Parameter.empty if required else ABSENT
        yield Parameter(key, Parameter.KEYWORD_ONLY, default=default, annotation=modern(hint))
