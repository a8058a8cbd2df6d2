"""Compiled validators, one for each schema, kept in a bounded cache.

Nothing here fetches: the library below would open addresses and files by itself, so it is always given a retriever
that refuses.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from pegboard.errors import InvalidSchemaError
from pegboard.schema.document import Identity
from pegboard.tools import canonical_json

if TYPE_CHECKING:
    import jsonschema_rs

_CACHED: Final = 1024
"""Validators kept. A validator of a usual tool takes some tens of kilobytes."""

NEWEST: Final = "Draft202012Validator"

_DIALECTS: Final = {
    "": NEWEST,
    "json-schema.org/schema": NEWEST,
    "json-schema.org/draft/2020-12/schema": NEWEST,
    "json-schema.org/draft/2019-09/schema": "Draft201909Validator",
    "json-schema.org/draft-07/schema": "Draft7Validator",
    "json-schema.org/draft-06/schema": "Draft6Validator",
    "json-schema.org/draft-04/schema": "Draft4Validator",
}

_META: Final = {
    NEWEST: "https://json-schema.org/draft/2020-12/schema",
    "Draft201909Validator": "https://json-schema.org/draft/2019-09/schema",
    "Draft7Validator": "http://json-schema.org/draft-07/schema#",
    "Draft6Validator": "http://json-schema.org/draft-06/schema#",
    "Draft4Validator": "http://json-schema.org/draft-04/schema#",
}

_FORMATS: Final = (
    *("date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6"),
    *("uri", "uri-reference", "iri", "iri-reference", "uri-template", "uuid"),
    *("json-pointer", "relative-json-pointer", "regex"),
)
"""What JSON Schema 2020-12 defines. Older drafts define fewer; here all are checked in every draft."""


def dialect(schema: Any) -> str | None:
    """The validator class for the draft that ``$schema`` names, however its address is spelt; None if unknown."""
    named = schema.get("$schema", "") if isinstance(schema, Mapping) else ""
    if not isinstance(named, str):
        return None
    return _DIALECTS.get(named.removeprefix("https://").removeprefix("http://").rstrip("#/"))


def compiled(schema: Mapping[str, Any] | bool) -> jsonschema_rs.Validator:
    """The validator of a schema, from the cache where possible.

    Schemas are read-only: the cache knows them by identity first, then by their canonical bytes.

    Raises InvalidSchemaError where no validator can be made; ``check_schema`` says more about the reason.
    """
    return _by_identity(Identity(schema))


@lru_cache(_CACHED)
def _by_identity(key: Identity) -> jsonschema_rs.Validator:
    return _by_text(canonical_json(key.value))


@lru_cache(_CACHED)
def _by_text(text: bytes) -> jsonschema_rs.Validator:
    import jsonschema_rs

    try:
        return build(json.loads(text))
    except (ValueError, jsonschema_rs.ValidationError) as error:
        raise InvalidSchemaError(f"The schema cannot be compiled: {getattr(error, 'message', error)}") from None


def build(schema: Any) -> jsonschema_rs.Validator:
    """A new validator. Raises what the library raises: its own ValidationError, or a plain ValueError."""
    name = dialect(schema) or NEWEST
    plain = without_dialect(schema)
    return _make(name, plain, formats=None if name == NEWEST else _formats())


@cache
def meta_validator(name: str) -> jsonschema_rs.Validator:
    """The validator of schemas of one draft; regular expressions are checked too."""
    return _make(name, {"$ref": _META[name]}, formats=None)


def without_dialect(schema: Any) -> Any:
    """The schema less ``$schema``, which the library would try to fetch where the address is spelt otherwise."""
    return {key: value for key, value in schema.items() if key != "$schema"} if isinstance(schema, Mapping) else schema


def _make(name: str, schema: Any, *, formats: dict[str, Any] | None) -> jsonschema_rs.Validator:
    import jsonschema_rs

    make: type[jsonschema_rs.Validator] = getattr(jsonschema_rs, name)
    return make(
        schema,
        formats=formats,
        validate_formats=True,
        ignore_unknown_formats=True,
        retriever=_refuse,
        # an address, not the "Bob <bob@example.com>" that the library takes by default
        email_options=jsonschema_rs.EmailOptions(allow_display_text=False),
    )


@cache
def _formats() -> dict[str, Any]:
    return {name: _make(NEWEST, {"format": name}, formats=None).is_valid for name in _FORMATS}


def _refuse(uri: str) -> Any:
    raise ValueError("references outside a schema are not followed")
