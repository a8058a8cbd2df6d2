"""``[[openapi]]``: what it comes to, what is wrong with it, and changes while everything runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pegboard.config import load
from pegboard.config.watch import Reloader
from pegboard.config.wire import build
from pegboard.errors import ConfigError
from pegboard.http_tools.openapi.options import ImportOptions
from pegboard.sources.data_tools import DataToolSpec
from pegboard.sources.openapi_spec import OpenApiSpec
from tests.config.conftest import Write

pytestmark = pytest.mark.anyio

MAIN = """\
[store]
path = "memory"

[[openapi]]
file = "shop.json"
"""
EVERYTHING = """\
[[openapi]]
file = "shop.json"
name = "store"
prefix = false
server = "https://api.example.com/v1"
server_variables = { region = "eu" }
secrets = { key = "KEY", login = { username = "U", password = "P" }, app = { client_id = "I", extra = { aud = "x" } } }
headers = { Authorization = "Bearer {{secret.T}}" }
tags = ["pets"]
methods = ["GET", "post"]
paths = ["/pets*"]
exclude_paths = ["/pets/x"]
operations = ["*"]
include = ["list*"]
exclude = ["listAll"]
deprecated = false
visibility = "always"
approval = { "list*" = "exec" }
"""


def document(*names: str, server: str = "https://api.example.com") -> str:
    paths = {f"/{name}": {"get": {"operationId": name, "description": f"Does {name}."}} for name in names}
    return json.dumps({"openapi": "3.0.3", "servers": [{"url": server}], "paths": paths})


def test_every_key_reaches_the_source(write: Write) -> None:
    file = write("shop.json", document("listPets"))
    (spec,) = load(write("pegboard.toml", EVERYTHING), strict=True).settings.openapi.values()
    assert spec == OpenApiSpec(
        name="store",
        file=file,
        options=ImportOptions(
            server="https://api.example.com/v1",
            server_variables={"region": "eu"},
            secrets={
                "key": "KEY",
                "login": {"username": "U", "password": "P"},
                "app": {"client_id": "I", "extra": {"aud": "x"}},
            },
            headers={"Authorization": "Bearer {{secret.T}}"},
            tags=("pets",),
            methods=("GET", "post"),
            paths=("/pets*",),
            exclude_paths=("/pets/x",),
            operations=("*",),
            include=("list*",),
            exclude=("listAll",),
            deprecated=False,
        ),
        shown=DataToolSpec(prefix="", visibility="always", approval={"list*": "exec"}),
    )


def test_the_name_of_the_document_is_source_and_prefix(write: Write) -> None:
    write("shop.json", document("list"))
    (spec,) = load(write("pegboard.toml", MAIN), strict=True).settings.openapi.values()
    assert (spec.name, spec.shown.prefix) == ("shop", "shop")


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("", "wanted a file or a url"),
        ('file = "shop.json"\nurl = "https://a.example/o.json"', "wanted a file or a url"),
        ('file = "gone.json"', "there is no such file"),
        ('url = "ftp://a.example"', "An address cannot be used"),
        ('file = "shop.json"\nserver = "/v1"', "An address cannot be used"),
        ('file = "shop.json"\nmethods = ["GRAB"]', '"GET"'),
        ('file = "shop.json"\nsecrets = { k = 5 }', "the name of a secret"),
        ('file = "shop.json"\nsecrets = { k = { user = "U" } }', "the name of a secret"),
        ('file = "shop.json"\ntag = ["x"]', "Did you mean tags?"),
    ],
)
def test_mistakes_are_told_with_their_place(write: Write, table: str, why: str) -> None:
    write("shop.json", document("list"))
    loaded = load(write("pegboard.toml", f"[[openapi]]\n{table}\n"))
    assert why in str(loaded.errors[0]), loaded.errors
    assert loaded.errors[0].key.startswith("openapi[0]")


def test_two_sources_of_one_name_are_told(write: Write) -> None:
    write("shop.json", document("list"))
    loaded = load(write("pegboard.toml", '[[openapi]]\nfile = "shop.json"\n' * 2))
    assert len(loaded.settings.openapi) == 1
    assert "another source has the name 'shop'" in str(loaded.errors[0])
    with pytest.raises(ConfigError):
        load(write("pegboard.toml", '[[openapi]]\nfile = "shop.json"\n' * 2), strict=True)


def test_a_secret_header_is_never_repeated_in_a_message(write: Write) -> None:
    write("shop.json", document("list"))
    loaded = load(write("pegboard.toml", '[[openapi]]\nfile = "shop.json"\nheaders = "token-1234"\n'))
    assert "token-1234" not in str(loaded.errors[0])


async def names(peg: Any) -> list[str]:
    await peg.ready()
    return sorted(tool.name for source in peg.sources for tool in source.registry.tools())


async def test_a_changed_document_is_read_again_and_a_changed_table_makes_it_anew(write: Write, tmp_path: Path) -> None:
    write("shop.json", document("a"))
    path = write("pegboard.toml", MAIN)
    loaded = load(path, strict=True)
    wired = build(loaded.settings)
    async with wired.peg as peg:
        reloader = Reloader(wired, loaded, lambda: load(path))
        assert await names(peg) == ["shop__a"]
        write("shop.json", document("a", "bb"))
        await reloader.reload()
        assert await names(peg) == ["shop__a", "shop__bb"]
        write("pegboard.toml", MAIN + 'prefix = "s"\n')
        await reloader.reload()
        assert await names(peg) == ["s__a", "s__bb"]
        write("pegboard.toml", MAIN + "prefix = 5\n")
        await reloader.reload()
        assert await names(peg) == ["s__a", "s__bb"]
        write("pegboard.toml", '[store]\npath = "memory"\n')
        await reloader.reload()
        assert await names(peg) == []
