"""What a tool is, and what a call gives back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.errors import DefinitionError, ToolError
from pegboard.tiers import need_of
from pegboard.tools import MISSING, Approval, Halt, ToolResult, Visibility, text_block
from tests.support import make

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
OBJECTS = st.dictionaries(st.text(), JSON, max_size=3)
WIRE = st.fixed_dictionaries(
    {"content": st.lists(OBJECTS, max_size=3), "isError": st.booleans()},
    optional={"structuredContent": JSON, "_meta": OBJECTS.filter(bool), "vendorKey": JSON},
)


@pytest.mark.parametrize("word", list(Approval))
def test_an_approval_may_be_written_as_text(word: Approval) -> None:
    assert make("t", approval=word.value).approval is word


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("description", 5),
        ("title", 5),
        ("category", ["a"]),
        ("tags", (None,)),
        ("tags", "orders"),
        ("keywords", None),
        ("related_to", (5,)),
        ("cost", 1.5),
        ("source", " "),
        ("bare_name", 5),
        ("hints", None),
        ("capabilities", ["x"]),
        ("annotations", True),
        ("timeout", "5"),
        ("timeout", float("nan")),
        ("timeout", 0),
        ("handler", None),
    ],
)
def test_a_field_that_holds_something_else_is_refused_with_what_it_may_hold(key: str, value: object) -> None:
    with pytest.raises(DefinitionError, match=rf"The {key} of tool 't' cannot be .*\. (Give|Name) "):
        make("t").with_(**{key: value})


def test_fields_may_hold_lists_and_no_time_limit() -> None:
    made = make("t", tags=["a"], timeout=float("inf"), annotations=None)
    assert (list(made.tags), made.timeout) == (["a"], float("inf"))


@pytest.mark.parametrize(("key", "value"), [("description", "a \ud83d"), ("tags", ("a", "\ud83d"))])
def test_a_text_with_half_a_character_is_refused(key: str, value: object) -> None:
    with pytest.raises(DefinitionError, match=f"The {key} of tool 't' holds half a character"):
        make("t").with_(**{key: value})


def test_a_visibility_may_be_written_as_text() -> None:
    assert make("t").with_(visibility="always").visibility is Visibility.ALWAYS


@pytest.mark.parametrize("word", ["sometimes", None])
def test_an_unknown_visibility_is_refused_with_those_there_are(word: str | None) -> None:
    with pytest.raises(DefinitionError, match=f"The visibility {word!r} of tool 't' is unknown. Use one of: always"):
        make("t").with_(visibility=word)


@pytest.mark.parametrize("word", ["raed", "READ", ["read"]])
def test_an_unknown_approval_counts_as_the_highest(word: Any) -> None:
    assert need_of(make("t", approval=word), {}).tier is Approval.EXEC


def test_an_approval_may_be_left_open_or_depend_on_the_arguments() -> None:
    def rule(arguments: dict[str, Any]) -> Approval:
        return Approval.READ

    assert make("t").approval is None
    assert make("t", approval=rule).approval is rule


def test_a_definition_of_the_source_is_shown_as_it_is_under_our_name() -> None:
    raw = {"name": "theirs", "vendor": {"x": None}, "inputSchema": {"type": "object"}}
    shown = make("ours", "not this", definition=raw).shown
    assert shown == {**raw, "name": "ours"}
    assert next(iter(shown)) == "name"


def test_equal_definitions_have_equal_digests_however_their_keys_are_ordered() -> None:
    one = make("t", input_schema={"type": "object", "properties": {"a": {}, "b": {}}})
    same = make("t", input_schema={"properties": {"b": {}, "a": {}}, "type": "object"})
    other = make("t", input_schema={"type": "object", "properties": {"a": {}, "b": True}})
    assert one.digest == same.digest != other.digest


@given(WIRE)
def test_nothing_of_a_result_on_the_wire_is_lost(wire: dict[str, Any]) -> None:
    assert ToolResult.from_wire(wire).to_wire() == wire


@pytest.mark.parametrize(
    ("value", "content", "structured"),
    [
        (None, (), MISSING),
        ("text", (text_block("text"),), MISSING),
        ({"a": 1}, (text_block('{"a": 1}'),), {"a": 1}),
        ([1, "é"], (text_block('[1, "é"]'),), MISSING),
    ],
)
def test_what_a_handler_returns_becomes_a_result(value: Any, content: Any, structured: Any) -> None:
    result = ToolResult.of(value)
    assert (result.content, result.structured, result.is_error) == (content, structured, False)


def test_an_error_is_text_for_the_model_and_facts_beside_it() -> None:
    result = ToolResult.of_error(ToolError("The order is closed.", hint="Open another.", data={"order": 5}))
    assert (result.text, result.is_error) == ("The order is closed. Open another.", True)
    assert result.structured["error"]["order"] == 5


def test_a_halt_says_on_the_wire_that_the_turn_ends() -> None:
    wire = Halt(result=ToolResult(content=(text_block("x"),), meta={"a": 1}), say="Sent.").to_wire()
    assert wire["_meta"] == {"a": 1, "dev.pegboard/halt": {"say": "Sent."}}
    assert wire["content"] == [text_block("x")]
