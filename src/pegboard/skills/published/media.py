"""Media types of a skill's files, by their names. Pure: the system's own tables are not asked."""

from __future__ import annotations

from mimetypes import MimeTypes
from typing import Final

FOLDER: Final = "inode/directory"
"""What marks a folder among resources."""

MARKDOWN: Final = "text/markdown"
TEXT: Final = "text/plain"
BYTES: Final = "application/octet-stream"

_MORE: Final = {
    ".jsonl": "application/jsonl",
    ".markdown": MARKDOWN,
    ".md": MARKDOWN,
    ".ps1": TEXT,
    ".rb": "text/x-ruby",
    ".rs": "text/x-rust",
    ".sql": "application/sql",
    ".toml": "application/toml",
    ".ts": "text/x-typescript",
    ".webp": "image/webp",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}
"""What Python's table lacks, or has otherwise than authors of skills mean it."""

_TYPES: Final = MimeTypes(filenames=())
for _ending, _type in _MORE.items():
    _TYPES.add_type(_type, _ending)


def media_type_of(file: str) -> str | None:
    """The media type that a file's name tells; None where it tells none, or a packed file."""
    told, packing = _TYPES.guess_type(f"/{file}")
    return None if packing else told
