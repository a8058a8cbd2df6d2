"""Catalogs of skills: roots, precedence, what is left out, reloading, boards' choices; and files that mean harm."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest

from pegboard.documents.problems import Level
from pegboard.errors import ConfigError, NoSkillError
from pegboard.skill_choice import SkillChoice
from pegboard.skills.catalog import SkillCatalog
from pegboard.skills.loading import SkillSet, load
from pegboard.skills.roots import SkillRoot
from tests.skills.things import codes, only_problem, put, skill_text


def test_the_first_root_wins_and_the_loser_is_named(tmp_path: Path) -> None:
    put(tmp_path / "one", "s", skill_text("s", "first"))
    put(tmp_path / "two", "s", skill_text("s", "second"))
    put(tmp_path / "two", "t")
    catalog = SkillCatalog([tmp_path / "one", tmp_path / "two"])
    assert [(skill.name, skill.description) for skill in catalog] == [("s", "first"), ("t", "Does a job.")]
    problem = only_problem(catalog)
    assert (problem.code, problem.level) == ("name-shadowed", Level.NOTE)
    assert problem.file == str(tmp_path / "two" / "s" / "SKILL.md")
    assert str(tmp_path / "one" / "s" / "SKILL.md") in problem.message


def test_the_same_name_twice_in_a_root_is_a_mistake(tmp_path: Path) -> None:
    put(tmp_path, "a", skill_text("x"))
    put(tmp_path, "b", skill_text("x"))
    catalog = SkillCatalog(tmp_path)
    assert catalog.names == ("x",)
    assert codes(catalog) == ["name-folder", "name-taken"]


def test_names_that_differ_in_letter_case_alone_are_told(tmp_path: Path) -> None:
    put(tmp_path, "one", skill_text("Tools"))
    put(tmp_path, "two", skill_text("tools"))
    catalog = SkillCatalog(tmp_path)
    assert catalog.names == ("Tools", "tools")
    assert "name-case" in codes(catalog)


def test_the_folder_is_another_name_where_it_is_plain(tmp_path: Path) -> None:
    put(tmp_path, "old", skill_text("new"))
    catalog = SkillCatalog(tmp_path)
    assert catalog.fetch("old").name == "new"
    put(tmp_path / "more", "old", skill_text("newest"))
    both = SkillCatalog([tmp_path, tmp_path / "more"])
    with pytest.raises(NoSkillError):
        both.fetch("old")


@pytest.mark.parametrize(
    "name", ["技能", "мой-навык", "caf\u00e9", "cafe\u0301", "हिन्दी", "ﬁnder", "A_b-9", "مهارة", "한국어"]
)
def test_names_of_every_script_load_under_every_spelling(tmp_path: Path, name: str) -> None:
    import unicodedata

    put(tmp_path, "x", skill_text(name))
    catalog = SkillCatalog(tmp_path)
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert catalog.fetch(unicodedata.normalize(form, name)).name == catalog.names[0]
    ascii_only = SkillCatalog(tmp_path, ascii_names=True)
    assert len(ascii_only) == unicodedata.normalize("NFKC", name).isascii()


@pytest.mark.parametrize(
    "name", ["a/b", "a.b", "..", "a\\\\b", "'a:b'", "\uff0e\uff0e", "a\u200bb", "\u0301a", "a\u202eb", '"a\\nb"']
)
def test_names_with_separators_dots_or_unseen_characters_never_load(tmp_path: Path, name: str) -> None:
    put(tmp_path, "x", skill_text(name))
    catalog = SkillCatalog(tmp_path)
    assert catalog.names == ()
    assert codes(catalog) == ["name-characters"]


def test_blanks_in_a_name_become_hyphens_with_a_warning(tmp_path: Path) -> None:
    put(tmp_path, "x", skill_text("PDF Tools"))
    catalog = SkillCatalog(tmp_path)
    assert catalog.names == ("PDF-Tools",)
    assert "name-blanks" in codes(catalog)
    assert SkillCatalog(tmp_path, strict=True).names == ()


def test_strict_leaves_out_what_lenient_warns_of(tmp_path: Path) -> None:
    put(tmp_path, "a", skill_text("a", "x: y"))
    put(tmp_path, "b", skill_text("b", "|\n  one\n  two"))
    put(tmp_path, "c", skill_text("other"))
    put(tmp_path, "d")
    assert set(SkillCatalog(tmp_path).names) == {"a", "b", "other", "d"}
    strict = SkillCatalog(tmp_path, strict=True)
    assert strict.names == ("d",)
    assert codes(strict) == ["yaml-syntax", "description-lines", "name-folder"]
    assert all(problem.level is Level.ERROR for problem in strict.problems)


def test_strict_raises_for_what_is_too_large_or_leads_out(tmp_path: Path) -> None:
    put(tmp_path / "r", "big", skill_text("big", body="x" * 500))
    assert codes(SkillCatalog(tmp_path / "r", max_file_bytes=400)) == ["file-too-large"]
    with pytest.raises(ConfigError, match="more than 400 bytes"):
        SkillCatalog(tmp_path / "r", max_file_bytes=400, strict=True)
    put(tmp_path, "out")
    (tmp_path / "r" / "link").symlink_to(tmp_path / "out")
    with pytest.raises(ConfigError, match="leads out"):
        SkillCatalog(tmp_path / "r", strict=True)


def test_a_reload_swaps_everything_or_nothing(tmp_path: Path) -> None:
    put(tmp_path / "r", "a")
    catalog = SkillCatalog(tmp_path / "r", max_skills=2)
    before = catalog.current
    put(tmp_path / "r", "b")
    assert len(catalog) == 1
    catalog.reload()
    assert catalog.names == ("a", "b")
    assert before.names == ("a",)
    put(tmp_path / "r", "c")
    with pytest.raises(ConfigError):
        catalog.reload()
    assert catalog.names == ("a", "b")


@pytest.mark.anyio
async def test_of_readings_that_overlap_the_last_begun_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "a")
    catalog = SkillCatalog(tmp_path)
    read, go_on = threading.Event(), threading.Event()

    def slow(*arguments: Any) -> SkillSet:
        found = load(*arguments)
        read.set()
        go_on.wait()
        return found

    monkeypatch.setattr("pegboard.skills.catalog.load", slow)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(catalog.refresh)
        await anyio.to_thread.run_sync(read.wait)
        monkeypatch.setattr("pegboard.skills.catalog.load", load)
        put(tmp_path, "b")
        await catalog.refresh()
        go_on.set()
    assert catalog.names == ("a", "b")


def test_a_root_that_is_missing_is_an_error_unless_it_has_a_boundary(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not there"):
        SkillCatalog(tmp_path / "nowhere")
    assert len(SkillCatalog(SkillRoot(tmp_path / "nowhere", tmp_path))) == 0
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigError, match="is no folder"):
        SkillCatalog(tmp_path / "file")
    put(tmp_path / "out", "a")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "r").symlink_to(tmp_path / "out")
    with pytest.raises(ConfigError, match="boundary"):
        SkillCatalog(SkillRoot(tmp_path / "in" / "r", tmp_path / "in"))


@pytest.mark.parametrize("name", ["max_skills", "max_file_bytes", "max_resource_files"])
@pytest.mark.parametrize("value", [0, -1, 1.5, True, None, "3"])
def test_limits_are_whole_numbers_from_one(tmp_path: Path, name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=name):
        SkillCatalog(tmp_path, **{name: value})


def test_what_only_names_and_nothing_has_is_told(tmp_path: Path) -> None:
    put(tmp_path, "a")
    put(tmp_path, "b")
    catalog = SkillCatalog(tmp_path, only=["b", "c"])
    assert catalog.names == ("b",)
    assert codes(catalog) == ["name-unknown"]


def test_links_are_followed_inside_the_roots_alone_and_loops_end(tmp_path: Path) -> None:
    put(tmp_path / "r", "a")
    put(tmp_path / "elsewhere", "b")
    for link, target in (("two", "a"), ("loop", "."), ("self", "self"), ("gone", "nowhere"), ("out", "../elsewhere/b")):
        (tmp_path / "r" / link).symlink_to(target)
    (tmp_path / "root").symlink_to("r")
    (tmp_path / "r" / "SKILL.md").write_text(skill_text("r"))
    catalog = SkillCatalog(tmp_path / "root")
    assert catalog.names == ("a",)
    told = {Path(problem.file).relative_to(tmp_path / "r").parts[0]: problem.code for problem in catalog.problems}
    assert told.pop("SKILL.md") == "file-in-root"
    assert told == {"loop": "path-escape", "gone": "path-broken", "out": "path-escape", "self": "path-broken"}
    assert SkillCatalog([tmp_path / "root", tmp_path / "elsewhere"]).names == ("a", "b")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_pipes_sockets_folders_and_binary_files_are_no_skills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pipe", "socket", "folder"):
        (tmp_path / name).mkdir()
    os.mkfifo(tmp_path / "pipe" / "SKILL.md")
    (tmp_path / "folder" / "SKILL.md").mkdir()
    monkeypatch.chdir(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("SKILL.md")
        put(tmp_path, "binary", bytes(range(256)))
        put(tmp_path, "wide", skill_text("wide").encode("utf-16"))
        put(tmp_path, "good")
        catalog = SkillCatalog(tmp_path)
    assert catalog.names == ("good",)
    assert codes(catalog) == ["file-encoding", "file-type", "file-type", "file-type", "file-encoding"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="everything may be read here")
def test_what_may_not_be_read_hides_no_other(tmp_path: Path) -> None:
    put(tmp_path, "closed").joinpath("SKILL.md").chmod(0)
    put(tmp_path, "good")
    catalog = SkillCatalog(tmp_path)
    assert catalog.names == ("good",)
    assert codes(catalog) == ["file-unreadable"]


def test_a_file_that_is_spelled_otherwise_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "skill.md").write_text(skill_text("a"))
    assert codes(SkillCatalog(tmp_path)) == ["file-name"]


def test_a_skill_a_folder_too_deep_or_too_high_is_told_with_the_root_that_would_have_it(tmp_path: Path) -> None:
    for name in ("a", "b"):
        put(tmp_path / "skills" / "team", name)
    put(tmp_path / "skills", "good")
    (tmp_path / "skills" / "notes" / "older").mkdir(parents=True)
    catalog = SkillCatalog(tmp_path / "skills", strict=True)
    assert catalog.names == ("good",)
    deep = only_problem(catalog)
    assert (deep.code, deep.level, Path(deep.file)) == (
        "file-too-deep",
        "warning",
        tmp_path / "skills" / "team" / "a" / "SKILL.md",
    )
    assert "and so are 1 more beside it" in deep.message
    assert str(tmp_path / "skills" / "team") in deep.hint
    both = SkillCatalog([tmp_path / "skills", tmp_path / "skills" / "team"])
    assert (both.names, both.problems) == (("good", "a", "b"), ())
    high = only_problem(SkillCatalog(tmp_path / "skills" / "good"))
    assert (high.code, high.level) == ("file-in-root", "warning")
    assert high.hint == f"Name {tmp_path / 'skills'} as the root."
    assert SkillCatalog([tmp_path / "skills" / "team", tmp_path / "skills" / "team" / "a"]).problems == ()
    put(tmp_path / "skills" / "good", "inner")
    assert codes(SkillCatalog(tmp_path / "skills")) == ["file-too-deep"]


def test_a_board_has_what_is_allowed_and_begins_with_some_of_it(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        put(tmp_path, name)
    skills = SkillCatalog(tmp_path).current
    choice = SkillChoice(allowed=["c", "a", "nothing"], always=["c", "b"])
    assert choice.of(skills).names == ("a", "c")
    assert choice.begun_with(skills).names == ("c",)
    assert choice.on_demand(skills).names == ("a",)
    assert SkillChoice().of(skills).names == ("a", "b", "c")
    assert SkillChoice(allowed=()).of(skills).names == ()
    assert SkillChoice(always=True).begun_with(skills).names == ("a", "b", "c")
