"""The overlay that the commands of ``pegboard tools`` work on."""

from __future__ import annotations

import getpass
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from pegboard.cli.options import Common
from pegboard.cli.session import load_named, tell_moved, tell_problems
from pegboard.errors import ConfigError

if TYPE_CHECKING:
    from pegboard.config import Settings
    from pegboard.http_tools.overlay import Overlay

Format = Literal["toml", "yaml", "json"]

ToolName = Annotated[str, typer.Argument(metavar="NAME", help="The tool's name.")]
ForVersion = Annotated[
    int | None,
    typer.Option("--if-version", metavar="NUMBER", min=0, help="Only if this is the newest version; 0: none yet."),
]
StdinFormat = Annotated[
    Format | None,
    typer.Option("--format", help="What stdin is written in; else its content tells JSON from TOML."),
]

STDIN: Final = "-"


@dataclass(frozen=True, kw_only=True)
class Opened:
    """An overlay in use. Lives as long as one command."""

    settings: Settings
    overlay: Overlay


@asynccontextmanager
async def opened_overlay(common: Common) -> AsyncIterator[Opened]:
    """The overlay of the configuration that the options name. Raises ConfigError where it has none."""
    from pegboard.config.wire import tool_store_of
    from pegboard.http_tools.overlay import Overlay

    loaded = load_named(common)
    tell_problems(common, loaded.problems)
    settings = loaded.settings
    store = tool_store_of(settings)
    if store is None:
        raise _no_store(settings)
    try:
        yield Opened(settings=settings, overlay=Overlay(store, by=_user(), context=settings.context_names))
    finally:
        tell_moved(common, store.moved())
        await store.close()


def text_of(file: str, format: Format | None) -> tuple[str, str]:
    """The text of a file, or of stdin for ``-``, and its name for messages. Raises DefinitionError."""
    from pegboard.documents.read import read_text
    from pegboard.http_tools.authored import definition_error

    if file == STDIN:
        try:
            return sys.stdin.read(), "stdin" if format is None else f"stdin.{format}"
        except UnicodeDecodeError:
            raise typer.BadParameter("stdin is not UTF-8.", param_hint="FILE") from None
    found = read_text(Path(file))
    if not isinstance(found, str):
        raise definition_error((found,))
    return found, file


def definition_text(definition: Mapping[str, Any], format: Format | None) -> tuple[str, Format]:
    """A definition as text, and in which format: TOML unless it holds a null, or what was asked for."""
    from pegboard.errors import DefinitionError
    from pegboard.http_tools.dump import as_text

    if format is not None:
        return as_text(definition, format), format
    try:
        return as_text(definition, "toml"), "toml"
    except DefinitionError:
        return as_text(definition, "yaml"), "yaml"


def _no_store(settings: Settings) -> ConfigError:
    if settings.file is None:
        return ConfigError(
            "Tools are added to a configuration, and there is none but clients' own files.",
            hint="Write a pegboard.toml, or name one with --config FILE.",
        )
    return ConfigError(
        f"{settings.file} keeps nothing: its store is in memory.", hint="Name a file: path under [store]."
    )


def _user() -> str:
    """Who changes something, as the system knows them; "" where it does not."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return ""
