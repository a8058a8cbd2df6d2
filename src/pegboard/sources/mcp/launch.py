"""From what a person wrote to what the operating system is asked to run."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pegboard.errors import UpstreamError
from pegboard.sources.mcp.noise import visible
from pegboard.sources.mcp.spec import StdioSpec

_POSIX_BASE: Final = ("HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER")
_SECRET_NAME: Final = re.compile(
    r"(?:token|secret|password|passwd|passphrase|credential|apikey|(?:^|_)(?:key|pass|pwd|pat|auth))s?(?:$|[_\d])",
    re.IGNORECASE,
)
"""Found in a variable's name, it says that the value is for nobody's eyes."""

_WINDOWS_BASE: Final = (
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERDOMAIN",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
)


@dataclass(frozen=True, kw_only=True)
class Launch:
    """What is run. Immutable. ``argv[0]`` is the program's path; ``env`` is the child's whole environment."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str | None


def launch_of(spec: StdioSpec, environ: Mapping[str, str]) -> Launch:
    """Check a spec against this machine.

    Raises UpstreamError that names the upstream, what is wrong and how to mend it.
    """
    _refuse_nul(spec)
    cwd = None if spec.cwd is None else os.fspath(spec.cwd)
    if cwd is not None and not Path(cwd).is_dir():
        what = "is not a folder" if Path(cwd).exists() else "does not exist"
        raise _wrong(spec, f"the working folder {visible(cwd)!r} {what}", "Mend 'cwd', or leave it out.")
    env = environment_of(spec, environ)
    return Launch(argv=(_program(spec, env, cwd), *spec.args), env=env, cwd=cwd)


def environment_of(spec: StdioSpec, environ: Mapping[str, str]) -> dict[str, str]:
    """The child's environment: the safe base and the named ones of ``environ``, and the spec's own above them."""
    names = {*(_WINDOWS_BASE if sys.platform == "win32" else _POSIX_BASE), *spec.inherit_env}
    # A value that begins with "()" is a shell function; shells with old faults run what follows it.
    kept = {
        name: value
        for name, value in environ.items()
        if (name in names or name.startswith("LC_")) and not value.startswith("()")
    }
    return {**kept, **spec.env}


def secret_values(spec: StdioSpec, environ: Mapping[str, str]) -> set[str]:
    """What no message may show: the values of ``env``, and of inherited variables whose names tell of a secret."""
    inherited = (environ.get(name, "") for name in spec.inherit_env if is_secret_name(name))
    return {value for value in (*spec.env.values(), *inherited) if value}


def is_secret_name(name: str) -> bool:
    """Whether the name of a variable says that its value is for nobody's eyes."""
    return _SECRET_NAME.search(name) is not None


def _program(spec: StdioSpec, env: Mapping[str, str], cwd: str | None) -> str:
    command = os.path.expanduser(spec.command)  # noqa: PTH111  # a bare name must stay one, and Path drops "./"
    if not command.strip():
        raise _wrong(spec, "its command is empty", "Give the program to run.")
    if not os.path.dirname(command):  # noqa: PTH120
        found = shutil.which(command, path=env.get("PATH", os.defpath))
        if found is None:
            raise _wrong(
                spec,
                f"command {visible(command)!r} was not found on PATH",
                "Install it, or give its full path.",
            )
        return found
    # The child changes into its folder before it looks for the program.
    path = Path(cwd or ".", command)
    if not path.exists():
        raise _wrong(spec, f"command {visible(command)!r} does not exist", "Install it, or mend the path.")
    if path.is_dir():
        raise _wrong(spec, f"command {visible(command)!r} is a folder", "Give the program in it.")
    if not os.access(path, os.X_OK):
        raise _wrong(spec, f"command {visible(command)!r} may not be run", "Make it executable (chmod +x).")
    return str(path.absolute())


def _refuse_nul(spec: StdioSpec) -> None:
    places = {"command": [spec.command], "args": spec.args, "env": [*spec.env, *spec.env.values()]}
    if spec.cwd is not None:
        places["cwd"] = [os.fspath(spec.cwd)]
    for place, texts in places.items():
        if any("\x00" in text for text in texts):
            raise _wrong(spec, f"{place!r} holds a NUL character", "Remove it.")
    for name in spec.env:
        if not name or "=" in name:
            raise _wrong(spec, f"{visible(name)!r} cannot name an environment variable", "Mend 'env'.")


def _wrong(spec: StdioSpec, what: str, fix: str) -> UpstreamError:
    return UpstreamError(f"Upstream {spec.name!r} cannot be started: {what}.", hint=fix, data={"source": spec.name})
