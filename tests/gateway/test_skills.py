"""Skills over MCP: by the Skills extension, and as resources, for clients of both eras."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError

from pegboard import Pegboard, Principal, SkillCatalog, ToolRegistry, tool
from pegboard.gateway import Gateway, GatewaySettings
from pegboard.gateway import skills_extension as extension
from pegboard.sources.mcp import HttpSpec, HttpUpstream
from tests.gateway.pipe import Pipe, piped, piped_to
from tests.gateway.test_http import serving
from tests.skills.things import put, skill_text
from tests.support import Rules

pytestmark = pytest.mark.anyio

EXTENSION = "io.modelcontextprotocol/skills"
CHANGED = "notifications/resources/list_changed"
ERAS = pytest.mark.parametrize("era", ["handshake", "modern"])
PNG = b"\x89PNG\r\n\x1a\nxx"


@pytest.fixture
def skills(tmp_path: Path) -> SkillCatalog:
    """Two skills; one has files, among them another skill's."""
    root = tmp_path / "skills"
    refunds = put(root, "refunds", skill_text("refunds", "When to give money back."))
    put(root, "search", skill_text("search", "Search: how it is done."))
    put(refunds, "inner", skill_text("inner"))
    (refunds / "references").mkdir()
    (refunds / "references" / "limits 1.md").write_text("Gold: 500.\n", encoding="utf-8")
    (refunds / "logo.png").write_bytes(PNG)
    (refunds / ".env").write_text("SECRET=1", encoding="utf-8")
    (tmp_path / "outside.md").write_text("outside", encoding="utf-8")
    (refunds / "link.md").symlink_to(tmp_path / "outside.md")
    return SkillCatalog(root)


@asynccontextmanager
async def asking(peg: Pegboard, folder: Path, era: str, **gateway: Any) -> AsyncIterator[tuple[Pipe, Any]]:
    """A connection to a gateway, and what the server told of its capabilities."""
    async with peg, piped_to(Gateway(peg, **gateway), folder) as pipe:
        if era == "modern":
            pipe.modern()
            told = await pipe.ask("server/discover")
        else:
            told = await pipe.handshake()
        yield pipe, told["capabilities"]


async def refused(pipe: Pipe, method: str, **params: Any) -> dict[str, Any]:
    """The error that a request is answered with."""
    request = pipe.request(method, params)
    pipe.send(request)
    error: dict[str, Any] = (await pipe.answer(request))["error"]
    return error


async def contents(pipe: Pipe, uri: str) -> bytes:
    """The bytes of a resource."""
    (one,) = (await pipe.ask("resources/read", {"uri": uri}))["contents"]
    assert one["uri"] == uri
    return one["text"].encode() if "text" in one else base64.b64decode(one["blob"])


@ERAS
async def test_the_extension_lists_each_skill_with_a_manifest_that_every_file_matches(
    skills: SkillCatalog, tmp_path: Path, era: str
) -> None:
    async with asking(Pegboard(skills=skills), tmp_path, era) as (pipe, capabilities):
        assert capabilities["extensions"] == {EXTENSION: {"directoryRead": True}}
        assert capabilities["resources"]["listChanged"]

        listed = await pipe.ask("skills/list")

        assert (listed["resultType"], listed["ttlMs"], listed["cacheScope"]) == ("complete", 60_000, "private")
        assert "nextCursor" not in listed
        assert [one["uri"] for one in listed["skills"]] == ["skill://refunds/SKILL.md", "skill://search/SKILL.md"]
        assert listed["skills"][1]["frontmatter"] == {"name": "search", "description": "Search: how it is done."}
        assert [file["uri"].removeprefix("skill://refunds/") for file in listed["skills"][0]["resources"]] == [
            "SKILL.md",
            "inner/SKILL.md",
            "logo.png",
            "references/limits%201.md",
        ]
        for one in listed["skills"]:
            assert (await pipe.ask("skills/get", {"uri": one["uri"]}))["skill"] == one
            for file in one["resources"]:
                data = await contents(pipe, file["uri"])
                assert (len(data), f"sha256:{hashlib.sha256(data).hexdigest()}") == (file["size"], file["digest"])


@ERAS
async def test_a_folder_is_read_level_by_level(skills: SkillCatalog, tmp_path: Path, era: str) -> None:
    async with asking(Pegboard(skills=skills), tmp_path, era) as (pipe, _):
        listed = await pipe.ask("resources/directory/read", {"uri": "skill://refunds"})
        assert listed["resultType"] == "complete"
        assert [(one["name"], one.get("mimeType")) for one in listed["resources"]] == [
            ("SKILL.md", "text/markdown"),
            ("inner", "inode/directory"),
            ("logo.png", "image/png"),
            ("references", "inode/directory"),
        ]
        inner = await pipe.ask("resources/directory/read", {"uri": listed["resources"][3]["uri"]})
        assert [one["uri"] for one in inner["resources"]] == ["skill://refunds/references/limits%201.md"]


