"""Files as arguments: base64, or the path of a file in the folder that the operator allows. Pure."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pegboard.http_tools.media import BYTES_TYPE, is_media_type

FILE_KEYS: Final = ("data", "path", "filename", "content_type")
DEFAULT_NAME: Final = "file"
MAX_UPLOAD: Final = 25_000_000
"""Bytes of all files of one call."""

_BLANKS: Final = re.compile(r"[ \t\r\n]")
_NOT_IN_NAMES: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


class UploadError(ValueError):
    """A value is no file that can be sent. The message says why, and repeats nothing of it."""


@dataclass(frozen=True)
class Upload:
    """A file to be sent. Immutable; belongs to one call. Without a type of its own ``content_type`` is ""."""

    data: bytes = field(repr=False)
    filename: str = DEFAULT_NAME
    content_type: str = ""


def file_schema(description: str = "A file.") -> dict[str, Any]:
    """The JSON Schema of an argument that is a file."""
    text = {"type": "string"}
    properties = {
        "data": {**text, "contentEncoding": "base64"},
        "path": {**text, "description": "Instead of data: a path in the folder for uploads."},
        "filename": text,
        "content_type": text,
    }
    whole = {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "oneOf": [{"required": ["data"]}, {"required": ["path"]}],
    }
    return {"description": description, "anyOf": [{**text, "contentEncoding": "base64"}, whole]}


def paths_in(value: Any) -> Iterator[str]:
    """The paths that a file, or a list of files, is given by."""
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, dict) and isinstance(one.get("path"), str):
            yield one["path"]


def upload_of(value: Any, files: Mapping[str, bytes]) -> Upload:
    """The file that a value is: a text of base64, or an object with ``data`` or ``path``, ``filename``,
    ``content_type``.

    ``files`` has what stands at each path. Raises UploadError.
    """
    if isinstance(value, str):
        return Upload(_decoded(value))
    if not isinstance(value, dict) or not set(value) <= set(FILE_KEYS):
        raise UploadError("is no file: give base64, or an object of data or path, filename, content_type")
    told = {key: text for key, text in value.items() if text is not None}
    if not all(isinstance(text, str) for text in told.values()):
        raise UploadError("is no file: its data, path, filename and content_type are texts")
    if ("data" in told) is ("path" in told):
        raise UploadError("is no file: exactly one of data and path is wanted")
    data = _decoded(told["data"]) if "data" in told else files[told["path"]]
    kind = told.get("content_type", "")
    if kind and not is_media_type(kind):
        raise UploadError("has a content_type that is no media type: write it like image/png")
    return Upload(data, _name(told.get("filename") or told.get("path") or DEFAULT_NAME), kind)


def type_for(upload: Upload, declared: str) -> str:
    """The type that a file is sent as: the one that was declared, or its own where that leaves a choice."""
    return declared if is_media_type(declared) else upload.content_type or BYTES_TYPE


def _decoded(text: str) -> bytes:
    """The bytes of base64, in either alphabet, with or without line breaks and padding."""
    bare = _BLANKS.sub("", text).rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise UploadError("is not base64") from None


def _name(text: str) -> str:
    """The last part of a path; servers have taken the rest for a place to write to."""
    name = _NOT_IN_NAMES.sub("_", text.replace("\\", "/").rpartition("/")[2])
    return DEFAULT_NAME if name in ("", ".", "..") else name
