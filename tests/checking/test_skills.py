"""Rules about whole skills, each with what comes near; and the table of rules against the documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from pegboard.checking.finding import Finding, in_order
from pegboard.checking.rules import RULES
from pegboard.checking.similar import alike
from pegboard.checking.skills import check_skills
from pegboard.skills.catalog import SkillCatalog
from pegboard.skills.options import MAX_FILE_BYTES
from pegboard.skills.rules import RULES as FORMAT
from tests.skills.things import put, skill_text


def found_in(root: Path) -> list[Finding]:
    catalog = SkillCatalog(root)
    return in_order(check_skills(catalog, catalog.problems, MAX_FILE_BYTES))


def codes(root: Path) -> list[str]:
    return [one.code for one in found_in(root)]


def only(root: Path) -> Finding:
    (one,) = found_in(root)
    return one


def test_a_good_skill_has_no_finding(tmp_path: Path) -> None:
    put(tmp_path, "a", skill_text("a", body="See [x](references/x.md), `scripts/y.py` and https://example.org/z.md.\n"))
    for name in ("references/x.md", "scripts/y.py"):
        (tmp_path / "a" / name).parent.mkdir()
        (tmp_path / "a" / name).write_text("text\n")
    assert codes(tmp_path) == []


def test_places_are_those_of_the_file(tmp_path: Path) -> None:
    put(tmp_path, "a", "\ufeff---\r\nname: a\r\ndescription: Adds\u200b.\r\n---\r\n\r\nIt is \U000e0041.\r\n")
    assert [(one.code, one.line, one.column) for one in found_in(tmp_path)] == [
        ("hidden-characters", 3, 18),
        ("hidden-tags", 6, 7),
    ]


def test_what_yaml_escapes_is_found_too(tmp_path: Path) -> None:
    put(tmp_path, "a", '---\nname: a\ndescription: "Adds.\\u200b"\nmetadata: {x: "a\\U000e0041"}\n---\nDo it.\n')
    assert [(one.code, one.key, one.line) for one in found_in(tmp_path)] == [
        ("hidden-characters", "description", 3),
        ("hidden-tags", "metadata.x", 4),
    ]


def test_a_comment_in_front_matter_is_looked_at(tmp_path: Path) -> None:
    put(tmp_path, "a", "---\nname: a\n# x\U000e0041\ndescription: Adds.\n---\nDo it.\n")
    assert (only(tmp_path).code, only(tmp_path).line) == ("hidden-tags", 3)


def test_texts_beside_a_skill_are_looked_at_and_other_files_are_not(tmp_path: Path) -> None:
    place = put(tmp_path, "a")
    (place / "references").mkdir()
    (place / "references" / "x.md").write_text("one\ntwo\U000e0041\n")
    (place / "references" / "y.bin").write_bytes(b"\x00\xf3\xa0\x81\x81")
    assert (Path(only(tmp_path).file).name, only(tmp_path).line) == ("x.md", 2)


@pytest.mark.parametrize(
    "body",
    [
        "See [x](references/x.md).",
        "Run `scripts/run.py`.",
        "See references/deep/x.md, please.",
        "![](<assets/a%20b.png>)",
    ],
)
def test_a_file_that_is_not_there_is_told(tmp_path: Path, body: str) -> None:
    put(tmp_path, "a", skill_text("a", body=body))
    assert only(tmp_path).code == "resource-missing"


@pytest.mark.parametrize(
    "body",
    [
        "See [x](https://example.org/x.md), [y](#y) and [z](mailto:a@example.org).",
        "Write to ~/references/x.md or /opt/scripts/y.sh.",
        "Save it as `references/<name>.md` or scripts/{{x}}.py.",
        "```\nsee references/x.md and [x](y.md)\n```",
        "The folder references/ holds more.",
    ],
)
def test_what_is_no_file_of_the_skill_is_not_looked_for(tmp_path: Path, body: str) -> None:
    put(tmp_path, "a", skill_text("a", body=body))
    assert codes(tmp_path) == []


def test_a_link_out_of_the_folder_is_told_and_not_followed(tmp_path: Path) -> None:
    put(tmp_path, "a", skill_text("a", body="See [x](../b/x.md) and [y](references/link.md)."))
    (tmp_path / "a" / "references").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "x.md").write_text("x")
    (tmp_path / "a" / "references" / "link.md").symlink_to(tmp_path / "b" / "x.md")
    assert codes(tmp_path) == ["resource-outside", "resource-missing"]


@pytest.mark.parametrize(
    "body",
    [
        "Read ../b/x.md first.",
        "Read `../../b/x.md`, then go on.",
        "It is in (../b/notes.txt).",
        "See references/../../b/x.md.",
        "See ./../b.md",
    ],
)
def test_a_path_in_the_text_that_leads_out_of_the_folder_is_told(tmp_path: Path, body: str) -> None:
    put(tmp_path, "a", skill_text("a", body=body))
    assert only(tmp_path).code == "resource-outside"


@pytest.mark.parametrize(
    "body",
    [
        "Go up with cd ../b, or list ../.",
        "```\ncat ../b/x.md\n```",
        "Replace a/../b/x.md by b/x.md.",
        "As ../<name>/x.md has it, or ../{{name}}.md.",
        "Look at https://example.org/../x.md and ~/../x.md.",
        "import x from '../lib/x.js'",
    ],
)
def test_a_path_upwards_that_names_no_text_is_not(tmp_path: Path, body: str) -> None:
    put(tmp_path, "a", skill_text("a", body=body))
    assert codes(tmp_path) == []


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("x\n" * 500, []),
        ("x\n" * 501, ["body-lines"]),
        ("word " * 4_900, []),
        ("word " * 5_200, ["body-tokens"]),
        (" \n", ["body-empty"]),
    ],
)
def test_bodies_have_the_length_that_the_format_advises(tmp_path: Path, body: str, wanted: list[str]) -> None:
    put(tmp_path, "a", skill_text("a", body=body))
    assert codes(tmp_path) == wanted


@pytest.mark.parametrize(
    ("key", "wanted"),
    [
        ("licence", "key-misspelt"),
        ("allowed-tool", "key-misspelt"),
        ("version", "key-unknown"),
        ("model", "key-unknown"),
    ],
)
def test_keys_that_the_format_does_not_have_are_told(tmp_path: Path, key: str, wanted: str) -> None:
    put(tmp_path, "a", skill_text("a", **{key: "x"}))
    assert (only(tmp_path).code, only(tmp_path).line) == (wanted, 4)


def test_the_other_spelling_of_allowed_tools_is_read_and_told(tmp_path: Path) -> None:
    put(tmp_path, "a", skill_text("a", allowed_tools="x"))
    assert (only(tmp_path).code, only(tmp_path).hint[:20]) == ("key-unknown", "Write allowed-tools:")
    put(tmp_path, "a", skill_text("a", allowed_tools="x", **{"allowed-tools": "y"}))
    assert "which the format does not have" in only(tmp_path).message


@pytest.mark.parametrize(
    ("front", "line", "told"),
    [
        ("name: a\ndescripton: Adds.", 3, 'has no description. Write description instead of "descripton".'),
        ("Name: a\ndescription: Adds.", 2, 'has no name. Write name instead of "Name".'),
        ("name: a\nlicense: MIT", None, "has no description. Say what the skill does and when to use it."),
    ],
)
def test_a_key_that_was_meant_to_be_a_required_one_is_named(
    tmp_path: Path, front: str, line: int | None, told: str
) -> None:
    put(tmp_path, "a", f"---\n{front}\n---\nDo it.\n")
    (one,) = found_in(tmp_path)
    assert (one.line, f"{one.message} {one.hint}") == (line, told)


def test_other_matters_of_form_are_notes(tmp_path: Path) -> None:
    put(tmp_path, "A_b", skill_text("A_b", "Adds <b>bold</b>.", metadata="{x: [1, 2]}"))
    assert {(one.code, str(one.level)) for one in found_in(tmp_path)} == {
        ("name-format", "note"),
        ("description-markup", "note"),
        ("metadata-values", "note"),
    }


def test_what_loading_found_is_told_with_it(tmp_path: Path) -> None:
    put(tmp_path, "a", "no front matter")
    put(tmp_path, "b", skill_text("c"))
    assert codes(tmp_path) == ["front-matter-missing", "name-folder"]


def test_names_that_look_the_same_are_told(tmp_path: Path) -> None:
    for name in ("paypal-mail", "p\u0430yp\u0430l-m\u0430il", "payroll"):
        put(tmp_path, name)
    assert [one.code for one in found_in(tmp_path) if one.code == "name-lookalike"] == ["name-lookalike"]


def test_descriptions_that_say_nearly_the_same_are_told(tmp_path: Path) -> None:
    put(tmp_path, "a", skill_text("a", "Makes tables of figures out of long reports for the board."))
    put(tmp_path, "b", skill_text("b", "Makes tables of figures out of long reports for a board."))
    put(tmp_path, "c", skill_text("c", "Makes charts of numbers out of short notes for the staff."))
    one = only(tmp_path)
    assert (one.code, one.subject) == ("description-similar", "b")


def test_comparing_by_rare_words_misses_no_pair() -> None:
    words = [f"w{number}" for number in range(9)]
    texts = [" ".join(words[at : at + length]) for at in range(4) for length in range(4, 9)]
    sets = [set(text.split()) for text in texts]
    wanted = {
        (first, second)
        for second in range(len(sets))
        for first in range(second)
        if len(sets[first] & sets[second]) / len(sets[first] | sets[second]) >= 0.8
    }
    assert {pair[:2] for pair in alike(texts)} == wanted
    assert wanted


def test_the_rules_of_the_format_are_all_in_the_table() -> None:
    assert set(FORMAT) <= set(RULES)
    assert all(rule.title and rule.reason and rule.fix for rule in RULES.values())


def test_the_pages_list_the_rules_that_there_are(root: Path) -> None:
    def escaped(text: str) -> str:
        return text.replace("<", "&lt;").replace(">", "&gt;")

    rows = [
        f"| `{rule.code}` | {rule.level} | {rule.later or rule.level} | {escaped(rule.title)} |"
        f" {escaped(rule.reason)} {escaped(rule.fix)} |"
        for rule in RULES.values()
        if rule.code not in FORMAT
    ]
    page = (root / "docs" / "checks.md").read_text("utf-8").splitlines()
    begin = page.index(rows[0])
    assert page[begin : begin + len(rows) + 1] == [*rows, ""]
    listed = [line.split("`")[1] for line in (root / "docs" / "skills.md").read_text("utf-8").splitlines()
              if line.startswith("| `") and line.split("`")[1] in RULES]  # fmt: skip
    assert listed == list(FORMAT)
