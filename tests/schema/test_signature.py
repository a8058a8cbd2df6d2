"""JSON Schema from Python signatures, and JSON arguments as Python objects."""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import functools
import json
import pathlib
import threading
import typing
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, Optional, TypedDict, Union, Unpack

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AwareDatetime, BaseModel, Field, NaiveDatetime, field_validator

from pegboard.context import Context
from pegboard.errors import DefinitionError, InvalidArgumentsError
from pegboard.schema.check import check_schema
from pegboard.schema.prepare import prepared
from pegboard.schema.problems import problems
from pegboard.schema.signature import FunctionSchema, signature_schema
from pegboard.tools import Halt, ToolResult

if TYPE_CHECKING:
    from fractions import Fraction


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Node(BaseModel):
    label: str
    kids: list[Node] = []


@dataclasses.dataclass
class Span:
    """From one day to another."""

    start: dt.date
    days: int = 1


class Place(TypedDict):
    city: str
    zip: NotRequired[str]


class Even(BaseModel):
    number: int

    @field_validator("number")
    @classmethod
    def _even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("must be even")
        return value


def read(fn: Callable[..., Any], **how: Any) -> FunctionSchema:
    return signature_schema(fn, injected=Context, **how)


def parameters(fn: Callable[..., Any]) -> dict[str, Any]:
    """The properties of a function's schema, which is valid itself."""
    schema = read(fn).input_schema
    check_schema(schema, what="input schema")
    found: dict[str, Any] = schema["properties"]
    return found


def bound(fn: Callable[..., Any], **arguments: Any) -> dict[str, Any]:
    """The keyword arguments that one call would pass, in a context called CTX."""
    return read(fn).bind(arguments, "CTX")[1]


CONTEXT = Context(tool="t", call_id="1")


def test_plain_types_and_defaults() -> None:
    def f(a: int, b: str = "x", c: float = 1.5, d: bool = False, e: list[str] | None = None) -> None: ...

    assert read(f).input_schema == {
        "type": "object",
        "properties": {
            "a": {"type": "integer"},
            "b": {"type": "string", "default": "x"},
            "c": {"type": "number", "default": 1.5},
            "d": {"type": "boolean", "default": False},
            "e": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}], "default": None},
        },
        "required": ["a"],
        "additionalProperties": False,
    }


def test_a_parameter_without_annotation_takes_anything() -> None:
    def f(a, b=1): ...  # type: ignore[no-untyped-def]

    assert parameters(f) == {"a": {}, "b": {"default": 1}}
    assert bound(f, a=[{"x": None}]) == {"a": [{"x": None}], "b": 1}


def test_rich_types_become_schemas_and_json_becomes_rich_types() -> None:
    def f(
        colour: Colour,
        node: Node,
        span: Span,
        place: Place,
        when: dt.datetime,
        kind: Literal["a", "b"],
        id: uuid.UUID,
        price: decimal.Decimal,
        file: pathlib.Path,
        tags: set[str],
        pair: tuple[int, str],
        either: int | str,
    ) -> None: ...

    assert set(parameters(f)) == set(typing.get_type_hints(f)) - {"return"}
    assert bound(
        f,
        colour="red",
        node={"label": "a", "kids": [{"label": "b"}]},
        span={"start": "2024-02-29"},
        place={"city": "Bern"},
        when="2024-05-01T10:00:00Z",
        kind="b",
        id="7f2c1a52-0d4e-4f7b-9a44-3f0f5a2b9c10",
        price="1.50",
        file="a/b",
        tags=["x", "y"],
        pair=[1, "x"],
        either="5",
    ) == {
        "colour": Colour.RED,
        "node": Node(label="a", kids=[Node(label="b")]),
        "span": Span(dt.date(2024, 2, 29), 1),
        "place": {"city": "Bern"},
        "when": dt.datetime(2024, 5, 1, 10, tzinfo=dt.UTC),
        "kind": "b",
        "id": uuid.UUID("7f2c1a52-0d4e-4f7b-9a44-3f0f5a2b9c10"),
        "price": decimal.Decimal("1.50"),
        "file": pathlib.Path("a/b"),
        "tags": {"x", "y"},
        "pair": (1, "x"),
        "either": "5",
    }


def test_no_title_repeats_a_name_but_titles_people_wrote_stay() -> None:
    def f(max_depth: int, node: Node, said: Annotated[int, Field(title="How deep")]) -> None: ...

    text = json.dumps(read(f).input_schema)
    assert text.count('"title"') == 1
    assert "How deep" in text


