"""Which operations are taken. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pegboard.http_tools.openapi.options import ImportOptions
from pegboard.http_tools.openapi.values import texts
from pegboard.rules.globs import Glob


@dataclass(frozen=True)
class Asked:
    """What a filter looks at. Immutable."""

    method: str
    path: str
    operation_id: str
    name: str
    operation: Mapping[str, Any]


def left_out(options: ImportOptions, one: Asked) -> str:
    """What leaves an operation out, in words; "" when nothing does."""
    return next(_reasons(options, one), "")


def _reasons(options: ImportOptions, one: Asked) -> Iterator[str]:
    if options.methods and one.method.lower() not in {method.lower() for method in options.methods}:
        yield f"{one.method} is not among the methods"
    tags = texts(one.operation.get("tags"))
    if options.tags and not any(_matches(options.tags, tag) for tag in tags):
        yield "none of its tags is asked for"
    if options.paths and not _matches(options.paths, one.path):
        yield "its path is not asked for"
    if _matches(options.exclude_paths, one.path):
        yield "its path is excluded"
    if options.operations and not _matches(options.operations, one.operation_id):
        yield "its operationId is not asked for"
    if options.include and not _matches(options.include, one.name):
        yield "no include pattern matches its name"
    if _matches(options.exclude, one.name):
        yield "an exclude pattern matches its name"
    if not options.deprecated and one.operation.get("deprecated") is True:
        yield "it is deprecated"


def _matches(globs: tuple[str, ...], text: str) -> bool:
    return any(Glob(glob).matches(text) for glob in globs)
