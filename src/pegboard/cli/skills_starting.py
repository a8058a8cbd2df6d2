"""``skills new``: the beginning of a skill."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Annotated, Final

import typer

from pegboard.cli.exits import Exit
from pegboard.cli.options import Common
from pegboard.cli.session import load_found
from pegboard.errors import ConfigError

FOLDER: Final = Path("skills")
"""Where skills are begun without a configuration that names folders."""

_PARTS: Final = re.compile(r"[^a-z0-9]+")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def new(
    common: Common,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The name: small letters, digits and single hyphens between them.")
    ],
    folder: Annotated[
        Path | None,
        typer.Option(
            "--in",
            metavar="FOLDER",
            help="The folder of skills that it is begun in; unless given, the configuration's first, else skills.",
        ),
    ] = None,
    description: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What it does, and when to use it; can be written later.")
    ] = None,
) -> Exit:
    """Begin a skill: a folder with a SKILL.md that is as the format says."""
    from pegboard.skills.template import text_for

    _check(name)
    file = (folder or _root(common)) / name / "SKILL.md"
    _write(file, text_for(name, _said(description or "")))
    if common.json:
        common.output.document({"name": name, "file": str(file)})
    else:
        common.output.say(f"{file}: write it, then: pegboard skills check {file.parent}")
    return Exit.OK


def _check(name: str) -> None:
    """Raise BadParameter for a name that the format does not allow, with one that it does."""
    from pegboard.skills.names import MAX_NAME, is_format_name

    if is_format_name(name):
        return
    plain = unicodedata.normalize("NFKD", _CAMEL.sub("-", name)).encode("ascii", "ignore").decode().lower()
    legal = _PARTS.sub("-", plain).strip("-")[:MAX_NAME].strip("-")
    hint = f" Take {legal!r}." if legal else ""
    wanted = f"small letters a to z, digits and single hyphens between them, at most {MAX_NAME}"
    raise typer.BadParameter(f"{name!r} is no name of a skill: {wanted}.{hint}", param_hint="NAME")


def _said(description: str) -> str:
    """A description on one line. Raises BadParameter for one that the file cannot have."""
    from pegboard.skill_prompt import MAX_DESCRIPTION
    from pegboard.texts import has_unseen

    said = " ".join(description.split())
    if has_unseen(said):
        raise typer.BadParameter("it has characters that are not seen, or are not UTF-8.", param_hint="--description")
    if len(said) > MAX_DESCRIPTION:
        wrong = f"it has {len(said):,} characters; the format allows {MAX_DESCRIPTION:,}."
        raise typer.BadParameter(wrong, param_hint="--description")
    return said


def _root(common: Common) -> Path:
    loaded = load_found(common)
    roots = [root.path for spec in loaded.settings.skills.values() for root in spec.roots] if loaded else []
    return roots[0] if roots else FOLDER


def _write(file: Path, text: str) -> None:
    """Write a file that is not there yet, nor behind a link. Raises ConfigError where it is, or cannot be written."""
    folder = file.parent
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise ConfigError(f"{folder} is there already, and is no folder.", hint="Remove it, or choose another name.")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    except FileExistsError:
        raise ConfigError(f"{file} is there already.", hint="Edit it, or choose another name.") from None
    except OSError as error:
        raise ConfigError(
            f"{file} cannot be written: {error.strerror}.", hint="Name another folder with --in FOLDER."
        ) from error