def test_conversion_is_strict_and_its_problems_are_short() -> None:
    def f(n: int, span: Span | None = None, even: Even | None = None) -> None: ...

    with pytest.raises(InvalidArgumentsError) as caught:
        bound(f, n="5", span={"start": "never", "days": "2"}, even={"number": 3}, extra=1)
    assert caught.value.problems == (
        "n: expected a valid integer, got string '5'",
        "span.start: expected a valid date in the format YYYY-MM-DD, input is too short, got string 'never'",
        "span.days: expected a valid integer, got string '2'",
        "even.number: must be even, got integer 3",
        "unknown argument 'extra'; known: 'n', 'span', 'even'",
    )
    with pytest.raises(InvalidArgumentsError, match=r"n: missing \(required\)"):
        bound(f)
    with pytest.raises(InvalidArgumentsError, match="not plain JSON"):
        bound(f, n=float("nan"))


def test_misspelt_keys_of_dataclasses_and_typed_dicts_are_refused_and_models_decide_for_themselves() -> None:
    def f(span: Span | None = None, place: Place | None = None, node: Node | None = None) -> None: ...

    arguments = {"span": {"start": "2024-02-29", "dayz": 2}, "place": {"city": "Bern", "zipp": "3000"}}
    assert problems(read(f).input_schema, arguments) == [
        "span: unknown property 'dayz'; did you mean 'days'?",
        "place: unknown property 'zipp'; did you mean 'zip'?",
    ]
    with pytest.raises(InvalidArgumentsError, match=r"span: unknown property 'dayz'; place: unknown property 'zipp'"):
        bound(f, **arguments)
    assert bound(f, node={"label": "a", "more": 1})["node"] == Node(label="a")


@pytest.mark.parametrize("type_", [dt.datetime, AwareDatetime, NaiveDatetime, dt.date, dt.time, dt.timedelta])
@pytest.mark.parametrize(
    "value", ["2024-05-31T10:00:00Z", "2024-05-31T10:00:00", "2024-05-31", "10:00", "10:00:00.5Z", "P1D", "x"]
)
def test_dates_and_times_that_pass_the_schema_pass_the_conversion(type_: Any, value: str) -> None:
    def f(at: Any) -> None: ...

    f.__annotations__["at"] = type_
    if problems(read(f).input_schema, {"at": value}) == []:
        assert bound(f, at=value)


@pytest.mark.parametrize(
    ("type_", "value"),
    [(dt.time, "10:00"), (dt.time, "10:00:00.5Z"), (NaiveDatetime, "2024-05-31T10:00:00"), (dt.timedelta, "P1DT2H")],
)
def test_what_python_calls_a_time_passes_the_schema(type_: Any, value: str) -> None:
    def f(at: Any) -> None: ...

    f.__annotations__["at"] = type_
    assert problems(read(f).input_schema, {"at": value}) == []
    assert bound(f, at=value)


def test_large_numbers_keep_every_digit() -> None:
    def f(n: int, anything: Any) -> None: ...

    assert bound(f, n=9007199254740993, anything=[10**30]) == {"n": 9007199254740993, "anything": [10**30]}


def test_mutable_defaults_are_not_shared_between_calls() -> None:
    def f(tags: list[str] = [], options: dict[str, int] = {}) -> None: ...  # noqa: B006  # as people write it

    schema = read(f)
    first, second = schema.bind({}, None)[1], schema.bind({}, None)[1]
    first["tags"].append("x")
    first["options"]["y"] = 1
    assert second == {"tags": [], "options": {}}
    assert f.__defaults__ == ([], {})


def test_a_default_that_json_cannot_write_is_used_and_not_shown() -> None:
    lock = threading.Lock()

    def f(n: int = 1, guard: Any = lock) -> None: ...

    assert parameters(f) == {"n": {"type": "integer", "default": 1}, "guard": {}}
    assert bound(f)["guard"] is lock


def test_fields_carry_constraints_descriptions_defaults_and_aliases() -> None:
    def f(
        a: Annotated[int, Field(ge=1, description="How many.")],
        b: int = Field(5, le=9),
        from_: str = Field("x", alias="from"),
        made: list[int] = Field(default_factory=lambda: [1]),  # noqa: B008  # as people write it
    ) -> None:
        """Do it.

        Args:
            a: Not used, the field says it.
            from_: Where it begins.
        """

    found = parameters(f)
    assert found["a"] == {"type": "integer", "minimum": 1, "description": "How many."}
    assert found["b"] == {"type": "integer", "maximum": 9, "default": 5}
    assert found["from"] == {"type": "string", "default": "x", "description": "Where it begins."}
    assert bound(f, a=1, **{"from": "y"}) == {"a": 1, "b": 5, "from_": "y", "made": [1]}


