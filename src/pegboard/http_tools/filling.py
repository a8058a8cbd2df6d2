"""The values of one call, as a template asks for them. Pure.

What is absent is MISSING; what cannot stand where it would is refused, and no message repeats it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pegboard.context_map import CONTEXT
from pegboard.errors import CallError, InvalidArgumentsError, ToolError
from pegboard.frozen import MAX_DEPTH
from pegboard.http_tools.body import Node, filled_in
from pegboard.http_tools.definition import HttpDefinition
from pegboard.http_tools.placeholders import Parts, Placeholder
from pegboard.http_tools.request import Auth
from pegboard.http_tools.scalars import plain
from pegboard.http_tools.secrets import FOR_OPERATOR
from pegboard.schema.plain import flaw
from pegboard.schema.prepare import text_forms_read
from pegboard.tools import MISSING


@dataclass(frozen=True)
class Values:
    """What a call fills in. Immutable. ``arguments`` as checked; ``context`` and ``secrets`` by name; ``tokens`` by who
    they prove; ``files`` by their paths.

    No repr shows a secret.
    """

    arguments: Mapping[str, Any]
    context: Mapping[str, Any] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    tokens: Mapping[Auth, str] = field(default_factory=dict, repr=False)
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)


class Filling:
    """The values of one call and how they are taken. Lives as long as the building of one request."""

    def __init__(self, definition: HttpDefinition, values: Values) -> None:
        self.definition = definition
        self.values = values
        self.typed: Mapping[str, Any] = values.arguments
        if definition.arguments == "lossless":
            self.typed = text_forms_read(definition.parameters, dict(values.arguments))

    def argument(self, name: str) -> Any:
        """An argument as it is written in texts: scalars as they came. None where it is absent."""
        value = self.values.arguments.get(name)
        return self.typed.get(name) if isinstance(value, (dict, list)) else value

    def as_json(self, node: Node) -> Any:
        """A node of a body filled in, every value with its type."""
        return filled_in(node, self.slot, lambda parts: self.joined(parts, "the body"))

    def as_texts(self, node: Node) -> Any:
        """The same for a body of texts: scalars as they came."""

        def slot(placeholder: Placeholder) -> Any:
            value = self.value(placeholder)
            return self.slot(placeholder) if isinstance(value, (dict, list)) else value

        return filled_in(node, slot, lambda parts: self.joined(parts, "the body"))

    def slot(self, placeholder: Placeholder) -> Any:
        """A value of any type, as JSON has it."""
        if placeholder.kind == "param":
            return self.typed.get(placeholder.key, MISSING)
        return self.value(placeholder)

    def joined(self, parts: Parts, where: str) -> Any:
        """The text of parts; MISSING where one of them is absent."""
        found = self.text(parts, where)
        return MISSING if found is MISSING else "".join(found)

    def text(self, parts: Parts, where: str) -> Any:
        """The texts of parts; MISSING where one of them is absent."""
        found = [part if isinstance(part, str) else self.scalar(part, where) for part in parts]
        return MISSING if MISSING in found else found

    def scalar(self, placeholder: Placeholder, where: str) -> Any:
        """The text of a value; MISSING where it is absent."""
        value = self.value(placeholder)
        return MISSING if value is MISSING or value is None else self.plain(value, placeholder, where)

    def plain(self, value: Any, placeholder: Placeholder, where: str) -> str:
        """A scalar in its text form; lists and objects are refused."""
        if isinstance(value, (dict, list, tuple)) or value is None:
            raise self.refused(placeholder, f"is a list or an object, which cannot stand in {where}")
        return plain(value)

    def value(self, placeholder: Placeholder) -> Any:
        """What a placeholder stands for; MISSING for an argument that was not given."""
        if placeholder.kind == "param":
            return self.values.arguments.get(placeholder.key, MISSING)
        held: Mapping[str, Any] = self.values.context if placeholder.kind == "ctx" else self.values.secrets
        value = held.get(placeholder.key)
        if value is None or value == "":
            raise self.absent(placeholder)
        if placeholder.kind == "ctx" and (wrong := flaw(value, max_depth=MAX_DEPTH)) is not None:
            raise self.refused(placeholder, f"holds {wrong[1]}")
        return value

    def absent(self, placeholder: Placeholder) -> CallError:
        """Without its tenant, or its key, a request is another one than was meant."""
        what = {"ctx": "value of the call's context", "secret": "secret"}.get(placeholder.kind, "value")
        return ToolError(
            f"{self.definition.name!r} needs the {what} {placeholder.key!r}, which is not set.",
            hint=FOR_OPERATOR,
            data={CONTEXT: placeholder.key} if placeholder.kind == "ctx" else {},
        )

    def refused(self, placeholder: Placeholder, why: str) -> CallError:
        """An argument, or a value of the context, that cannot stand where it would. Nothing repeats it."""
        if placeholder.kind == "param":
            return self.wrong(placeholder.key, why)
        return ToolError(f"{self.definition.name!r} cannot be called: {placeholder} {why}.")

    def wrong(self, argument: str, why: str) -> CallError:
        """An argument that cannot stand where it would."""
        return InvalidArgumentsError(self.definition.name, [f"{argument}: {why}"])
