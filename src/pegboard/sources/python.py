"""Tools made from Python functions.

from pegboard import tool

@tool(tags=["orders"], approval="write")
def refund(order: str, amount: float) -> str:
    "Refund an order."
    return f"refunded {amount} of {order}"
"""

from __future__ import annotations

import functools
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Generic, ParamSpec, TypedDict, TypeVar, Unpack, overload

from pegboard.context import Context
from pegboard.errors import DefinitionError
from pegboard.naming import slug
from pegboard.resource import Touches
from pegboard.schema.names import nearest
from pegboard.schema.signature import FunctionSchema, signature_schema
from pegboard.sources.running import Progress, kind_of, run
from pegboard.tiers import declared_need
from pegboard.tools import ApprovalDeclaration, Handler, JsonObject, OutputCheck, Tool, Visibility

__all__ = ["FunctionTool", "Progress", "tool", "tools_from_file"]

P = ParamSpec("P")
R = TypeVar("R")

ApprovalRule = Callable[[dict[str, Any]], ApprovalDeclaration | str]
"""What one call needs, from its arguments."""


@dataclass(frozen=True, kw_only=True)
class FunctionTool(Tool, Generic[P, R]):
    """A tool made from a Python function. Immutable, shared by the whole process.

    Calling it calls the function as it was written: decorated functions stay usable. ``fn`` is that function,
    ``signature`` what was read from it.
    """

    fn: Callable[P, R] = field(compare=False, repr=False)
    signature: FunctionSchema = field(compare=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        for attribute, value in (("__wrapped__", self.fn), ("__doc__", self.fn.__doc__), ("__name__", self.name)):
            object.__setattr__(self, attribute, value)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The function itself."""
        return self.fn(*args, **kwargs)


class Options(TypedDict, total=False):
    """What ``tool`` can be told besides the function: fields of Tool, read a little more freely. None: the default."""

    name: str | None
    description: str | None
    title: str | None
    category: str | None
    tags: Iterable[str] | None
    keywords: Iterable[str] | None
    related_to: Iterable[str] | None
    visibility: Visibility | str | None
    hints: JsonObject | None
    annotations: JsonObject | None
    approval: ApprovalDeclaration | ApprovalRule | str | None
    touches: Touches | None
    authorization: JsonObject | None
    capabilities: JsonObject | None
    cost: str | None
    latency: str | None
    timeout: float | None
    concurrency: int | None
    output_check: OutputCheck | str | None
    requires: Callable[[], Any] | None
    degraded_description: str | None


@overload
def tool(fn: Callable[P, R], /, **options: Unpack[Options]) -> FunctionTool[P, R]: ...
@overload
def tool(**options: Unpack[Options]) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...
def tool(fn: Callable[..., Any] | None = None, /, **options: Unpack[Options]) -> Any:
    """Make a tool from a function: ``@tool``, ``@tool(name="refund")``, or ``tool(fn, name="refund")``.

    The schema comes from the signature, texts from the docstring (see ``signature_schema``); a parameter annotated
    with ``Context`` gets the call's context and is never shown. Arguments that the function does not name are refused,
    unless it takes ``**kwargs``. Plain functions run in a thread, async ones on the loop; what generators yield is
    told as progress (see ``Progress``), and what they return, or else yield last, is the result. A function returns
    text, None, any JSON value, a dataclass, pydantic model or TypedDict, a ToolResult or a Halt.

    ``name`` defaults to the function's own, ``description`` to its docstring; ``visibility`` is ``"on-demand"`` (the
    default) or ``"always"``; ``approval`` is ``"read"``, ``"write"``, ``"exec"``, an object with one of
    these (see ``pegboard.tools.ApprovalDeclaration``), or a function of the arguments that gives either;
    ``timeout`` is in seconds, by default the board's limit; at most ``concurrency`` calls run at once, by default any
    number; ``output_check`` is ``"strict"`` (the default: a result that does not fit what the function says it returns
    is an error), ``"warn"`` or ``"off"``. The other options are the fields of Tool.

    Raises DefinitionError naming the parameter or option that cannot be used, InvalidNameError for a name outside
    the pattern.
    """
    given = {option: value for option, value in options.items() if value is not None}
    return functools.partial(_made, given) if fn is None else _made(given, fn)


def _made(options: Mapping[str, Any], fn: Callable[P, R]) -> FunctionTool[P, R]:
    name = options.get("name") or _own_name(fn)
    signature = signature_schema(fn, name=name, injected=Context)
    fields = {option: _read_option(name, option, value) for option, value in options.items()}
    return FunctionTool(
        **{"description": signature.description, "output_check": OutputCheck.STRICT} | fields | {"name": name},
        handler=_handler(fn, signature),
        input_schema=signature.input_schema,
        output_schema=signature.output_schema,
        closed=not signature.open,
        fn=fn,
        signature=signature,
    )


def _handler(fn: Callable[..., Any], signature: FunctionSchema) -> Handler:
    kind = kind_of(fn)

    async def handler(arguments: dict[str, Any], context: Context) -> Any:
        args, kwargs = signature.bind(arguments, context)
        return await run(kind, functools.partial(fn, *args, **kwargs), context)

    return handler


def _own_name(fn: Any) -> str:
    named = fn
    while isinstance(named, functools.partial):
        named = named.func
    name = getattr(named, "__name__", None)
    if not isinstance(name, str) or name == "<lambda>":
        what = "A lambda" if name == "<lambda>" else f"A {type(fn).__name__}"
        raise DefinitionError(f"{what} has no name to make a tool of.", hint='Say tool(..., name="...").')
    return name


def _read_option(tool_name: str, option: str, value: Any) -> Any:
    if option not in Options.__annotations__:
        raise _wrong_option(tool_name, option, "is not known", nearest(option, Options.__annotations__))
    try:
        return _READ.get(option, _as_it_is)(value)
    except (ValueError, TypeError):
        raise _wrong_option(tool_name, option, f"cannot be {value!r}", _ALLOWED.get(option)) from None


def _wrong_option(tool_name: str, option: str, what: str, instead: str | None) -> DefinitionError:
    return DefinitionError(
        f"The option {option!r} of tool {tool_name!r} {what}.", hint=f"Use {instead}." if instead else ""
    )


def _as_it_is(value: Any) -> Any:
    return value


def _words(value: str | Iterable[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _seconds(value: float) -> float:
    if isinstance(value, bool) or not value > 0:
        raise ValueError(value)
    return float(value)


def _count(value: int) -> int:
    if type(value) is not int or value < 1:
        raise ValueError(value)
    return value


def _declaration(value: Any) -> Any:
    if declared_need(value) is None:
        raise ValueError(value)
    return value


_READ: Final[dict[str, Callable[[Any], Any]]] = {
    "tags": _words,
    "keywords": _words,
    "related_to": _words,
    "visibility": Visibility,
    "approval": lambda value: value if callable(value) else _declaration(value),
    "timeout": _seconds,
    "concurrency": _count,
    "output_check": OutputCheck,
}
"""How an option is read where a Tool needs it otherwise."""

_ALLOWED: Final = {
    "visibility": "'on-demand' or 'always'",
    "approval": "'read', 'write', 'exec', {'tier': ...} with one of these, or a function of the arguments",
    "timeout": "a number of seconds above 0",
    "concurrency": "a whole number from 1",
    "output_check": "'strict', 'warn' or 'off'",
}


def tools_from_file(path: str | Path) -> list[Tool]:
    """The tools that a Python file defines (or imports) at its top level, in order, each once.

    The file runs as a module of its own every time; files beside it can be imported by their names.

    Raises DefinitionError with file and line for a file that is not there, that fails while it runs, or holds no tool.
    """
    file = Path(path).resolve()
    module = run_file(file)
    found = {id(value): value for value in vars(module).values() if isinstance(value, Tool)}
    if not found:
        raise DefinitionError(f"{file} defines no tool.", hint="Decorate its functions with @tool.")
    return list(found.values())


def run_file(file: Path) -> ModuleType:
    """The file as a module. Compiled from its text: cached bytecode is as old as the clock's last second."""
    digest = sha256(str(file).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    module = ModuleType(f"pegboard_file_{slug(file.stem)}_{digest}")
    module.__file__ = str(file)
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module  # dataclasses and pydantic look their module up there
    try:
        code = compile(file.read_bytes(), str(file), "exec", dont_inherit=True)
        if str(file.parent) not in sys.path:
            sys.path.append(str(file.parent))
        exec(code, module.__dict__)  # noqa: S102  # the operator named this file to be run
    except (Exception, SystemExit) as error:
        if before is None:
            del sys.modules[module.__name__]
        else:
            sys.modules[module.__name__] = before
        raise _file_error(file, error) from error
    return module


def _file_error(file: Path, error: BaseException) -> DefinitionError:
    if isinstance(error, OSError) and not _line_in(file, error):
        return DefinitionError(f"{file} cannot be read: {error.strerror}.", hint="Correct the path.")
    line = error.lineno if isinstance(error, SyntaxError) and error.filename == str(file) else _line_in(file, error)
    told = str(error) if isinstance(error, DefinitionError) else f"{type(error).__name__}: {error}"
    return DefinitionError(f"{file}, line {line}: {told}", data={"file": str(file), "line": line})


def _line_in(file: Path, error: BaseException) -> int | None:
    """The last line of this file that was running."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    return lines[-1] if lines else None
