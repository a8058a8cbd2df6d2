"""Where skills are for whoever reads the prompt: the folder that an agent's tools see them in. Pure.

``None`` means that tools see the same folders as this process.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Final

from pegboard.errors import ConfigError

SCHEME: Final = "workspace://"

_REFERENCE: Final = re.compile(r"workspace://[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*")
_SLASHES: Final = re.compile(r"/+")


def normalized(resource_root: str | None) -> str | None:
    """A resource root in its one spelling: an absolute path, or ``workspace://name``, that ends in no slash.

    Raises ConfigError for any other text, and for steps up (``..``).
    """
    if resource_root is None:
        return None
    text = str(resource_root)
    steps = re.split(r"[/\\]", text)
    if ".." in steps or "\x00" in text:
        raise _wrong(text)
    if text.startswith(SCHEME):
        if not _REFERENCE.fullmatch(text) or "." in text.removeprefix(SCHEME).split("/"):
            raise _wrong(text)
        return text
    if text.startswith("/"):
        return str(PurePosixPath(_SLASHES.sub("/", text)))
    if PureWindowsPath(text).is_absolute():
        return str(PureWindowsPath(text))
    raise _wrong(text)


def is_reference(resource_root: str | None) -> bool:
    """Whether it is ``workspace://name``."""
    return resource_root is not None and resource_root.startswith(SCHEME)


def location(resource_root: str | None, root: Path, parts: Sequence[str]) -> str:
    """Where a file below a root is for whoever reads the prompt."""
    if resource_root is None:
        return root.joinpath(*parts).as_posix()
    return "/".join([resource_root.rstrip("/"), *parts])


def _wrong(text: str) -> ConfigError:
    return ConfigError(
        f"resource_root is {text!r:.200}: it has to be an absolute path or a workspace:// reference.",
        hint="Write /folder, or workspace://name with letters, digits, - _ and . in the name.",
    )
