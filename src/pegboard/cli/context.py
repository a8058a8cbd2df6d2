"""``--ctx``: values of a call's context, from the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pegboard.config import Settings

Ctx = Annotated[
    list[str] | None,
    typer.Option("--ctx", metavar="KEY=VALUE", help="A value of the call's context, as {{ctx.KEY}}; repeatable."),
]


def context_named(settings: Settings, words: Sequence[str] | None) -> dict[str, str]:
    """The values that ``words`` spell.

    Raises BadParameter for what is not KEY=VALUE, and for a key that no tool could ask for.
    """
    found: dict[str, str] = {}
    for word in words or ():
        key, sign, value = word.partition("=")
        if not sign or not key:
            raise typer.BadParameter(f"{word!r} is not KEY=VALUE.", param_hint="--ctx")
        if key in found:
            raise typer.BadParameter(f"{key} is given twice.", param_hint="--ctx")
        _check(key, settings.context_names)
        found[key] = value
    return found


def _check(key: str, known: Sequence[str]) -> None:
    if key in known:
        return
    from pegboard.schema.names import nearest

    close = nearest(key, known)
    hint = f"Did you mean {close}?" if close else f"There are {', '.join(known)}; [context] adds others."
    raise typer.BadParameter(f"{key!r} is no value of a context. {hint}", param_hint="--ctx")
