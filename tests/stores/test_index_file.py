"""An index file is loaded as it was written, or not at all; whoever maps it searches as if they had built it."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pegboard.errors import StoreError
from pegboard.search import Candidates, LexicalRanker, exact_first, index
from pegboard.search.arrays import Array
from pegboard.search.building import build
from pegboard.search.candidates import NAMES
from pegboard.search.lexical import SCHEME
from pegboard.search.reading import reading_of, stamps_of
from pegboard.search.scheme import Scheme
from pegboard.search.segment import Segment
from pegboard.stores import array_file
from pegboard.stores.array_format import FormatError, decoded, encoded
from pegboard.stores.index_file import kept, load, save
from pegboard.tools import Entry
from tests.search.things import Thing, queries, rows, things

ENTRIES = [Thing("send_mail", "Send a mail", source="office"), Thing("read_file", "Read a file from the disk")]
same_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tools.index"


def loaded(path: Path, entries: list[Thing]) -> tuple[Candidates, bool]:
    found = load(path, entries)
    assert found is not None
    return found


@same_folder
@given(entries=st.lists(things, max_size=8), query=queries, mask=st.integers(0, 255))
def test_a_mapped_index_ranks_as_one_in_memory(path: Path, entries: list[Thing], query: str, mask: int) -> None:
    built = Candidates.of(entries)
    save(path, built)
    mapped, whole = loaded(path, entries)
    assert whole
    seen = [bool(mask >> place & 1) for place in range(len(entries))]
    for one, other in ((built, mapped), (built.only(seen), mapped.only(seen))):
        found = LexicalRanker().rank(query, one)
        assert rows(LexicalRanker().rank(query, other)) == rows(found)
        assert rows(exact_first(query, found, other)) == rows(exact_first(query, found, one))


@same_folder
@given(before=st.lists(things, max_size=6), after=st.lists(things, max_size=6), query=queries)
def test_of_another_catalog_the_rest_is_indexed_anew(
    path: Path, before: list[Thing], after: list[Thing], query: str
) -> None:
    save(path, Candidates.of(before))
    mapped, whole = loaded(path, after)
    assert whole == (stamps_of(before) == stamps_of(after))
    assert rows(LexicalRanker().rank(query, mapped)) == rows(LexicalRanker().rank(query, after))


@same_folder
@given(entries=st.lists(things, max_size=6), middle=st.lists(things, max_size=6))
def test_equal_entries_give_equal_bytes_whatever_came_before(
    path: Path, entries: list[Thing], middle: list[Thing]
) -> None:
    save(path, Candidates.of(entries))
    expected = path.read_bytes()
    pool = Candidates.of(middle)
    pool.indexed_by(SCHEME)
    save(path, pool.after(entries))
    assert path.read_bytes() == expected


def test_only_what_the_file_lacks_is_indexed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(path, ENTRIES)
    built: list[int] = []

    def counting(scheme: Scheme, entries: Sequence[Entry]) -> Segment:
        built.append(len(entries))
        return build(scheme, entries)

    monkeypatch.setattr(index, "build", counting)
    kept(path, ENTRIES)
    assert set(built) == {0}
    kept(path, [*ENTRIES, Thing("new", "New")])
    assert sorted(built)[-2:] == [1, 1]


def test_a_file_that_is_cut_anywhere_is_refused(path: Path) -> None:
    save(path, Candidates.of(ENTRIES))
    data = path.read_bytes()
    for size in range(len(data)):
        with pytest.raises(FormatError):
            decoded(memoryview(data[:size]))


def test_a_file_of_which_one_byte_differs_is_refused(path: Path) -> None:
    save(path, Candidates.of(ENTRIES))
    data = bytearray(path.read_bytes())
    decoded(memoryview(data))
    for place in range(len(data)):
        data[place] ^= 1 << place % 8
        with pytest.raises(FormatError):
            decoded(memoryview(data))
        data[place] ^= 1 << place % 8


def test_a_file_with_more_behind_it_is_refused(path: Path) -> None:
    save(path, Candidates.of(ENTRIES))
    with pytest.raises(FormatError, match="not the ones that were written"):
        decoded(memoryview(path.read_bytes() + b"\0"))


@pytest.mark.parametrize("content", [b"", b"pegboard", b"SQLite format 3\0", b"pegboard index 2" + b"\0" * 100])
def test_a_broken_file_is_told_of_and_made_anew(path: Path, content: bytes, caplog: pytest.LogCaptureFixture) -> None:
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"tools\.index"):
        load(path, ENTRIES)
    with caplog.at_level(logging.WARNING):
        found = kept(path, ENTRIES)
    assert "tools.index" in caplog.text
    assert len(LexicalRanker().rank("mail", found)) == 1
    assert loaded(path, ENTRIES)[1]


@pytest.mark.parametrize("part", [{}, {"stamps": np.zeros(3)}, {"stamps": np.zeros((2, 16), np.uint8)}])
@pytest.mark.parametrize("told", [{}, {"reading": reading_of((SCHEME, NAMES))}])
def test_a_whole_file_of_something_else_is_told_of_and_made_anew(
    path: Path, part: dict[str, Array], told: Any, caplog: pytest.LogCaptureFixture
) -> None:
    path.write_bytes(b"".join(map(bytes, encoded({"entries": part} if part else {}, told))))
    with caplog.at_level(logging.WARNING):
        found = kept(path, ENTRIES)
    assert len(LexicalRanker().rank("mail", found)) == 1
    assert loaded(path, ENTRIES)[1]
    assert bool(caplog.messages) == (told != {})  # of another reading, it is no more than old


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_in_its_place_is_made_anew_and_never_waited_for(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    os.mkfifo(path)
    with pytest.raises(StoreError, match="it is no file"):
        load(path, ENTRIES)
    assert len(LexicalRanker().rank("mail", kept(path, ENTRIES))) == 1
    assert loaded(path, ENTRIES)[1]


def test_a_folder_in_its_place_is_left_alone(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.mkdir()
    assert len(LexicalRanker().rank("mail", kept(path, ENTRIES))) == 1
    assert caplog.text.count("Look after the folder") == 2
    assert list(path.parent.iterdir()) == [path]


def test_a_file_of_vectors_in_its_place_is_made_anew(path: Path) -> None:
    array_file.write(path, {"vectors": {"keys": np.zeros(3, np.uint8)}}, {"encoder": "of words"}, what="vector")
    assert load(path, ENTRIES) is None
    kept(path, ENTRIES)
    assert loaded(path, ENTRIES)[1]


def test_a_file_of_another_reading_is_made_anew(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pegboard.stores.index_file.reading_of", lambda schemes: "of another program")
    save(path, Candidates.of(ENTRIES))
    monkeypatch.undo()
    assert load(path, ENTRIES) is None
    kept(path, ENTRIES)
    assert loaded(path, ENTRIES)[1]


def test_the_index_serves_though_its_file_cannot_be_written(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        found = kept(tmp_path / "missing" / "tools.index", ENTRIES)
    assert len(LexicalRanker().rank("mail", found)) == 1
    assert "cannot be written" in caplog.text


def test_writing_that_fails_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(path, Candidates.of(ENTRIES))
    before = path.read_bytes()

    def failing(*told: object) -> Iterator[bytes]:
        yield b"pegboard"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pegboard.stores.array_file.encoded", failing)
    with pytest.raises(StoreError, match="No space left on device"):
        save(path, Candidates.of(ENTRIES[:1]))
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_what_killed_processes_left_is_cleared_away_after_a_while(path: Path) -> None:
    old, new = (path.with_name(f"tools.index.{name}.unfinished") for name in ("old", "new"))
    for left in (old, new):
        left.write_bytes(b"x")
    os.utime(old, (1, 1))
    save(path, Candidates.of(ENTRIES))
    assert (old.exists(), new.exists()) == (False, True)


WRITER = """
import sys
from pegboard.search import Candidates
from pegboard.stores.index_file import save
from pegboard.tools import Entry
from tests.search.things import Thing
catalogs = [Candidates.of([Thing(f"t{n}", f"word{n} of {size}") for n in range(size)]) for size in (500, 700)]
print("ready", flush=True)
while True:
    for catalog in catalogs:
        save(sys.argv[1], catalog)
"""


def test_a_writer_that_is_killed_never_leaves_a_file_that_loads_wrongly(path: Path) -> None:
    catalogs = [[Thing(f"t{n}", f"word{n} of {size}") for n in range(size)] for size in (500, 700)]
    for turn in range(6):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        with writer.stdout:
            assert writer.stdout.readline() == "ready\n"
            time.sleep(0.05 + 0.013 * turn)
            writer.send_signal(signal.SIGKILL)
            writer.wait(timeout=30)
        if path.exists():
            found = [load(path, catalog) for catalog in catalogs]
            assert [one is not None and one[1] for one in found].count(True) == 1


def test_an_array_of_any_kind_comes_back_as_it_was() -> None:
    arrays = {"a": np.arange(6, dtype="<i4").reshape(2, 3), "empty": np.zeros((0, 4), "<u8"), "b": np.array([1], "u1")}
    parts, told = decoded(memoryview(b"".join(encoded({"part": arrays}, {"x": [1, "é"]}))))
    assert told == {"x": [1, "é"]}
    for name, array in arrays.items():
        assert (parts["part"][name].dtype, parts["part"][name].tolist()) == (array.dtype, array.tolist())
        assert not parts["part"][name].flags.writeable
