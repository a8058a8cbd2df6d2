"""``--as``: whose rights a command has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pegboard.auth import Principal

if TYPE_CHECKING:
    from pegboard.config import Settings

As = Annotated[
    str | None,
    typer.Option("--as", metavar="NAME", help="See and do what this principal of the configuration may."),
]


def principal_named(settings: Settings, name: str | None) -> Principal | None:
    """The principal of ``[principals.NAME]``; None without a name, for trusted local use.

    Raises BadParameter for a name that the configuration does not have.
    """
    if name is None or name in settings.principals:
        return settings.principals[name] if name is not None else None
    from pegboard.schema.names import nearest

    known = sorted(settings.principals)
    close = nearest(name, known)
    there = f"There are {', '.join(known)}." if known else "The configuration has none: write [principals.NAME]."
    hint = f" Did you mean {close}?" if close else ""
    raise typer.BadParameter(f"no principal is named {name!r}.{hint} {there}", param_hint="--as")
