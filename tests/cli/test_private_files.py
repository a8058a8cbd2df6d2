"""Files for their owner alone: whole, or as they were."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pegboard.cli.private_files import write_for_owner
from pegboard.errors import DataSetError

posix = pytest.mark.skipif(os.name != "posix", reason="rights and limits as POSIX has them")


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """No file may have more bytes."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@posix
def test_what_is_written_over_is_for_its_owner_alone_afterwards(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o644)
    link.symlink_to(file)
    write_for_owner(link, "new\n", DataSetError, force=True)
    assert (file.read_bytes(), file.stat().st_mode & 0o777, link.is_symlink()) == (b"new\n", 0o600, True)


@posix
@pytest.mark.parametrize("force", [False, True])
def test_on_a_full_disk_everything_stays_as_it_was(tmp_path: Path, *, force: bool) -> None:
    file = tmp_path / "file"
    if force:
        file.write_text("old")
    with full_disk(100), pytest.raises(DataSetError, match="cannot be written: File too large"):
        write_for_owner(file, "x" * 100_000, DataSetError, force=force)
    assert [path.read_text() for path in tmp_path.iterdir()] == (["old"] if force else [])


def test_a_file_that_is_there_by_now_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with pytest.raises(DataSetError, match="exists"):
        write_for_owner(tmp_path / "file", "new", DataSetError, force=False)
    assert (tmp_path / "file").read_text() == "old"


@pytest.mark.skipif(not Path(os.devnull).is_char_device(), reason="no devices among files here")
def test_a_device_can_be_written_to() -> None:
    write_for_owner(Path(os.devnull), "new", DataSetError, force=True)
    assert Path(os.devnull).is_char_device()
