"""Skills of the configuration in the commands about tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Done, Run
from tests.skills.things import put, skill_text


@pytest.fixture
def skilled(shop: Path) -> Path:
    """The shop, with two skills."""
    put(shop / "skills", "returns", skill_text("returns", f"Take parcels back. {'Ask why. ' * 40}"))
    put(shop / "skills", "wrapping", skill_text("wrapping", "Wrap a present."))
    with (shop / "pegboard.toml").open("a", encoding="utf-8") as file:
        file.write('[[skills]]\npaths = ["skills"]\n[limits]\nskills_chars = 600\n')
    return shop


def last(done: Done) -> str:
    """The last line that was said on stderr."""
    return done.err.splitlines()[-1]


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
    assert done.lines[0] == "returns: seen from the start, found at rank 1 of 3, readable"


def test_the_tools_of_skills_are_called_and_shown_where_there_are_skills(pegboard: Run, skilled: Path) -> None:
    done = pegboard("call", "skills", "skill_name=wrapping")
    assert (done.code, done.lines[0]) == (0, "Do it.")
    assert pegboard("show", "read_skill_resource").lines[0] == "read_skill_resource"
    (skilled / "pegboard.toml").write_text('[[python]]\nfile = "tools.py"\n', "utf-8")
    done = pegboard("call", "skills", "skill_name=wrapping")
    assert (done.code, last(done)[:33]) == (4, "Error: No tool is named 'skills'.")


@pytest.mark.parametrize("command", ["show", "call"])
def test_a_skill_that_is_taken_for_a_tool_says_how_it_is_read(pegboard: Run, skilled: Path, command: str) -> None:
    done = pegboard(command, "wrapping")
    told = "'wrapping' is a skill, not a tool. Read it with: pegboard call skills skill_name=wrapping"
    assert (done.code, last(done)) == (4, f"Error: {told}")
    assert last(pegboard(command, "wraping")) == "Error: No tool is named 'wraping'. Did you mean wrapping?"


def test_a_hidden_skill_is_missing_for_those_it_is_hidden_from(pegboard: Run, skilled: Path) -> None:
    with (skilled / "pegboard.toml").open("a", encoding="utf-8") as file:
        file.write('[principals.ann]\n[[policy.rules]]\nprincipals = ["*"]\nkinds = ["tool"]\nallow = ["discover"]\n')
    done = pegboard("show", "wrapping", "--as", "ann")
    assert (done.code, done.err.replace("wrapping", "wicker")) == (4, pegboard("show", "wicker", "--as", "ann").err)
    refused = pegboard("call", "skills", "skill_name=wrapping", "--as", "ann")
    assert last(refused)[:33] == "Error: No tool is named 'skills'."


def test_a_skill_that_is_not_found_is_mended_in_its_description(pegboard: Run, skilled: Path) -> None:
    lines = pegboard("why-not", "wrapping", "--query", "bake bread").lines
    assert any(line.endswith("or add those of the query to its description.") for line in lines)


def test_list_counts_skills_and_names_the_command_that_lists_them(pegboard: Run, skilled: Path) -> None:
    done = pegboard("list")
    assert last(done) == "Note: 2 skills beside them: pegboard skills list"
    assert all("skill" not in line for line in done.lines)
    assert pegboard("list", "--json").json["skills"] == 2
    (skilled / "pegboard.toml").write_text('[[python]]\nfile = "tools.py"\n', "utf-8")
    done = pegboard("list")
    assert "skill" not in done.err
    assert pegboard("list", "--json").json["skills"] == 0
