"""What a registry asks of a tool before it takes it."""

from __future__ import annotations

from typing import Any, Final

from pegboard.errors import DefinitionError
from pegboard.tools import EMPTY_SCHEMA, Tool

_MAX_DEPTH: Final = 100

_TOLD: Final = ("annotations", "definition", "hints", "capabilities")
"""What listings and answers tell of a tool beside its texts and schemas."""


def check_tool(tool: Any) -> Tool:
    """The tool itself, when it can be listed and its arguments can be checked.

    Raises InvalidSchemaError for a schema that no argument could be held against, and DefinitionError for what is no
    tool, or holds what is not JSON.
    """
    if not isinstance(tool, Tool):
        raise DefinitionError(
            f"{tool!r:.60} is not a tool.", hint="Decorate the function with @tool, or pass pegboard.tool(function)."
        )
    _check_schemas(tool)
    for field in _TOLD:
        value = getattr(tool, field)
        if value:
            _check_json(tool, field, value)
    return tool


def _check_schemas(tool: Tool) -> None:
    if tool.input_schema is EMPTY_SCHEMA and tool.output_schema is None:
        return
    from pegboard.schema.check import check_schema

    check_schema(tool.input_schema, what=f"input schema of tool {tool.name!r}")
    if tool.output_schema is not None:
        check_schema(tool.output_schema, what=f"output schema of tool {tool.name!r}", root_object=False)


def _check_json(tool: Tool, field: str, value: Any) -> None:
    from pegboard.schema.plain import flaw

    if found := flaw(value, max_depth=_MAX_DEPTH):
        path, what = found
        place = f" at {'/'.join(map(str, path))}" if path else ""
        raise DefinitionError(
            f"The {field} of tool {tool.name!r} cannot be used{place}: {what}.", hint="Give plain JSON."
        )
