"""Steps on OpenAPI documents.

- A document is named in ``[[openapi]]``; a later one of the same step takes its place, as an edit would.
- The address in a document is that of the case's own server: its operator allows it.
- Arguments by place are found in the tool's definition, which says where each is sent.
"""

from __future__ import annotations

import json
from typing import Any, Final

from pegboard.http_tools.definition import HttpDefinition
from pegboard.sources.openapi import OpenApiDocument
from tests.runners.cases import http_tools
from tests.runners.cases.answer import Answer
from tests.runners.cases.case import Step
from tests.runners.cases.step import Do
from tests.runners.cases.world import World

KEYS: Final[tuple[str, ...]] = (
    "server",
    "server_variables",
    "headers",
    "secrets",
    "tags",
    "methods",
    "paths",
    "include",
    "exclude",
)
"""Fields of the step that are keys of ours."""


async def openapi(world: World, step: Step) -> Answer:
    """A document whose operations are tools. The text is what its status tells."""
    keys: dict[str, Any] = {key: step[key] for key in KEYS if key in step}
    if world.document is not None:
        world.operations = operations(world)
        keys["name"] = source_of(world).name
    world.configuration.openapi = [{"file": str(world.folder / step["file"]), **keys}]
    world.configuration.http.setdefault("schemes", ["https", "http"])
    world.configuration.http["secrets_prefix"] = http_tools.SECRETS
    if not world.reach_is_told:
        http_tools.serve(world, f"http://127.0.0.1:{world.ports[0]}/")
    world.document = world.folder / step["file"]
    world.changed()
    await world.peg()
    source = source_of(world)
    status = source.status()
    problems = [f"{problem.name}: {problem.reason}" for problem in status.problems]
    world.report = "\n".join((status.reason, *status.notes, *problems))
    return Answer(text=world.report, is_error=status.state == "failed")


def source_of(world: World) -> OpenApiDocument:
    """The source of the case's document."""
    return next(source for source in world.sources if isinstance(source, OpenApiDocument))


def operations(world: World) -> dict[tuple[str, str], str]:
    """The name of each tool, by method and address."""
    found = source_of(world).definitions.values()
    return {(one.request.method, one.request.url): one.name for one in found}


def placed(world: World, name: str, places: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a tool for values by place and name on the wire."""
    definition = source_of(world).definitions[name]
    found: dict[str, Any] = {}
    for where, values in places.items():
        found |= _of_body(definition, values) if where == "body" else _of_place(definition, where, values)
    return found


def _of_place(definition: HttpDefinition, where: str, values: dict[str, Any]) -> dict[str, Any]:
    folded = str.lower if where == "header" else str
    names = {folded(place.name): place.param for place in definition.request.parameters if place.where == where}
    return {names[folded(name)]: value for name, value in values.items()}


def _of_body(definition: HttpDefinition, value: Any) -> dict[str, Any]:
    body = definition.request.body
    if isinstance(body, str):
        return {body.strip("{}"): value}
    return {body[member].strip("{}"): given for member, given in value.items()}


def wanted_targets(world: World, arguments: dict[str, Any]) -> list[tuple[str, str]]:
    """Method and path of every operation of the case's document, filled in."""
    assert world.document is not None
    paths = json.loads(world.document.read_bytes())["paths"]
    filled = {path: path for path in paths}
    for name, value in arguments.items():
        filled = {path: text.replace(f"{{{name}}}", str(value)) for path, text in filled.items()}
    verbs = {path: [verb for verb in item if verb not in ("parameters", "servers")] for path, item in paths.items()}
    return [(verb.upper(), filled[path]) for path, several in verbs.items() for verb in several]


STEPS: Final = {"openapi": Do(openapi, {"file", *KEYS})}