@ERAS
@pytest.mark.parametrize(
    ("method", "uri"),
    [
        ("skills/get", "skill://nowhere/SKILL.md"),
        ("skills/get", "skill://refunds"),
        ("skills/get", "skill://refunds/inner/SKILL.md"),
        ("skills/get", "skill://refunds/logo.png"),
        ("resources/directory/read", "skill://refunds/SKILL.md"),
        ("resources/directory/read", "skill://refunds/nowhere"),
        ("resources/directory/read", "skill://"),
        ("resources/read", "skill://refunds"),
        ("resources/read", "skill://refunds/.env"),
        ("resources/read", "skill://refunds/link.md"),
        ("resources/read", "skill://refunds/../outside.md"),
        ("resources/read", "skill://refunds/%2e%2e/search/SKILL.md"),
        ("resources/read", "file:///etc/passwd"),
    ],
)
async def test_what_is_not_there_is_refused_with_its_address(
    skills: SkillCatalog, tmp_path: Path, era: str, method: str, uri: str
) -> None:
    async with asking(Pegboard(skills=skills), tmp_path, era) as (pipe, _):
        error = await refused(pipe, method, uri=uri)
        assert (error["code"], error["data"]) == (-32602, {"uri": uri})


async def test_resources_are_the_same_skills_for_a_client_that_knows_nothing_else(
    skills: SkillCatalog, tmp_path: Path
) -> None:
    async with serving(Pegboard(skills=skills)) as address:
        for mode in ("legacy", "auto"):
            async with Client(address, mode=mode) as client:
                listed = (await client.list_resources()).resources
                assert [(one.uri, one.name, one.mime_type) for one in listed] == [
                    ("skill://index.json", "skills", "application/json"),
                    ("skill://refunds/SKILL.md", "refunds", "text/markdown"),
                    ("skill://search/SKILL.md", "search", "text/markdown"),
                ]
                assert listed[1].description == "When to give money back."
                templates = (await client.list_resource_templates()).resource_templates
                assert [one.uri_template for one in templates] == ["skill://{skill}/{+file}"]
                index = json.loads((await client.read_resource("skill://index.json")).contents[0].text)  # type: ignore[union-attr]
                assert [one["uri"] for one in index["skills"]] == [listed[1].uri, listed[2].uri]
                text = (await client.read_resource("skill://refunds/references/limits%201.md")).contents[0]
                assert text.text == "Gold: 500.\n"  # type: ignore[union-attr]


@ERAS
async def test_a_hidden_skill_answers_like_a_missing_one_and_counts_nowhere(
    skills: SkillCatalog, tmp_path: Path, era: str
) -> None:
    ann = Principal(id="ann", issuer="test")
    peg = Pegboard(skills=skills, policy=Rules(hidden=["refunds"]))
    async with asking(peg, tmp_path, era, identify=lambda request: ann) as (pipe, _):
        assert [one["uri"] for one in (await pipe.ask("skills/list"))["skills"]] == ["skill://search/SKILL.md"]
        listed = await pipe.ask("resources/list")
        assert [one["name"] for one in listed["resources"]] == ["skills", "search"]
        assert b"refunds" not in await contents(pipe, "skill://index.json")
        for method, inside in [
            ("skills/get", "/SKILL.md"),
            ("resources/read", "/SKILL.md"),
            ("resources/read", "/logo.png"),
            ("resources/directory/read", ""),
        ]:
            hidden = await refused(pipe, method, uri=f"skill://refunds{inside}")
            missing = await refused(pipe, method, uri=f"skill://missing{inside}")
            assert json.dumps(hidden).replace("refunds", "missing") == json.dumps(missing)


@ERAS
async def test_long_lists_come_in_pages_and_a_strange_cursor_is_refused(
    tmp_path: Path, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extension, "PAGE", 2)
    for number in range(5):
        put(tmp_path / "skills", f"s{number}")
    (tmp_path / "skills" / "s0" / "x").mkdir()
    for number in range(3):
        (tmp_path / "skills" / "s0" / "x" / f"{number}").touch()
    lists = [
        ("skills/list", {}, 5),
        ("resources/list", {}, 6),
        ("resources/directory/read", {"uri": "skill://s0/x"}, 3),
    ]
    async with asking(Pegboard(skills=SkillCatalog(tmp_path / "skills")), tmp_path, era) as (pipe, _):
        for method, params, count in lists:
            uris: list[str] = []
            cursor: dict[str, str] = {}
            while True:
                page = await pipe.ask(method, params | cursor)
                uris += [one["uri"] for one in page.get("skills") or page["resources"]]
                if "nextCursor" not in page:
                    break
                cursor = {"cursor": page["nextCursor"]}
            assert len(uris) == len(set(uris)) == count
            assert (await refused(pipe, method, cursor="2", **params))["code"] == -32602


