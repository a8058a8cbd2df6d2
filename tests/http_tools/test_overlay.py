"""Versions of added tools: what is refused, what is kept, and what two stores promise alike."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pegboard.errors import AuthoringError, CollisionError, ConflictError, DefinitionError, NoVersionError
from pegboard.http_tools.authored import authored, read_back
from pegboard.http_tools.files import load_text
from pegboard.http_tools.overlay import Overlay, changed_fields
from pegboard.http_tools.versions import Change, MemoryToolStore, ToolStore, ToolVersion
from pegboard.stores import SqlToolStore

pytestmark = pytest.mark.anyio

MOMENT = 1_767_225_600


def tool(name: str = "ping", about: str = "A tool.", url: str = "https://{{env.HOST}}/x") -> str:
    return f'name = "{name}"\ndescription = "{about}"\nurl = "{url}"\n'


@pytest.fixture(params=["memory", "sql"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ToolStore]:
    made: ToolStore = MemoryToolStore() if request.param == "memory" else SqlToolStore(tmp_path / "tools.sqlite3")
    yield made
    await made.close()


@pytest.fixture
def overlay(store: ToolStore) -> Overlay:
    return Overlay(store, by="ann", environ={"HOST": "a.example"}, clock=lambda: MOMENT + 0.9)


async def told(overlay: Overlay, name: str = "ping") -> list[tuple[int, Change, str | None]]:
    """(version, change, description) of every version."""
    versions = [one for one in await overlay.history(name) if isinstance(one, ToolVersion)]
    about = [None if one.definition is None else one.definition["description"] for one in versions]
    return [(one.version, one.change, text) for one, text in zip(versions, about, strict=True)]


async def test_every_change_is_a_version_and_none_is_lost(overlay: Overlay) -> None:
    assert await overlay.store.revision() == 0
    (added,) = await overlay.add(tool())
    assert (added.version, added.by, added.at) == (1, "ann", MOMENT)
    await overlay.edit("ping", tool(about="Second."))
    await overlay.remove("ping")
    await overlay.restore("ping", 1)
    await overlay.edit("ping", tool(about="Third."))
    assert await told(overlay) == [
        (1, Change.ADD, "A tool."),
        (2, Change.EDIT, "Second."),
        (3, Change.REMOVE, None),
        (4, Change.RESTORE, "A tool."),
        (5, Change.EDIT, "Third."),
    ]
    versions = await overlay.history("ping")
    assert isinstance(versions[3], ToolVersion)
    assert versions[3].restored == 1
    assert (await overlay.newest())["ping"] == versions[-1]
    assert await overlay.store.revision() == 5


async def test_what_is_kept_has_names_of_variables_and_secrets_alone(overlay: Overlay) -> None:
    text = tool() + 'headers = { Authorization = "Bearer {{secret.KEY}}" }\nsecret_headers = ["Authorization"]\n'
    (added,) = await overlay.add(text)
    kept = json.dumps(added.definition)
    assert "{{env.HOST}}" in kept
    assert "{{secret.KEY}}" in kept
    assert "a.example" not in kept
    there = read_back(added.definition or {}, environ={"HOST": "b.example"}).definitions[0]
    assert there.request.url == "https://b.example/x"


@pytest.mark.parametrize(
    "line",
    [
        'headers = { Authorization = "Bearer sk-plain" }',
        'headers = { X-Api-Key = "sk-plain" }',
        'headers = { X-Auth-Token = "sk-plain" }',
        'query = { api_key = "sk-plain" }',
        'query = { q = "a", access_token = ["sk-plain"] }',
    ],
)
async def test_a_secret_that_is_written_out_is_refused_without_repeating_it(overlay: Overlay, line: str) -> None:
    with pytest.raises(DefinitionError, match="holds its value itself") as caught:
        await overlay.add(tool() + line)
    assert "sk-plain" not in f"{caught.value} {caught.value.data}"
    with pytest.raises(DefinitionError):
        await overlay.add(tool(url="https://a.example/x?token=sk-plain"))
    assert await overlay.store.revision() == 0


async def test_a_broken_definition_is_refused_with_all_mistakes_and_the_last_good_one_stays(overlay: Overlay) -> None:
    await overlay.add(tool())
    broken = tool(about="", url="https://a.example/{{nope}}")
    with pytest.raises(DefinitionError) as caught:
        await overlay.edit("ping", broken, "ping.toml")
    assert [(one["line"], one["key"]) for one in caught.value.data["problems"]] == [(2, "description"), (3, "url")]
    assert await told(overlay) == [(1, Change.ADD, "A tool.")]


async def test_the_tools_of_a_file_are_added_all_or_none(overlay: Overlay) -> None:
    manifest = (
        'defaults = { base_url = "https://a.example", path_template = "/v1/{endpoint}", group = "shop" }\n'
        '[[tools]]\nname = "one"\ndescription = "One."\nendpoint = "1"\n'
        '[[tools]]\nname = "two"\ndescription = "Two."\nendpoint = "2"\n'
    )
    with pytest.raises(DefinitionError):
        await overlay.add(manifest + '[[tools]]\nname = "three"\n')
    assert await overlay.newest() == {}
    await overlay.add(manifest)
    assert sorted(await overlay.newest()) == ["one", "two"]
    one = (await overlay.newest())["one"]
    assert isinstance(one, ToolVersion)
    assert one.definition is not None
    assert (one.definition["request"]["url"], one.definition["group"]) == ("https://a.example/v1/1", "shop")
    more = '[[tools]]\nname = "zero"\ndescription = "Zero."\nendpoint = "0"\n'
    with pytest.raises(CollisionError, match="'one' already"):
        await overlay.add(manifest + more)
    assert sorted(await overlay.newest()) == ["one", "two"]


async def test_what_was_removed_may_be_added_again(overlay: Overlay) -> None:
    await overlay.add(tool())
    await overlay.remove("ping")
    with pytest.raises(NoVersionError, match="removed with version 2"):
        await overlay.remove("ping")
    await overlay.add(tool(about="Again."))
    assert (await told(overlay))[-1] == (3, Change.ADD, "Again.")


async def test_a_change_for_another_version_than_the_newest_is_refused(overlay: Overlay) -> None:
    with pytest.raises(ConflictError):
        await overlay.edit("ping", tool(), version=1)
    await overlay.edit("ping", tool(), version=0)
    await overlay.edit("ping", tool(about="Theirs."), version=1)
    changes: list[Any] = [
        overlay.edit("ping", tool(about="Mine."), version=1),
        overlay.remove("ping", version=1),
        overlay.restore("ping", 1, version=1),
    ]
    for change in changes:
        with pytest.raises(ConflictError, match="at version 2 now, by ann") as caught:
            await change
        assert caught.value.data == {"version": 2}
    assert (await told(overlay))[-1] == (2, Change.EDIT, "Theirs.")


async def test_the_same_definition_again_is_no_version(overlay: Overlay) -> None:
    await overlay.add(tool())
    assert await overlay.edit("ping", tool()) is None
    assert await overlay.restore("ping", 1) is None
    assert await overlay.store.revision() == 1


async def test_a_definition_of_another_name_and_versions_that_are_not_there_are_refused(overlay: Overlay) -> None:
    await overlay.add(tool())
    with pytest.raises(AuthoringError, match="defines 'pong'"):
        await overlay.edit("ping", tool("pong"))
    with pytest.raises(NoVersionError, match="no version 7"):
        await overlay.restore("ping", 7)
    with pytest.raises(NoVersionError, match="was ever added"):
        await overlay.history("nope")
    await overlay.remove("ping")
    with pytest.raises(AuthoringError, match="is its removal"):
        await overlay.restore("ping", 2)


async def test_an_old_version_that_is_wrong_by_now_is_not_restored(overlay: Overlay) -> None:
    await overlay.add(tool())
    await overlay.edit("ping", tool(url="https://a.example/"))
    elsewhere = Overlay(overlay.store, environ={})
    with pytest.raises(DefinitionError, match="a variable that is not set"):
        await elsewhere.restore("ping", 1)
    assert (await told(overlay))[-1][0] == 2


async def test_history_says_which_fields_were_changed(overlay: Overlay) -> None:
    await overlay.add(tool())
    await overlay.edit("ping", tool(about="Other.", url="https://a.example/") + "timeout = 3\n")
    first, second = await overlay.history("ping")
    assert isinstance(second, ToolVersion)
    assert changed_fields(first, second) == ["description", "request.url", "timeout"]


@pytest.mark.parametrize("form", ["toml", "yaml", "json"])
def test_what_is_kept_reads_back_to_the_definition_that_was_written(form: str) -> None:
    value = {
        "name": "send",
        "description": 'Says "hé" {not a placeholder}.',
        "parameters": [{"name": "n", "type": "integer"}, {"name": "tags", "type": "array:string", "required": False}],
        "request": {
            "method": "POST",
            "url": "https://a.example/{{n}}?fixed=1",
            "headers": {"X-Tenant": "{{ctx.tenant_id}}", "X-Key": "{{secret.K}}"},
            "body": {"n": "{{n}}", "tags": "{{tags}}", "deep": [1, 2.5, True, {"x": "{{env.WHO}}"}]},
        },
        "response": {"extract": "json_path", "path": "a.b"},
        "secret_headers": ["X-Key"],
        "halt_when": {"json_path": "done", "equals": ["true"], "say": {"text": "Bye."}},
        "arguments": "lossless",
    }
    if form == "json":
        text = json.dumps(value)
    elif form == "toml":
        import tomlkit

        text = tomlkit.dumps(value)
    else:
        import yaml

        text = yaml.safe_dump(value)
    found = authored(text, f"send.{form}", environ={"WHO": "me"})
    (definition,) = load_text(text, f"send.{form}", environ={"WHO": "me"}).definitions
    kept = json.loads(json.dumps(found.written["send"]))
    assert read_back(kept, environ={"WHO": "me"}).definitions == (definition,)
    assert kept["request"]["body"]["deep"][3] == {"x": "{{env.WHO}}"}
