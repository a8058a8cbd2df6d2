"""Skills of the configuration in the commands about tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.skills.things import put, skill_text


@pytest.fixture
def skilled(shop: Path) -> Path:
    """The shop, with two skills."""
    put(shop / "skills", "returns", skill_text("returns", f"Take parcels back. {'Ask why. ' * 40}"))
    put(shop / "skills", "wrapping", skill_text("wrapping", "Wrap a present."))
    with (shop / "pegboard.toml").open("a", encoding="utf-8") as file:
        file.write('[[skills]]\npaths = ["skills"]\n[limits]\nskills_chars = 600\n')
    return shop


def test_find_tells_a_skill_from_a_tool(pegboard: Run, skilled: Path) -> None:
    done = pegboard("find", "wrap a present")
    assert done.lines == ["wrapping (skill)  Wrap a present."]
    told = pegboard("find", "--json", "--detail", "full", "wrap a present").json["tools"]
    assert [(one["name"], one["kind"]) for one in told] == [("wrapping", "skill")]
    assert pegboard("find", "--detail", "full", "wrap a present").lines == ["wrapping (skill)", "  Wrap a present."]


def test_status_counts_skills_and_says_what_the_prompt_has_no_room_for(pegboard: Run, skilled: Path) -> None:
    lines = pegboard("status").lines
    assert any(line.split() == ["skills", "skills", "ready", "2", "skills"] for line in lines)
    assert "Note: descriptions of skills that are shortened in the prompt: 1" in lines
    assert any(" and 2 skills in the catalog" in line for line in lines)
    told = pegboard("status", "--json").json
    assert (told["skills"], told["skills_prompt"]) == (
        2,
        ["descriptions of skills that are shortened in the prompt: 1"],
    )


def test_why_not_explains_a_skill(pegboard: Run, skilled: Path) -> None:
    done = pegboard("why-not", "returns", "--query", "take a parcel back")
    assert done.code == 0
    assert done.lines[0] == "returns: seen from the start, found at rank 1 of 1, readable"
