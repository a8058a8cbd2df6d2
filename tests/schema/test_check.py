"""Which schemas may be used."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard.errors import InvalidSchemaError
from pegboard.schema.check import MAX_BYTES, MAX_DEPTH, check_schema
from pegboard.schema.document import MAX_SUBSCHEMAS
from pegboard.schema.loops import MAX_CHAIN
from pegboard.schema.problems import problems

WHAT = "input schema of 'search'"


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def refusal(schema: Any) -> InvalidSchemaError:
    with pytest.raises(InvalidSchemaError) as caught:
        check_schema(schema, what=WHAT)
    return caught.value


TREE = obj(root={"$ref": "#/$defs/node"}) | {
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "label": {"type": "string"},
                "kids": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            },
            "required": ["label"],
        }
    }
}

FINE = {
    "nothing asked": {"type": "object"},
    "true and false": obj(any=True, never=False, list={"anyOf": [{"type": "array", "items": True}, {"type": "null"}]}),
    "a tree": TREE,
    "itself as a property": obj(inner={"$ref": "#"}),
    "a reference into properties": obj(a={"$ref": "#/properties/b"}, b={"type": "string"}),
    "an escaped pointer": obj(a={"$ref": "#/definitions/a%20b~1c"}) | {"definitions": {"a b/c": True}},
    "anchors and an address of its own": {
        "$id": "https://example.com/s.json",
        "type": "object",
        "properties": {
            "a": {"$ref": "https://example.com/s.json#/$defs/text"},
            "b": {"$ref": "part.json#/$defs/inner"},
            "c": {"$ref": "#named"},
        },
        "$defs": {
            "text": {"type": "string", "$anchor": "named"},
            "part": {"$id": "part.json", "$defs": {"inner": {"type": "integer"}}},
        },
    },
    "what looks like a reference but is a value": obj(
        a={"const": {"$ref": "https://example.com"}, "x-own": {"$ref": "?"}}
    ),
    "properties named like keywords": obj(
        title={"type": "string"}, required={"type": "string"}, type={"type": "string"}
    ),
    "an unknown format": obj(a={"type": "string", "format": "odd"}),
    "draft 07": obj(a={"type": "array", "items": [{"type": "string"}]})
    | {"$schema": "http://json-schema.org/draft-07/schema#"},
    "draft 04": obj(a={"type": "number", "minimum": 1, "exclusiveMinimum": True})
    | {"$schema": "https://json-schema.org/draft-04/schema"},
}


@pytest.mark.parametrize("schema", FINE.values(), ids=FINE)
def test_a_schema_that_is_fine_passes(schema: dict[str, Any]) -> None:
    check_schema(schema, what=WHAT)


REFUSED: dict[str, tuple[Any, str, str, str]] = {
    "not an object": (5, "", "it is 5, not an object", '"properties"'),
    "a text": (obj() | {"type": "string"}, "", 'its root has the type "string"', '"type": "object"'),
    "no type at the root": ({"properties": {}}, "", "its root has no type", '"type": "object"'),
    "required among the properties": (
        obj(required=["id"]),
        "properties/required",
        "is not a schema",
        "move 'required'",
    ),
    "a type of another language": (obj(n={"type": "int"}), "properties/n/type", "is not a JSON type", '"integer"'),
    "a type misspelt": (obj(n={"type": "strnig"}), "properties/n/type", "is not a JSON type", '"string"'),
    "a type that is nothing": (obj(n={"type": None}), "properties/n/type", "null is not a JSON type", "leave it out"),
    "required as a flag": (
        obj(n={"required": True}),
        "properties/n/required",
        "a list of names",
        "beside 'properties'",
    ),
    "a tuple of draft 07": (obj(n={"items": [{}]}), "properties/n/items", "prefixItems", "draft 07"),
    "a flag of draft 04": (obj(n={"exclusiveMinimum": True}), "properties/n/exclusiveMinimum", "a number", "limit"),
    "a type instead of a schema": (obj(n="string"), "properties/n", '"string" is not a schema', '{"type": "string"}'),
    "a pattern": (obj(n={"pattern": "("}), "properties/n/pattern", "not a regular expression", "ECMA-262"),
    "a negative length": (obj(n={"minLength": -1}), "properties/n/minLength", "is not valid", ""),
    "an enum that is no list": (obj(n={"enum": "abc"}), "properties/n/enum", "is not valid", ""),
    "an unknown dialect": (obj() | {"$schema": "https://example.com/own"}, "$schema", "not a dialect", "2020-12"),
    "NaN": (obj(n={"const": float("nan")}), "properties/n/const", "NaN", "plain JSON"),
    "a Python set": (obj(n={"enum": {1, 2}}), "properties/n/enum", "a Python set", "plain JSON"),
    "an address": (obj(n={"$ref": "https://example.com/s"}), "properties/n/$ref", "never fetched", "$defs"),
    "a file": (obj(n={"$ref": "file:///etc/hostname"}), "properties/n/$ref", "never fetched", "$defs"),
    "a relative file": (obj(n={"$ref": "local.json#/x"}), "properties/n/$ref", "never fetched", "$defs"),
    "a dynamic address": (
        obj(n={"$dynamicRef": "https://example.com/s"}),
        "properties/n/$dynamicRef",
        "never fetched",
        "$defs",
    ),
    "an unused address": (obj() | {"$defs": {"a": {"$ref": "urn:x:y"}}}, "$defs/a/$ref", "never fetched", "$defs"),
    "nowhere": (obj(n={"$ref": "#/$defs/none"}), "properties/n/$ref", 'no "#/$defs/none"', "$defs"),
    "no such anchor": (obj(n={"$ref": "#none"}), "properties/n/$ref", 'no "#none"', "$defs"),
}


@pytest.mark.parametrize(("schema", "place", "text", "hint"), REFUSED.values(), ids=REFUSED)
def test_a_refusal_names_the_schema_the_place_and_the_fix(schema: Any, place: str, text: str, hint: str) -> None:
    error = refusal(schema)
    assert WHAT in error.message
    assert error.data["at"] == place
    assert text in error.message
    assert hint in error.hint


LOOPS = {
    "itself": {"type": "object", "$ref": "#"},
    "two in a ring": obj(a={"$ref": "#/$defs/a"}) | {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
    "through a branch": obj(a={"anyOf": [{"$ref": "#/properties/a"}, {"type": "null"}]}),
    "through not": obj(a={"$ref": "#/$defs/a"}) | {"$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}},
    "behind a keyword nobody knows": obj(a={"$ref": "#/x/a"})
    | {"x": {"a": obj(p={"$ref": "#/x/b"}), "b": {"$ref": "#/x/b"}}},
    "in a part with its own address": obj(a={"$ref": "p.json"})
    | {"$defs": {"p": {"$id": "p.json", "allOf": [{"$ref": "#"}]}}},
}


@pytest.mark.parametrize("schema", LOOPS.values(), ids=LOOPS)
def test_a_schema_that_comes_back_to_itself_without_structure_is_refused(schema: dict[str, Any]) -> None:
    assert "refers to itself" in refusal(schema).message


def test_a_chain_of_references_has_an_end() -> None:
    def chain(links: int) -> dict[str, Any]:
        defs = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(links)} | {f"d{links}": {"type": "string"}}
        return obj(a={"$ref": "#/$defs/d0"}) | {"$defs": defs}

    check_schema(chain(MAX_CHAIN - 5), what=WHAT)
    assert f"more than {MAX_CHAIN} schemas" in refusal(chain(5_000)).message


def test_branches_that_multiply_are_refused() -> None:
    links = 30
    defs: dict[str, Any] = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(links)}
    schema = obj(a={"$ref": "#/$defs/d0"}) | {"$defs": defs | {f"d{links}": {"type": "string"}}}
    assert "branches into more than" in refusal(schema).message


def test_a_schema_that_is_too_large_is_refused_by_bytes_depth_and_number() -> None:
    deep: dict[str, Any] = {"type": "object"}
    for _ in range(MAX_DEPTH):
        deep = obj(inner=deep)
    assert f"more than {MAX_BYTES:,}" in refusal(obj(a={"description": "x" * MAX_BYTES})).message
    assert f"nested more than {MAX_DEPTH} deep" in refusal(deep).message
    assert (
        f"more than {MAX_SUBSCHEMAS:,} schemas"
        in refusal(obj(**{f"p{n}": True for n in range(MAX_SUBSCHEMAS)})).message
    )


def test_an_output_schema_may_be_anything() -> None:
    check_schema({"type": "array"}, what="output schema", root_object=False)
    check_schema(True, what="output schema", root_object=False)


class Trap(http.server.BaseHTTPRequestHandler):
    """Counts what is asked of it."""

    asked: list[str]

    def do_GET(self) -> None:
        """Answer with a schema that would let everything through."""
        self.asked.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


@pytest.fixture
def trap() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    handler = type("OneTrap", (Trap,), {"asked": asked})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("word", ["$ref", "$dynamicRef", "$schema"])
def test_no_address_is_ever_fetched(trap: tuple[str, list[str]], word: str) -> None:
    address, asked = trap
    schema = obj(a={word: f"{address}/s"}) if word != "$schema" else obj() | {word: f"{address}/s"}
    refusal(schema)
    assert problems(schema, {"a": 1}) or word == "$schema"
    assert asked == []


def test_no_file_is_ever_read(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps({"const": "secret-content"}), "utf-8")
    schema = obj(a={"$ref": (tmp_path / "s.json").as_uri()})
    assert "secret-content" not in str(refusal(schema))
    assert not any("secret-content" in text for text in problems(schema, {"a": 1}))


WORDS = st.sampled_from(
    ["type", "properties", "$ref", "anyOf", "items", "required", "enum", "$defs", "a", "not", "pattern", "$id", "if"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=20,
)


def reason(schema: Any) -> str:
    """Why a schema is refused; "" when it is not."""
    try:
        check_schema(schema, what=WHAT)
    except InvalidSchemaError as error:
        return error.message
    return ""


@given(st.dictionaries(WORDS, JSON, max_size=5))
def test_any_json_is_accepted_or_refused_with_a_reason(words: dict[str, Any]) -> None:
    schema = {"type": "object"} | words
    refused = reason(schema)
    assert not refused or refused.startswith(f"The {WHAT} cannot be used: ")
    assert isinstance(problems(schema, {"a": 1}), list)


def test_every_published_schema_of_the_corpora_is_accepted(shared: Path) -> None:
    checked = 0
    for file in sorted((shared / "corpora" / "mcp").glob("*.json")):
        listing = json.loads(file.read_text("utf-8"))["tools"]
        for tool in listing if isinstance(listing, list) else listing["tools"]:
            check_schema(tool["inputSchema"], what=f"input schema of {tool['name']!r} in {file.name}")
            if "outputSchema" in tool:
                check_schema(tool["outputSchema"], what=f"output schema of {tool['name']!r} in {file.name}")
            checked += 1
    assert checked > 1_000
