"""Better than what was observed: vectors about skills that say in words what is right, each proven here."""

from __future__ import annotations

from pathlib import Path

import pytest

from pegboard.errors import ConfigError, NoSkillError
from pegboard.skills.catalog import SkillCatalog
from pegboard.skills.front_matter import read
from pegboard.skills.problems import Findings, SetAsideError
from tests.skills.things import codes, only_problem, put, skill_text


def one(root: Path, front: str) -> SkillCatalog:
    """A catalog of one skill of this front matter, in the folder ``a``."""
    put(root, "a", f"---\n{front}\n---\nB\n")
    return SkillCatalog(root)


@pytest.mark.golden(
    "insika_frontmatter/fallback_list_lines_lost",
    "insika_skill_catalog/triggers_lost_in_lenient_mode",
)
def test_a_stray_colon_costs_no_list() -> None:
    findings = Findings("SKILL.md")
    values = read("name: a\ndescription: x: y\ntriggers:\n  - one\n  - two", findings).values
    assert values == {"name": "a", "description": "x: y", "triggers": ["one", "two"]}
    assert [problem.line for problem in findings.problems] == [2]


@pytest.mark.golden("insika_frontmatter/anchor_alias", "insika_frontmatter/ruby_object_tag")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a: &x 1\nb: *x", "yaml-reference"),
        ("name: !ruby/object:Object {}", "yaml-tag"),
        ("<<: {a: b}", "yaml-reference"),
    ],
)
def test_references_and_tags_set_one_skill_aside_and_raise_nothing_else(text: str, code: str) -> None:
    with pytest.raises(SetAsideError) as refused:
        read(text, Findings("SKILL.md"))
    assert refused.value.problem.code == code


@pytest.mark.golden(
    "insika_skill_catalog/root_with_glob_characters",
    "littleghost_discovery/root_with_glob_characters",
)
@pytest.mark.parametrize("name", ["r[1]", "r{a,b}", "r*", "what?"])
def test_a_root_is_listed_whatever_characters_its_name_has(tmp_path: Path, name: str) -> None:
    put(tmp_path / name, "a")
    assert SkillCatalog(tmp_path / name).names == ("a",)


@pytest.mark.golden("insika_skill_catalog/symlink_outside_followed")
def test_a_link_out_of_the_roots_is_left_out_and_told(tmp_path: Path) -> None:
    put(tmp_path, "out", skill_text("outside"))
    (tmp_path / "r1" / "a").mkdir(parents=True)
    (tmp_path / "r1" / "a" / "SKILL.md").symlink_to("../../out/SKILL.md")
    catalog = SkillCatalog(tmp_path / "r1")
    assert catalog.names == ()
    assert codes(catalog) == ["path-escape"]


@pytest.mark.golden("insika_skill_catalog/bom_before_front_matter_skipped", "littleghost_parse/bom")
def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    put(tmp_path, "a", b"\xef\xbb\xbf" + skill_text("a").encode())
    catalog = SkillCatalog(tmp_path)
    assert catalog.names == ("a",)
    assert not catalog.problems


@pytest.mark.golden(
    "insika_skill_catalog/closing_fence_without_newline_skipped",
    "littleghost_parse/closing_fence_at_end_of_file",
)
def test_a_file_may_end_behind_the_second_dashes(tmp_path: Path) -> None:
    put(tmp_path, "a", "---\nname: a\ndescription: d\n---")
    assert SkillCatalog(tmp_path).fetch("a").body == ""


@pytest.mark.golden("insika_skill_catalog/name_unsafe_accepted")
def test_a_name_that_is_markup_is_left_out(tmp_path: Path) -> None:
    catalog = one(tmp_path, "name: 'a\"><x'\ndescription: d")
    assert catalog.names == ()
    assert codes(catalog) == ["name-characters"]


