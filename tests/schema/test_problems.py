"""What is said of arguments that do not fit."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.errors import InvalidArgumentsError
from pegboard.schema.problems import MAX_ARGUMENT_DEPTH, problems


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def one(schema: dict[str, Any], value: Any, **how: bool) -> str:
    """The only problem of one argument ``a``."""
    (text,) = problems(obj(a=schema), {"a": value}, **how)
    return text


INTEGER = {"type": "integer"}


@pytest.mark.parametrize("value", [3, 3.0, 1e2, -1, 10**30, 9007199254740993])
def test_whole_numbers_are_integers_however_written_and_however_large(value: float) -> None:
    assert problems(obj(a=INTEGER), {"a": value}) == []


@pytest.mark.parametrize(
    ("value", "came"),
    [
        ("5", "string '5'"),
        (3.5, "number 3.5"),
        (True, "boolean true"),
        (None, "null"),
        ([5], "array of 1"),
        ({"n": 5}, "object"),
        ("", "string ''"),
    ],
)
def test_nothing_is_coerced_and_the_problem_says_what_came(value: Any, came: str) -> None:
    assert one(INTEGER, value) == f"a: expected integer, got {came}"


@pytest.mark.golden("insika_schema_guard_violation/enum_on_array_not_checked")
@pytest.mark.parametrize(
    ("schema", "value", "wanted"),
    [
        ({"type": "array", "enum": [["a"]]}, ["b"], 'expected ["a"], got array of 1'),
        ({"type": "array", "enum": [["a"], []]}, ["b"], 'expected one of ["a"], [], got array of 1'),
        ({"type": "object", "enum": [{"a": 1}]}, {"a": 2}, 'expected {"a": 1}, got object'),
    ],
)
def test_the_values_of_an_enum_may_be_arrays_and_objects(schema: dict[str, Any], value: Any, wanted: str) -> None:
    assert one(schema, value) == f"a: {wanted}"
    assert problems(obj(a=schema), {"a": schema["enum"][0]}) == []


@pytest.mark.parametrize("type_", ["number", "integer"])
def test_true_is_not_a_number(type_: str) -> None:
    assert one({"type": type_}, True) == f"a: expected {type_}, got boolean true"


@pytest.mark.parametrize("schema", [INTEGER, {"type": "number"}, {}, {"type": ["number", "null"]}])
@pytest.mark.parametrize(
    ("value", "name"), [(float("nan"), "NaN"), (float("inf"), "Infinity"), (-float("inf"), "-Infinity")]
)
def test_what_json_cannot_write_is_refused_by_every_schema(schema: dict[str, Any], value: float, name: str) -> None:
    assert one(schema, value) == f"a: {name}, which is not a JSON number"
    assert problems(obj(), {"deep": [{"x": value}]}) == [f"deep[0].x: {name}, which is not a JSON number"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("\ud800", "a: text with half a character (a lone surrogate)"),
        ({"\udfff": 1}, "a: a key with half a character (a lone surrogate)"),
        ({1: 2}, "a: a key that is a Python int, not text"),
        ((1, 2), "a: a Python tuple, which is not JSON"),
        ([10**5000], "a[0]: a number of more than 4,300 digits"),
    ],
    ids=["text", "key", "key of another type", "tuple", "digits"],
)
def test_what_is_not_plain_json_is_refused(value: Any, text: str) -> None:
    assert one({}, value) == text


def test_arguments_nested_without_end_are_refused() -> None:
    value: Any = 1
    for _ in range(50_000):
        value = [value]
    (text,) = problems(obj(), {"a": value})
    assert text.endswith(f"nested more than {MAX_ARGUMENT_DEPTH} deep")
    assert len(text) <= 160


@pytest.mark.parametrize(
    ("arguments", "came"), [(None, "null"), ([1], "array of 1"), ("{}", "string '{}'"), (5, "integer 5")]
)
def test_arguments_are_an_object(arguments: Any, came: str) -> None:
    assert problems(obj(), arguments) == [f"arguments: expected object, got {came}"]


WORDED: dict[str, tuple[dict[str, Any], Any, str]] = {
    "types": ({"type": ["null", "string"]}, 1, "a: expected string or null, got integer 1"),
    "enum": ({"enum": ["red", "green"]}, "blue", "a: expected one of 'red', 'green', got string 'blue'"),
    "enum of one": ({"enum": ["red"]}, "blue", "a: expected 'red', got string 'blue'"),
    "empty enum": ({"enum": []}, 1, "a: no value is allowed here, got integer 1"),
    "const": ({"const": {"x": 1}}, 2, 'a: expected {"x": 1}, got integer 2'),
    "minimum": ({"minimum": 5}, 3, "a: expected at least 5, got integer 3"),
    "maximum": ({"maximum": 5}, 7.5, "a: expected at most 5, got number 7.5"),
    "more than": ({"exclusiveMinimum": 5}, 5, "a: expected more than 5, got integer 5"),
    "less than": ({"exclusiveMaximum": 5}, 5, "a: expected less than 5, got integer 5"),
    "multiple": ({"multipleOf": 5}, 7, "a: expected a multiple of 5, got integer 7"),
    "short": ({"minLength": 1}, "", "a: expected at least 1 character, got 0"),
    "long": ({"maxLength": 2}, "abc", "a: expected at most 2 characters, got 3"),
    "few": ({"minItems": 1}, [], "a: expected at least 1 item, got 0"),
    "many": ({"maxItems": 1}, [1, 2], "a: expected at most 1 item, got 2"),
    "poor": ({"minProperties": 2}, {}, "a: expected at least 2 properties, got 0"),
    "alike": ({"uniqueItems": True}, [1, 1], "a: expected items that all differ, got array of 2"),
    "format": (
        {"format": "date-time"},
        "yesterday",
        "a: expected text in the format date-time such as 2024-05-31T10:00:00Z, got string 'yesterday'",
    ),
    "pattern": ({"pattern": "^a+$"}, "b", "a: expected text that matches ^a+$, got string 'b'"),
    "never": ({"properties": {"x": False}}, {"x": 1}, "a.x: no value is allowed here, got integer 1"),
    "not": ({"not": {"type": "string"}}, "s", "a: expected a value that does not fit 'not', got string 's'"),
    "missing inside": ({"required": ["id"]}, {}, "a.id: missing (required)"),
    "missing because of another": ({"dependentRequired": {"x": ["y"]}}, {"x": 1}, "a.y: missing (required)"),
    "item": ({"items": {"type": "integer"}}, [1, "x"], "a[1]: expected integer, got string 'x'"),
    "unknown inside": (
        {"properties": {"query": True}, "additionalProperties": False},
        {"quary": 1},
        "a: unknown property 'quary'; did you mean 'query'?",
    ),
    "unevaluated": (
        {"allOf": [{"properties": {"x": True}}], "unevaluatedProperties": False},
        {"y": 1},
        "a: unknown property 'y'; none are taken here",
    ),
}


@pytest.mark.parametrize(("schema", "value", "text"), WORDED.values(), ids=WORDED)
def test_a_problem_says_place_wanted_and_got(schema: dict[str, Any], value: Any, text: str) -> None:
    assert one(schema, value) == text


KINDS = {
    "oneOf": [
        {"type": "object", "properties": {"kind": {"const": "file"}, "path": {"type": "string"}}, "required": ["kind"]},
        {"type": "object", "properties": {"kind": {"const": "link"}, "url": {"type": "string"}}, "required": ["kind"]},
    ]
}

BRANCHES: dict[str, tuple[dict[str, Any], Any, str]] = {
    "types": ({"anyOf": [INTEGER, {"type": "null"}]}, "x", "a: expected integer or null, got string 'x'"),
    "a limit of the one that fits the type": (
        {"anyOf": [{"type": "integer", "minimum": 5}, {"type": "null"}]},
        3,
        "a: expected at least 5, got integer 3",
    ),
    "values": (
        {"anyOf": [{"const": "red"}, {"enum": ["green"]}, {"type": "null"}]},
        "rad",
        "a: expected one of 'red', 'green', null, got string 'rad'",
    ),
    "the kind that was meant": (KINDS, {"kind": "link", "url": 5}, "a.url: expected string, got integer 5"),
    "no such kind": (KINDS, {"kind": "lnik"}, "a.kind: expected one of 'link', 'file', got string 'lnik'"),
    "another type": (KINDS, [], "a: expected object, got array of 0"),
    "the closest": (
        {"anyOf": [{"required": ["x", "y"]}, {"required": ["z"]}]},
        {},
        "a: fits none of 2 forms; the closest says: a.z: missing (required)",
    ),
    "too many": ({"oneOf": [INTEGER, {"type": "number"}]}, 3, "a: fits more than one of 2 forms, got integer 3"),
    "inside an array of one branch": (
        {"anyOf": [{"type": "array", "items": INTEGER}, {"type": "null"}]},
        [1, "x"],
        "a[1]: expected integer, got string 'x'",
    ),
}


@pytest.mark.parametrize(("schema", "value", "text"), BRANCHES.values(), ids=BRANCHES)
def test_of_branches_the_one_that_was_meant_is_told(schema: dict[str, Any], value: Any, text: str) -> None:
    assert one(schema, value) == text


def test_a_long_enum_is_shortened_and_begins_with_the_nearest() -> None:
    text = one({"enum": [f"colour-{n}" for n in range(52)] + ["blue"]}, "bleu")
    assert text.startswith("a: expected one of 'blue', 'colour-0', ")
    assert "... (53), got string 'bleu'" in text
    assert len(text) <= 160


def test_at_most_five_problems_are_told() -> None:
    schema = obj(**{f"p{n}": INTEGER for n in range(9)})
    assert len(problems(schema, {f"p{n}": "bad" for n in range(9)})) == 5
    assert len(problems(obj(l={"items": INTEGER}), {"l": ["x"] * 10_000})) == 5


def test_missing_and_unknown_arguments_come_first() -> None:
    schema = obj(a=INTEGER, query={"type": "string"}) | {"required": ["query"]}
    assert problems(schema, {"a": "x", "quary": "y"}, closed=True) == [
        "unknown argument 'quary'; did you mean 'query'?",
        "query: missing (required)",
        "a: expected integer, got string 'x'",
    ]


def test_a_closed_tool_refuses_what_its_schema_would_let_pass_and_an_open_one_does_not() -> None:
    schema = obj(max_depth=INTEGER)
    assert problems(schema, {"depth": 1}) == []
    assert problems(schema, {"depth": 1}, closed=True) == ["unknown argument 'depth'; did you mean 'max_depth'?"]
    assert problems(schema, {"zzz": 1}, closed=True) == ["unknown argument 'zzz'; known: 'max_depth'"]
    assert problems(obj(), {"zzz": 1}, closed=True) == ["unknown argument 'zzz'; none are taken here"]


def test_a_problem_told_by_both_the_schema_and_the_closed_tool_is_told_once() -> None:
    schema = obj(query=True) | {"additionalProperties": False}
    assert problems(schema, {"quary": 1}, closed=True) == ["unknown argument 'quary'; did you mean 'query'?"]


def test_a_long_value_is_cut() -> None:
    assert one(INTEGER, "x" * 1_000) == f"a: expected integer, got string '{'x' * 40}'..."


def test_a_strange_name_is_quoted_in_the_path() -> None:
    assert problems(obj(**{"two words": INTEGER}), {"two words": "x"}) == [
        "['two words']: expected integer, got string 'x'"
    ]


def test_a_tree_is_checked_all_the_way_down() -> None:
    node = {
        "type": "object",
        "properties": {"label": {"type": "string"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
        "required": ["label"],
    }
    schema = obj(root={"$ref": "#/$defs/node"}) | {"$defs": {"node": node}}
    fine = {"root": {"label": "a", "kids": [{"label": "b", "kids": [{"label": "c"}]}]}}
    assert problems(schema, fine) == []
    fine["root"]["kids"][0]["kids"][0]["label"] = 3  # type: ignore[index]
    assert problems(schema, fine) == ["root.kids[0].kids[0].label: expected string, got integer 3"]


FORMATS = {
    "date-time": ("2024-05-01T10:00:00Z", "yesterday"),
    "date": ("2024-02-29", "2023-02-29"),
    "time": ("10:00:00Z", "25:00:00Z"),
    "duration": ("P1D", "one day"),
    "email": ("ann@example.com", "Ann <ann@example.com>"),
    "hostname": ("example.com", "-bad-.example"),
    "ipv4": ("127.0.0.1", "127.0.0.256"),
    "ipv6": ("::1", "::g"),
    "uri": ("https://example.com/a", "no spaces allowed"),
    "uri-template": ("/a/{b}", "/a/{b"),
    "uuid": ("7f2c1a52-0d4e-4f7b-9a44-3f0f5a2b9c10", "not-an-id"),
    "json-pointer": ("/a/b", "a/b"),
    "regex": ("^a+$", "("),
}
DRAFTS = [
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-04/schema#",
]


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize(("name", "good", "bad"), [(name, *values) for name, values in FORMATS.items()])
def test_the_formats_of_2020_12_are_checked_in_every_draft(draft: str, name: str, good: str, bad: str) -> None:
    schema = obj(a={"type": "string", "format": name}) | {"$schema": draft}
    assert problems(schema, {"a": good}) == []
    assert problems(schema, {"a": bad})


def test_a_format_nobody_knows_is_ignored_without_noise(caplog: pytest.LogCaptureFixture) -> None:
    assert problems(obj(a={"type": "string", "format": "odd"}), {"a": "zzz"}) == []
    assert caplog.text == ""


def test_a_pattern_that_explodes_elsewhere_is_answered_at_once() -> None:
    assert problems(obj(a={"pattern": "^(a+)+$"}), {"a": "a" * 40 + "b"})


def test_a_broken_schema_is_told_as_a_problem_and_does_not_raise() -> None:
    (text,) = problems({"type": "strin"}, {})
    assert text.startswith("the tool cannot be called: ")


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (INTEGER, "5"),
        (INTEGER, "007"),
        ({"type": "number"}, "-2.5"),
        ({"type": "boolean"}, "true"),
        ({"type": "string"}, 1.5),
        ({"type": "string"}, True),
        ({"type": "integer", "enum": [1, 2]}, "2"),
        ({"type": "array", "items": {"type": "boolean"}}, ["true", False]),
        ({"anyOf": [INTEGER, {"type": "null"}]}, "5"),
    ],
)
def test_lossless_lets_exact_text_forms_pass_and_strict_does_not(schema: dict[str, Any], value: Any) -> None:
    assert problems(obj(a=schema), {"a": value}, lossless=True) == []
    assert problems(obj(a=schema), {"a": value})


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (INTEGER, "1.0"),
        (INTEGER, "1_000"),
        (INTEGER, " 5"),
        (INTEGER, "١"),
        (INTEGER, True),
        ({"type": "number"}, "1."),
        ({"type": "number"}, "+1"),
        ({"type": "number"}, "nan"),
        ({"type": "boolean"}, "True"),
        ({"type": "boolean"}, 1),
        ({"type": "array"}, "[1]"),
        ({"type": "object"}, "{}"),
        ({"type": "string"}, [1]),
        ({"type": "integer", "minimum": 5}, "3"),
    ],
)
def test_lossless_stays_strict_on_everything_else(schema: dict[str, Any], value: Any) -> None:
    assert problems(obj(a=schema), {"a": value}, lossless=True)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
SIMPLE = st.fixed_dictionaries(
    {}, optional={"type": TYPES, "enum": st.lists(st.integers() | TEXTS, min_size=1, max_size=3)}
)
SCHEMAS = st.recursive(
    SIMPLE,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"oneOf": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}),
        st.fixed_dictionaries({"type": st.just("object"), "properties": st.dictionaries(TEXTS, inner, max_size=3)}),
    ),
    max_leaves=8,
)


@given(SCHEMAS, st.dictionaries(TEXTS, VALUES, max_size=3), st.booleans(), st.booleans())
def test_problems_are_few_short_and_on_one_line_whatever_comes(
    schema: dict[str, Any], extra: dict[str, Any], closed: bool, lossless: bool
) -> None:
    texts = problems(obj(a=schema), {"a": extra.get("a", [extra])} | extra, closed=closed, lossless=lossless)
    assert len(texts) <= 5
    assert all(0 < len(text) <= 160 and "\n" not in text for text in texts)
    assert len(set(texts)) == len(texts)


@given(SCHEMAS, VALUES)
def test_the_verdict_is_that_of_the_reference_validator(schema: dict[str, Any], value: Any) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    try:
        value = json.loads(json.dumps(value, allow_nan=False).encode("ascii"))
        json.dumps(value, ensure_ascii=False).encode()
    except ValueError:
        return
    expected = jsonschema.Draft202012Validator(schema).is_valid(value)
    assert (problems(obj(a=schema), {"a": value}) == []) is expected


# Schemas and arguments that were made to take long, or to say much.

FORMS = [{"type": "object", "properties": {"kind": {"const": f"kind{n}"}}, "required": ["kind"]} for n in range(200)]
WORDS = [f"value-{n}" for n in range(10_000)]
DEEP: Any = 1
for _ in range(10_000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("schema", "value", "told"),
    [
        ({"anyOf": FORMS}, {"kind": "zzz"}, "a.kind: expected one of 'kind0', "),
        ({"type": "array", "items": {"anyOf": FORMS}}, [{"kind": "z"}] * 100, "a[0].kind: expected one of 'kind0', "),
        ({"enum": WORDS}, "valeu-5", "a: expected one of 'value-5', "),
        ({"type": "array", "items": {"enum": WORDS}}, ["valeu-5"] * 1_000, "a[0]: expected one of 'value-5', "),
        ({"type": "array", "items": {"type": "integer"}}, ["x" * 100] * 50_000, "a[0]: expected integer, got string"),
        ({"type": "integer"}, "x" * 5_000_000, "a: expected integer, got string 'xxx"),
        ({"type": "array"}, DEEP, "nested more than 100 deep"),
        ({"type": "string", "pattern": "^(a+)+$"}, "a" * 50 + "b", "a: expected text that matches ^(a+)+$"),
        ({"properties": {"b": {}}, "additionalProperties": False}, {f"x{n}": 1 for n in range(9_999)}, "property 'x0'"),
    ],
    ids=range(9),
)  # fmt: skip
def test_whatever_is_asked_the_answer_is_short(schema: dict[str, Any], value: Any, told: str) -> None:
    wrong = problems({"type": "object", "properties": {"a": schema}}, {"a": value})
    assert told in wrong[0]
    assert len(str(InvalidArgumentsError("t", wrong))) < 1_000


def test_of_many_unknown_arguments_five_are_told() -> None:
    known = {"type": "object", "properties": {f"name_{n}": {} for n in range(1_000)}}
    wrong = problems(known, {f"x{n}": 1 for n in range(50_000)}, closed=True)
    assert [text.split(";")[0] for text in wrong] == [f"unknown argument 'x{n}'" for n in range(5)]


def test_of_much_that_is_wrong_the_first_is_told() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": {"enum": WORDS}}}}
    assert len(problems(schema, {"a": ["x"] * 5_000})) == 1


def test_missing_and_unknown_arguments_come_before_what_is_wrong_with_others() -> None:
    schema = {
        "type": "object",
        "properties": {f"p{n}": {"type": "integer"} for n in range(20)},
        "required": ["q"],
        "additionalProperties": False,
    }
    wrong = problems(schema, {f"p{n}": "x" for n in range(20)} | {"z": 1})
    assert len(wrong) == 5
    assert {text.split(";")[0] for text in wrong[:2]} == {"q: missing (required)", "unknown argument 'z'"}
