"""Files to raw documents."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pegboard.documents.problems import ConfigProblem
from pegboard.documents.read import MAX_BYTES, Document, read_document, read_text


def problem_of(file: Path) -> ConfigProblem:
    document = read_document(file)
    assert isinstance(document, ConfigProblem)
    return document


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ('{"a": 1}', "json"),
        ("  \n// x\n{}", "json"),
        ("/* x */ {}", "json"),
        ("a = 1", "toml"),
        ("[a]", "toml"),
        ("# x", "toml"),
        ("", "toml"),
    ],
)
@pytest.mark.parametrize("name", ["x.json", "x.toml", "x"])
def test_the_content_decides_the_format_whatever_the_name(tmp_path: Path, text: str, format: str, name: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    document = read_document(file)
    assert isinstance(document, Document)
    assert document.format == format


@pytest.mark.parametrize("text", ['{"a": 1}', "a = 1"])
def test_a_byte_order_mark_and_line_ends_of_windows_are_no_mistake(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"\xef\xbb\xbf" + text.encode() + b"\r\n")
    document = read_document(file)
    assert isinstance(document, Document)
    assert document.value == {"a": 1}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_another_unicode_encoding_is_named_with_the_fix(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "x.json"
    file.write_bytes('{"a": 1}'.encode(encoding))
    problem = problem_of(file)
    assert "UTF-16" in problem.message
    assert problem.hint == "Save it as UTF-8."


def test_bytes_that_are_no_utf8_are_told_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_bytes(b'a = 1\nb = "\xe9"\n')
    assert str(problem_of(file)) == f"{file}:2: is not UTF-8. Save it as UTF-8."


def test_what_cannot_be_read_is_told_in_plain_words(tmp_path: Path) -> None:
    assert "no such file" in problem_of(tmp_path / "missing").message
    assert "is a folder" in problem_of(tmp_path).message
    (tmp_path / "file").write_text("")
    assert "no such file" in problem_of(tmp_path / "file" / "below").message
    assert "not a path" in problem_of(tmp_path / "a\0b").message


def test_a_file_without_end_is_not_read_to_the_end(tmp_path: Path) -> None:
    file = tmp_path / "large"
    with file.open("wb") as sparse:
        sparse.truncate(MAX_BYTES + 2)
    assert f"more than {MAX_BYTES:,} bytes" in problem_of(file).message


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    link = tmp_path / "link"
    link.symlink_to(pipe)
    for file in (pipe, link, Path("/dev/zero")):
        assert str(problem_of(file)).startswith(f"{file}: this is a pipe, a socket or a device, not a file. ")


def test_a_syntax_error_has_line_and_column(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text('{\n  "a": 1,\n  "b" 2\n}')
    assert str(problem_of(file)) == f"{file}:3:7: not JSON: wanted : after the key, got '2'."
    file.write_text("a = 1\nb = [1,, 2]\n")
    assert problem_of(file).place == f"{file}:2:8"


def test_json_that_is_no_object_is_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text("// nothing\n[1]")
    assert problem_of(file).message == "wanted an object, got a list."


def test_a_key_given_twice_is_told_with_both_lines(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text('{"s": {\n"a": 1,\n"a": 2}}')
    document = read_document(file)
    assert isinstance(document, Document)
    (problem,) = document.problems
    assert str(problem) == f"{file}:3:1: s.a: is given twice, first on line 2; this one counts. Remove one of the two."


def test_a_place_that_is_not_there_has_the_line_of_what_is_around_it(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text("\n[a]\nb = 1\n")
    document = read_document(file)
    assert isinstance(document, Document)
    assert document.line(("a", "b")) == 3
    assert document.line(("a", "missing", 0)) == 2
    assert document.line(("missing",)) is None


def test_text_is_read_alike(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_bytes(b"\xef\xbb\xbfA=1")
    assert read_text(file) == "A=1"
