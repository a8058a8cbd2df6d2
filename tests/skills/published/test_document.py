"""A ``SKILL.md`` as it is published: every reader finds in it what the list says."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pegboard.skills.catalog import SkillCatalog
from pegboard.skills.published.document import NotPublishedError, document_of, front_of
from pegboard.skills.skill import Skill
from tests.skills.things import put, skill_text


def loaded(root: Path, text: str | bytes, folder: str = "refunds") -> Skill:
    """The only skill of a root that holds this file."""
    put(root, folder, text)
    (skill,) = SkillCatalog(root)
    return skill


@pytest.mark.parametrize(
    "text",
    [
        skill_text("refunds"),
        skill_text("refunds").replace("\n", "\r\n"),
        "\ufeff" + skill_text("refunds"),
        skill_text("refunds", body=""),
        skill_text("refunds", body="---\nA line of dashes.\n"),
        skill_text("refunds", description=">-\n  On two\n  lines."),
    ],
)
def test_a_file_that_is_yaml_is_published_byte_by_byte(tmp_path: Path, text: str) -> None:
    document = document_of(loaded(tmp_path, text))

    assert document.data == text.encode()
    assert document.front["name"] == "refunds"


def test_values_have_the_types_that_yaml_gives_them(tmp_path: Path) -> None:
    text = skill_text("refunds", version="1.0", draft="true", since="2026-01-31", metadata="{a: 1, b: no}")

    front = document_of(loaded(tmp_path, text)).front

    assert {key: front[key] for key in ("version", "draft", "since", "metadata")} == {
        "version": 1.0,
        "draft": True,
        "since": "2026-01-31",
        "metadata": {"a": 1, "b": "no"},
    }


@pytest.mark.parametrize(
    ("text", "description"),
    [
        (skill_text("refunds", "Refund policy: when, and how much."), "Refund policy: when, and how much."),
        (skill_text("refunds", "**Bold** [x] > of old"), "**Bold** [x] > of old"),
        ("\n\n" + skill_text("refunds"), "Does a job."),
        (skill_text("refunds", "[one, two]"), "one, two"),
        (skill_text("refunds", "9" * 4), "9999"),
        (skill_text("refunds", "y" * 2_000), "y" * 1_021 + "..."),
    ],
)
def test_what_others_would_read_otherwise_is_written_anew_as_it_was_understood(
    tmp_path: Path, text: str, description: str
) -> None:
    skill = loaded(tmp_path, text.replace("name: refunds", "name: refunds\nextra: [1, 'a\u2028b\u00e9\U0001f600']"))

    document = document_of(skill)

    assert document.data != skill.head + skill.body.encode()
    assert document.front["description"] == description
    assert document.front["extra"] == ["1", "a\u2028b\u00e9\U0001f600"]
    assert front_of(document.data) == document.front
    assert document.data.endswith(b"---\n" + skill.body.encode())


@pytest.mark.parametrize("name", ["Refunds", "re_funds", "re--funds", "-refunds", "r\u00e9funds", "r" * 65])
def test_a_name_that_the_format_does_not_have_is_not_published(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotPublishedError, match="name"):
        document_of(loaded(tmp_path, skill_text(name), folder=name))


@settings(max_examples=60)
@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=40))
def test_whatever_a_description_holds_the_list_and_the_file_agree(description: str) -> None:
    front = f"---\nname: x\ndescription: {description}\n".encode()
    skill = Skill(
        name="x",
        description=description,
        head=front + b"---\n",
        body="Do it.\n",
        path="/x",
        source_path=Path("/x/SKILL.md"),
        root=Path("/"),
        fields={"name": "x", "description": description},
    )
    try:
        document = document_of(skill)
    except NotPublishedError:
        assert not description.strip()
        return
    assert front_of(document.data) == document.front
