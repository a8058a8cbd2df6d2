"""The options that every command has, before its name or after it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from pegboard.cli.output import Output

WAIT: Final = 30.0
"""Seconds that a command waits for upstreams unless told otherwise."""


@dataclass(frozen=True, kw_only=True)
class Common:
    """The options that every command has. Immutable; belongs to one command.

    ``config`` and ``clients`` name the files to load (neither: the one that is found); ``wait`` is in seconds.
    """

    json: bool = False
    config: Path | None = None
    clients: Sequence[Path] = ()
    wait: float = WAIT
    debug: bool = False
    output: Output = field(default_factory=Output)


def _declared(
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The pegboard.toml to load; unless given, the one here, else the user's."),
    ] = None,
    clients: Annotated[
        list[Path] | None,
        typer.Option(
            "--from", metavar="FILE", help="An MCP client's own file, such as ~/.cursor/mcp.json; repeatable."
        ),
    ] = None,
    wait: Annotated[
        float, typer.Option(metavar="SECONDS", min=0, help="How long to wait for upstreams to start.")
    ] = WAIT,
    json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout, errors too.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the log, and where a fault comes from.")] = False,
) -> None:
    """The declarations alone; never called."""


_OPTIONS: Final = inspect.signature(_declared, eval_str=True).parameters
_FLAGS: Final = frozenset({"--json", "--debug"})
_VALUED: Final = frozenset({"--config", "--from", "--wait"})


def with_options(run: Callable[..., Any]) -> Callable[..., Any]:
    """``run(common, ...)`` as a function with every common option in its signature instead of ``common``."""
    own = list(inspect.signature(run, eval_str=True).parameters.values())[1:]
    parameters = [*own, *_OPTIONS.values()]

    @wraps(run)
    def called(**values: Any) -> Any:
        given = {name: values.pop(name) for name in _OPTIONS}
        given |= {"clients": given["clients"] or (), "output": Output(json=given["json"])}
        return run(Common(**given), **values)

    signature = inspect.Signature([parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters])
    called.__signature__ = signature  # type: ignore[attr-defined]
    return called


def reordered(words: Sequence[str], groups: Collection[str] = (), pairs: Collection[str] = ()) -> list[str]:
    """The command line with common options that stand before the command's name moved behind it.

    The name of a command in one of ``groups`` is two words. ``pairs`` are commands whose name is two words, of which
    the first alone is a command too: they become one word.
    """
    position = 0
    while position < len(words) and (words[position] in _FLAGS or words[position].split("=")[0] in _VALUED):
        position += 2 if words[position] in _VALUED else 1
    leading, rest = list(words[:position]), list(words[position:])
    if rest and rest[0] in groups:
        return [rest[0], *reordered([*leading, *rest[1:]])]
    behind = reordered([*leading, *rest[1:]]) if rest and pairs else []
    if behind and f"{rest[0]} {behind[0]}" in pairs:
        return [f"{rest[0]} {behind[0]}", *behind[1:]]
    return [rest[0], *leading, *rest[1:]] if rest and not rest[0].startswith("-") else [*leading, *rest]
