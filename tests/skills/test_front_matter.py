"""Front matter as YAML, and as people plainly meant it; nothing hostile takes long or raises anything else."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pegboard.skills.fields import Fields, fields_of
from pegboard.skills.front_matter import read
from pegboard.skills.lenient import MAX_KEYS
from pegboard.skills.problems import Findings, SetAsideError
from pegboard.skills.rules import RULES
from pegboard.skills.splitting import MAX_FRONT_MATTER, Parts, decoded, split


def values(text: str, *, strict: bool = False) -> dict[str, Any]:
    return dict(read(text, Findings("SKILL.md", strict)).values)


def warned(text: str) -> list[tuple[str, int | None]]:
    findings = Findings("SKILL.md")
    read(text, findings)
    return [(problem.code, problem.line) for problem in findings.problems]


def refusal(text: str, *, strict: bool = False) -> tuple[str, str]:
    with pytest.raises(SetAsideError) as refused:
        read(text, Findings("SKILL.md", strict))
    return refused.value.problem.code, refused.value.problem.message


def parts(text: str) -> Parts:
    return split(text, Findings("SKILL.md"))


@pytest.mark.parametrize("word", ["no", "on", "0123", "2026-01-31", "1e3", "0x1F", ".inf", "12:30", "TRUE", "1_000"])
def test_scalars_are_text_as_written(word: str) -> None:
    assert values(f"a: {word}\nb: [{word}]") == {"a": word, "b": [word]}


@pytest.mark.parametrize("word", ["", "~", "null", "NULL"])
def test_null_is_nothing(word: str) -> None:
    assert values(f"a: {word}\nb: '{word}'") == {"a": None, "b": word}


@pytest.mark.parametrize(
    ("line", "understood"),
    [
        ("d: Two jobs: draft and check", "Two jobs: draft and check"),
        ("d: **bold** and more", "**bold** and more"),
        ("d: *one* star", "*one* star"),
        ("d: [x] text", "[x] text"),
        ("d: > text on the line", "text on the line"),
        ("d: | text on the line", "text on the line"),
        ("d: >-\n\tIndented with\n\ta tab", "Indented with a tab"),
        ("d: |\n\tone\n\ttwo", "one\ntwo"),
        ('d: "Use "this" now"', 'Use "this" now'),
        ('d: "C:\\Users"', "C:\\Users"),
        ("d: 'it's'", "it's"),
        ("d: `code` first", "`code` first"),
        ("d: @mention first", "@mention first"),
        ("d: 100%: all", "100%: all"),
        ("d: {{name}}: text", "{{name}}: text"),
        ("d: a: b\n  and more: of it", "a: b and more: of it"),
        ("d: some text\nthat goes on at the margin", "some text that goes on at the margin"),
        ("d:\n\t- one\n\t- two: three", ["one", "two: three"]),
        ("d:\n  x: a: b\n  y: c", {"x": "a: b", "y": "c"}),
        ("description:glued", None),
    ],
)
def test_what_is_no_yaml_is_read_as_it_was_meant_and_costs_no_other_key(line: str, understood: Any) -> None:
    text = f"name: a\n{line}\nlast: [1, two]"
    found = values(text)
    assert found["name"] == "a"
    assert found["last"] == ["1", "two"]
    assert found[line.partition(":")[0]] == ("glued" if understood is None else understood)
    assert warned(text) == [("yaml-syntax", 2)]
    assert refusal(text, strict=True)[0] == "yaml-syntax"


def test_a_tab_behind_a_colon_is_yaml() -> None:
    assert values("name:\tafter\ndescription:\tCount hens.") == {"name": "after", "description": "Count hens."}
    assert warned("name:\tafter\ndescription:\tCount hens.") == []


def test_indented_front_matter_is_read_and_told() -> None:
    assert values("  name: a\n  description: b: c") == {"name": "a", "description": "b: c"}
    assert warned("  name: a\n  description: b: c") == [("front-matter-indented", 1), ("yaml-syntax", 2)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a: &x 1", "yaml-reference"),
        ("a: *x", "yaml-reference"),
        ("a: 1\nb: x: y\nc: &z 1", "yaml-reference"),
        ("a: b: c\nd: *z", "yaml-reference"),
        ("a: !!python/object/apply:os.system ['ls']", "yaml-tag"),
        ("a: b: c\nd: !x y", "yaml-tag"),
        ("a: 1\na: 2", "yaml-duplicate-key"),
        ("a: b: c\nd: 1\nd: 2", "yaml-duplicate-key"),
        ("a:\n  b: 1\n  b: 2", "yaml-duplicate-key"),
        ("<<: {a: 1}", "yaml-reference"),
        ("a: " + "[" * 500 + "]" * 500, "yaml-depth"),
        ("- a\n- b", "front-matter-no-table"),
        ("text", "front-matter-no-table"),
        ("\n".join(f"k{i}: a: b" for i in range(MAX_KEYS + 1)), "yaml-depth"),
        ("{{{", "yaml-syntax"),
    ],
)
def test_what_is_refused_is_refused_in_both_modes(text: str, code: str) -> None:
    assert refusal(text)[0] == code
    assert refusal(text, strict=True)[0] in (code, "yaml-syntax", "yaml-reference", "yaml-tag")


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("# first\n:\nname: a\nd: x: y", 2, '":"'),
        ("so it begins\nname: a\nd: x: y", 1, '"so it begins"'),
        ("name: a\n...\n# passed\ndescription: lost", 4, '"description: lost"'),
    ],
)
def test_lines_that_belong_to_no_key_are_told(text: str, line: int, told: str) -> None:
    findings = Findings("SKILL.md")
    assert read(text, findings).values["name"] == "a"
    assert (findings.problems[0].code, findings.problems[0].line) == ("yaml-syntax", line)
    assert f"has {told} in its front matter, which belongs to no key" in findings.problems[0].message


def test_what_is_no_yaml_in_a_comment_is_told_too() -> None:
    text = "name: a\n# x\x00\nlast: b"
    assert values(text) == {"name": "a", "last": "b"}
    assert warned(text) == [("yaml-syntax", 2)]


@pytest.mark.parametrize(("text", "code"), [("!x\nname: a", "yaml-tag"), ("&x\nname: a: b", "yaml-reference")])
def test_a_tag_or_an_anchor_before_the_first_key_is_refused(text: str, code: str) -> None:
    assert refusal(text)[0] == code


@pytest.mark.parametrize(("text", "line"), [("---\na: b\n---", 3), ("---\na: b\n---\n", 3), ("---\n---\nx", 3)])
def test_a_body_begins_behind_the_dashes(text: str, line: int) -> None:
    assert parts(text).body_line == line


def test_keys_that_are_given_twice_are_told_with_both_lines() -> None:
    findings = Findings("SKILL.md")
    with pytest.raises(SetAsideError) as refused:
        read("name: a\nx: 1\nname: b", findings, 2)
    assert refused.value.problem.line == 4
    assert "first on line 2" in refused.value.problem.message


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("fence", ["---", "---  ", "---\t"])
def test_line_ends_and_blanks_behind_the_dashes_are_passed_over(newline: str, fence: str) -> None:
    found = parts(newline.join(["", fence, "name: a", "d: x --- y", fence, "Body", "---", "more"]))
    assert found.front == "name: a\nd: x --- y"
    assert (found.line, found.body) == (3, newline.join(["Body", "---", "more"]))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "front-matter-missing"),
        ("# Title", "front-matter-missing"),
        ("----\nname: a\n---\n", "front-matter-missing"),
        ("---\nname: a\n", "front-matter-unclosed"),
        ("---\nname: a\n ---\n", "front-matter-unclosed"),
        ("---", "front-matter-unclosed"),
        ("---\n" + "x" * MAX_FRONT_MATTER + "\n---\n", "front-matter-too-long"),
    ],
)
def test_a_file_without_front_matter_says_why(text: str, code: str) -> None:
    with pytest.raises(SetAsideError) as refused:
        parts(text)
    assert refused.value.problem.code == code


LINES = st.text(st.sampled_from("abcn:- \t\n\r'\"[]{}>|*&!%@`#,()\\\u00e9\u2028\x00\ud83d\ufeff."), max_size=120)


@settings(max_examples=300, deadline=None)
@given(LINES, st.booleans())
def test_any_text_gives_texts_or_one_problem_that_a_rule_names(text: str, strict: bool) -> None:
    findings = Findings("SKILL.md", strict)
    with suppress(SetAsideError):
        _hold(fields_of(read(text, findings), findings))
    assert {problem.code for problem in findings.problems} <= RULES.keys()


def _hold(found: Fields) -> None:
    assert found.name
    assert found.description not in ("", ">", "|", ">-", "|-")
    assert "\n" not in found.description


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_split_or_refused(data: bytes, fenced: bool) -> None:
    findings = Findings("SKILL.md")
    with suppress(SetAsideError):
        assert split(decoded(b"---\n" + data if fenced else data, findings), findings).line > 1


HOSTILE = {
    "one line": "a" * 1_000_000,
    "colons": "a: " * 330_000,
    "keys": "a: b: c\n" * 120_000,
    "different keys": "".join(f"k{i}: x: y\n" for i in range(80_000)),
    "brackets": "a: " + "[" * 1_000_000,
    "open brackets and text": "a: " + "[x, " * 250_000,
    "braces": "a: " + "{" * 1_000_000,
    "quotes": 'a: "' + "\\" * 1_000_000,
    "blanks": "a:" + " " * 1_000_000 + "b: c",
    "tabs": "a:" + "\t" * 1_000_000 + "b: c",
    "indents": "a: b: c\n" + "".join(" " * (i % 1_000) + "x\n" for i in range(2_000)),
    "dashes": "a: b: c\nd:\n" + "- \n" * 300_000,
    "dashes inside dashes": "a: " + "- " * 500_000,
    "stars": "a: " + "*" * 1_000_000,
    "anchors": "".join(f"a{i}: &x{i} [*x{i}]\n" for i in range(50_000)),
    "marks": "a: >" + "-" * 1_000_000,
    "comments": "a: b: c\n" + "#\n" * 500_000,
    "questions": "? " * 500_000,
    "line breaks": "\n" * 1_000_000,
    "tables": "a: b: c\n" + "".join(" " * i + f"k{i}:\n" for i in range(1_300)),
}
"""About a megabyte each: what takes time with the square of that never ends."""

READING = """
import json, sys
from pegboard.skills.front_matter import read
from pegboard.skills.problems import Findings, SetAsideError
try:
    read(json.load(sys.stdin), Findings("SKILL.md"))
except SetAsideError:
    pass
"""


@pytest.mark.parametrize("name", HOSTILE)
def test_a_megabyte_of_hostile_front_matter_ends(name: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", READING], input=json.dumps(HOSTILE[name]), capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr[-500:]


def test_the_rules_are_known_by_the_documentation(root: Path) -> None:
    page = (root / "docs" / "skills.md").read_text("utf-8")
    missing = [code for code in RULES if f"`{code}`" not in page]
    assert not missing, f"docs/skills.md does not name {missing}"
