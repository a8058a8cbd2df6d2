"""Schemas of 2.0, 3.0 and 3.1 as JSON Schema 2020-12."""

from __future__ import annotations

from typing import Any

import pytest

from tests.http_tools.openapi.things import argument, only, reason, takes, with_body


def a(schema: Any, **top: Any) -> Any:
    """A schema as it becomes that of an argument."""
    return argument(schema, **top)["properties"]["a"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "x-nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": False}, {"type": "string"}),
        ({"type": "string", "nullable": True, "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        (
            {"nullable": True, "allOf": [{"type": "string"}, {"minLength": 2}], "description": "d"},
            {"description": "d", "anyOf": [{"allOf": [{"type": "string"}, {"minLength": 2}]}, {"type": "null"}]},
        ),
        (
            {"nullable": True, "anyOf": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        ),
        ({"nullable": True}, {}),
        ({"type": "object", "properties": {"nullable": {"type": "boolean"}}},) * 2,
        ({"type": "number", "minimum": 1, "exclusiveMinimum": True}, {"type": "number", "exclusiveMinimum": 1}),
        ({"type": "number", "maximum": 9, "exclusiveMaximum": False}, {"type": "number", "maximum": 9}),
        ({"type": "number", "exclusiveMinimum": 3}, {"type": "number", "exclusiveMinimum": 3}),
        ({"type": "file"}, {"type": "string", "format": "binary"}),
        ({"type": "int"}, {"type": "integer"}),
        ({"type": "whatever"}, {}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"type": "string", "maxLength": "5"}, {"type": "string", "maxLength": 5}),
        ({"type": "string", "maxLength": "long"}, {"type": "string"}),
        ({"type": "string", "pattern": "(?<unclosed"}, {"type": "string"}),
        ({"type": "string", "enum": [1, True]}, {"type": "string", "enum": ["1", "true"]}),
        ({"type": "integer", "enum": ["1", "2"], "default": "1"}, {"type": "integer", "enum": [1, 2], "default": 1}),
        ({"type": "array", "items": [{"type": "string"}]}, {"type": "array", "prefixItems": [{"type": "string"}]}),
        ({"type": "object", "properties": {"x": 5}}, {"type": "object", "properties": {"x": {}}}),
        ({"type": "object", "required": True}, {"type": "object"}),
        ("no schema", {}),
        (True, {}),
        (
            {"type": "object", "properties": {"x": {"type": "string", "required": True}}},
            {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]},
        ),
    ],
)
def test_a_schema_is_read_for_what_it_means(written: Any, read: Any) -> None:
    assert a(written) == read


def test_read_only_properties_are_not_sent_and_not_required() -> None:
    schema = {
        "type": "object",
        "required": ["id", "name"],
        "properties": {"id": {"type": "string", "readOnly": True}, "name": {"type": "string"}},
    }
    assert a(schema) == {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    definition = only(with_body(schema))
    assert list(definition.parameters["properties"]) == ["name"]
    assert definition.parameters["required"] == ["name"]


def test_read_only_is_seen_through_references_and_all_of() -> None:
    components = {
        "schemas": {
            "Id": {"type": "string", "readOnly": True},
            "Base": {"type": "object", "properties": {"id": {"$ref": "#/components/schemas/Id"}}},
        }
    }
    schema = {
        "allOf": [
            {"$ref": "#/components/schemas/Base"},
            {"type": "object", "required": ["id", "n"], "properties": {"n": {"type": "integer"}}},
        ]
    }
    definition = only(with_body({"type": "object", "properties": {"a": schema}}), components=components)
    assert takes(definition, {"a": {"n": 1}})
    assert not takes(definition, {"a": {}})


def test_a_type_that_holds_itself_is_a_definition_and_checked_at_depth() -> None:
    node = {
        "type": "object",
        "required": ["label"],
        "properties": {
            "label": {"type": "string"},
            "kids": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}},
        },
    }
    schema = {"type": "object", "properties": {"root": {"$ref": "#/components/schemas/Node"}}}
    definition = only(with_body(schema), components={"schemas": {"Node": node, "Unused": {"type": "string"}}})
    assert list(definition.parameters["$defs"]) == ["Node"]
    assert takes(definition, {"root": {"label": "a", "kids": [{"label": "b", "kids": []}]}})
    assert not takes(definition, {"root": {"label": "a", "kids": [{"label": 3}]}})


