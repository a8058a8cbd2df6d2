"""Schemas of OpenAPI 2.0, 3.0 and 3.1 as JSON Schema 2020-12 for what is sent. Pure.

A reference stays one, so that types that hold themselves end; what it refers to is converted once for a document.
Properties that are read-only belong to replies and are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pegboard.http_tools.openapi.keywords import KEYWORDS, conformed, type_of
from pegboard.http_tools.openapi.references import References
from pegboard.http_tools.openapi.values import Unusable, listed, table, text
from pegboard.tools import MISSING

MAX_DEPTH: Final = 60
"""Schemas inside one another without a reference between."""

MAX_SCHEMAS: Final = 20_000
"""Schemas in one place without a reference between. An alias of YAML can stand for more than is written."""

_ONE: Final = frozenset(
    (
        *("not", "if", "then", "else", "contains", "propertyNames"),
        *("additionalProperties", "unevaluatedProperties", "unevaluatedItems"),
    )
)
_LIST: Final = frozenset(("anyOf", "oneOf", "prefixItems"))
_MAP: Final = frozenset(("patternProperties", "dependentSchemas"))
_BESIDE: Final = frozenset(("title", "description", "default", "nullable", "x-nullable", "deprecated", "readOnly"))
"""What stands beside a reference and is meant, though 3.0 says that it does not count."""

ANNOTATIONS: Final = frozenset(("title", "description", "default", "deprecated", "examples", "readOnly", "writeOnly"))
"""Words that let every value through."""


@dataclass(frozen=True)
class Converted:
    """A schema that was converted. Immutable. ``targets`` are the references in it, with how often each stands."""

    schema: Any
    targets: Mapping[str, int]


class Schemas:
    """The schemas of one document. Lives as long as one import; keeps what it has converted."""

    def __init__(self, references: References) -> None:
        self._references = references
        self._known: dict[str, Converted | str] = {}

    def convert(self, schema: Any) -> Converted:
        """A schema that stands in an operation. Raises Unusable."""
        return _Conversion(self._references).run(schema)

    def _convert_target(self, reference: str) -> Converted:
        return _Conversion(self._references, reference).run(self._references.target(reference))

    def target(self, reference: str) -> Converted:
        """What a reference of a converted schema refers to. Raises Unusable."""
        known = self._known.get(reference)
        if known is None:
            try:
                known = self._convert_target(reference)
            except Unusable as error:
                known = str(error)
            self._known[reference] = known
        if isinstance(known, str):
            raise Unusable(known)
        return known


class _Conversion:
    """One schema being converted. Lives as long as one ``convert``."""

    def __init__(self, references: References, base: str = "") -> None:
        self.references = references
        self.base = base
        self.targets: Counter[str] = Counter()
        self.left = MAX_SCHEMAS

    def run(self, schema: Any) -> Converted:
        return Converted(self.schema(schema, 0), self.targets)

    def schema(self, schema: Any, depth: int, silent: frozenset[str] = frozenset()) -> Any:
        """One schema; ``silent`` are properties of the same value that are left out, and so are never required."""
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, Mapping):
            return {}  # what is no schema says nothing
        self.references.step()
        self.left -= 1
        if self.left < 0:
            raise Unusable(f"it has a schema with more than {MAX_SCHEMAS:,} schemas in it")
        if depth > MAX_DEPTH:
            raise Unusable(f"it has a schema that nests deeper than {MAX_DEPTH} levels")
        if "$ref" in schema:
            return self.reference(schema, depth)
        if "$dynamicRef" in schema or "$recursiveRef" in schema:
            return self.reference({**schema, "$ref": self.dynamic(schema)}, depth)
        return _nullable(schema, self.words(schema, depth, silent))

    def reference(self, schema: Mapping[str, Any], depth: int) -> Any:
        reference = schema["$ref"]
        target = self.references.target(reference)
        if isinstance(target, Mapping) and target.keys() == {"$ref"}:
            self.references.resolved(target)  # a circle of bare references means nothing
        if not isinstance(target, Mapping | bool):
            raise Unusable(f"it refers to {str(reference)[:100]!r}, which is no schema")
        self.targets[reference] += 1
        wider = any(word in schema for word in ("properties", "allOf", "anyOf", "oneOf", "required", "type"))
        beside = {word: value for word, value in schema.items() if word in _BESIDE or (wider and word != "$ref")}
        silent = frozenset(self.read_only(target, 0)) if wider else frozenset()
        return _nullable(schema, {"$ref": reference, **self.words(beside, depth, silent)})

    def dynamic(self, schema: Mapping[str, Any]) -> str:
        """The reference that a dynamic one comes to: the type around it, where that says that it may be meant."""
        target = table(self.references.target(self.base)) if self.base else {}
        wanted = schema.get("$dynamicRef", schema.get("$recursiveRef"))
        anchor = "#" if target.get("$recursiveAnchor") is True else f"#{target.get('$dynamicAnchor')}"
        if not self.base or wanted != anchor:
            raise Unusable("it has a dynamic reference to something else than the type around it")
        return self.base

    def words(self, schema: Mapping[str, Any], depth: int, silent: frozenset[str]) -> dict[str, Any]:
        """A schema's words, each converted."""
        found: dict[str, Any] = {}
        kind = type_of(schema.get("type"))
        if kind is not None:
            found["type"] = kind
        if schema.get("type") == "file":
            found["format"] = "binary"
        for word, value in schema.items():
            if word in KEYWORDS:
                given = KEYWORDS[word](value)
                if given is not MISSING:
                    found[word] = given
            else:
                self.holding(word, value, depth, found)
        silent |= frozenset(self.read_only(schema, 0)) if "properties" in schema or "allOf" in schema else frozenset()
        self.members(schema, depth, silent, found)
        return conformed(_limited(schema, found))

    def holding(self, word: str, value: Any, depth: int, found: dict[str, Any]) -> None:
        """A word that holds other schemas."""
        if word in _ONE and isinstance(value, Mapping | bool):
            found[word] = self.schema(value, depth + 1)
        elif word in _LIST and listed(value):
            found[word] = [self.schema(item, depth + 1) for item in listed(value)]
        elif word in _MAP and isinstance(value, Mapping):
            found[word] = {str(name): self.schema(item, depth + 1) for name, item in value.items()}
        elif word == "items" and isinstance(value, list):
            found["prefixItems"] = [self.schema(item, depth + 1) for item in value] or [True]
        elif word == "items" and isinstance(value, Mapping | bool):
            found["items"] = self.schema(value, depth + 1)

    def members(self, schema: Mapping[str, Any], depth: int, silent: frozenset[str], found: dict[str, Any]) -> None:
        """Properties, which of them are required, and what else is said of the same object."""
        if listed(schema.get("allOf")):
            found["allOf"] = [self.schema(item, depth + 1, silent) for item in listed(schema["allOf"])]
        properties = table(schema.get("properties"))
        kept = {str(name): item for name, item in properties.items() if name not in silent}
        if "properties" in schema:
            found["properties"] = {name: self.schema(item, depth + 1) for name, item in kept.items()}
        flagged = [name for name, item in kept.items() if table(item).get("required") is True]
        required = [name for name in (*found.pop("required", ()), *flagged) if name not in silent]
        if required:
            found["required"] = list(dict.fromkeys(required))
        if "discriminator" in found:
            self.told_apart(schema, found)

    def read_only(self, schema: Any, hops: int) -> Iterator[str]:
        """The properties that only replies have, those of ``allOf`` too."""
        schema = self.references.resolved_table(schema)
        if hops > 10:
            return
        for name, item in table(schema.get("properties")).items():
            if (
                isinstance(item, Mapping)
                and ("readOnly" in item or "$ref" in item)
                and is_read_only(item, self.references)
            ):
                yield str(name)
        for branch in listed(schema.get("allOf")):
            self.left -= 1
            if self.left > 0:
                yield from self.read_only(branch, hops + 1)

    def told_apart(self, schema: Mapping[str, Any], found: dict[str, Any]) -> None:
        """Say in each branch which values of the discriminator choose it, where the branch itself does not."""
        name, mapping = text(found["discriminator"].get("propertyName")), table(found["discriminator"].get("mapping"))
        for word in ("oneOf", "anyOf"):
            if not name or not mapping or word not in found:
                continue
            for place, branch in enumerate(listed(schema[word])):
                reference = text(table(branch).get("$ref"))
                values = [str(key) for key, to in mapping.items() if reference and _same_target(to, reference)]
                if values and not self.says(branch, name, 0):
                    found[word][place] |= {"properties": {name: {"enum": values}}, "required": [name]}

    def says(self, branch: Any, name: str, hops: int) -> bool:
        """Whether a branch says itself what the discriminator's value is."""
        schema = self.references.resolved_table(branch)
        own = self.references.resolved_table(table(schema.get("properties")).get(name))
        inner = listed(schema.get("allOf"))[:20] if hops < 3 else []
        return "enum" in own or "const" in own or any(self.says(item, name, hops + 1) for item in inner)