class Doc:
    """As in PEP 727."""

    def __init__(self, documentation: str) -> None:
        self.documentation = documentation


def test_a_text_in_an_annotation_is_the_description() -> None:
    def f(a: Annotated[str, "What to find."], b: Annotated[int, Doc("How many.")] = 1) -> None:
        """Find.

        Args:
            a: Not used, the annotation says it.
        """

    assert [each["description"] for each in parameters(f).values()] == ["What to find.", "How many."]
    assert read(f).description == "Find."


# The context, wherever it stands.


def first(ctx: Context, q: str) -> None: ...
def last(q: str, *, ctx: Context) -> None: ...
def middle(q: str, ctx: Context, limit: int = 1) -> None: ...
def optional(q: str, ctx: Optional[Context] = None) -> None: ...  # noqa: UP045  # as people write it
def union(q: str, ctx: Context | None = None) -> None: ...
def old_union(q: str, ctx: Union[Context, None] = None) -> None: ...  # noqa: UP007
def annotated(q: str, ctx: Annotated[Context, "the call"]) -> None: ...
def by_position(ctx: Context, q: str, /) -> None: ...


def passing(fn: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fn)
    def inner(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    return inner


@passing
@passing
def wrapped(q: str, ctx: Context) -> None: ...


class Box:
    class Inner(BaseModel):
        size: int

    def method(self, q: str, ctx: Context, inner: Inner | None = None) -> None:
        """Look into the box."""

    @classmethod
    def of_class(cls, q: str, ctx: Context) -> None: ...

    @staticmethod
    def static(q: str, ctx: Context) -> None: ...

    def __call__(self, q: str, ctx: Context) -> None:
        """Open the box."""


class SubContext(Context): ...


def subclass(q: str, ctx: SubContext) -> None: ...


CONTEXTS: dict[str, Callable[..., Any]] = {
    "first": first,
    "last": last,
    "middle": middle,
    "optional": optional,
    "a union": union,
    "an old union": old_union,
    "annotated": annotated,
    "by position": by_position,
    "wrapped": wrapped,
    "a method": Box().method,
    "a class method": Box.of_class,
    "a static method": Box.static,
    "an object": Box(),
    "a subclass": subclass,
    "a partial": functools.partial(last),
    "a partial of a partial": functools.partial(functools.partial(first)),
}


@pytest.mark.parametrize("fn", CONTEXTS.values(), ids=CONTEXTS)
def test_the_context_is_passed_and_never_shown(fn: Callable[..., Any]) -> None:
    schema = read(fn)
    assert next(iter(schema.input_schema["properties"])) == "q"
    assert schema.context_parameter == "ctx"
    assert "ctx" not in json.dumps(schema.input_schema)
    args, kwargs = schema.bind({"q": "x"}, CONTEXT)
    assert CONTEXT in (*args, *kwargs.values())
    fn(*args, **kwargs)


@pytest.mark.parametrize("fn", CONTEXTS.values(), ids=CONTEXTS)
def test_no_caller_can_fill_the_context(fn: Callable[..., Any]) -> None:
    with pytest.raises(InvalidArgumentsError, match="unknown argument 'ctx'"):
        read(fn).bind({"q": "x", "ctx": "mine"}, CONTEXT)


def test_a_function_with_open_arguments_keeps_its_context_too() -> None:
    def f(q: str, ctx: Context, **rest: Any) -> None: ...

    schema = read(f)
    assert schema.open
    assert schema.bind({"q": "x", "more": 1}, "CTX")[1] == {"q": "x", "more": 1, "ctx": "CTX"}
    with pytest.raises(InvalidArgumentsError, match="unknown argument 'ctx'"):
        schema.bind({"q": "x", "ctx": "mine"}, "CTX")


def test_without_injection_a_context_is_a_type_like_any_other() -> None:
    def f(q: str) -> None: ...

    assert signature_schema(f).context_parameter is None


def test_positional_only_parameters_are_passed_by_position() -> None:
    def f(a: int, ctx: Context, b: int = 2, /, c: int = 3) -> None: ...

    assert read(f).bind({"a": 1}, "CTX") == ((1, "CTX", 2), {"c": 3})
    assert read(f).bind({"a": 1, "c": 5, "b": 4}, "CTX") == ((1, "CTX", 4), {"c": 5})


def test_open_arguments_are_an_open_schema() -> None:
    def any_(q: str, **rest: Any) -> None: ...
    def typed(q: str, **rest: int) -> None: ...

    assert "additionalProperties" not in read(any_).input_schema
    assert read(typed).input_schema["additionalProperties"] == {"type": "integer"}
    with pytest.raises(InvalidArgumentsError, match="more: expected a valid integer"):
        bound(typed, q="x", more="y")


def test_unpacked_options_are_arguments_of_their_own() -> None:
    def f(q: str, **options: Unpack[Place]) -> None: ...

    schema = read(f)
    assert schema.input_schema["required"] == ["q", "city"]
    assert list(schema.input_schema["properties"]) == ["q", "city", "zip"]
    assert not schema.open
    assert bound(f, q="x", city="Bern") == {"q": "x", "city": "Bern"}
    assert bound(f, q="x", city="Bern", zip="3000")["zip"] == "3000"


def test_what_a_partial_has_bound_is_hidden_and_stays_bound() -> None:
    def fetch(base: str, path: str, token: str = "", **more: Any) -> str:
        return f"{base} {path} {token} {more}"

    made = functools.partial(fetch, "https://example.com", token="secret")
    schema = read(made)
    assert list(schema.input_schema["properties"]) == ["path"]
    assert "secret" not in json.dumps(schema.input_schema)
    args, kwargs = schema.bind({"path": "p", "x": 1}, None)
    assert made(*args, **kwargs) == "https://example.com p secret {'x': 1}"
    for name in ("base", "token"):
        with pytest.raises(InvalidArgumentsError, match=f"unknown argument '{name}'"):
            schema.bind({"path": "p", name: "mine"}, None)


def test_the_object_of_a_method_cannot_be_filled() -> None:
    class Open:
        def method(self, **rest: Any) -> None: ...

    with pytest.raises(InvalidArgumentsError, match="unknown argument 'self'"):
        bound(Open().method, self=1)


def test_names_are_found_in_the_class_the_closure_and_the_function_around() -> None:
    @dataclasses.dataclass
    class Local:
        n: int

    class Closed(BaseModel):
        n: int

    def around(x: Local) -> None: ...

    def closing(x: Closed) -> Any:
        return Closed

    assert bound(around, x={"n": 1}) == {"x": Local(1)}
    assert bound(closing, x={"n": 1}) == {"x": Closed(n=1)}
    assert bound(Box().method, q="x", inner={"size": 1})["inner"] == Box.Inner(size=1)


def test_a_docstring_stands_at_the_function_itself() -> None:
    assert read(Box().method).description == "Look into the box."
    assert read(Box()).description == "Open the box."
    assert read(functools.partial(last)).description == ""
    assert read(lambda q: q).description == ""


def unresolved(q: Fraction) -> None: ...
def unresolved_inside(q: str, many: list[Fraction]) -> None: ...
def misspelt(q: str) -> None: ...
def any_number(*values: int) -> None: ...
def no_json(q: str, guard: threading.Lock) -> None: ...
def no_json_callback(then: Callable[[int], int]) -> None: ...
def undecided(ctx: Context | str) -> None: ...
def twice(ctx: Context, again: Context) -> None: ...


misspelt.__annotations__["q"] = "list[["


@pytest.mark.parametrize(
    ("fn", "parameter", "text", "hint"),
    [
        (unresolved, "q", "'Fraction' is not known where it stands", "not only for type checkers"),
        (unresolved_inside, "many", "'Fraction' is not known", "not only for type checkers"),
        (misspelt, "q", "cannot be read", "Annotate it with a type"),
        (any_number, "values", "any number of positional values", "Take a list"),
        (no_json, "guard", "a type that JSON cannot carry", "dataclasses"),
        (no_json_callback, "then", "a type that JSON cannot carry", "dataclasses"),
        (undecided, "ctx", "is Context or something else", "Context | None"),
        (twice, "again", "second context beside 'ctx'", "One is enough"),
        (Box.method, "self", "a method that is not bound", "tool(Box().method)"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_named_with_the_fix(
    fn: Callable[..., Any], parameter: str, text: str, hint: str
) -> None:
    with pytest.raises(DefinitionError) as caught:
        read(fn)
    assert f"The parameter {parameter!r} of {fn.__name__!r}" in caught.value.message
    assert text in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.data == {"parameter": parameter}


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        (Box, "'Box' is a class"),
        (5, "'int' is a int"),
        (Box.__dict__["of_class"], "'of_class' is a classmethod"),
        (max, "The signature of 'max' cannot be read"),
    ],
)
def test_what_is_no_function_is_refused(thing: Any, text: str) -> None:
    with pytest.raises(DefinitionError, match=text):
        read(thing)


def gives_node() -> Node: ...  # type: ignore[empty-body]
def gives_span() -> Span: ...  # type: ignore[empty-body]
def gives_place() -> Place: ...  # type: ignore[empty-body]
async def gives_later() -> Span: ...  # type: ignore[empty-body]


@pytest.mark.parametrize("fn", [gives_node, gives_span, gives_place, gives_later])
def test_an_object_that_is_returned_has_an_output_schema(fn: Callable[..., Any]) -> None:
    schema = read(fn).output_schema
    assert schema is not None
    assert schema["type"] == "object"
    check_schema(schema, what="output schema")


def gives_tree_and_fits() -> Node:
    return Node(label="a", kids=[Node(label="b")])


def test_an_output_schema_fits_what_is_returned() -> None:
    schema = read(gives_tree_and_fits).output_schema
    assert schema is not None
    assert problems(schema, gives_tree_and_fits().model_dump(mode="json")) == []


@pytest.mark.parametrize(
    "type_",
    [str, int, None, Any, list[Span], Span | None, dict[str, int], ToolResult, Halt, threading.Lock, "Nowhere"],
    ids=range(11),
)
def test_anything_else_that_is_returned_has_none(type_: Any) -> None:
    def f() -> None: ...

    f.__annotations__ = {"return": type_}
    assert read(f).output_schema is None


def test_a_function_of_another_module_is_read_there(tmp_path: pathlib.Path) -> None:
    code = compile(
        "from __future__ import annotations\nfrom datetime import date as Day\ndef f(day: Day) -> None: ...\n",
        "elsewhere.py",
        "exec",
        dont_inherit=True,
    )
    namespace: dict[str, Any] = {"__name__": "elsewhere"}
    exec(code, namespace)
    assert bound(passing(namespace["f"]), day="2024-02-29") == {"day": dt.date(2024, 2, 29)}


TYPES = st.sampled_from(
    [
        int, float, bool, str, Colour, Node, Span, Place, decimal.Decimal, uuid.UUID, Any,
        list[int], dict[str, int], tuple[int, str], tuple[float, ...], set[str], Literal["a", 1], int | None,
        int | str, float | None, list[int | None], list[Node], dict[str, Span | None], int | list[int], Place | int,
    ]
)  # fmt: skip
WORDS = st.sampled_from(["a", "red", "label", "kids", "start", "days", "city", "zip", "2024-02-29", "1.5", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([1.0, 1.5, 1e22]) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)


@given(TYPES, VALUES)
def test_arguments_that_pass_the_schema_always_reach_the_function(type_: Any, value: Any) -> None:
    def f(it: Any) -> None: ...

    f.__annotations__["it"] = type_
    schema = read(f)
    ready = prepared(schema.input_schema, {"it": value})
    if problems(schema.input_schema, ready, closed=True) == []:
        assert "it" in schema.bind(ready, None)[1]


@pytest.mark.parametrize(("text", "fits"), [("1.5", True), ("-3", True), (".5", True), ("a", False), ("", False)])
def test_text_for_a_decimal_is_a_number_in_writing(text: str, fits: bool) -> None:
    def f(it: decimal.Decimal) -> None: ...

    schema = read(f)
    assert (problems(schema.input_schema, {"it": text}, closed=True) == []) is fits
    if fits:
        assert schema.bind({"it": text})[1] == {"it": decimal.Decimal(text)}


class Rights(enum.Flag):
    READ = 1
    WRITE = 2
    OWN = 8


def test_flags_go_together() -> None:
    def f(rights: Rights = Rights.READ | Rights.WRITE) -> None: ...

    schema = read(f).input_schema
    assert schema["properties"]["rights"]["default"] == 3
    assert schema["$defs"]["Rights"] == {
        "type": "integer",
        "description": "The sum of any of 1 READ, 2 WRITE, 8 OWN.",
        "minimum": 0,
        "maximum": 11,
    }
    assert bound(f, rights=9) == {"rights": Rights.READ | Rights.OWN}
    with pytest.raises(InvalidArgumentsError, match="rights: expected 1, 2 or 8, got integer 4"):
        bound(f, rights=4)


def test_a_default_that_is_no_number_in_json_is_used_and_not_shown() -> None:
    def f(least: float = float("-inf")) -> None: ...

    assert parameters(f) == {"least": {"type": "number"}}
    assert bound(f) == {"least": float("-inf")}


def test_a_class_as_an_argument_is_refused_when_the_tool_is_made() -> None:
    def f(kind: type[int]) -> None: ...

    with pytest.raises(DefinitionError, match="The parameter 'kind' of 'f' has a type that JSON cannot carry"):
        read(f)
