"""The shelf of skills that one caller may have: put in order once, and what cannot be published logged once."""

from __future__ import annotations

from pathlib import Path

import pytest

from pegboard import Pegboard, SkillCatalog
from pegboard.gateway import shelf
from pegboard.gateway.shelf import Shelves
from pegboard.skills.skill import Skill
from tests.skills.things import put

pytestmark = pytest.mark.anyio


class Counting(SkillCatalog):
    """Counts how often the address of a skill is asked for."""

    asked = 0

    def path_of(self, skill: Skill) -> tuple[str, ...]:
        """The same, counted."""
        self.asked += 1
        return super().path_of(skill)


async def test_the_skills_of_a_view_are_put_in_order_once(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        put(tmp_path, name)
    catalog, shelves = Counting(tmp_path), Shelves()
    peg = Pegboard(skills=catalog)
    for _ in range(3):
        assert len(shelves.of(await (await peg.open()).view()).addresses) == 3
    assert catalog.asked == 3
    put(tmp_path, "d")
    catalog.reload()
    assert len(shelves.of(await (await peg.open()).view()).addresses) == 4
    assert catalog.asked == 7
    (only,) = shelves.of(await (await peg.open(skills=["b"])).view()).addresses
    assert only == "skill://b/SKILL.md"


async def test_what_is_remembered_of_skills_that_cannot_be_published_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(shelf, "MOST_REFUSED", 2)
    for number in range(3):
        put(tmp_path, f"Big_{number}")
    shelves = Shelves()
    view = await (await Pegboard(skills=SkillCatalog(tmp_path)).open()).view()
    for wanted in (["Big_0"], ["Big_0", "Big_1"], ["Big_2"], ["Big_1", "Big_2"], ["Big_0"]):
        assert not [one async for one in shelves.of(view).all(f"skill://{name}/SKILL.md" for name in wanted)]
    logged = [record.getMessage()[10:17] for record in caplog.records]
    assert logged == ["'Big_0'", "'Big_1'", "'Big_2'", "'Big_0'"]
