from __future__ import annotations

import os
from base64 import b64encode, urlsafe_b64encode
from email.parser import BytesParser
from email.policy import HTTP
from pathlib import Path
from typing import Any

import pytest

from pegboard import opening
from pegboard.errors import ToolError
from pegboard.http_tools.folder import read_files
from pegboard.http_tools.multipart import Part, written
from pegboard.http_tools.reading import read_definition
from pegboard.http_tools.uploads import Upload, UploadError, file_schema, type_for, upload_of
from tests.http_tools.decoding import parts_of
from tests.http_tools.things import call, define, told

pytestmark = pytest.mark.anyio

DATA = bytes(range(256))


@pytest.mark.parametrize(
    "text",
    [
        b64encode(DATA).decode(),
        b64encode(DATA).decode().rstrip("="),
        urlsafe_b64encode(DATA).decode(),
        "\r\n".join([b64encode(DATA).decode()[:76], b64encode(DATA).decode()[76:]]),
    ],
)
def test_base64_is_read_in_every_common_form(text: str) -> None:
    assert upload_of(text, {}).data == DATA
    assert upload_of({"data": text, "filename": "a.bin", "content_type": "x/y"}, {}) == Upload(DATA, "a.bin", "x/y")


@pytest.mark.parametrize(
    "value",
    [
        *(5, [], None, {}, "not base64!", "abcde", {"data": 5}, {"data": "AA", "path": "x"}, {"filename": "x"}),
        *({"data": "AA", "mode": "x"}, {"data": "AA", "content_type": "image"}),
        {"data": "AA", "content_type": "image/png\r\nX-Evil: 1"},
    ],
)
def test_what_is_no_file_is_refused_and_not_repeated(value: Any) -> None:
    with pytest.raises(UploadError) as caught:
        upload_of(value, {})
    assert "Evil" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "sent"),
    [("a.png", "a.png"), ("../../etc/passwd", "passwd"), ("C:\\x\\y.txt", "y.txt"), ("..", "file"), ("", "file")],
)
def test_a_file_has_a_name_and_no_path(given: str, sent: str) -> None:
    assert upload_of({"data": "", "filename": given}, {}).filename == sent


@pytest.mark.parametrize(
    ("own", "declared", "sent"),
    [
        ("image/png", "", "image/png"),
        ("image/png", "image/*", "image/png"),
        ("image/png", "image/jpeg, image/png", "image/png"),
        ("image/png", "application/pdf", "application/pdf"),
        ("", "image/*", "application/octet-stream"),
    ],
)
def test_a_declared_type_counts_unless_it_leaves_a_choice(own: str, declared: str, sent: str) -> None:
    assert type_for(Upload(b"", content_type=own), declared) == sent


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("QUJD", True),
        ({"data": "QUJD", "filename": "a.txt"}, True),
        ({"path": "deep/b.txt"}, True),
        ({"data": "QUJD", "path": "deep/b.txt"}, False),
        ({"filename": "a.txt"}, False),
        ({"data": "QUJD", "mode": "x"}, False),
        (5, False),
    ],
)
async def test_the_schema_of_a_file_takes_what_can_be_sent(uploads: Path, given: Any, taken: bool) -> None:
    parameters = {"type": "object", "properties": {"doc": file_schema("A photo.")}, "required": ["doc"]}
    read = read_definition(told(**{**FORM, "parameters": parameters}), imported=True)
    assert read.definition is not None
    called = await call(read.definition, {"doc": given}, files=uploads)
    assert bool(called.requests) is taken


@pytest.fixture
def uploads(tmp_path: Path) -> Path:
    (tmp_path / "outside").write_bytes(b"secret")
    inside = tmp_path / "inside"
    (inside / "deep").mkdir(parents=True)
    (inside / "a.txt").write_bytes(b"A")
    (inside / "deep" / "b.txt").write_bytes(b"B")
    (inside / "link").symlink_to(tmp_path / "outside")
    (inside / "folder").symlink_to(tmp_path)
    (inside / "within").symlink_to(inside / "a.txt")
    os.mkfifo(inside / "pipe")
    return inside


def test_files_are_read_below_their_folder(uploads: Path) -> None:
    assert read_files(uploads, ["a.txt", "deep/b.txt", "a.txt"]) == {"a.txt": b"A", "deep/b.txt": b"B"}


OUT = ["../outside", "link", "folder/outside", "deep/../../outside", "deep", "pipe", "none", "", ".", "/etc/hostname"]


@pytest.mark.parametrize("path", [*OUT, "a\0b", "a.txt/", "./a.txt", "within", "\udcff", "x" * 5_000])
def test_nothing_else_is_read_and_the_error_is_the_same_for_all(uploads: Path, path: str) -> None:
    with pytest.raises(ToolError, match=r"^There is no such file in the folder for uploads\."):
        read_files(uploads, [path])