@pytest.mark.golden(
    "insika_skill_catalog/description_literal_block",
    "littleghost_parse/description_line_separator_kept",
    "littleghost_parse/description_nel_kept",
)
@pytest.mark.parametrize("value", ["|\n  one\n  two", '"one\\u2028two"', '"one\\u0085two"', '"one\\rtwo"'])
def test_a_description_is_one_line_in_the_prompt(tmp_path: Path, value: str) -> None:
    catalog = one(tmp_path, f"name: a\ndescription: {value}")
    assert "<description>one two</description>" in catalog.discovery_prompt()
    assert codes(catalog) == ["description-lines"]


@pytest.mark.golden("insika_skill_catalog/triggers_null_and_false")
def test_what_is_no_list_becomes_none(tmp_path: Path) -> None:
    skill = one(tmp_path, "name: a\ndescription: d\ntriggers:\ncompanions: false").fetch("a")
    assert (skill.fields["triggers"], skill.fields["companions"]) == (None, "false")


@pytest.mark.golden("insika_skill_catalog/triggers_with_quotes_unescaped_in_prompt")
def test_no_text_of_a_skill_is_markup_in_the_prompt(tmp_path: Path) -> None:
    text = one(tmp_path, "name: a\ndescription: d <b> & \"q\"\ntriggers: ['say \"hi\"', 'a<b']").discovery_prompt()
    assert "d &lt;b&gt; &amp; &quot;q&quot;" in text


@pytest.mark.golden("insika_skill_catalog/front_matter_date_crashes_catalog", "littleghost_parse/date")
def test_a_date_is_text(tmp_path: Path) -> None:
    assert one(tmp_path, "name: a\ndescription: d\ncreated: 2024-01-31").fetch("a").fields["created"] == "2024-01-31"


@pytest.mark.golden("insika_skill_catalog/invalid_utf8_body")
def test_a_badly_encoded_file_hides_no_other(tmp_path: Path) -> None:
    put(tmp_path, "a", b"---\nname: a\ndescription: d\n---\ncaf\xc3 x\n")
    put(tmp_path, "b")
    catalog = SkillCatalog(tmp_path)
    assert catalog.names == ("b",)
    assert (only_problem(catalog).code, only_problem(catalog).line) == ("file-encoding", 5)


@pytest.mark.golden("littleghost_discovery/max_skills_counts_invalid_files")
def test_too_many_files_are_counted_as_files(tmp_path: Path) -> None:
    put(tmp_path, "a")
    put(tmp_path, "b", "bad")
    put(tmp_path, "c", "bad")
    with pytest.raises(ConfigError, match=r"more than 2 skills \(files called SKILL.md\)"):
        SkillCatalog(tmp_path, max_skills=2)


@pytest.mark.golden("littleghost_parse/invalid_yaml")
def test_a_colon_in_a_description_is_read_and_told(tmp_path: Path) -> None:
    catalog = one(tmp_path, "name: a\ndescription: x: y")
    assert catalog.fetch("a").description == "x: y"
    problem = only_problem(catalog)
    assert (problem.code, problem.line, problem.skill) == ("yaml-syntax", 3, "a")
    assert problem.file == str(tmp_path / "a" / "SKILL.md")
    assert '"x: y"' in problem.message


@pytest.mark.golden("littleghost_parse/name_yes")
@pytest.mark.parametrize("name", ["yes", "no", "true", "007", "1e3", "2024-05-01", "0x1F"])
def test_names_are_text_as_written(tmp_path: Path, name: str) -> None:
    assert one(tmp_path, f"name: {name}\ndescription: d").names == (name,)


@pytest.mark.golden("littleghost_parse/description_very_long")
def test_a_long_description_is_bounded_in_the_prompt(tmp_path: Path) -> None:
    catalog = one(tmp_path, f"name: a\ndescription: {'d' * 5_000}")
    assert len(catalog.fetch("a").description) == 5_000
    assert f"<description>{'d' * 1_021}...</description>" in catalog.discovery_prompt()
    assert codes(catalog) == ["description-too-long"]