def is_read_only(schema: Any, references: References) -> bool:
    """Whether a property belongs to replies alone: what it says itself, else what it refers to says."""
    own = table(schema).get("readOnly")
    return own if isinstance(own, bool) else references.resolved_table(schema).get("readOnly") is True


def _same_target(to: Any, reference: str) -> bool:
    return isinstance(to, str) and (to == reference or ("/" not in to and reference.rsplit("/", 1)[-1] == to))


def _limited(schema: Mapping[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """With limits as 3.0 has them, a flag beside the limit, as 2020-12 does: the limit itself."""
    for limit, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if schema.get(exclusive) is True and limit in found:
            found[exclusive] = found.pop(limit)
    return found


def _nullable(schema: Mapping[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """With null among what is let through, where the schema says so in the words of 2.0 or 3.0."""
    if schema.get("nullable") is not True and schema.get("x-nullable") is not True:
        return found
    constraints = found.keys() - ANNOTATIONS
    if not constraints:
        return found  # anything is let through already
    if "type" in found and not constraints & {"allOf", "anyOf", "oneOf", "not", "if", "const", "$ref"}:
        kinds = [found["type"]] if isinstance(found["type"], str) else found["type"]
        values = found.get("enum")
        if values is not None and None not in values:
            found["enum"] = [*values, None]
        return {**found, "type": list(dict.fromkeys([*kinds, "null"]))}
    told = {word: found[word] for word in found if word in ANNOTATIONS}
    rest = {word: value for word, value in found.items() if word not in ANNOTATIONS}
    branches = rest["anyOf"] if rest.keys() == {"anyOf"} else [rest]
    return {**told, "anyOf": [*branches, {"type": "null"}]}
