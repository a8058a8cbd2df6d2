"""Documents that are published: every operation is a tool under a name of its own, or is listed with its reason."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from pegboard.errors import DefinitionError
from pegboard.http_tools.openapi.importing import import_openapi
from pegboard.http_tools.openapi.options import ImportOptions
from pegboard.http_tools.openapi.report import Imported
from pegboard.naming import is_legal
from pegboard.schema.walk import at, pointer_steps
from pegboard.tools import MISSING

FOLDER = Path(__file__).resolve().parents[4] / "shared" / "corpora" / "openapi"
FRAGMENT = "k8s-custom-objects-swagger2.json"
OPTIONS = ImportOptions(address="https://docs.example.com/openapi.json")

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the published documents are not here")


@pytest.fixture(scope="module")
def imports() -> dict[str, Imported]:
    files = [file for file in sorted(FOLDER.iterdir()) if file.name != FRAGMENT]
    return {file.name: import_openapi(file.read_text("utf-8"), OPTIONS) for file in files}


def test_nearly_every_operation_becomes_a_tool(imports: dict[str, Imported]) -> None:
    tools = sum(len(one.operations) for one in imports.values())
    failed = [str(aside) for one in imports.values() for aside in one.aside]
    assert tools + len(failed) == 1995
    assert tools / 1995 >= 0.995, failed


def test_every_tool_has_a_legal_name_of_its_own(imports: dict[str, Imported]) -> None:
    for name, one in imports.items():
        names = [definition.name for definition in one.definitions]
        assert len(set(names)) == len(names), name
        assert all(map(is_legal, names)), name


def test_every_reference_resolves_inside_its_schema(imports: dict[str, Imported]) -> None:
    def references(value: object) -> list[str]:
        if isinstance(value, dict):
            own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
            return own + [found for member in value.values() for found in references(member)]
        return [found for item in value for found in references(item)] if isinstance(value, list) else []

    for one in imports.values():
        for definition in one.definitions:
            for reference in references(definition.parameters):
                assert reference.startswith("#/$defs/")
                assert at(definition.parameters, pointer_steps(reference[1:])) is not MISSING


def test_a_second_import_is_equal(imports: dict[str, Imported]) -> None:
    name = "jira-platform-v3.json"
    assert import_openapi((FOLDER / name).read_text("utf-8"), OPTIONS) == imports[name]


def test_nothing_fails_unexpectedly(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        for name in ("openai.yaml", "docker-engine-swagger2.yaml", "twilio-api-v2010.json"):
            import_openapi((FOLDER / name).read_text("utf-8"), OPTIONS)
    assert not caplog.records


def test_a_part_of_a_document_is_refused() -> None:
    with pytest.raises(DefinitionError, match="names no version"):
        import_openapi((FOLDER / FRAGMENT).read_text("utf-8"))
