"""What lies beside a skill: listed within bounds, read from inside its folder alone, also while somebody swaps it."""

from __future__ import annotations

import base64
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from pegboard import Pegboard, ToolRegistry, ToolResult, opening
from pegboard.errors import ToolError
from pegboard.opening import LinkError, NoFileError, read_inside
from pegboard.skills.catalog import SkillCatalog
from pegboard.skills.resources import MAX_IMAGE_BYTES, MAX_TEXT_BYTES, listed, read_resource
from pegboard.skills.skill import Skill
from tests.skills.things import put

pytestmark = pytest.mark.anyio

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 40


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("SECRET")
    place = put(tmp_path / "skills", "demo")
    (place / "references").mkdir()
    (place / "references" / "a.md").write_text("A\n")
    return place


@pytest.fixture(params=["from folders", "looking twice"])
def both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The way of Linux and macOS, and that of Windows."""
    monkeypatch.setattr(opening, "FROM_FOLDERS", request.param == "from folders" and opening.FROM_FOLDERS)


def skill_in(folder: Path) -> Skill:
    return SkillCatalog(folder.parent).fetch(folder.name)


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize(
    "path",
    [
        "../../outside/secret.txt",
        "references/../../../outside/secret.txt",
        "/etc/passwd",
        "leak.txt",
        "away/secret.txt",
        "references\\..\\..\\outside\\secret.txt",
        "..%2f..%2foutside%2fsecret.txt",
        "",
        ".",
        "/",
        "references",
        "references/",
        "references//a.md",
        "./references/a.md",
        "SKILL.md/..",
        "SKILL.md/x",
        "a\x00b",
        "a\nb",
        "\ud83d",
        "x" * 5_000,
        "pipe",
    ],
)
def test_nothing_outside_the_folder_is_read_and_nothing_is_told_of_it(folder: Path, path: str) -> None:
    (folder / "leak.txt").symlink_to("../../outside/secret.txt")
    (folder / "away").symlink_to("../../outside")
    os.mkfifo(folder / "pipe")
    with pytest.raises(ToolError) as refused:
        read_resource(skill_in(folder), path)
    assert "SECRET" not in str(refused.value)
    assert str(folder.parent) not in str(refused.value)


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize(("path", "text"), [("references/a.md", "A\n"), ("SKILL.md", "---\nname: demo")])
def test_a_text_of_the_folder_is_read(folder: Path, path: str, text: str) -> None:
    assert read_resource(skill_in(folder), path).text.startswith(text)


@pytest.mark.usefixtures("both_ways")
def test_a_letter_with_an_accent_is_the_same_however_it_is_composed(folder: Path) -> None:
    (folder / "cafe\u0301").mkdir()
    (folder / "cafe\u0301" / "\u00e9.md").write_text("one")
    skill = skill_in(folder)
    for path in ("caf\u00e9/\u00e9.md", "cafe\u0301/e\u0301.md", "cafe\u0301/\u00e9.md"):
        assert read_resource(skill, path).text == "one"
    (folder / "cafe\u0301" / "e\u0301.md").write_text("two")
    assert read_resource(skill, "caf\u00e9/e\u0301.md").text == "two"
    (folder / "caf\u00e9").symlink_to("../../outside")
    with pytest.raises(ToolError):
        read_resource(skill, "caf\u00e9/secret.txt")


@pytest.mark.usefixtures("both_ways")
def test_a_link_is_not_followed_wherever_it_stands(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "x").write_text("x")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real" / "y").symlink_to("x")
    assert read_inside(tmp_path, ("real", "x"), 10) == (b"x", 1)
    for parts in (("link", "x"), ("real", "y"), ("real", "x", "z")):
        with pytest.raises(LinkError):
            read_inside(tmp_path, parts, 10)
    with pytest.raises(NoFileError):
        read_inside(tmp_path, ("real",), 10)


@pytest.mark.skipif(not opening.FROM_FOLDERS, reason="the system cannot open from a folder")
def test_a_folder_that_is_swapped_for_a_link_all_the_time_never_leads_out(folder: Path) -> None:
    skill, stop = skill_in(folder), threading.Event()
    inside, aside = folder / "references", folder / "aside"
    (folder.parent.parent / "outside" / "a.md").write_text("SECRET")

    def swap() -> None:
        while not stop.is_set():
            inside.rename(aside)
            inside.symlink_to("../../outside")
            inside.unlink()
            aside.rename(inside)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        seen = {_read_or_refused(skill) for _ in range(3_000)}
    finally:
        stop.set()
        swapping.join()
    assert "A\n" in seen
    assert "SECRET" not in seen


def _read_or_refused(skill: Skill) -> str | None:
    try:
        return read_resource(skill, "references/a.md").text
    except ToolError:
        return None


def test_a_skill_folder_that_became_a_link_is_not_read(folder: Path) -> None:
    skill = skill_in(folder)
    folder.rename(folder.parent / "moved")
    folder.symlink_to("../outside")
    (folder.parent.parent / "outside" / "x.md").write_text("SECRET")
    with pytest.raises(ToolError):
        read_resource(skill, "x.md")


@pytest.mark.parametrize("text", ["x" * 150_000, "é" * 75_001, "🚀" * 40_000, "a" + "語" * 60_000])
def test_a_long_text_goes_on_where_it_stopped(folder: Path, text: str) -> None:
    (folder / "long.md").write_text(text, encoding="utf-8")
    skill, offset, read = skill_in(folder), 0, []
    while True:
        piece = read_resource(skill, "long.md", offset)
        assert len(piece.data) <= MAX_TEXT_BYTES
        read.append(piece.text)
        if piece.next_offset is None:
            break
        offset = piece.next_offset
    assert "".join(read) == text
    with pytest.raises(ToolError, match="ends at byte"):
        read_resource(skill, "long.md", len(text.encode()))


def test_an_image_is_given_whole_or_not_at_all(folder: Path) -> None:
    (folder / "p.png").write_bytes(PNG)
    with (folder / "huge.png").open("wb") as file:
        file.write(PNG)
        file.truncate(MAX_IMAGE_BYTES + 1)
    skill = skill_in(folder)
    assert read_resource(skill, "p.png").data == PNG
    with pytest.raises(ToolError, match="can be shown"):
        read_resource(skill, "huge.png")


@pytest.mark.parametrize("data", [b"\x00\x01\x02", b"\xff\xfe\x00", b"PK\x03\x04" + b"\x00" * 10, b"caf\xc3"])
def test_what_is_neither_text_nor_image_is_told(folder: Path, data: bytes) -> None:
    (folder / "x.bin").write_bytes(data)
    with pytest.raises(ToolError, match="neither text nor an image"):
        read_resource(skill_in(folder), "x.bin")


def test_an_empty_file_is_an_empty_text(folder: Path) -> None:
    (folder / "empty.md").write_bytes(b"")
    assert read_resource(skill_in(folder), "empty.md").text == ""


def test_a_list_looks_at_so_many_entries_and_says_that_there_are_more(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pegboard.skills.resources.MAX_LOOKED_AT", 50)
    for number in range(100):
        (folder / "references" / f".hidden{number}").write_text("x")
    assert listed(skill_in(folder), 20).more


@pytest.mark.usefixtures("both_ways")
def test_a_folder_that_became_a_link_is_not_listed(folder: Path) -> None:
    skill = skill_in(folder)
    assert listed(skill, 20).paths == ("references/a.md",)
    (folder / "references").rename(folder / "aside")
    (folder / "references").symlink_to("../../outside")
    assert listed(skill, 20).paths == ()
    folder.rename(folder.parent / "moved")
    (folder.parent.parent / "outside" / "assets").mkdir()
    (folder.parent.parent / "outside" / "assets" / "x").write_text("x")
    folder.symlink_to("../outside")
    assert listed(skill, 20).paths == ()


def test_folders_that_hold_themselves_end(folder: Path) -> None:
    (folder / "references" / "again").symlink_to("..")
    assert listed(skill_in(folder), 20).paths == ("references/a.md",)


async def called(folder: Path, name: str, arguments: dict[str, Any]) -> ToolResult:
    catalog, registry = SkillCatalog(folder.parent), ToolRegistry()
    registry.register(catalog.tool(), catalog.resource_tool())
    result = await (await Pegboard([registry]).open()).call(name, arguments)
    assert isinstance(result, ToolResult)
    return result


async def test_the_tools_are_called_like_any_other(folder: Path) -> None:
    (folder / "p.png").write_bytes(PNG)
    (folder / "long.md").write_text("x" * 70_000)
    whole = await called(folder, "skills", {"skill_name": "demo"})
    assert whole.text.startswith("Do it.\n\n---\nLocation: ")
    image = await called(folder, "read_skill_resource", {"skill": "demo", "path": "p.png"})
    assert base64.b64decode(image.content[0]["data"]) == PNG
    long = await called(folder, "read_skill_resource", {"skill": "demo", "path": "long.md"})
    assert long.text.endswith("To go on: offset 60000.")
    rest = await called(folder, "read_skill_resource", {"skill": "demo", "path": "long.md", "offset": 60_000})
    assert rest.text == "x" * 10_000
    unknown = await called(folder, "skills", {"skill_name": "nope"})
    assert unknown.is_error
    assert "Available skills: demo" in unknown.text
