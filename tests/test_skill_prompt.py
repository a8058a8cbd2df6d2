"""The list of skills in a prompt: within its budget, shortened before anything is left out, and it says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pegboard.skill_prompt import MAX_DESCRIPTION, SkillsPrompt, skills_prompt
from pegboard.skills.skill import Skill
from pegboard.tokens import count_tokens

FOLDER = Path("/skills")


def skill(name: str, description: str = "Does a job.") -> Skill:
    file = FOLDER / name / "SKILL.md"
    return Skill(name=name, description=description, body="", path=str(file), source_path=file, root=FOLDER)


def sixty() -> list[Skill]:
    return [skill(f"s{number:02}", f"Task {number}: {'x' * 890}") for number in range(60)]


def parsed(prompt: SkillsPrompt) -> list[tuple[str, str | None]]:
    """Name and description of each skill of a prompt."""
    block = ElementTree.fromstring(prompt.text or "<none/>")
    return [(one.findtext("name") or "", one.findtext("description")) for one in block.findall("skill")]


def test_without_need_nothing_is_cut_and_nothing_said() -> None:
    prompt = skills_prompt([skill("a"), skill("b", "Does <another> & more.")], max_tokens=4_000, max_chars=16_000)
    assert (prompt.shortened, prompt.left_out, prompt.notes()) == (0, 0, ())
    assert "<note>" not in prompt.text
    assert parsed(prompt) == [("a", "Does a job."), ("b", "Does <another> & more.")]
    assert skills_prompt([]) == SkillsPrompt()


def test_long_descriptions_are_cut_at_one_length_and_short_ones_stay_whole() -> None:
    prompt = skills_prompt([*sixty(), skill("last", "Short.")], max_chars=16_000, finder="find_tools")
    told = parsed(prompt)
    assert len(prompt.text) <= 16_000
    assert (len(told), prompt.shortened, prompt.left_out) == (61, 60, 0)
    assert told[-1] == ("last", "Short.")
    assert len({len(description or "") for _, description in told[10:60]}) == 1
    assert "<note>60 of 61 descriptions are shortened to save room. find_tools finds skills" in prompt.text
    assert prompt.notes() == ("descriptions of skills that are shortened in the prompt: 60",)


def test_where_cutting_is_not_enough_names_alone_are_told_and_then_the_last_left_out() -> None:
    named = skills_prompt(sixty(), max_chars=3_000)
    assert (len(parsed(named)), named.shortened, named.left_out) == (60, 60, 0)
    fewer = skills_prompt(sixty(), max_chars=1_000)
    told = parsed(fewer)
    assert [name for name, _ in told] == [f"s{number:02}" for number in range(len(told))]
    assert fewer.left_out == 60 - len(told) > 0
    assert f"{fewer.left_out} of 60 skills are left out" in fewer.text
    nothing = skills_prompt(sixty(), max_chars=60)
    assert (nothing.text, nothing.left_out) == ("", 60)


def test_a_skill_more_or_less_changes_nothing_before_it_where_there_is_room() -> None:
    less, more = (skills_prompt(map(skill, names), max_tokens=4_000).text for names in (["a", "b"], ["a", "b", "c"]))
    assert more.startswith(less.removesuffix("</available_skills>"))


TEXTS = st.text(st.characters(codec="utf-8"), max_size=80) | st.text("ab <>&\"'", min_size=200, max_size=1_100)
NAMES = st.lists(st.text("abcdé_-", min_size=1, max_size=12), unique=True, max_size=12)


@given(NAMES, st.data(), st.integers(1, 4_000), st.integers(1, 8_000))
@example(["a"], None, 1, 1)
def test_the_budget_is_kept_and_equal_input_gives_equal_bytes(
    names: list[str], data: st.DataObject | None, tokens: int, chars: int
) -> None:
    skills = [skill(name, data.draw(TEXTS) if data else "x") for name in names]
    prompt = skills_prompt(skills, max_tokens=tokens, max_chars=chars, finder="find_tools")
    assert count_tokens(prompt.text) <= tokens
    assert len(prompt.text) <= chars
    assert prompt == skills_prompt(skills, max_tokens=tokens, max_chars=chars, finder="find_tools")
    told = parsed(prompt) if prompt.text.isprintable() or prompt.text else []
    assert len(told) + prompt.left_out == len(skills)
    assert [name for name, _ in told] == names[: len(told)]
    if prompt.left_out:
        # Nobody is left out as long as there is a description that could still be cut.
        assert all(description is None for _, description in told)
    whole = parsed(skills_prompt(skills))
    assert sum(one != other for one, other in zip(told, whole, strict=False)) == prompt.shortened
    if prompt.shortened or (prompt.left_out and prompt.text):
        assert "to save room" in prompt.text


@given(st.text(st.characters(codec="utf-8"), max_size=60), st.text(st.characters(codec="utf-8"), max_size=60))
def test_no_description_and_no_place_ends_its_element(description: str, place: str) -> None:
    odd = replace(skill("a", f"</description></skill>{description}"), path=f"</location>&{place}")
    text = skills_prompt([odd, skill("b")]).text
    assert text.count("<skill>") == text.count("</skill>") == 2
    assert text.count("</description>") == text.count("</location>") == 2
    assert text.count("</available_skills>") == 1


@pytest.mark.parametrize("length", [MAX_DESCRIPTION, MAX_DESCRIPTION + 1])
def test_what_the_format_cuts_is_no_doing_of_the_budget(length: int) -> None:
    prompt = skills_prompt([skill("a", "d" * length)], max_chars=16_000)
    assert prompt.shortened == 0
    assert len(parsed(prompt)[0][1] or "") == MAX_DESCRIPTION
