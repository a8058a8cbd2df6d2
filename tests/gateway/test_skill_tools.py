"""The meta-tools of skills through the gateway, for clients of both eras."""

from __future__ import annotations

from pathlib import Path

import pytest

from pegboard import MemoryPinStore, Pegboard, SkillCatalog, SkillRoot
from pegboard.gateway import Gateway
from pegboard.sources.skill_spec import SkillSpec
from pegboard.sources.skills import SkillFolders
from pegboard.tokens import count_tokens
from tests.gateway.pipe import LIST_CHANGED, piped_to
from tests.skills.things import put, skill_text
from tests.support import ALICE, Rules, make, registry_of

pytestmark = pytest.mark.anyio


@pytest.fixture
def skills(tmp_path: Path) -> SkillCatalog:
    put(tmp_path / "skills", "refunds", skill_text("refunds", "Money back.", **{"allowed-tools": "find_order"}))
    put(tmp_path / "skills", "wrapping", skill_text("wrapping", "Presents."))
    return SkillCatalog(tmp_path / "skills")


def pegboard(skills: SkillCatalog, **wiring: object) -> Pegboard:
    return Pegboard([registry_of(make("find_order", "Find an order."))], skills=skills, **wiring)  # type: ignore[arg-type]


async def test_a_session_that_is_given_a_skill_is_listed_its_tools_behind_the_answer(
    skills: SkillCatalog, tmp_path: Path
) -> None:
    store = MemoryPinStore()
    peg = pegboard(skills)
    async with peg, piped_to(Gateway(peg, session_store=store), tmp_path) as pipe:
        await pipe.handshake()
        before = await pipe.names()
        assert {"skills", "read_skill_resource"} <= {*before}
        request = pipe.calling("skills", {"skill_name": "refunds"})
        pipe.send(request)
        answer = await pipe.hear()
        assert answer["id"] == request["id"]
        assert answer["result"]["content"][0]["text"].startswith("Do it.")
        assert (await pipe.hear())["method"] == LIST_CHANGED
        assert await pipe.names() == [*before, "find_order"]
        await pipe.call("skills", {"skill_name": "wrapping"})
        await pipe.settled()
        assert pipe.heard(LIST_CHANGED) == 1
        (record,) = store._records.values()
        assert [*record.skills] == ["refunds", "wrapping"]


async def test_a_modern_client_is_given_skills_and_its_list_stays(skills: SkillCatalog, tmp_path: Path) -> None:
    peg = pegboard(skills)
    async with peg, piped_to(Gateway(peg), tmp_path) as pipe:
        pipe.modern()
        before = await pipe.names()
        assert "skills" in before
        found = (await pipe.call("find_tools", {"query": "money back"}))["structuredContent"]["tools"]
        assert [(one["name"], one["kind"]) for one in found] == [("refunds", "skill")]
        (only,) = (await pipe.call("skills", {"skill_name": "refunds"}))["content"]
        assert only["text"].startswith("Do it.")
        read = await pipe.call("read_skill_resource", {"skill": "refunds", "path": "SKILL.md"})
        assert "name: refunds" in read["content"][0]["text"]
        assert await pipe.names() == before


@pytest.mark.parametrize("era", ["handshake", "modern"])
async def test_a_skill_that_is_called_like_a_tool_says_how_it_is_read(
    skills: SkillCatalog, tmp_path: Path, era: str
) -> None:
    peg = pegboard(skills, policy=Rules(hidden=["wrapping"]))
    async with peg, piped_to(Gateway(peg, identify=lambda request: ALICE), tmp_path) as pipe:
        pipe.modern() if era == "modern" else await pipe.handshake()
        for ask in (("refunds", {}), ("call_tool", {"name": "refunds", "arguments": {}})):
            said = (await pipe.call(*ask))["content"][0]["text"]
            assert said == "'refunds' is a skill, not a tool. Get its instructions with skills."
        hidden, missing = [(await pipe.call(name, {}))["content"][0]["text"] for name in ("wrapping", "nowhere")]
        assert hidden.replace("wrapping", "NAME") == missing.replace("nowhere", "NAME")


@pytest.mark.parametrize("era", ["handshake", "modern"])
async def test_a_client_is_told_of_skills_where_some_are_wired_and_the_same_at_any_moment(
    skills: SkillCatalog, tmp_path: Path, era: str
) -> None:
    async def instructions(peg: Pegboard) -> str:
        async with peg, piped_to(Gateway(peg), tmp_path) as pipe:
            if era == "handshake":
                return str((await pipe.handshake())["instructions"])
            pipe.modern()
            return str((await pipe.ask("server/discover"))["instructions"])

    said = await instructions(pegboard(skills))
    assert "skills gives you its instructions" in said
    assert count_tokens(said) <= 120
    late = SkillFolders(SkillSpec(name="late", roots=(SkillRoot(tmp_path / "skills"),)))
    assert await instructions(Pegboard(sources=[late])) == said
    none = await instructions(Pegboard())
    assert "skill" not in none
    assert said.startswith(none)
    plain = Pegboard(skills=skills, profiles={"session": ["find_tools"], "modern": ["find_tools"]})
    assert "skill" not in await instructions(plain)


async def test_who_may_discover_no_skill_has_no_tools_for_them(skills: SkillCatalog, tmp_path: Path) -> None:
    peg = pegboard(skills, policy=Rules(hidden=["refunds", "wrapping"]))
    async with peg, piped_to(Gateway(peg, identify=lambda request: ALICE), tmp_path) as pipe:
        await pipe.handshake()
        assert "skills" not in await pipe.names()
        told = await pipe.call("skills", {"skill_name": "refunds"})
        assert told["content"][0]["text"] == "Unknown skill: 'refunds'. There are no skills."
