"""Manifests: every file of a skill, each digest true, and nothing from elsewhere."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from pegboard.skills.catalog import SkillCatalog
from pegboard.skills.published import manifest
from pegboard.skills.published.document import NotPublishedError
from pegboard.skills.published.published import (
    NoFileOfSkillError,
    PublishedFolder,
    Publisher,
    children_of,
    contents_of,
    document_resource,
    entry_of,
)
from tests.skills.things import put, skill_text

pytestmark = pytest.mark.anyio


def write(folder: Path, files: dict[str, bytes]) -> None:
    """Put files into a folder."""
    for name, data in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


async def published(root: Path, publisher: Publisher | None = None) -> PublishedFolder:
    """The only skill of a root, published."""
    (skill,) = SkillCatalog(root)
    return await (publisher or Publisher()).publish(skill)


async def test_the_entry_names_every_file_with_its_digest_and_size(tmp_path: Path) -> None:
    files = {"references/a b.md": b"text", "logo.png": b"\x89PNG\r\n\x1a\n", "inner/SKILL.md": b"nested"}
    write(put(tmp_path, "refunds"), files)

    entry = entry_of(await published(tmp_path))

    text = skill_text("refunds").encode()
    expected = {
        "skill://refunds/SKILL.md": text,
        "skill://refunds/inner/SKILL.md": b"nested",
        "skill://refunds/logo.png": files["logo.png"],
        "skill://refunds/references/a%20b.md": b"text",
    }
    assert entry["uri"] == "skill://refunds/SKILL.md"
    assert entry["frontmatter"] == {"name": "refunds", "description": "Does a job."}
    assert entry["resources"] == [
        {"uri": uri, "digest": f"sha256:{hashlib.sha256(data).hexdigest()}", "size": len(data)}
        for uri, data in expected.items()
    ]


async def test_links_pipes_and_hidden_files_are_no_part_of_a_skill(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    write(secret, {"key.txt": b"secret"})
    folder = put(tmp_path / "roots", "refunds")
    write(folder, {".env": b"secret", ".git/config": b"secret", "kept.md": b"kept"})
    (folder / "file.md").symlink_to(secret / "key.txt")
    (folder / "folder").symlink_to(secret)
    os.mkfifo(folder / "pipe")
    (folder / "line\nbreak.md").write_bytes(b"odd")

    shown = await published(tmp_path / "roots")

    assert list(shown.files) == ["SKILL.md", "kept.md"]
    for file in (".env", "file.md", "folder/key.txt", "pipe", "../secret/key.txt", "line\nbreak.md", ""):
        with pytest.raises(NoFileOfSkillError):
            await shown.read(file)


async def test_a_changed_file_has_another_digest_though_the_old_one_is_remembered(tmp_path: Path) -> None:
    folder, publisher = put(tmp_path, "refunds"), Publisher()
    write(folder, {"a.md": b"first"})
    os.utime(folder / "a.md", ns=(1, 1))
    before = (await published(tmp_path, publisher)).files["a.md"]

    write(folder, {"a.md": b"later"})

    after = await published(tmp_path, publisher)
    assert after.files["a.md"].digest == hashlib.sha256(b"later").hexdigest() != before.digest
    assert await after.read("a.md") == b"later"


async def test_a_file_that_was_swapped_for_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"later")
    folder = put(tmp_path / "roots", "refunds")
    write(folder, {"a.md": b"first"})
    shown = await published(tmp_path / "roots")

    (folder / "a.md").unlink()
    (folder / "a.md").symlink_to(tmp_path / "secret")

    with pytest.raises(NoFileOfSkillError, match="gone"):
        await shown.read("a.md")


async def test_a_file_that_grew_since_its_digest_was_told_is_not_read(tmp_path: Path) -> None:
    folder = put(tmp_path, "refunds")
    write(folder, {"a.md": b"first"})
    shown = await published(tmp_path)

    write(folder, {"a.md": b"first and more"})

    with pytest.raises(NoFileOfSkillError, match="changed"):
        await shown.read("a.md")


async def test_the_document_is_that_of_the_load_until_the_next_one(tmp_path: Path) -> None:
    put(tmp_path, "refunds")
    (skill,) = SkillCatalog(tmp_path)
    put(tmp_path, "refunds", skill_text("refunds", "Something else."))

    shown = await Publisher().publish(skill)

    assert await shown.read("SKILL.md") == skill_text("refunds").encode()


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({f"{number}.md": b"" for number in range(512)}, "512 files"),
        ({"a.bin": bytes(9 * 2**20), "b.bin": bytes(8 * 2**20)}, "16 MiB"),
        ({"/".join("d" * 34) + "/x": b""}, "nested"),
    ],
)
async def test_a_skill_beyond_what_hosts_have_to_accept_is_not_published(
    tmp_path: Path, files: dict[str, bytes], reason: str
) -> None:
    write(put(tmp_path, "refunds"), files)

    with pytest.raises(NotPublishedError, match=reason):
        await published(tmp_path)


async def test_a_folder_with_too_much_to_look_at_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest, "MAX_LOOKED_AT", 20)
    write(put(tmp_path, "refunds"), {f".hidden/{number}": b"" for number in range(3)})
    assert (await published(tmp_path)).files
    write(tmp_path / "refunds", {f".{number}": b"" for number in range(20)})

    with pytest.raises(NotPublishedError, match="files and folders"):
        await published(tmp_path)


async def test_a_folder_is_told_by_its_direct_children(tmp_path: Path) -> None:
    write(put(tmp_path, "refunds"), {"templates/a.md": b"abc", "templates/eu/b.md": b"", "templatesx": b""})
    shown = await published(tmp_path)

    assert children_of(shown, "templates") == [
        {"uri": "skill://refunds/templates/a.md", "name": "a.md", "mimeType": "text/markdown", "size": 3},
        {"uri": "skill://refunds/templates/eu", "name": "eu", "mimeType": "inode/directory"},
    ]
    assert [child["name"] for child in children_of(shown, "") or ()] == ["SKILL.md", "templates", "templatesx"]
    assert children_of(shown, "SKILL.md") is None
    assert children_of(shown, "nowhere") is None


async def test_contents_keep_every_byte(tmp_path: Path) -> None:
    text, data = b"\xef\xbb\xbfa\r\nb\x00\xc3\xa9", b"\xff\xfe\x00"

    assert contents_of("skill://x/a.ts", "a.ts", text) == {
        "uri": "skill://x/a.ts",
        "mimeType": "text/x-typescript",
        "text": text.decode(),
    }
    assert contents_of("skill://x/a", "a", data) == {
        "uri": "skill://x/a",
        "mimeType": "application/octet-stream",
        "blob": "//4A",
    }


async def test_the_resource_of_a_document_says_what_the_front_matter_says(tmp_path: Path) -> None:
    put(tmp_path, "refunds")

    assert document_resource(await published(tmp_path)) == {
        "uri": "skill://refunds/SKILL.md",
        "name": "refunds",
        "description": "Does a job.",
        "mimeType": "text/markdown",
        "size": len(skill_text("refunds")),
    }
