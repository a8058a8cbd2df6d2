"""A ``workspace://`` resource root holds when tools can read it and write nothing of it, under whatever path."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pegboard.errors import ConfigError
from pegboard.skills.catalog import SkillCatalog
from pegboard.skills.workspace import FileGrant, Sandbox, Workspace
from tests.skills.things import put


def catalog(root: Path, *grants: FileGrant) -> SkillCatalog:
    workspace = Workspace({"skills": root})
    sandbox = Sandbox(workspace, grants)
    return SkillCatalog(root, resource_root="workspace://skills", workspace=workspace, sandbox=sandbox)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    put(tmp_path / "skills", "a")
    (tmp_path / "work").mkdir()
    return tmp_path / "skills"


def test_skills_are_told_by_their_place_in_the_workspace(root: Path) -> None:
    (root / "a" / "scripts").mkdir()
    (root / "a" / "scripts" / "x.sh").write_text("x")
    found = catalog(root, FileGrant(root), FileGrant(root.parent / "work", writable=True))
    assert found.fetch("a").path == "workspace://skills/a/SKILL.md"
    assert "  workspace://skills/a/scripts/x.sh" in found.format(found.fetch("a"))


@pytest.mark.parametrize("where", [".", "a", "a/SKILL.md", ".."])
def test_no_writable_grant_may_touch_the_root(root: Path, where: str) -> None:
    with pytest.raises(ConfigError, match="writable grants"):
        catalog(root, FileGrant(root), FileGrant(root / where, writable=True))


def test_what_tools_do_not_see_grants_nothing(root: Path) -> None:
    assert catalog(root, FileGrant(root), FileGrant(root, writable=True, visible=False)).names == ("a",)
    with pytest.raises(ConfigError, match="cannot read"):
        catalog(root, FileGrant(root, visible=False))


def test_the_same_file_under_another_path_is_an_alias(root: Path) -> None:
    os.link(root / "a" / "SKILL.md", root.parent / "work" / "innocent.md")
    with pytest.raises(ConfigError, match="innocent"):
        catalog(root, FileGrant(root), FileGrant(root.parent / "work" / "innocent.md", writable=True))


def test_a_hard_link_deep_in_a_writable_folder_is_an_alias(root: Path) -> None:
    (root.parent / "work" / "deep").mkdir()
    (root.parent / "work" / "other.md").write_text("x")
    os.link(root.parent / "work" / "other.md", root.parent / "work" / "again.md")
    assert catalog(root, FileGrant(root), FileGrant(root.parent / "work", writable=True)).names == ("a",)
    os.link(root / "a" / "SKILL.md", root.parent / "work" / "deep" / "innocent.md")
    with pytest.raises(ConfigError, match=r"holds .*SKILL.md, which tools can write as .*innocent"):
        catalog(root, FileGrant(root), FileGrant(root.parent / "work", writable=True))


def test_a_link_to_the_root_is_the_root(root: Path) -> None:
    (root.parent / "link").symlink_to("skills")
    with pytest.raises(ConfigError, match="writable grants"):
        catalog(root, FileGrant(root), FileGrant(root.parent / "link", writable=True))


def test_a_reload_looks_at_the_grants_again(root: Path) -> None:
    found = catalog(root, FileGrant(root), FileGrant(root.parent / "work", writable=True))
    (root.parent / "work").rmdir()
    (root.parent / "work").symlink_to("skills")
    with pytest.raises(ConfigError):
        found.reload()
    assert found.names == ("a",)


@pytest.mark.parametrize(
    "wrong", ["skills", "workspace://", "workspace://a b", "workspace://a/../b", "workspace://é", "/a/../b", "", "~/x"]
)
def test_a_resource_root_is_an_absolute_path_or_a_reference(root: Path, wrong: str) -> None:
    with pytest.raises(ConfigError, match="absolute path"):
        SkillCatalog(root, resource_root=wrong)
