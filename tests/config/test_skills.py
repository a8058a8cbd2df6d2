"""``[[skills]]``: what it comes to, and changes while everything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pegboard.config import load
from pegboard.config.watch import Reloader
from pegboard.config.wire import build
from tests.config.conftest import Load, Write
from tests.skills.things import put, skill_text

pytestmark = pytest.mark.anyio

MAIN = """\
[store]
path = "memory"

[[skills]]
paths = ["skills"]
"""


async def test_skills_of_a_configuration_are_those_of_its_pegboard(write: Write, tmp_path: Path) -> None:
    put(tmp_path / "skills", "refunds")
    put(tmp_path / "shared", "refunds", skill_text("refunds", "Another."))
    put(tmp_path / "shared", "returns")
    put(tmp_path / "team" / "skills", "wraps")
    more = '[[skills]]\npaths = ["shared", "nowhere"]\nname = "shared"\nboundary = "."\nonly = ["returns", "refunds"]\n'
    last = '[[skills]]\npaths = ["team/skills"]\n'
    loaded = load(write("pegboard.toml", f"{MAIN}\n{more}\n{last}"), strict=True)
    async with build(loaded.settings).peg as peg:
        await peg.ready()
        assert [(skill.name, skill.source) for skill in peg.skills] == [
            ("refunds", "skills"),
            ("returns", "shared"),
            ("wraps", "team/skills"),
        ]
        told = {
            source["name"]: (source["kind"], source["state"], source["skills"]) for source in peg.status()["sources"]
        }
    assert told == {
        "skills": ("skills", "ready", 1),
        "shared": ("skills", "ready", 2),
        "team/skills": ("skills", "ready", 1),
    }


@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        ('paths = "skills"', "skills[0].paths", "wanted a list of one folder or more, got"),
        ("paths = []", "skills[0].paths", "wanted a list of one folder or more"),
        ("", "skills[0].paths", "is missing"),
        ('paths = ["nowhere"]', "skills[0].paths[0]", "there is no such folder"),
        ('paths = ["skills"]\nmax_skills = 0', "skills[0].max_skills", "wanted at least 1"),
        (
            'paths = ["skills"]\nresource_root = "here"',
            "skills[0].resource_root",
            'wanted an absolute path, got "here"',
        ),
        (
            'paths = ["skills"]\nresource_root = "workspace://skills"',
            "skills[0].resource_root",
            "can be said from Python alone",
        ),
        ('paths = ["skills"]\nfolders = []', "skills[0].folders", "is not known here"),
        (
            'paths = ["skills"]\nname = "shop"\n[upstreams.shop]\ncommand = "x"',
            "skills[0].name",
            "another source has the name 'shop'",
        ),
    ],
)
def test_a_mistake_is_told_where_it_stands(load_text: Load, tmp_path: Path, text: str, key: str, said: str) -> None:
    (tmp_path / "skills").mkdir()
    loaded = load_text(f"[[skills]]\n{text}\n")
    (problem,) = loaded.errors
    assert said in str(problem)
    assert problem.key == key


async def test_a_source_whose_folder_is_missing_has_failed_and_says_so(write: Write) -> None:
    loaded = load(write("pegboard.toml", MAIN))
    async with build(loaded.settings).peg as peg:
        await peg.ready()
        (source,) = peg.status()["sources"]
        assert source["state"] == "failed"
        assert "is not there" in source["reason"]
        (note,) = (await (await peg.open()).find("anything")).notes
    assert note == "source 'skills' failed: its skills were not searched"


async def test_what_changes_in_the_folders_is_read_anew_and_what_fails_keeps_what_there_was(
    write: Write, tmp_path: Path
) -> None:
    file = write("pegboard.toml", MAIN)
    put(tmp_path / "skills", "refunds")
    loaded = load(file)
    wired = build(loaded.settings)
    async with wired.peg as peg:
        await peg.ready()
        reloader = Reloader(wired, loaded, lambda: load(file))
        put(tmp_path / "skills", "refunds", skill_text("refunds", "Says more."))
        put(tmp_path / "skills", "returns")
        await reloader.reload()
        await peg.ready()
        assert [(skill.name, skill.description) for skill in peg.skills] == [
            ("refunds", "Says more."),
            ("returns", "Does a job."),
        ]
        (tmp_path / "skills").rename(tmp_path / "gone")
        await reloader.reload()
        await peg.ready()
        assert peg.skills.names == ("refunds", "returns")
        (source,) = peg.status()["sources"]
        assert source["state"] == "ready"
        assert "its skills are those of before it changed" in source["notes"][0]
        write("pegboard.toml", MAIN.replace('"skills"', '"gone"'))
        await reloader.reload()
        await peg.ready()
        assert [(skill.name, skill.source) for skill in peg.skills] == [("refunds", "gone"), ("returns", "gone")]
        write("pegboard.toml", "")
        await reloader.reload()
        assert not peg.skills
