"""``${VAR}`` in the words of an entry. Pure: the environment is an argument.

| form | becomes |
| --- | --- |
| ``${VAR}``, ``${env:VAR}`` | the variable's value |
| ``${VAR:-text}`` | the same, or ``text`` where it is unset or empty; ``text`` may hold further forms |
| ``${workspaceFolder}``, ``${workspaceFolderBasename}`` | the workspace, and its name |
| ``${userHome}`` | the home folder |
| ``${pathSeparator}``, ``${/}`` | ``/``, on Windows ``\\`` |
| ``${input:id}`` | what the import's ``inputs`` give for ``id`` |
| ``$${`` | ``${``, as it stands |

``$VAR`` and every other ``${...}`` stay as written: they are for the server, or for the shell that starts it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pegboard.config.paths import home

MAX_DEPTH: Final = 16
"""How deep forms may stand in the defaults of others. Nobody writes more than two or three."""

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CLIENT_ONLY: Final = ("config:", "command:", "file:", "lineNumber", "selectedText", "relativeFile", "fileBasename")
"""Forms that only the editor can fill in."""


@dataclass(frozen=True, kw_only=True)
class Scope:
    """What the forms refer to. Immutable; belongs to one load.

    ``environ`` is the environment. ``workspace`` is the folder that ``${workspaceFolder}`` means. ``inputs`` are
    answers to ``${input:id}``. ``own`` are the variables that the entry itself sets for its server: where the
    environment does not have one of them, the form is left for the server, which does.
    """

    environ: Mapping[str, str] = field(repr=False)
    workspace: Path
    inputs: Mapping[str, str] = field(default_factory=dict, repr=False)
    own: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Lack:
    """Something that could not be filled in. Immutable. ``what`` never holds a value, only names."""

    what: str
    hint: str


@dataclass(frozen=True)
class Expanded:
    """An expanded text, and what it lacks; where it lacks something the text is of no use. Immutable."""

    text: str = field(repr=False)
    lacks: tuple[Lack, ...] = ()


def expand(text: str, scope: Scope, *, depth: int = 0) -> Expanded:
    """``text`` with every known form filled in, once: what comes out of a variable is not looked at again.

    ``depth`` is how many forms stand around it. A text with forms in more than ``MAX_DEPTH`` others lacks a meaning.
    """
    if "${" not in text:
        return Expanded(text)
    if depth > MAX_DEPTH:
        what = f"${{...}} stands inside more than {MAX_DEPTH} others"
        return Expanded("", (Lack(what, "Write the default itself, without further forms in it."),))
    out: list[str] = []
    lacks: list[Lack] = []
    start = 0
    while (found := text.find("${", start)) >= 0:
        if found > start and text[found - 1] == "$":
            out.append(text[start : found - 1] + "${")
            start = found + 2
            continue
        end = _closing(text, found)
        if end is None:
            break
        filled = _fill(text[found + 2 : end], scope, depth)
        out.append(text[start:found] + filled.text)
        lacks.extend(filled.lacks)
        start = end + 1
    out.append(text[start:])
    return Expanded("".join(out), tuple(lacks))


def _closing(text: str, start: int) -> int | None:
    """The offset of the brace that closes the form at ``start``, forms inside it counted; None when none does."""
    depth = 0
    position = start
    while position < len(text):
        if text.startswith("${", position):
            depth += 1
            position += 1
        elif text[position] == "}":
            depth -= 1
            if depth == 0:
                return position
        position += 1
    return None


def _fill(form: str, scope: Scope, depth: int) -> Expanded:
    """One form, without its ``${`` and ``}``."""
    places = _places(scope)
    if form in places:
        return Expanded(places[form])
    name, dash, default = form.removeprefix("env:").partition(":-")
    if _NAME.fullmatch(name):
        return _variable(name, default if dash else None, form, scope, depth)
    if form.startswith("input:"):
        return _input(form.removeprefix("input:"), scope)
    if form.startswith(_CLIENT_ONLY):
        hint = "Write the entry as [upstreams.NAME] in pegboard.toml, with the value itself or ${VAR}."
        return Expanded("", (Lack(f"${{{form}}} can only be filled in by the editor", hint),))
    return Expanded("${" + form + "}")


def _places(scope: Scope) -> dict[str, str]:
    return {
        "workspaceFolder": str(scope.workspace),
        "workspaceRoot": str(scope.workspace),
        "workspaceFolderBasename": scope.workspace.name,
        "userHome": str(home()),
        "pathSeparator": os.sep,
        "/": os.sep,
    }


def _variable(name: str, default: str | None, form: str, scope: Scope, depth: int) -> Expanded:
    value = scope.environ.get(name)
    if value or (value is not None and default is None):
        return Expanded(value)
    if default is not None:
        return expand(default, scope, depth=depth + 1)
    if name in scope.own:
        return Expanded("${" + form + "}")
    hint = f"Set it in the environment that Pegboard starts in, or give a default: ${{{name}:-text}}."
    return Expanded("", (Lack(f"the environment variable {name} is not set", hint),))


def _input(name: str, scope: Scope) -> Expanded:
    if name in scope.inputs:
        return Expanded(scope.inputs[name])
    lack = Lack(
        f"it wants the input {name!r}, which an editor asks its user for and Pegboard cannot",
        f'Give it in pegboard.toml: inputs = {{ {name} = "${{VAR}}" }} below [[import]].',
    )
    return Expanded("", (lack,))
