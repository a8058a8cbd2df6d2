"""A folder of files that one user keeps: whole, theirs, and bounded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pegboard.errors import StoreError
from pegboard.stores import kept_files
from pegboard.stores.kept_files import KeptFiles

ROOT = hasattr(os, "geteuid") and os.geteuid() == 0

WRITER = """
import sys
from pathlib import Path
from pegboard.stores.kept_files import KeptFiles
files = KeptFiles(Path(sys.argv[1]))
for _ in range(50):
    files.write("shared", sys.argv[2].encode() * 20_000)
"""


@pytest.fixture
def files(tmp_path: Path) -> KeptFiles:
    return KeptFiles(tmp_path / "state" / "catalog")


def test_what_was_written_is_read_and_what_was_not_is_none(files: KeptFiles) -> None:
    assert files.read("a") is None
    files.write("a", b"one")
    files.write("a", b"two")
    assert (files.read("a"), files.read("b")) == (b"two", None)


@pytest.mark.skipif(os.name != "posix", reason="rights as POSIX has them")
def test_folder_and_files_are_for_their_user_alone(files: KeptFiles) -> None:
    files.write("a", b"one")
    assert [path.stat().st_mode & 0o777 for path in (files.folder, files.folder / "a")] == [0o700, 0o600]


@pytest.mark.parametrize("broken", [b"", b"pegboard kept 1\n", b"other", None])
def test_a_file_that_is_not_as_it_was_written_is_refused(files: KeptFiles, broken: bytes | None) -> None:
    files.write("a", b"one" * 100)
    path = files.folder / "a"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b"X" if broken is None else broken)
    with pytest.raises(StoreError, match="not the ones that were written"):
        files.read("a")
    files.write("a", b"again")
    assert files.read("a") == b"again"


@pytest.mark.skipif(os.name != "posix", reason="rights as POSIX has them")
@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_a_folder_that_others_may_write_into_is_not_used(files: KeptFiles, mode: int) -> None:
    files.write("a", b"one")
    files.folder.chmod(mode)
    with pytest.raises(StoreError, match="others may write"):
        files.read("a")
    with pytest.raises(StoreError, match="others may write"):
        files.write("a", b"two")
    assert files.path("a") is None
    files.folder.chmod(0o700)
    assert files.read("a") == b"one"


@pytest.mark.skipif(not ROOT, reason="only root can give a file to somebody else")
def test_what_belongs_to_another_user_is_not_used(files: KeptFiles) -> None:
    files.write("a", b"one")
    os.chown(files.folder / "a", 12345, 12345)
    with pytest.raises(StoreError, match="this user alone"):
        files.read("a")
    os.chown(files.folder, 12345, 12345)
    with pytest.raises(StoreError, match="another user's"):
        files.read("b")


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="a system that follows every link")
def test_a_link_is_not_followed(files: KeptFiles, tmp_path: Path) -> None:
    files.write("a", b"one")
    (tmp_path / "elsewhere").write_bytes((files.folder / "a").read_bytes())
    (files.folder / "b").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="cannot be read"):
        files.read("b")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_in_the_place_of_a_file_is_refused_and_never_waited_for(files: KeptFiles) -> None:
    files.write("a", b"one")
    (files.folder / "a").unlink()
    os.mkfifo(files.folder / "a")
    with pytest.raises(StoreError, match="not a file"):
        files.read("a")
    files.write("a", b"two")
    assert files.read("a") == b"two"


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    files = KeptFiles(tmp_path / "file" / "catalog")
    with pytest.raises(StoreError, match="cannot be written"):
        files.write("a", b"one")
    with pytest.raises(StoreError, match="cannot be read"):
        files.read("a")


def kept(number: int) -> str:
    """A name such as files are kept under."""
    return f"{number:040x}.{('listing', 'intake', 'index', 'vectors')[number % 4]}"


def test_the_files_that_were_written_longest_ago_go_first(files: KeptFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_files, "MAX_FILES", 3)
    for age in range(3):
        files.write(kept(age), b"x")
        os.utime(files.folder / kept(age), (1_000 + age, 1_000 + age))
    files.write(f"{3:040x}-{5:016x}.intake", b"x")
    left = sorted(path.name for path in files.folder.iterdir())
    assert left == [kept(1), kept(2), f"{3:040x}-{5:016x}.intake"]


def test_the_folder_has_so_many_bytes_at_most(files: KeptFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_files, "MAX_BYTES", 4_000)
    for age in range(8):
        files.write(kept(age), b"x" * 800)
        os.utime(files.folder / kept(age), (1_000 + age, 1_000 + age))
    assert sorted(path.name for path in files.folder.iterdir()) == list(map(kept, range(4, 8)))
    with pytest.raises(StoreError, match="2,000 bytes"):
        files.write("big", b"x" * 2_000)


def test_what_others_have_in_the_folder_stays_and_does_not_count(
    files: KeptFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_files, "MAX_FILES", 2)
    files.make()
    theirs = ["thesis.tex", "books.index", f"{1:040x}.zip", f"{2:040x}", f"{3:040x}.listing.bak"]
    for name in theirs:
        (files.folder / name).write_text("years of work")
        os.utime(files.folder / name, (1_000, 1_000))
    for number in range(4):
        files.write(kept(number), b"x")
    left = {path.name for path in files.folder.iterdir()}
    assert set(theirs) < left
    assert len(left) == len(theirs) + 2


def test_several_processes_that_write_one_file_leave_it_whole(files: KeptFiles) -> None:
    words = ("left", "right", "other")
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(files.folder), word]) for word in words]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        if files.folder.is_dir():
            seen.add(files.read("shared"))
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert (seen | {files.read("shared")}) - {None} <= {word.encode() * 20_000 for word in words}