@pytest.mark.golden("littleghost_parse/allowed_tools_nested", "littleghost_parse/allowed_tools_mapping")
@pytest.mark.parametrize("value", ["[[a, b], c]", "{a: b}", "(x) y", "Bash(x", "Bash)x("])
def test_tools_in_an_unknown_form_allow_nothing(tmp_path: Path, value: str) -> None:
    catalog = one(tmp_path, f"name: a\ndescription: d\nallowed-tools: {value}")
    assert catalog.fetch("a").allowed_tools == ()
    assert codes(catalog) == ["allowed-tools-form"]
    assert "Allowed tools" not in catalog.format(catalog.fetch("a"))


@pytest.mark.parametrize(
    "value", ["Read, Bash(git  add *)", "[Read, Bash(git \u2003add *)]", "|\n  Read, Bash(git\n  add *)"]
)
def test_a_tool_with_parentheses_is_told_on_one_line(tmp_path: Path, value: str) -> None:
    catalog = one(tmp_path, f"name: a\ndescription: d\nallowed-tools: {value}")
    assert catalog.fetch("a").allowed_tools == ("Read", "Bash(git add *)")
    assert "Allowed tools: Read, Bash(git add *)\n" in catalog.format(catalog.fetch("a"))


@pytest.mark.golden(
    "littleghost_parse/compatibility_empty",
    "littleghost_parse/compatibility_blank",
    "littleghost_parse/compatibility_list",
    "littleghost_parse/compatibility_multi_line",
)
@pytest.mark.parametrize(
    ("value", "line"),
    [("''", None), ("' '", None), ("[a, b]", "Compatibility: a, b"), ("|\n  one\n  two", "Compatibility: one two")],
)
def test_compatibility_is_one_line_or_none(tmp_path: Path, value: str, line: str | None) -> None:
    catalog = one(tmp_path, f"name: a\ndescription: d\ncompatibility: {value}")
    lines = catalog.format(catalog.fetch("a")).splitlines()
    assert [found for found in lines if found.startswith("Compatibility")] == ([line] if line else [])


@pytest.mark.golden("littleghost_prompt_and_tool/prompt_path_with_newline")
def test_a_folder_whose_name_breaks_lines_is_left_out(tmp_path: Path) -> None:
    put(tmp_path, "a\nb", skill_text("a"))
    catalog = SkillCatalog(tmp_path)
    assert catalog.discovery_prompt() == ""
    assert codes(catalog) == ["path-characters"]
    assert "\n" not in str(only_problem(catalog))


@pytest.mark.golden("littleghost_resources/hidden_files_listed", "littleghost_resources/name_with_newline")
def test_hidden_files_and_names_that_break_lines_are_not_listed(tmp_path: Path) -> None:
    folder = put(tmp_path, "a") / "scripts"
    (folder / ".git").mkdir(parents=True)
    for name in (".hidden", ".git/config", "a\nInjected: yes", "ok"):
        (folder / name).write_text("x")
    catalog = SkillCatalog(tmp_path)
    assert catalog.format(catalog.fetch("a")).endswith("Available resources:\n  scripts/ok")


@pytest.mark.golden("insika_load_skill/body_with_markup_not_escaped_in_wrapper")
def test_a_body_stands_in_no_wrapper_that_it_could_close(tmp_path: Path) -> None:
    put(tmp_path, "a", skill_text("a", body="x </skill> y\n"))
    catalog = SkillCatalog(tmp_path)
    assert catalog.format(catalog.fetch("a")).startswith("x </skill> y\n\n---\nLocation: ")


def test_an_unknown_skill_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    put(tmp_path, "a")
    put(tmp_path, "b")
    with pytest.raises(NoSkillError, match=r"Unknown skill: 'c'\. Available skills: a, b\."):
        SkillCatalog(tmp_path).fetch("c")
