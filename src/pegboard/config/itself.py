"""Whether a command would start Pegboard itself: a gateway behind itself starts processes without end. Pure.

Clients' files hold Pegboard beside the servers that it serves, so that such an entry is ordinary.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_PYTHON: Final = re.compile(r"(?:python|pypy|pythonw|py)[0-9.]*")
_SHELLS: Final = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "cmd", "powershell", "pwsh"})
_SEPARATORS: Final = frozenset({"&&", "||", ";", "|", "&"})
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=.*", re.DOTALL)
_OURS: Final = re.compile(r"pegboard(?:\[[^\]]*\])?(?:(?:@|[=<>!~]=?).*)?")
"""The name as a program or a package: ``pegboard``, ``pegboard[semantic]``, ``pegboard@latest``, ``pegboard==1.0``."""


@dataclass(frozen=True)
class _Wrapper:
    """A program that starts the program named in its arguments. Immutable.

    ``words`` are subcommands that may come before that program. ``valued`` are options that take the next argument.
    ``skip`` is how many arguments stand before the program without being options.
    """

    words: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    skip: int = 0


def _wrapper(words: str = "", valued: str = "", skip: int = 0) -> _Wrapper:
    return _Wrapper(frozenset(words.split()), frozenset(valued.split()), skip)


_UV: Final = (
    "--from --with --with-editable --with-requirements -p --python --directory --project --index --index-url -w"
)
_WRAPPERS: Final[dict[str, _Wrapper]] = {
    "env": _wrapper(valued="-u --unset -C --chdir"),
    "nice": _wrapper(valued="-n --adjustment"),
    "nohup": _wrapper(),
    "setsid": _wrapper(),
    "exec": _wrapper(),
    "time": _wrapper(),
    "stdbuf": _wrapper(valued="-i -o -e"),
    "timeout": _wrapper(valued="-k -s --kill-after --signal", skip=1),
    "sudo": _wrapper(valued="-u -g --user --group"),
    "uvx": _wrapper(valued=_UV),
    "uv": _wrapper(words="tool run x", valued=_UV + " --extra --group --env-file"),
    "pipx": _wrapper(words="run", valued="--spec --python --pip-args --index-url"),
    "npx": _wrapper(valued="-p --package -c"),
    "pnpx": _wrapper(valued="--package"),
    "bunx": _wrapper(valued="-p --package"),
    "bun": _wrapper(words="x run"),
    "pnpm": _wrapper(words="dlx exec"),
    "yarn": _wrapper(words="dlx run"),
    "npm": _wrapper(words="exec x", valued="-p --package"),
    "poetry": _wrapper(words="run", valued="-C --directory -P --project"),
    "pdm": _wrapper(words="run", valued="-p --project"),
    "hatch": _wrapper(words="run", valued="-e --env"),
    "rye": _wrapper(words="run"),
    "pixi": _wrapper(words="run", valued="-e --environment --manifest-path"),
    "conda": _wrapper(words="run", valued="-n --name -p --prefix --cwd"),
    "mise": _wrapper(words="exec x"),
    "dotenvx": _wrapper(words="run", valued="-f --env-file"),
    "doppler": _wrapper(words="run", valued="-p --project -c --config"),
    "op": _wrapper(words="run", valued="--env-file"),
}
_PYTHON_OPTIONS: Final = _wrapper(valued="-X -W --check-hash-based-pycs")


def starts_pegboard(command: str, args: Sequence[str] = ()) -> bool:
    """Whether a command line comes down to Pegboard, looked at through shells, ``env`` and package runners."""
    return _starts([command, *args], depth=8)


def _starts(words: list[str], depth: int) -> bool:
    if not words or depth == 0:
        return False
    program = _base(words[0])
    if _OURS.fullmatch(program):
        return not words[0].startswith("@")
    if _PYTHON.fullmatch(program):
        return _python(words[1:])
    if program in _SHELLS:
        return any(_starts(line, depth - 1) for line in _script(words[1:]))
    if program == "env":
        words = _split_env(words)
    if program in _WRAPPERS:
        return _starts(_wrapped(words[1:], _WRAPPERS[program]), depth - 1)
    return False


def _base(path: str) -> str:
    """The name of a program without its folder and ``.exe``, for either kind of slash."""
    name = re.split(r"[/\\]", path)[-1].lower()
    return re.sub(r"\.(?:exe|cmd|bat|ps1|pyz?)$", "", name)


def _wrapped(words: list[str], wrapper: _Wrapper) -> list[str]:
    """The command line inside a wrapper's."""
    position, left = 0, wrapper.skip
    while position < len(words):
        word = words[position]
        if word in wrapper.valued:
            position += 2
        elif word.startswith("-") or word in wrapper.words or _ASSIGNMENT.fullmatch(word):
            position += 1
        elif left:
            left -= 1
            position += 1
        else:
            return words[position:]
    return []


def _python(words: list[str]) -> bool:
    """Whether Python runs us: ``-m pegboard``, or a script of that name."""
    for position, word in enumerate(words):
        module = words[position + 1 : position + 2] if word == "-m" else [word[2:]] if word.startswith("-m") else None
        if module is not None:
            return bool(module) and module[0].split(".")[0] == "pegboard"
    script = _wrapped(words, _PYTHON_OPTIONS)
    return bool(script) and (_base(script[0]) == "pegboard" or "pegboard/__main__" in script[0].replace("\\", "/"))


def _script(words: list[str]) -> list[list[str]]:
    """The command lines in a shell's ``-c``, split at what separates them."""
    for position, word in enumerate(words):
        if re.fullmatch(r"-[a-z]*c|/c|-command", word.lower()):
            try:
                parts = shlex.split(" ".join(words[position + 1 :]) if word.lower() == "/c" else words[position + 1])
            except (ValueError, IndexError):
                return []
            return _lines(parts)
    return [words[:1]]


def _lines(words: list[str]) -> list[list[str]]:
    """The words of a script as one list a command, assignments before it left out."""
    lines: list[list[str]] = [[]]
    for word in words:
        bare = word.removesuffix(";")
        if bare and bare not in _SEPARATORS and (lines[-1] or not _ASSIGNMENT.fullmatch(bare)):
            lines[-1].append(bare)
        if bare != word or word in _SEPARATORS:
            lines.append([])
    return lines


def _split_env(words: list[str]) -> list[str]:
    """``env -S "program arguments"`` with the text taken apart."""
    for position, word in enumerate(words):
        if word in ("-S", "--split-string") and position + 1 < len(words):
            try:
                return [*words[:position], *shlex.split(words[position + 1]), *words[position + 2 :]]
            except ValueError:
                return words
    return words