@pytest.mark.parametrize("path", OUT)
def test_nor_where_the_system_cannot_open_below_a_folder(
    uploads: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "FROM_FOLDERS", False)
    assert read_files(uploads, ["deep/b.txt"]) == {"deep/b.txt": b"B"}
    with pytest.raises(ToolError):
        read_files(uploads, [path])


def test_files_are_bounded_all_together(uploads: Path) -> None:
    assert read_files(uploads, ["a.txt", "deep/b.txt"], limit=2)
    with pytest.raises(ToolError, match="larger than"):
        read_files(uploads, ["a.txt", "deep/b.txt"], limit=1)


FORM: dict[str, Any] = {
    "method": "POST",
    "parameters": {"type": "object", "properties": {"doc": {"type": "object", "properties": {}}}, "required": []},
    "body": {"doc": "{{doc}}"},
    "body_type": "multipart/form-data",
    "encoding": {"doc": {"file": True}},
}


async def test_a_path_is_sent_where_the_operator_allows_a_folder(uploads: Path) -> None:
    called = await call(define(**FORM), {"doc": {"path": "deep/b.txt"}}, files=uploads)
    ((name, filename, kind, data),) = parts_of(called.request.body, str(called.request.header("Content-Type")))
    assert (name, filename, kind, data) == ("doc", "b.txt", "application/octet-stream", b"B")


async def test_without_a_folder_no_path_is_read(uploads: Path) -> None:
    called = await call(define(**FORM), {"doc": {"path": str(uploads / "a.txt")}})
    assert called.text == "No file can be sent by its path here. Give its content as base64 in 'data'."
    assert called.requests == []


async def test_a_whole_body_may_be_a_file(uploads: Path) -> None:
    definition = define(**{**FORM, "body": "{{doc}}", "body_type": "image/png", "encoding": {}})
    called = await call(definition, {"doc": {"path": "a.txt"}}, files=uploads)
    assert (called.request.body, called.request.header("Content-Type")) == (b"A", "image/png")


def test_no_boundary_stands_in_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    guesses = iter(["guessed", "another", "free"])
    monkeypatch.setattr("secrets.token_hex", lambda size: next(guesses))
    body, boundary = written([Part("a", b"x--guessed"), Part("b", b"\r\n--another--\r\n")])
    assert boundary == "free"
    assert [data for *_, data in parts_of(body, f"multipart/form-data; boundary={boundary}")] == [
        b"x--guessed",
        b"\r\n--another--\r\n",
    ]


@pytest.mark.parametrize("name", ['a"b', 'x"; filename="y', "a\r\nX-Evil: 1", "\n", "é漢"])
def test_a_name_ends_nowhere_before_its_end(name: str) -> None:
    body, boundary = written([Part(name, b"1", filename=name)])
    ((found, filename, _, data),) = parts_of(body, f"multipart/form-data; boundary={boundary}")
    assert (found, filename, data) == (name, name, b"1")


HEADED: dict[str, Any] = {
    "method": "POST",
    "parameters": {"type": "object", "properties": {name: {"type": "string"} for name in ("note", "lang", "shop")}},
    "body": {"docs": ["one", "two"], "note": "{{note}}"},
    "body_type": "multipart/form-data",
    "encoding": {
        "docs": {"content_type": "text/plain", "headers": {"Content-Language": "{{lang}}", "X-Fixed": "a: b"}},
        "note": {"headers": {"X-Shop": "{{shop}}/{{ctx.tenant_id}}"}},
    },
}


async def test_a_part_has_the_headers_that_its_encoding_names() -> None:
    arguments = {"note": "n", "lang": "pt-BR", "shop": "Lojão"}
    called = await call(define(**HEADED), arguments, context={"tenant_id": "t1"})
    head = f"Content-Type: {called.request.header('content-type')}\r\n\r\n"
    parts = BytesParser(policy=HTTP).parsebytes(head.encode() + called.request.body)
    told = [
        (part.get_param("name", header="content-disposition"), part["content-language"], part["x-fixed"])
        for part in parts.iter_parts()
    ]
    assert told == [("docs", "pt-BR", "a: b"), ("docs", "pt-BR", "a: b"), ("note", None, None)]
    assert called.request.body.count("X-Shop: Lojão/t1\r\n".encode()) == 1


async def test_a_header_whose_argument_is_absent_is_left_out_and_its_part_kept() -> None:
    called = await call(define(**HEADED), {"note": "n"}, context={"tenant_id": "t1"})
    assert b"Content-Language" not in called.request.body
    assert b"X-Shop" not in called.request.body
    assert called.request.body.count(b"X-Fixed: a: b\r\n") == 2


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\n", "\x00", " a", "\ud800"])
async def test_no_argument_ends_a_header_of_a_part(value: str) -> None:
    called = await call(define(**HEADED), {"lang": value}, context={"tenant_id": "t1"})
    assert called.result.is_error
    assert "lang" in called.text
    assert "Evil" not in called.text
    assert called.requests == []
