"""Definitions of HTTP tools, and manifests of them.

- Their definition as it is kept is ours as it is written: a field that they keep as null is one that we leave out.
- Their secrets are filled in when a manifest is read, ours at each call: the adapter fills them in, and looks whether
  each of them is there.
- Their values of the turn are ``tenant`` and ``image_url`` besides ours: the operator names them.
- A number among ``equals`` is kept as the text that it is compared by.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from typing import Any, Final

from pegboard.documents.problems import Level
from pegboard.errors import ConfigError
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.dump import dumped
from pegboard.http_tools.environment import Environment
from pegboard.http_tools.files import load_text
from pegboard.http_tools.manifest import manifest_of, normal
from pegboard.http_tools.mistakes import Mistake
from pegboard.http_tools.reading import read_definition
from pegboard.http_tools.response import halts, said
from pegboard.http_tools.secrets import GivenSecrets
from pegboard.http_tools.tool import secret_names
from pegboard.schema.flat import flat_parameters
from pegboard.tools import MISSING
from tests.runners.golden.adapter import Adapter
from tests.runners.golden.outcome import Comparison, Outcome, Raised, Returned

CONTEXT: Final = ("chat_id", "store_id", "agent_id", "tenant", "image_url")
ERRORS: Final = dict.fromkeys(
    ("Insika::ValidationError", "TypeError", "NoMethodError", "ArgumentError", "RangeError"), ConfigError
)


def plain(value: Any) -> Any:
    """Bytes in a vector are text."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def made(value: Any) -> HttpDefinition:
    """The definition of a value. Raises ConfigError with all that is wrong."""
    read = read_definition(plain(value), context=CONTEXT)
    if read.definition is None:
        raise refused(read.mistakes)
    return read.definition


def refused(mistakes: tuple[Mistake, ...]) -> ConfigError:
    """The error that lists mistakes."""
    told = (f"{'.'.join(map(str, mistake.path))}: {mistake}" for mistake in mistakes if mistake.level is Level.ERROR)
    return ConfigError("\n".join(told))


def build(values: dict[str, Any]) -> dict[str, Any]:
    """A definition as it is kept, its parameters, and whether it is the same when it has been written and read."""
    definition = made(values["definition"])
    again = load_text(dumped(definition), "tool.json", context=CONTEXT).definitions
    parameters, properties = flat_parameters(definition.parameters), definition.parameters["properties"]
    return {
        "to_h": definition.to_json(),
        "required_params": list(definition.parameters["required"]),
        "top_level_params": [{**one, "type": properties[one["name"]]["type"]} for one in parameters],
        "round_trip_equal": again == (definition,),
    }


def errors(values: dict[str, Any]) -> dict[str, Any]:
    """The definition, for those of which one may be made after all."""
    return made(values["definition"]).to_json()


def halt(values: dict[str, Any]) -> dict[str, Any]:
    """Whether a body ends the turn, and what is then said."""
    told = {"name": "t", "description": "A tool", "request": {"url": "https://api.example.com/v1"}}
    when = made({**told, "halt_when": values["halt_when"]}).halt_when
    if when is None:
        return {"halt": False, "say": None}
    try:
        body = json.loads(values["body"])
    except (TypeError, ValueError):
        body = MISSING
    return {"halt": halts(when, body), "say": said(when, body)}


def normalized(values: dict[str, Any]) -> dict[str, Any]:
    """A tool of a manifest in the form that is read, and the definition that it comes to."""
    manifest = manifest_of({"defaults": values["defaults"], "tools": [values["tool"]]})
    found = normal(values["tool"], Environment(values.get("env") or {}), defaults=manifest.defaults)
    if found.mistakes:
        raise refused(found.mistakes)
    read = read_definition(found.value, context=CONTEXT)
    late = [mistake for mistake in read.mistakes if "secret" in mistake.message]
    if late:
        raise refused(tuple(late))
    secrets = values.get("secrets") or {}
    if read.definition is not None:
        _all_there(read.definition, secrets)
    told = read.definition.to_json() if read.definition else None
    definition = {"returns": filled(told, secrets)} if told else Raised(refused(read.mistakes))
    return {"normalized": filled(dict(found.value), secrets), "definition": definition}


def _all_there(definition: HttpDefinition, secrets: Mapping[str, Any]) -> None:
    held = GivenSecrets({name: str(value) for name, value in secrets.items() if value is not None})
    for name in secret_names(definition):
        if asyncio.run(held.get(name)) is None:
            raise ConfigError(f"The secret {name!r} is not set.")


def filled(told: dict[str, Any], secrets: Mapping[str, Any]) -> dict[str, Any]:
    """What their manifest has after it was read: secrets in place."""
    headers = {
        name: re.sub(r"\{\{\s*secret\.(\w+)\s*\}\}", lambda match: str(secrets.get(match[1])), text)
        if isinstance(text, str)
        else text
        for name, text in told["request"]["headers"].items()
    }
    return {**told, "request": {**told["request"], "headers": headers}}


def same_normal(comparison: Comparison, expected: dict[str, Any], got: Outcome) -> str:
    """The definition has to be the same; the form between only where no definition comes of it."""
    if not isinstance(got, Returned) or "returns" not in expected:
        return comparison.outcome(expected, got)
    told, ours = expected["returns"], got.value
    if "returns" not in told["definition"] or isinstance(ours["definition"], Raised):
        return comparison.value(told["definition"], ours["definition"], "definition")
    return comparison.value(told["definition"]["returns"], ours["definition"]["returns"], "definition")


def batch(values: dict[str, Any]) -> list[str] | dict[str, Any]:
    """The names of a manifest's tools; what is set aside besides, where something is."""
    text = json.dumps({"version": 1, **values["manifest"]})
    loaded = load_text(text, "m.json", environ=values.get("env") or {}, context=CONTEXT)
    names = [definition.name for definition in loaded.definitions]
    return {"names": names, "set_aside": [str(error) for error in loaded.errors]} if loaded.errors else names


def from_h(values: dict[str, Any]) -> dict[str, Any]:
    """A manifest as it is read."""
    manifest = manifest_of(values["manifest"])
    if any(mistake.level is Level.ERROR for mistake in manifest.mistakes):
        raise refused(manifest.mistakes)
    return {"version": manifest.version, "defaults": dict(manifest.defaults), "tools": list(manifest.tools)}


ADAPTERS: Final = {
    "insika_tool_definition_build": Adapter(build, ERRORS),
    "insika_tool_definition_errors": Adapter(errors, ERRORS),
    "insika_tool_definition_halt": Adapter(halt, ERRORS),
    "insika_tool_manifest_definition": Adapter(normalized, ERRORS, same_normal),
    "insika_tool_manifest_batch": Adapter(batch, ERRORS),
    "insika_tool_manifest_from_h": Adapter(from_h, ERRORS),
}
