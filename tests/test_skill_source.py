"""Skills of a Pegboard: where they come from, and who sees which of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pegboard import Pegboard, SkillCatalog, SkillChoice, SkillRoot
from pegboard.errors import NoSkillError
from pegboard.registry import SourceStatus
from pegboard.sources.skill_spec import SkillSpec
from pegboard.sources.skills import SkillFolders
from tests.skills.things import put, skill_text
from tests.support import ALICE, Rules, make, registry_of

pytestmark = pytest.mark.anyio


class Bringing:
    """A source that brings skills and no tools."""

    def __init__(self, skills: SkillCatalog) -> None:
        self.skills = skills
        self.name = skills.name
        self.registry = registry_of(name=skills.name)

    async def start(self) -> None:
        """Nothing to begin."""

    async def ready(self) -> None:
        """At once."""

    async def stop(self) -> None:
        """Nothing to end."""

    def status(self) -> SourceStatus:
        """Always ready."""
        return SourceStatus(name=self.name, kind="test", state="ready")


async def test_skills_come_from_catalogs_and_from_sources_and_the_first_of_a_name_is_taken(tmp_path: Path) -> None:
    put(tmp_path / "own", "refunds", skill_text("refunds", "Ours."))
    put(tmp_path / "theirs", "refunds", skill_text("refunds", "Theirs."))
    put(tmp_path / "theirs", "returns")
    theirs = Bringing(SkillCatalog(tmp_path / "theirs", name="theirs"))
    peg = Pegboard(skills=SkillCatalog(tmp_path / "own"), sources=[theirs])
    assert [*peg.skills.names] == ["refunds", "returns"]
    assert [skill.description for skill in peg.skills] == ["Ours.", "Does a job."]
    assert peg.catalog.source_of(peg.skills.fetch("returns")) is theirs.skills
    (lost,) = peg.catalog.problems
    assert (lost.source, lost.name) == (
        "theirs",
        "refunds",
    )
    assert "Source 'skills' has a skill of this name" in lost.reason
    await peg.remove_source("theirs")
    assert [*peg.skills.names] == ["refunds"]
    assert peg.catalog.problems == ()


async def test_a_reload_makes_a_new_generation_only_when_it_brought_something_else(tmp_path: Path) -> None:
    put(tmp_path, "refunds")
    catalog = SkillCatalog(tmp_path)
    peg = Pegboard(skills=[catalog])
    before = peg.catalog
    catalog.reload()
    assert peg.catalog is before
    put(tmp_path, "returns")
    await catalog.refresh()
    assert peg.catalog.generation > before.generation
    assert (before.skills.names, peg.skills.names) == (("refunds",), ("refunds", "returns"))


async def test_what_is_left_out_is_told_with_what_is_set_aside(tmp_path: Path) -> None:
    put(tmp_path, "bad", "---\nname: bad\n---\n")
    peg = Pegboard(skills=SkillCatalog(tmp_path))
    (told,) = peg.status()["set_aside"]
    assert (told["source"], told["name"]) == ("skills", "bad")
    assert "description-missing" in told["reason"]


async def test_a_board_sees_the_skills_that_it_is_opened_for_and_that_its_principal_may_discover(
    tmp_path: Path,
) -> None:
    for name in ("refunds", "returns", "secrets"):
        put(tmp_path, name)
    policy = Rules(hidden=["secrets"])
    # A tool of the same name is another thing: that one is denied says nothing of the other.
    peg = Pegboard([registry_of(make("returns"))], skills=SkillCatalog(tmp_path), policy=policy)
    assert (await (await peg.open()).view()).skills.names == ("refunds", "returns", "secrets")
    assert (await (await peg.open(ALICE)).view()).skills.names == ("refunds", "returns")
    assert (await (await peg.open(ALICE, skills=SkillChoice(["secrets", "returns"]))).view()).skills.names == (
        "returns",
    )
    board = await peg.open(ALICE, skills=SkillChoice(allowed=()))
    assert not (await board.view()).skills
    assert not (await (await board.other(None)).view()).skills
    policy.broken = True
    view = await (await peg.open(ALICE)).view()
    assert view.unsure
    assert not view.skills
    assert not view.tools


async def test_names_that_no_skill_has_are_refused_and_hidden_ones_just_so(tmp_path: Path) -> None:
    for name in ("refunds", "returns", "secrets"):
        put(tmp_path, name)
    peg = Pegboard(skills=SkillCatalog(tmp_path), policy=Rules(hidden=["secrets"]))
    board = await peg.open(ALICE, skills=["returns", " refunds"])
    assert (await board.view()).skills.names == ("refunds", "returns")
    assert not (await (await peg.open(ALICE, skills=[])).view()).skills
    with pytest.raises(NoSkillError) as caught:
        await peg.open(ALICE, skills=["refunds", "return"])
    assert str(caught.value) == "Unknown skill: 'return'. Did you mean 'returns'? Available skills: refunds, returns."
    said = []
    for name in ("secrets", "sekrets"):
        with pytest.raises(NoSkillError) as caught:
            await peg.open(ALICE, skills=[name])
        said.append(str(caught.value).replace(name, "NAME"))
    assert said[0] == said[1] == "Unknown skill: 'NAME'. Available skills: refunds, returns."
    assert (await (await peg.open(skills=["secrets"])).view()).skills.names == ("secrets",)


@pytest.mark.parametrize("given", ["refunds", 3])
async def test_what_is_no_list_of_names_is_refused(tmp_path: Path, given: Any) -> None:
    put(tmp_path, "refunds")
    with pytest.raises(TypeError, match=r"skills is .* give the names of skills in a list, or a SkillChoice"):
        await Pegboard(skills=SkillCatalog(tmp_path)).open(skills=given)


async def test_as_long_as_skills_may_still_come_a_name_may_be_theirs(tmp_path: Path) -> None:
    put(tmp_path, "refunds")
    late = SkillFolders(SkillSpec(name="late", roots=(SkillRoot(tmp_path),)))
    async with Pegboard(sources=[late]) as peg:
        board = await peg.open(skills=["refunds", "nowhere"])
        await peg.ready()
        assert (await board.view()).skills.names == ("refunds",)
        assert (await (await board.other(None)).view()).skills.names == ("refunds",)
        with pytest.raises(NoSkillError):
            await peg.open(skills=["nowhere"])


async def test_a_policy_that_fails_says_of_no_name_that_there_is_none(tmp_path: Path) -> None:
    put(tmp_path, "refunds")
    policy = Rules()
    policy.broken = True
    peg = Pegboard(skills=SkillCatalog(tmp_path), policy=policy)
    assert not (await (await peg.open(ALICE, skills=["refunds", "nowhere"])).view()).skills
