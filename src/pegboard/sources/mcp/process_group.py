"""A child process together with everything it starts: how to make such a group, and how to end it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any

if sys.platform == "win32":

    def group_options() -> dict[str, Any]:
        """What to ask of the operating system so that the child leads a group of its own."""
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}

    def end_group(pid: int, *, force: bool) -> None:
        """End the process ``pid`` and its descendants. Windows knows no polite way: ``force`` changes nothing."""
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(pid)], check=False, capture_output=True)  # noqa: S603, S607

    def group_lives(pid: int) -> bool:
        """Whether the group may still have members. Windows does not tell once the leader is gone."""
        return False

else:

    def group_options() -> dict[str, Any]:
        """What to ask of the operating system so that the child leads a group of its own."""
        return {"start_new_session": True}

    def end_group(pid: int, *, force: bool) -> None:
        """Ask every process of the group that ``pid`` leads to end (SIGTERM), or end it (SIGKILL)."""
        # macOS answers PermissionError for a group of which only an unreaped process is left.
        try:
            os.killpg(pid, signal.SIGKILL if force else signal.SIGTERM)
        except (ProcessLookupError, PermissionError):
            return

    def group_lives(pid: int) -> bool:
        """Whether the group still has members."""
        try:
            os.killpg(pid, 0)
        except (ProcessLookupError, PermissionError):
            return False
        return True
