"""Which operations are taken."""

from __future__ import annotations

from typing import Any

import pytest

from pegboard.http_tools.openapi.options import ImportOptions
from tests.http_tools.openapi.things import imported

PATHS = {
    "/pets": {
        "get": {"operationId": "listPets", "tags": ["pets"]},
        "post": {"operationId": "addPet", "tags": ["pets", "write"], "deprecated": True},
    },
    "/shops/{id}": {
        "parameters": [{"name": "id", "in": "path", "schema": {"type": "string"}}],
        "get": {"tags": ["shops"]},
    },
}


@pytest.mark.parametrize(
    ("options", "taken"),
    [
        ({}, ["listPets", "addPet", "get_shops__id"]),
        ({"tags": ("pets",)}, ["listPets", "addPet"]),
        ({"tags": ("wr*", "shops")}, ["addPet", "get_shops__id"]),
        ({"methods": ("GET",)}, ["listPets", "get_shops__id"]),
        ({"methods": ("post",)}, ["addPet"]),
        ({"paths": ("/pets*",)}, ["listPets", "addPet"]),
        ({"exclude_paths": ("/pets",)}, ["get_shops__id"]),
        ({"operations": ("*Pet",)}, ["addPet"]),
        ({"include": ("get_*",)}, ["get_shops__id"]),
        ({"exclude": ("*Pet*",)}, ["get_shops__id"]),
        ({"deprecated": False}, ["listPets", "get_shops__id"]),
        ({"tags": ("pets",), "methods": ("get",)}, ["listPets"]),
    ],
)
def test_filters_let_operations_pass(options: Any, taken: list[str]) -> None:
    found = imported(PATHS, options=ImportOptions(**options))
    assert [definition.name for definition in found.definitions] == taken
    assert len(found.operations) + len(found.aside) == 3
    assert all(one.chosen and one.reason for one in found.aside)
    assert found.failed == ()


def test_what_is_left_out_need_not_be_usable() -> None:
    paths = {**PATHS, "/bad/{x}": {"get": {"operationId": "bad"}}}
    assert imported(paths, options=ImportOptions(exclude=("bad",))).failed == ()