def test_a_type_that_is_used_once_is_written_out_and_one_used_twice_is_kept_apart() -> None:
    components = {
        "schemas": {
            "Once": {"type": "object", "properties": {"t": {"$ref": "#/components/schemas/Twice"}}},
            "Twice": {"type": "string", "maxLength": 3},
        }
    }
    properties = {"o": {"$ref": "#/components/schemas/Once"}, "t": {"$ref": "#/components/schemas/Twice"}}
    found = only(with_body({"type": "object", "properties": properties}), components=components).parameters
    assert found["$defs"] == {"Twice": {"type": "string", "maxLength": 3}}
    assert found["properties"]["o"]["properties"]["t"] == {"$ref": "#/$defs/Twice"}


def test_types_of_one_name_in_two_places_are_kept_apart() -> None:
    components = {
        "schemas": {"X": {"type": "string"}, "Y": {"type": "object", "properties": {"X": {"type": "integer"}}}}
    }
    properties = {
        name: {"$ref": reference}
        for name, reference in {
            "a": "#/components/schemas/X",
            "b": "#/components/schemas/X",
            "c": "#/components/schemas/Y/properties/X",
            "d": "#/components/schemas/Y/properties/X",
        }.items()
    }
    definition = only(with_body({"type": "object", "properties": properties}), components=components)
    assert takes(definition, {"a": "s", "b": "s", "c": 1, "d": 1})
    assert not takes(definition, {"c": "s"})
    assert not takes(definition, {"a": 1})


def test_what_stands_beside_a_reference_counts_too() -> None:
    components = {"schemas": {"X": {"type": "string", "description": "general"}}}
    reference = {"$ref": "#/components/schemas/X", "description": "particular", "nullable": True}
    definition = only(with_body({"type": "object", "properties": {"a": reference}}), components=components)
    assert takes(definition, {"a": None})
    assert not takes(definition, {"a": 1})
    assert "particular" in str(definition.parameters)


def test_in_3_1_constraints_beside_a_reference_hold() -> None:
    components = {"schemas": {"X": {"type": "object", "properties": {"x": {"type": "string"}}}}}
    reference = {"$ref": "#/components/schemas/X", "required": ["x"]}
    operation = with_body({"type": "object", "properties": {"a": reference}})
    definition = only(operation, version="3.1.0", components=components)
    assert takes(definition, {"a": {"x": ""}})
    assert not takes(definition, {"a": {}})


def test_a_mapping_of_a_discriminator_says_which_branch_holds() -> None:
    def animal(name: str) -> dict[str, Any]:
        return {"type": "object", "properties": {"kind": {"type": "string"}, name: {"type": "integer"}}}

    components = {"schemas": {"Cat": animal("lives"), "Dog": animal("bones")}}
    pet = {
        "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
        "discriminator": {
            "propertyName": "kind",
            "mapping": {"cat": "#/components/schemas/Cat", "dog": "Dog"},
        },
    }
    definition = only(with_body({"type": "object", "properties": {"pet": pet}}), components=components)
    assert takes(definition, {"pet": {"kind": "cat", "lives": 7}})
    assert takes(definition, {"pet": {"kind": "dog"}})
    assert not takes(definition, {"pet": {"kind": "bird"}})
    assert not takes(definition, {"pet": {"kind": "cat", "lives": "many"}})


def test_a_recursive_reference_is_the_type_around_it() -> None:
    either = {"anyOf": [{"type": "string"}, {"$recursiveRef": "#"}]}
    tree = {"$recursiveAnchor": True, "type": "object", "properties": {"of": {"type": "array", "items": either}}}
    operation = with_body({"type": "object", "properties": {"a": {"$ref": "#/components/schemas/Tree"}}})
    definition = only(operation, version="3.1.0", components={"schemas": {"Tree": tree}})
    assert takes(definition, {"a": {"of": ["x", {"of": ["y"]}]}})
    assert not takes(definition, {"a": {"of": [{"of": [1]}]}})


@pytest.mark.parametrize(
    ("reference", "why"),
    [
        ("https://evil.example/schema.json", "never followed"),
        ("file:///etc/passwd", "never followed"),
        ("other.yaml#/X", "never followed"),
        ("#/components/schemas/Missing", "does not have"),
        ("#/components/schemas/Circle", "circle"),
        ("#anchor", "does not have"),
        (5, "no text"),
        ("#/info/title", "no schema"),
    ],
)
def test_a_reference_to_nothing_sets_the_operation_aside(reference: Any, why: str) -> None:
    circle = {"Circle": {"$ref": "#/components/schemas/Circle2"}, "Circle2": {"$ref": "#/components/schemas/Circle"}}
    operation = with_body({"type": "object", "properties": {"a": {"$ref": reference}}})
    assert why in reason(operation, components={"schemas": circle})


def test_a_reference_in_a_reply_that_leads_nowhere_matters_to_nobody() -> None:
    assert only({"responses": {"200": {"$ref": "https://evil.example/r.json"}}}).name == "it"
