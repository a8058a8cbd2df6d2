"""A person's own editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from pegboard.errors import ConfigError


class Draft:
    """A text in a file of its own, for a person to edit. Lives until ``discard``: what somebody wrote is not lost."""

    def __init__(self, text: str, name: str, suffix: str) -> None:
        handle, path = tempfile.mkstemp(prefix=f"pegboard-{name}-", suffix=suffix, text=True)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        self.path = Path(path)

    def edited(self) -> str:
        """The text after the person's editor has ended.

        Raises ConfigError where there is no editor, or where it fails.
        """
        command = _command(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
        if not command:
            raise ConfigError("No editor is known.", hint="Set EDITOR, or give the definition with --file FILE.")
        try:
            code = subprocess.call([*command, str(self.path)])  # noqa: S603  # the person's own choice
        except OSError as error:
            raise ConfigError(
                f"The editor {command[0]!r} cannot be started: {error.strerror}.", hint="Set EDITOR."
            ) from error
        if code:
            raise ConfigError(f"The editor {command[0]!r} ended with {code}: nothing was changed.")
        try:
            return self.path.read_text("utf-8", errors="replace")
        except OSError as error:
            told = f"The editor {command[0]!r} left nothing that can be read: {error.strerror}."
            raise ConfigError(told, hint="Nothing was changed.") from error

    def discard(self) -> None:
        """Take the file away."""
        self.path.unlink(missing_ok=True)


def _command(text: str) -> list[str]:
    """The words of a command. Raises ConfigError."""
    try:
        return shlex.split(text)
    except ValueError as error:
        told = f"The editor's command {text!r} cannot be taken apart: {error}."
        raise ConfigError(told, hint="Mend the quotes in VISUAL or EDITOR.") from error
