"""Definitions back to files: what was written is read as an equal definition. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from pegboard.errors import DefinitionError
from pegboard.http_tools.definition import HttpDefinition

Format = Literal["json", "yaml", "toml"]


def dumped(definition: HttpDefinition, format: Format = "json") -> str:
    """The text of a file with one definition; fields that have their default are left out.

    Raises DefinitionError for a null in TOML, which has none.
    """
    return as_text(lean(definition.to_json()), format)


def as_text(told: Mapping[str, Any], format: Format) -> str:
    """The text of a file with a value of the shape of a definition. Raises DefinitionError like ``dumped``."""
    if format == "json":
        return json.dumps(told, ensure_ascii=False, indent=2) + "\n"
    if format == "toml":
        import tomlkit

        if _holds_null(told):
            hint = "Write it as YAML or JSON."
            what = repr(told["name"]) if "name" in told else "A tool of the manifest"
            raise DefinitionError(f"{what} holds a null, which TOML does not have.", hint=hint)
        return tomlkit.dumps(told)
    return _yaml(told)


def lean(told: Mapping[str, Any]) -> dict[str, Any]:
    """A definition without what every definition has."""
    request = {key: value for key, value in told["request"].items() if value not in ({}, None)}
    response = {key: value for key, value in told.get("response", {}).items() if value is not None}
    lean = {**told, "request": request, "response": response}
    if response in ({}, {"extract": "body_raw"}):
        del lean["response"]
    return {key: value for key, value in lean.items() if value not in (None, [])}


def _holds_null(value: Any) -> bool:
    if isinstance(value, (dict, list)):
        return any(map(_holds_null, value.values() if isinstance(value, dict) else value))
    return value is None


def _yaml(told: Mapping[str, Any]) -> str:
    import yaml

    class Quoting(yaml.SafeDumper):
        """Puts every text in quotes: YAML's versions disagree about what may stand without. Lives as long as a dump."""

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style='"')

    Quoting.add_representer(str, text)
    Quoting.ignore_aliases = lambda self, data: True  # type: ignore[method-assign]
    return str(yaml.dump(dict(told), Dumper=Quoting, allow_unicode=True, sort_keys=False, width=100))
