"""The OpenAPI documents that a configuration names, as what their sources are told."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pegboard.config.check import CheckedFile
from pegboard.documents.problems import ConfigProblem
from pegboard.documents.read import Document

if TYPE_CHECKING:
    from pegboard.sources.openapi_spec import OpenApiSpec


def documents_of(
    main: Document, file: CheckedFile, taken: Collection[str], base: Path
) -> tuple[dict[str, OpenApiSpec], list[ConfigProblem]]:
    """Each document by its source's name, and what is wrong with those that are set aside.

    ``taken`` are the names that other sources have; relative files lie in ``base``.
    """
    found: dict[str, OpenApiSpec] = {}
    problems: list[ConfigProblem] = []
    for place, keys in file.openapi.items():
        at = ("openapi", place)
        spec = replace(keys.spec(base), line=main.line(at))
        if spec.name in found or spec.name in taken:
            hint = 'Give it one of its own: name = "...".'
            problems.append(main.problem((*at, "name"), f"another source has the name {spec.name!r}.", hint))
            continue
        if spec.file is not None and not spec.file.is_file():
            problems.append(main.problem((*at, "file"), f"{spec.file}: there is no such file.", "Check the path."))
        found[spec.name] = spec
    return found, problems