@ERAS
async def test_a_client_that_listed_skills_is_told_when_they_change_and_only_then(tmp_path: Path, era: str) -> None:
    root = tmp_path / "skills"
    put(root, "refunds")
    catalog = SkillCatalog(root)

    @tool(visibility="always")
    def change(name: str) -> str:
        """Add a skill."""
        put(root, name)
        catalog.reload()
        return "done"

    registry = ToolRegistry()
    registry.register(change)
    async with asking(Pegboard([registry], skills=catalog), tmp_path, era) as (pipe, _):
        if era == "modern":
            listen = {"resourcesListChanged": True}
            pipe.send(pipe.request("subscriptions/listen", {"notifications": listen}))
            await pipe.notified("notifications/subscriptions/acknowledged")
        else:
            await pipe.call("change", {"name": "unseen"})
            await pipe.ask("skills/list")
        await pipe.call("change", {"name": "refunds"})

        await pipe.call("change", {"name": "other"})

        await pipe.notified(CHANGED)
        assert "skill://other/SKILL.md" in [one["uri"] for one in (await pipe.ask("skills/list"))["skills"]]
        assert pipe.heard(CHANGED) == 1
        assert not pipe.heard("notifications/tools/list_changed")


@ERAS
async def test_without_skills_there_are_neither_resources_nor_the_extension(tmp_path: Path, era: str) -> None:
    async with piped(tmp_path) as pipe:
        if era == "modern":
            pipe.modern()
        told = (await pipe.ask("server/discover") if era == "modern" else await pipe.handshake())["capabilities"]
        assert "extensions" not in told
        assert "resources" not in told
        for method in ("skills/list", "resources/list", "resources/templates/list"):
            assert (await refused(pipe, method))["code"] == -32601


@ERAS
async def test_a_skill_whose_name_the_format_does_not_have_is_left_out_and_hurts_no_other(
    skills: SkillCatalog, tmp_path: Path, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    put(tmp_path / "skills", "Big_Name")
    skills.reload()
    async with asking(Pegboard(skills=skills), tmp_path, era) as (pipe, _):
        for _ in range(2):
            assert len((await pipe.ask("skills/list"))["skills"]) == 2
        assert (await refused(pipe, "skills/get", uri="skill://Big_Name/SKILL.md"))["code"] == -32602
    told = [record.getMessage() for record in caplog.records if "Big_Name" in record.getMessage()]
    assert len(told) == 1
    assert "has a name that the format does not have" in told[0]


@ERAS
async def test_skills_of_an_upstream_go_through_whole_under_its_name(
    skills: SkillCatalog, tmp_path: Path, era: str
) -> None:
    own = SkillCatalog(put(tmp_path / "own", "refunds").parent)
    async with serving(Pegboard(skills=skills)) as address:
        upstream = HttpUpstream(HttpSpec(name="shop", url=address))
        async with asking(Pegboard(skills=own, sources=[upstream]), tmp_path, era) as (pipe, _):
            listed = {one["uri"]: one for one in (await pipe.ask("skills/list"))["skills"]}
            assert sorted(listed) == [
                "skill://refunds/SKILL.md",
                "skill://shop.mcp/refunds/SKILL.md",
                "skill://shop.mcp/search/SKILL.md",
            ]
            for file in listed["skill://shop.mcp/refunds/SKILL.md"]["resources"]:
                data = await contents(pipe, file["uri"])
                assert f"sha256:{hashlib.sha256(data).hexdigest()}" == file["digest"]
            folder = await pipe.ask("resources/directory/read", {"uri": "skill://shop.mcp/refunds/references"})
            assert [one["name"] for one in folder["resources"]] == ["limits 1.md"]
            assert (await refused(pipe, "skills/get", uri="skill://shop.mcp/refunds/inner/SKILL.md"))["code"] == -32602


async def test_a_model_uses_a_skill_of_an_upstream_like_any_other_and_is_told_whose_it_is(
    skills: SkillCatalog, tmp_path: Path
) -> None:
    async with serving(Pegboard(skills=skills)) as address:
        upstream = HttpUpstream(HttpSpec(name="shop", url=address))
        async with asking(Pegboard(sources=[upstream]), tmp_path, "modern") as (pipe, _):
            await pipe.ask("skills/list")
            whole = (await pipe.call("skills", {"skill_name": "shop__refunds"}))["content"][0]["text"]
            assert whole.startswith("These instructions come from the MCP server 'shop', not from the user")
            assert "references/limits 1.md" in whole
            arguments = {"skill": "shop__refunds", "path": "references/limits 1.md"}
            assert (await pipe.call("read_skill_resource", arguments))["content"][0]["text"] == "Gold: 500.\n"
            assert (await pipe.call("skills", {"skill_name": "refunds"}))["isError"]


async def test_boards_with_addresses_of_their_own_show_what_their_principal_may_see(
    skills: SkillCatalog, tmp_path: Path
) -> None:
    peg = Pegboard(skills=skills)
    async with peg:
        board = await peg.open()
        await board.commit()
        app_board = board.id
    async with serving(peg, GatewaySettings(boards=True)) as address, Client(f"{address}/b/{app_board}") as client:
        assert len((await client.list_resources()).resources) == 3
    with pytest.raises((MCPError, ExceptionGroup)):
        async with serving(peg, GatewaySettings(boards=True)) as address, Client(f"{address}/b/none") as client:
            await client.list_resources()
