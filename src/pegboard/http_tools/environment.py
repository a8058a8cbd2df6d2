"""``{{env.NAME}}``: plain configuration, filled in while a definition is read. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pegboard.documents.problems import KeyPath
from pegboard.http_tools.mistakes import Mistakes
from pegboard.http_tools.placeholders import replaced

_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


@dataclass(frozen=True)
class Environment:
    """The variables that definitions may name. Immutable; belongs to one load."""

    variables: Mapping[str, Any]

    def filled(self, request: Mapping[str, Any], at: KeyPath, mistakes: Mistakes) -> dict[str, Any]:
        """The parts of a request with every variable filled in."""
        found = {key: self._value(part, (*at, key), mistakes) for key, part in request.items() if key != "body"}
        if "body" in request:
            body = request["body"]
            text = isinstance(body, str)
            found["body"] = (
                self._json_text(body, (*at, "body"), mistakes) if text else self._value(body, (*at, "body"), mistakes)
            )
        return found

    def _value(self, value: Any, at: KeyPath, mistakes: Mistakes) -> Any:
        if isinstance(value, str):
            return replaced(value, "env", lambda key: self._get(key, at, mistakes))
        if isinstance(value, Mapping):
            return {key: self._value(member, (*at, key), mistakes) for key, member in value.items()}
        if isinstance(value, list):
            return [self._value(item, (*at, place), mistakes) for place, item in enumerate(value)]
        return value

    def _json_text(self, text: str, at: KeyPath, mistakes: Mistakes) -> str:
        """A body that is text: within the quotes of JSON a value is written as JSON writes it."""
        if text.lstrip()[:1] not in ("{", "["):
            return str(self._value(text, at, mistakes))

        def quoted(match: re.Match[str]) -> str:
            return replaced(
                match[0], "env", lambda key: json.dumps(self._get(key, at, mistakes), ensure_ascii=False)[1:-1]
            )

        return str(self._value(_STRING.sub(quoted, text), at, mistakes))

    def _get(self, key: str, at: KeyPath, mistakes: Mistakes) -> str:
        value = self.variables.get(key)
        text = "" if value is None else value if isinstance(value, str) else json.dumps(value)
        if not text.strip():
            mistakes.wrong(
                at, f"{{{{env.{key}}}}} names a variable that is not set, or is blank.", "Set it where Pegboard runs."
            )
        elif "{{" in text:
            hint = "Write placeholders in the definition itself."
            mistakes.wrong(at, f"{{{{env.{key}}}}} names a variable whose value holds a placeholder.", hint)
            return ""
        return text
